#pragma once
/// @file  A block of rows as a loop over several of them wants it: float64 side by side, or sparse.
#include <cstdint>

#include "inducer/base/isa.h"
#include "inducer/base/views.h"

namespace inducer {
namespace linear {

/// What a copied row takes: whole registers of any instruction set.
constexpr std::int64_t copied_stride(std::int64_t cols) noexcept {
  return (cols + 8) / 8 * 8;
}

/// Rows that are gone through at a time, so that they stay in the second-level cache.
constexpr std::int64_t block_rows(std::int64_t cols) noexcept {
  constexpr std::int64_t cells = 1 << 15;  // 256 KiB
  const std::int64_t rows = cells / copied_stride(cols) / 4 * 4;
  return rows < 16 ? 16 : rows > 256 ? 256 : rows;
}

}  // namespace linear

namespace INDUCER_ISA {

/// Rows of float64 side by side: those of X if they lie so, else a copy.
struct Tile {
  const double* values;
  std::int64_t count, cols, stride;
  /// How many of the rows behind these are X's too: worth asking for, while these are worked on.
  std::int64_t behind = 0;

  INDUCER_INLINE const double* row(std::int64_t i) const { return values + i * stride; }
};

inline Tile tile_of(const DenseRows<double>& X, std::int64_t begin, std::int64_t count, double*) {
  return {X.values + begin * X.stride, count, X.cols, X.stride, X.rows - begin - count};
}

inline Tile tile_of(const DenseRows<float>& X, std::int64_t begin, std::int64_t count,
                    double* memory) {
  const std::int64_t stride = linear::copied_stride(X.cols);
  for (std::int64_t i = 0; i < count; ++i) {
    const float* x = X.values + (begin + i) * X.stride;
    double* to = memory + i * stride;
    for (std::int64_t j = 0; j < X.cols; ++j) to[j] = static_cast<double>(x[j]);
  }
  return {memory, count, X.cols, stride};
}

template <class T>
inline Tile tile_of(const StridedRows<T>& X, std::int64_t begin, std::int64_t count,
                    double* memory) {
  const std::int64_t stride = linear::copied_stride(X.cols);
  for (std::int64_t j = 0; j < X.cols; ++j) {  // columns are what lies together, in Fortran order
    const T* x = X.values + begin * X.row_stride + j * X.col_stride;
    for (std::int64_t i = 0; i < count; ++i)
      memory[i * stride + j] = static_cast<double>(x[i * X.row_stride]);
  }
  return {memory, count, X.cols, stride};
}

/// Rows of a CSR matrix, as they are.
template <class T>
struct SparseTile {
  const SparseRows<T>& X;
  std::int64_t begin, count, cols;
};

template <class T>
SparseTile<T> tile_of(const SparseRows<T>& X, std::int64_t begin, std::int64_t count, double*) {
  return {X, begin, count, X.cols};
}

}  // namespace INDUCER_ISA
}  // namespace inducer
