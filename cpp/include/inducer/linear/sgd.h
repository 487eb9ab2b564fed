#pragma once
/// @file  Stochastic gradient descent (CIML algorithm 34) on
///
///     (1/N) sum_n weight_n loss(y_n, w.x_n + b) + l2/2 |w|^2 + l1 |w|_1 ,
///
/// row by row or in batches of m rows: one binary problem a class, or one regression. At step t
///
///     w <- max(0, 1 - eta l2) w - (eta/m) sum_n weight_n loss'_n x_n,   b likewise, never decayed
///
/// and what l1 does is said at Sparsity. The weights are s v: decay changes the number s alone,
/// and v is touched by a loss with a slope only, so that a step costs O(stored cells of its rows).
/// v takes s in when that gets small, and when a pass is over. The sum of the weights over time
/// is lazy, too: it is `sum` + kept v, kept being the sum of the factors s since v took one in.
#include <concepts>
#include <cstdint>
#include <vector>

#include "inducer/base/isa.h"
#include "inducer/base/monitor.h"
#include "inducer/linear/passes.h"
#include "inducer/linear/perceptron.h"
#include "inducer/losses/losses.h"

namespace inducer::linear {

/// How the l1 penalty makes weights zero.
enum class Sparsity : std::uint8_t {
  none,
  /// Each weight owes the l1 penalties of all steps so far, and pays when its feature is seen,
  /// never beyond zero (Tsuruoka, Tsujii and Ananiadou 2009).
  cumulative,
  /// The l1 step of every weight, at every step, ends at zero at the latest (Langford, Li and
  /// Zhang 2009).
  truncated,
  /// CIML (14.8), corrected: the whole step, of loss and penalty, ends at zero where it would
  /// change the sign of a weight; from zero a weight is free to go.
  truncated_steps,
};

/// The rate eta of step t = 1, 2, ...
enum class Schedule : std::uint8_t {
  constant,  ///< eta0
  power,     ///< eta0 / t^power
  shifted,   ///< eta0 / (shift + t)
  pa1,       ///< min(eta0, loss / |x|^2), of decay and penalty eta0
  pa2,       ///< loss / (|x|^2 + 1 / (2 eta0)), likewise
};

struct SgdOptions {
  losses::Loss loss;
  double loss_factor = 1;  ///< of the loss: scikit-learn's squares are halved
  double l2 = 0, l1 = 0;
  Sparsity sparsity = Sparsity::none;  ///< none: l1 is not looked at
  Schedule schedule = Schedule::constant;
  double eta0 = 0.01, power = 0.5, shift = 0;
  bool adaptive = false;  ///< out of patience, go on at a fifth of eta0 while that is over 1e-6
  bool fit_intercept = true;
  double average_from = 1;  ///< the first step whose weights are averaged, where there is a sum
  std::int64_t batch = 1;
};

/// What of a walk is in no array of the caller's.
struct SgdNumbers {
  double rate = 0;           ///< what became of eta0
  double s = 1;              ///< the weights are s v
  double kept = 0;           ///< and their sum is `sum` + kept v
  double due = 0;            ///< the l1 penalty of all steps; of the truncated kinds, in units of v
  std::int64_t pending = 0;  ///< rows of the batch so far
  double cost = 0, cost_product = 1;  ///< the loss of the pass: cost + log(cost_product)
  bool overflowed = false;
};

/// One problem under way.
struct SgdProblem {
  Passes passes;
  SgdNumbers numbers;
  std::vector<double> paid;                 ///< of `due`, by each weight
  std::vector<double> steps;                ///< truncated_steps: the step of each weight,
  std::vector<std::uint8_t> stepped;        ///< whether it is in
  std::vector<std::uint32_t> stepped_list;  ///< this list
  std::vector<std::uint32_t> batch_rows;
  std::vector<double> batch_slopes;  ///< weight_n loss'_n
};

/// All problems of a fit: one, or one a class.
template <std::floating_point T>
class SgdFit {
 public:
  /// @param problems  problem k holds code k for positive; a single problem, code 1, or numbers
  /// @param state     of averaging, u and beta are the sums of the weights and offsets so far;
  ///                  c is t, the steps made plus one
  SgdFit(Examples examples, std::int64_t problems, const PerceptronState<T>& state,
         const SgdOptions& options, PassOptions passes);

  /// Runs until all problems are finished, or have made `passes` passes, or the slice is over.
  /// After a pass the state holds the weights themselves.
  void advance(Monitor& monitor, std::int64_t passes, int threads);

  /// With `adaptive`, goes on at a fifth of the rate, in all problems; false when it is too small.
  bool lower_rate();

  const std::vector<SgdProblem>& problems() const noexcept { return problems_; }

 private:
  void advance_one(std::size_t k, Monitor& monitor, std::int64_t passes);
  bool lower_rate(SgdProblem& problem) const;

  Examples examples_;
  PerceptronState<T> state_;
  SgdOptions options_;
  std::vector<SgdProblem> problems_;
};

extern template class SgdFit<float>;
extern template class SgdFit<double>;

/// What a slice of a pass reads and writes: the argument of the hot loop.
template <std::floating_point T>
struct SgdSlice {
  const std::uint32_t* order;
  std::int64_t count;
  std::int64_t& position;
  Tally& tally;
  const std::int32_t* codes;  ///< or null: y is numbers[i]
  const double* numbers;
  const double* weights;  ///< or null
  std::int32_t positive;
  const SgdOptions& options;
  std::int64_t cols;
  T* v;
  double* sum;  ///< or null
  double &b, &b_sum, &t;
  SgdNumbers& n;
  double* paid;   ///< of the l1 penalty; or null
  double* steps;  ///< these three of truncated_steps; or null
  std::uint8_t* stepped;
  std::uint32_t* stepped_list;
  std::uint32_t* batch_rows;
  double* batch_slopes;
};

}  // namespace inducer::linear

namespace inducer {

#define INDUCER_DECLARE_SGD(T)                                                               \
  /* The hot loop: visits rows from `position` on until the order ends or it is stopped. */  \
  void visit_sgd_rows(const linear::SgdSlice<T>& slice, const Rows& X, Monitor& monitor);    \
  /* A pass is over: all debts are paid and v are the weights; says what they are penalised, \
     or notes that they overflowed. */                                                       \
  void conclude_sgd_pass(const linear::SgdSlice<T>& slice);
INDUCER_PER_ISA(INDUCER_DECLARE_SGD(float) INDUCER_DECLARE_SGD(double))
#undef INDUCER_DECLARE_SGD

}  // namespace inducer
