#pragma once
/// @file  The weighted Gram matrix of a table: everything that least squares needs to know of it.
///
/// For z_i = (x_i - s, y_i, 1), the row less a shift, its targets, and the constant:
///
///     A = sum_i h_i z_i z_i'
///
/// holds X'HX, X'HY, Y'HY, the sums of all columns and the sum of the weights. Sums are in float64
/// whatever X is. The shift keeps the digits of columns far from zero: with s near the means,
/// centring A afterwards cancels nothing. Rows are packed into panels (gram_tile.h), or, where X is
/// sparse and mostly empty, added cell by cell. Up to `narrow` columns the rows are split and the
/// sums merged in order; above, each block of A is one task that goes down all rows. Either way
/// the bits do not depend on the number of threads. Between instruction sets they do, by rounding:
/// |error| of a cell <= (rows + 2) eps sum_i |h_i z_ir z_ic|.
#include <cstdint>

#include "inducer/base/isa.h"
#include "inducer/base/views.h"

namespace inducer::linear {

/// What goes with the rows of X.
struct GramTerms {
  const double* weights = nullptr;  ///< h, rows; or null: all one
  const double* targets = nullptr;  ///< Y, rows x outputs
  std::int64_t outputs = 0;
  const double* shift = nullptr;  ///< s, cols; or null. Not for sparse rows that are mostly empty
};

/// Columns of A that are one block: the block and two panels stay in the second-level cache.
inline constexpr std::int64_t narrow = 192;

/// Whether the cells of X are added one by one: it is sparse, and its rows are mostly empty.
bool by_cells(const Rows& X);

/// A += the sum over rows [begin, end), in the triangle c >= r.
/// @param A  width x width, width = cols + outputs + 1
/// @pre  no shift if by_cells(X)
void add_gram(const Rows& X, const GramTerms& terms, std::int64_t begin, std::int64_t end,
              double* A, int threads);

/// Some columns of z.
struct ColumnBlock {
  std::int64_t first, count;
};

/// Where rows are packed, and summed.
struct GramSpace {
  double *P, *Q;  ///< panel_rows x stride each, zero beyond the columns
  std::int64_t stride;
  double* A;  ///< padded(r.count) x a_stride
  std::int64_t a_stride;
};

}  // namespace inducer::linear

namespace inducer {

INDUCER_PER_ISA(
    /// space.A += the block (r, c) of the sum over rows [begin, end).
    void add_packed_gram(const Rows& X, const linear::GramTerms& terms, std::int64_t begin,
                         std::int64_t end, linear::ColumnBlock r, linear::ColumnBlock c,
                         const linear::GramSpace& space);
    /// Rows r of A += the sum over rows [begin, end) of a sparse X.
    void add_gram_cells(const Rows& X, const linear::GramTerms& terms, std::int64_t begin,
                        std::int64_t end, linear::ColumnBlock r, double* A))

}  // namespace inducer
