#pragma once
/// @file  The perceptron, averaged (CIML algorithms 5 and 7) and voted (4.17): one binary problem
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
#include <vector>

#include "inducer/base/isa.h"
#include "inducer/base/monitor.h"
#include "inducer/linear/passes.h"

namespace inducer::linear {

struct PerceptronOptions {
  bool fit_intercept = true;
  bool remember = false;  ///< keep the row and the time of every mistake
  double rate = 1.0;
};

/// Where a fit begins, and what it leaves behind. The caller owns the memory.
template <std::floating_point T>
struct PerceptronState {
  T* w;          ///< problems x cols
  double* u;     ///< likewise; or null: no averaging
  double* b;     ///< problems
  double* beta;  ///< problems
  double* c;     ///< problems: rows visited, plus one
};

/// One binary problem under way.
struct PerceptronProblem {
  Passes passes;
  /// Of each mistake, in order: the row, and the value of c at it.
  std::vector<std::uint32_t> mistaken_rows;
  std::vector<double> mistake_times;
};

/// All problems of a fit: one, or one a class.
template <std::floating_point T>
class PerceptronFit {
 public:
  /// @param problems  problem k holds code k for positive; a single problem, code 1
  PerceptronFit(Examples examples, std::int64_t problems, const PerceptronState<T>& state,
                const PerceptronOptions& options, const PassOptions& passes);

  /// Runs until all problems are finished, or have made `passes` passes, or the slice is over.
  void advance(Monitor& monitor, std::int64_t passes, int threads);

  const std::vector<PerceptronProblem>& problems() const noexcept { return problems_; }

 private:
  void advance_one(std::size_t k, Monitor& monitor, std::int64_t passes);

  Examples examples_;
  PerceptronState<T> state_;
  PerceptronOptions options_;
  std::vector<PerceptronProblem> problems_;
};

extern template class PerceptronFit<float>;
extern template class PerceptronFit<double>;

/// What a slice of a pass reads and writes: the argument of the hot loop.
template <std::floating_point T>
struct PerceptronSlice {
  const std::uint32_t* order;
  std::int64_t count;
  std::int64_t& position;
  Tally& tally;
  const std::int32_t* codes;
  const double* weights;  ///< or null
  std::int32_t positive;
  bool fit_intercept;
  double rate;
  T* w;
  double* u;  ///< or null
  double &b, &beta, &c;
  std::uint32_t* mistaken_rows;  ///< or null; room for count - position of them
  double* mistake_times;
};

}  // namespace inducer::linear

namespace inducer {

/// The hot loop: visits rows from `position` on until the order ends or the monitor says stop.
INDUCER_PER_ISA(void visit_rows(const linear::PerceptronSlice<float>& slice, const Rows& X,
                                Monitor& monitor);
                void visit_rows(const linear::PerceptronSlice<double>& slice, const Rows& X,
                                Monitor& monitor))

}  // namespace inducer
