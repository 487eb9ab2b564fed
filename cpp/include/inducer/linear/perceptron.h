#pragma once
/// @file  The perceptron and the averaged perceptron (CIML algorithms 5 and 7), one binary problem
/// a class, in slices.
///
/// For each row visited, with y = +1 for the positive class and -1 for the rest:
///
///     a = w.x + b;   if y a <= 0:  w += r y x,  b += r y,  u += r y c x,  beta += r y c;   c += 1
///
/// r is the rate times the weight of the row; the averaged weights are w - u / c. u and beta are
/// touched at a mistake only, so averaging costs by the mistake and not by the row. One pass
/// costs O(stored cells). Rows of zero weight are not visited.
#include <concepts>
#include <cstdint>
#include <limits>
#include <vector>

#include "inducer/base/isa.h"
#include "inducer/base/monitor.h"
#include "inducer/base/views.h"

namespace inducer::linear {

enum class Shuffle : std::uint8_t { every, once, never };

struct PerceptronOptions {
  bool fit_intercept = true;
  bool average = false;
  Shuffle shuffle = Shuffle::every;
  double rate = 1.0;
  std::int64_t max_passes = 1000;
  /// Stop after a clean pass, and when the mean loss of a pass did not fall by `tolerance` for
  /// `patience` passes. Negative: run exactly max_passes.
  double tolerance = 1e-3;
  std::int64_t patience = 5;
  std::uint64_t seed = 0;
  std::uint64_t first_part = 0;  ///< where in its random streams this fit begins
};

/// What a slice of a pass reads and writes: the argument of the hot loop.
template <std::floating_point T>
struct PerceptronPass {
  const std::int32_t* codes;
  const double* weights;  ///< or null
  std::int32_t positive;
  const std::uint32_t* order;
  std::int64_t count;
  T* w;
  double* u;  ///< or null
  double rate;
  bool fit_intercept;
  std::int64_t position;
  double b, beta, c;
  std::int64_t mistakes;
  double loss;
};

/// One binary problem under way.
template <std::floating_point T>
struct PerceptronProblem {
  std::vector<T> w;
  std::vector<double> u;
  double b = 0, beta = 0, c = 1;
  std::int64_t passes = 0, mistakes = 0;
  std::int64_t pass_mistakes = 0;  ///< of the last whole pass
  double pass_loss = 0;            ///< likewise: mean perceptron loss
  bool clean = false;              ///< the last whole pass had no mistake
  bool finished = false;

  std::vector<std::uint32_t> order;  ///< empty while no pass is under way
  std::int64_t position = 0, mistakes_so_far = 0;
  double loss_so_far = 0, best_loss = std::numeric_limits<double>::infinity();
  std::int64_t stale = 0;
};

/// All problems of a fit: one, or one a class.
template <std::floating_point T>
class PerceptronFit {
 public:
  /// @param codes    rows; problem k holds code k for positive; a single problem, code 1
  /// @param weights  rows, or empty; no weight is negative
  PerceptronFit(const Rows& X, std::vector<std::int32_t> codes, std::vector<double> weights,
                std::int64_t problems, const PerceptronOptions& options);

  /// Runs until all problems are finished, or have made `passes` passes, or the slice is over.
  void advance(Monitor& monitor, std::int64_t passes, int threads);

  bool finished() const noexcept;
  /// Whether no problem has more to do before it has made this many passes.
  bool reached(std::int64_t passes) const noexcept;

  std::vector<PerceptronProblem<T>>& problems() noexcept { return problems_; }
  const std::vector<PerceptronProblem<T>>& problems() const noexcept { return problems_; }
  std::int64_t cols() const noexcept { return X_.cols; }
  std::int64_t rows_used() const noexcept { return static_cast<std::int64_t>(used_.size()); }

 private:
  void advance_one(std::size_t k, const Monitor& monitor, std::int64_t passes);
  void begin_pass(PerceptronProblem<T>& p, std::size_t k) const;
  void end_pass(PerceptronProblem<T>& p) const;

  Rows X_;
  std::vector<std::int32_t> codes_;
  std::vector<double> weights_;
  std::vector<std::uint32_t> used_;
  double total_weight_ = 0;
  PerceptronOptions options_;
  std::vector<PerceptronProblem<T>> problems_;
};

extern template class PerceptronFit<float>;
extern template class PerceptronFit<double>;

}  // namespace inducer::linear

namespace inducer {

/// The hot loop: visits rows from `position` on until the order ends or the monitor says stop.
INDUCER_PER_ISA(void visit_rows(linear::PerceptronPass<float>& pass, const Rows& X,
                                const Monitor& monitor);
                void visit_rows(linear::PerceptronPass<double>& pass, const Rows& X,
                                const Monitor& monitor))

}  // namespace inducer
