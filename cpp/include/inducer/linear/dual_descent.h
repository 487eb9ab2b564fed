#pragma once
/// @file  Support vector machines by dual coordinate descent, with shrinking and a free bias.
///
/// The machine minimises |w|^2 / 2 + sum_i c_i loss(y_i, w.x_i + b), the loss being the hinge or
/// the epsilon-insensitive one. With w = sum_i beta_i x_i its dual is, for a target t_i,
///
///     minimise |w|^2 / 2 - sum_i t_i beta_i + epsilon sum_i |beta_i|    low_i <= beta_i <= high_i
///     where sum_i beta_i = 0                                            (since b is free)
///
///     hinge                 t = y, epsilon = 0, beta between 0 and y c
///     epsilon-insensitive   t = y,              beta between -c and c
///
/// A visit of row i minimises over beta_i alone. The last constraint is met by the method of
/// multipliers: s = sum beta costs b s + stiffness s^2 / 2, so a row's score is w.x + b +
/// stiffness s, and each pass ends with b += stiffness s. A row whose beta is at a corner (a bound,
/// or zero with an epsilon) and is pressed into it harder than anything pulled in the last pass is
/// left out until `restore`. One pass costs O(stored cells).
///
/// Where the betas sum to zero, w is the same whatever is taken off every row. The rows are looked
/// at from their centre, without a copy: a column far from zero would else be all that a visit
/// sees.
#include <cstdint>
#include <vector>

#include "inducer/base/isa.h"
#include "inducer/base/monitor.h"
#include "inducer/base/views.h"

namespace inducer::linear {

/// What a visit reads and writes of a row, in one cache line.
struct alignas(64) DualRow {
  double beta = 0;
  double inverse = 0;  ///< 1 / (|x - centre|^2 + stiffness)
  double target = 0, low = 0, high = 0;
  double at_centre = 0;  ///< x.centre
};

struct DualSlice {
  const Rows& X;
  DualRow* rows;
  std::uint32_t* order;  ///< the active rows; those that leave go behind `active`
  std::int64_t& active;
  std::int64_t& position;
  double* w;         ///< sum_i beta_i x_i
  double& sum;       ///< of all beta
  double& w_centre;  ///< w.centre
  double bias, stiffness, epsilon;
  double centre_square;
  double limit;   ///< rows pressed harder than this leave
  double& worst;  ///< the strongest pull seen
};

class DualDescentFit {
 public:
  /// @param low, high  of beta; rows with low = high = 0 are not visited
  /// @param stiffness  0: no bias
  /// @param centre     of the rows (cols), where there is a bias; or null: zero
  DualDescentFit(const Rows& X, const double* targets, const double* low, const double* high,
                 double epsilon, double stiffness, const double* centre, std::uint64_t seed);

  /// Runs until `passes` passes are made or the slice is over.
  void advance(Monitor& monitor, std::int64_t passes);
  bool reached(std::int64_t passes) const noexcept { return passes_ >= passes; }
  /// Visits all rows again.
  void restore();

  std::vector<double> beta() const;
  /// What goes with the weights sum_i beta_i (x_i - centre) and the rows as they are.
  double bias() const noexcept { return bias_ + sum_ * centre_square_ - w_centre_; }
  double worst() const noexcept { return last_worst_; }
  std::int64_t passes() const noexcept { return passes_; }
  std::int64_t active() const noexcept { return active_; }
  std::int64_t rows() const noexcept { return X_.rows; }
  /// Multiply-adds of a pass.
  double work() const noexcept;

 private:
  Rows X_;
  double epsilon_, stiffness_;
  std::uint64_t seed_;
  std::vector<DualRow> rows_;
  std::vector<std::uint32_t> order_;
  std::vector<double> w_, centre_;
  std::int64_t active_ = 0, position_ = 0, passes_ = 0;
  double centre_square_ = 0;
  double sum_ = 0, w_centre_ = 0, bias_ = 0, limit_, worst_ = 0, last_worst_ = 0;
  bool under_way_ = false;
};

/// Runs each fit, on several threads, until it has made `passes` or the slice is over. Fits share
/// nothing, so the bits do not depend on the threads.
void advance_together(const std::vector<DualDescentFit*>& fits, Monitor& monitor,
                      std::int64_t passes, int threads);

}  // namespace inducer::linear

namespace inducer {

/// The hot loop: visits active rows from `position` on until they end or the monitor says stop.
INDUCER_PER_ISA(void visit_dual_rows(const linear::DualSlice& slice, Monitor& monitor))

}  // namespace inducer
