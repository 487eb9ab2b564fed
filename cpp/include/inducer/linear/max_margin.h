#pragma once
/// @file  The widest margin of two classes, by Wolfe's nearest-point method, in slices.
///
/// With z_i = y_i (x_i, c), y_i = +-1, this is
///
///     min ||w||,  w = sum_i alpha_i z_i,  alpha >= 0,
///
/// where alpha sums to one over all rows (the point of their hull nearest to the origin; the
/// margin is ||w||), or over each class by itself with c = 0 (the nearest points of two hulls; the
/// margin, with a free offset, is ||w|| / 2). w is normal to the widest gap. Any w proves a margin,
/// the least w.z_i of each group, and any alpha bounds it from above by ||w||:
///
///     gap = ||w||^2 - sum over groups of min w.z_i  >=  0,  zero at the optimum alone.
///
/// The rows with alpha_i > 0 are at most cols + 2. A step takes in the row that sticks out most,
/// minimises over the affine hull of those held (a Cholesky factor of their inner products, with w
/// itself kept exactly enough that each solve refines the last), and lets go of rows whose weight
/// falls to zero on the way. All rows are scored in parallel once a round, O(stored cells); in
/// between, steps look at the few hundred that stick out most.
///
/// P. Wolfe: Finding the nearest point in a polytope. Mathematical Programming 11 (1976).
#include <cstdint>
#include <limits>
#include <vector>

#include "inducer/base/isa.h"
#include "inducer/base/monitor.h"
#include "inducer/base/views.h"
#include "inducer/linear/growing_cholesky.h"

namespace inducer::linear {

struct MaxMarginOptions {
  bool two_hulls = true;    ///< weights sum to one in each class, rather than over all rows
  double constant = 0;      ///< c
  double scale = 1;         ///< a power of two; inside, every z is multiplied by it
  double tolerance = 1e-9;  ///< end when gap <= tolerance * ||w||^2
};

class MaxMarginFit {
 public:
  /// @param sign  +1 or -1 a row; both occur
  MaxMarginFit(const Rows& X, std::vector<std::int8_t> sign, const MaxMarginOptions& options);

  /// Runs until finished or the slice is over.
  void advance(Monitor& monitor, int threads);

  bool finished = false;
  std::int64_t rounds = 0;  ///< times that all rows were scored
  std::int64_t steps = 0;
  double radius = 0;                                        ///< max ||x_i||, without c
  double lower = -std::numeric_limits<double>::infinity();  ///< the margin of coef, offset
  double upper = std::numeric_limits<double>::infinity();   ///< no margin is larger
  std::vector<double> coef;                                 ///< of norm 1 with c's weight
  double offset = 0;
  std::vector<std::int64_t> held;  ///< rows of positive weight
  std::vector<double> weight;      ///< alpha of these

 private:
  static constexpr std::size_t near_rows = 512;  // of a group: those looked at between rounds
  static constexpr int most_idle_rounds = 4;

  enum class Phase : std::uint8_t { measure, score, step };

  std::int64_t group(std::int64_t row) const noexcept {
    return options_.two_hulls && sign_[static_cast<std::size_t>(row)] < 0 ? 1 : 0;
  }
  double factor(std::int64_t row) const noexcept {
    return sign_[static_cast<std::size_t>(row)] * options_.scale;
  }
  bool pass_over_rows(Monitor& monitor, int threads);
  void start();
  void judge();
  bool step(int threads);
  void append(std::int64_t row);
  void remove(std::size_t place);
  void minimise();
  double unevenness(const std::vector<double>& scores) const;
  void newton(std::vector<double>& gradient, std::vector<double>& delta) const;
  void add_rows(const std::vector<double>& a, std::vector<double>& sum) const;
  void rebuild_w();
  void scores_of_rows(const std::vector<std::int64_t>& rows, std::vector<double>& out, int threads);

  Rows X_;
  std::vector<std::int8_t> sign_;
  MaxMarginOptions options_;
  std::int64_t groups_;
  Phase phase_ = Phase::measure;
  std::int64_t passed_ = 0;            // rows of the pass under way
  std::vector<double> w_;              // cols + 1; the last is c's
  std::vector<double> scaled_w_;       // scale * w
  std::vector<double> score_;          // of every row: w.z
  std::int64_t anchor_[2] = {-1, -1};  // a fixed row of each group; inner products are of
                                       // differences from it, free of what rows have in common
  double ridge_ = 1;
  GrowingCholesky factor_;
  std::vector<std::int64_t> near_;
  std::vector<double> near_score_;
  double norm2_ = 0, least_norm2_ = std::numeric_limits<double>::infinity();
  double upper_before_ = std::numeric_limits<double>::infinity();
  int idle_rounds_ = 0;
  std::int64_t steps_left_ = 0;  // before all rows are scored again
};

}  // namespace inducer::linear

namespace inducer {

/// out[k] = sign (x . w + w[cols]) for the rows list[begin .. end), or begin .. end themselves.
/// norms_of: out[k] = ||scale x||.
INDUCER_PER_ISA(void margin_scores_of(const Rows& X, const std::int8_t* sign, const double* w,
                                      const std::int64_t* list, std::int64_t begin,
                                      std::int64_t end, double* out);
                void norms_of(const Rows& X, double scale, std::int64_t begin, std::int64_t end,
                              double* out))

}  // namespace inducer
