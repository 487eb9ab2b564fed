#pragma once
/// @file  Is this matrix what it claims to be? What fails is named by its place.
#include <cstdint>

#include "inducer/base/isa.h"
#include "inducer/base/views.h"

namespace inducer {

/// A place in a matrix; row < 0 means nowhere.
struct Place {
  std::int64_t row = -1;
  std::int64_t col = -1;
};

/// The first NaN or infinity, by rows.
Place first_nonfinite(const Rows& X, int threads);

enum class CsrFault : std::uint8_t {
  none,
  starts,     ///< row pointers do not begin at 0, fall, or end past the stored cells
  range,      ///< a column outside the matrix
  unordered,  ///< columns of a row not strictly rising: unsorted or repeated
};

struct CsrReport {
  CsrFault fault = CsrFault::none;
  std::int64_t row = -1;
  std::int64_t column = 0;  ///< the offending column, for `range`
};

/// Checks before any cell is read that no read will be out of bounds. A worse fault goes first:
/// `starts` before `range` before `unordered`.
/// @param stored  how many columns and values there are
CsrReport check_csr(const std::int64_t* starts, const std::int32_t* columns, std::int64_t rows,
                    std::int64_t cols, std::int64_t stored, int threads);

INDUCER_PER_ISA(bool all_finite(const float* values, std::int64_t n);
                bool all_finite(const double* values, std::int64_t n);
                /// How often a column is not above the one before it; -1 when one is outside.
                std::int64_t count_falls(const std::int32_t* columns, std::int64_t n,
                                         std::int64_t cols))

}  // namespace inducer
