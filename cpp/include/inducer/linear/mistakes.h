#pragma once
/// @file  Which rows a linear rule gets wrong, what that costs, and which way is uphill.
///
/// A rule is a matrix W (outputs x cols) and offsets b. With one output it says code 1 where
/// w.x + b > 0, and a row is a mistake where y (w.x + b) <= 0 (zero counts); with more it says the
/// first output of the largest value. These are sums over rows: the pocket and the batch
/// perceptron are made of them.
#include <concepts>
#include <cstdint>

#include "inducer/base/isa.h"
#include "inducer/base/views.h"

namespace inducer::linear {

template <std::floating_point T>
struct Rule {
  const T* W;
  const double* b;
  std::int64_t outputs;
};

/// For rows [begin, end): charge[i] = weight_i * cost[code_i, guess_i] at a mistake, else 0, and
/// guess[i].
/// @param cost  classes x classes; classes is max(2, outputs)
template <std::floating_point T>
void charge_mistakes(const Rows& X, const std::int32_t* codes, const double* weights,
                     const Rule<T>& rule, const double* cost, double* charge, std::int32_t* guess,
                     std::int64_t begin, std::int64_t end, int threads);

/// What one binary rule does to a block of rows.
struct BlockMistakes {
  std::int64_t count = 0;
  double weight = 0;      ///< of the mistakes
  double loss = 0;        ///< sum of weight * max(0, -y a)
  double offset_sum = 0;  ///< sum of weight * y over mistakes
};

/// Adds weight * y * x over the mistakes of [begin, end) to `sum` (cols).
/// y is +1 for code `positive`, else -1.
template <std::floating_point T>
BlockMistakes sum_mistakes(const Rows& X, const std::int32_t* codes, std::int32_t positive,
                           const double* weights, const T* w, double b, std::int64_t begin,
                           std::int64_t end, double* sum);

}  // namespace inducer::linear

namespace inducer {

#define INDUCER_DECLARE_MISTAKES(T)                                                               \
  void charge_rows(const Rows& X, const std::int32_t* codes, const double* weights,               \
                   const linear::Rule<T>& rule, const double* cost, double* charge,               \
                   std::int32_t* guess, std::int64_t begin, std::int64_t end);                    \
  linear::BlockMistakes sum_rows(const Rows& X, const std::int32_t* codes, std::int32_t positive, \
                                 const double* weights, const T* w, double b, std::int64_t begin, \
                                 std::int64_t end, double* sum);
INDUCER_PER_ISA(INDUCER_DECLARE_MISTAKES(float) INDUCER_DECLARE_MISTAKES(double))
#undef INDUCER_DECLARE_MISTAKES

}  // namespace inducer
