#pragma once
/// @file  X'r: for each column, its product with a vector, or with several in one pass. And how
/// large the columns are.
///
/// Sums are in float64 whatever X is. The rows are split, and the sums merged in order: the bits do
/// not depend on the number of threads, and, one multiply and one add at a time, not on the
/// instruction set either.
#include <cstdint>

#include "inducer/base/isa.h"
#include "inducer/base/views.h"

namespace inducer::linear {

/// out_kj = sum_i r_ki x_ij.
/// @param r    count x rows
/// @param out  count x cols
void column_products(const Rows& X, const double* r, std::int64_t count, double* out, int threads);

/// out_j = sum_i h_i |x_ij|, and behind these sum_i h_i x_ij^2.
/// @param h    rows
/// @param out  2 x cols
void column_sizes(const Rows& X, const double* h, double* out, int threads);

}  // namespace inducer::linear

namespace inducer {

/// out += the sum over rows [begin, end).
INDUCER_PER_ISA(void add_column_products(const Rows& X, const double* r, std::int64_t count,
                                         std::int64_t begin, std::int64_t end, double* out);
                void add_column_sizes(const Rows& X, const double* h, std::int64_t begin,
                                      std::int64_t end, double* out))

}  // namespace inducer
