#pragma once
/// @file  The sum that every linear model minimises, with its derivatives, over a block of rows:
///
///     sum_i weight_i loss(y_i, w.x_i + b)      gradient  sum_i weight_i loss' (x_i, 1)
///                                              Hessian   sum_i weight_i loss'' (x_i, 1)(x_i, 1)'
///
/// Penalties are the caller's (several outputs at once: softmax.h). w and b travel as one vector of
/// cols + 1 numbers, b last; a model without an intercept keeps a zero there. Everything is summed
/// in float64, whatever X is made of, and a dense block has the same bits in every layout. How rows
/// are cut into pieces depends on the data alone and pieces are merged in order, so the number of
/// threads changes no bit.
///
/// Except for the Hessian (tiles with fused multiply-adds: relative 1e-13 between instruction
/// sets), results have the same bits on every instruction set as far as the loss has them: the
/// logistic loss does by losses/exponential.h, the others call the C library.
#include <cstdint>

#include "inducer/base/isa.h"
#include "inducer/base/views.h"
#include "inducer/linear/row_tiles.h"
#include "inducer/losses/losses.h"

namespace inducer::linear {

/// Rows, what they should come to, and what it costs when they do not.
struct Objective {
  Rows X;
  losses::Loss loss;
  const double* targets = nullptr;      ///< numbers, or -1 and +1; null: codes
  const std::int32_t* codes = nullptr;  ///< y is +1 for `positive`, else -1
  std::int32_t positive = 1;
  const double* weights = nullptr;  ///< or null: all one
  /// Above 0, the kink of a loss made of two straight lines (hinge, perceptron, absolute, epsilon-
  /// insensitive, quantile) is bent to a parabola of this width: the loss is max_s s r - s^2
  /// smoothing / 2 over the slopes s between the two, and lies below by smoothing s^2 / 2.
  double smoothing = 0;
};

/// What is wanted besides the sum; null: not wanted. `gradient` and `hessian` are added to.
struct Wanted {
  double* gradient = nullptr;      ///< cols + 1
  double* hessian = nullptr;       ///< (cols + 1) squared, by rows; only j >= i is added to
  double* scores = nullptr;        ///< rows: w.x_i + b, at the rows of the block
  double* slopes = nullptr;        ///< rows: weight_i loss'
  double* curvatures = nullptr;    ///< rows: weight_i loss''
  double* squares = nullptr;       ///< cols: added to, the sums of squares of the columns, taken
  const double* centre = nullptr;  ///< from here (cols); wanted with `squares`
};

/// The sum over rows [begin, end) at w (cols + 1).
double evaluate(const Objective& objective, const double* w, std::int64_t begin, std::int64_t end,
                const Wanted& wanted, int threads);

/// out (cols + 1) += sum_i curvature_i (v.(x_i, 1)) (x_i, 1): the Hessian times v.
void curvature_product(const Rows& X, const double* curvatures, const double* v, std::int64_t begin,
                       std::int64_t end, double* out, int threads);

/// The same, and of the same read of the rows: changes_i = v.(x_i, 1), and gradient (cols + 1) +=
/// sum_i slope_i (x_i, 1).
struct AlsoWanted {
  const double* slopes = nullptr;
  double *gradient = nullptr, *changes = nullptr;
};
void curvature_product(const Rows& X, const double* curvatures, const double* v, std::int64_t begin,
                       std::int64_t end, double* out, const AlsoWanted& also, int threads);

/// The sum, and its first and second derivative in t, where the scores are scores + t changes.
struct Along {
  double value = 0, slope = 0, curvature = 0;
};
/// @param scores, changes  of all rows, of which [begin, end) are read
Along evaluate_along(const Objective& objective, const double* scores, const double* changes,
                     double t, std::int64_t begin, std::int64_t end, int threads);

// ---- what the hot loops are called with
// ----------------------------------------------------------

struct ObjectivePiece {
  const Objective& objective;
  const double* w;
  Wanted wanted;
  std::int64_t begin, end;
  double* memory;  ///< block_rows x (copied_stride + 6)
  /// Of a Hessian: panels of zeros, and its sums; else null.
  double *P, *Q, *sums;
};

struct ProductPiece {
  const Rows& X;
  const double *curvatures, *v;
  double* out;
  AlsoWanted also;
  std::int64_t begin, end;
  double* memory;  ///< likewise
};

}  // namespace inducer::linear

namespace inducer {

INDUCER_PER_ISA(double evaluate_piece(const linear::ObjectivePiece& piece);
                void product_piece(const linear::ProductPiece& piece);
                linear::Along along_piece(const linear::Objective& objective, const double* scores,
                                          const double* changes, double t, std::int64_t begin,
                                          std::int64_t end))

}  // namespace inducer
