#pragma once
/// @file  Products of packed columns, for *.isa.cpp files: what a Gram matrix, or a Hessian, is
/// made of.
///
/// Rows are laid into panels: panel[i * stride + j] is column j of row i, in float64. For a panel P
/// and the same rows times their weights, Q = diag(h) P,
///
///     add_triangle   A += Q' P        where the column is not left of the row
///     add_rectangle  A += Q' R        of two panels
///
/// A tile of A is held in registers while it goes down the rows, so that a number that is loaded
/// once is used several times. It may use fused multiply-adds: equal on every run and number of
/// threads, but the last bits depend on the instruction set.
#include <cstdint>

#include "inducer/base/vector.h"
#if defined(__FMA__)
#include <immintrin.h>
#endif

namespace inducer {
namespace linear {

/// Rows of a panel: a panel of 64 columns and its weighted copy fit into the second-level cache.
inline constexpr std::int64_t panel_rows = 128;

/// A number of columns, padded to whole tiles of any instruction set.
constexpr std::int64_t padded(std::int64_t cols) {
  return (cols + 7) / 8 * 8;
}

/// The stride of a panel: an odd number of cache lines, or its rows would fall into few of the sets
/// of the first-level cache.
constexpr std::int64_t panel_stride(std::int64_t cols) {
  return padded(cols) | 8;
}

}  // namespace linear

namespace INDUCER_ISA {

using Doubles = Pack<double>::Register;

/// a b + c
INDUCER_INLINE Doubles multiply_add(Doubles a, Doubles b, Doubles c) {
#if defined(__AVX512F__)
  return (Doubles)_mm512_fmadd_pd((__m512d)a, (__m512d)b, (__m512d)c);
#elif defined(__FMA__)
  return (Doubles)_mm256_fmadd_pd((__m256d)a, (__m256d)b, (__m256d)c);
#else
  return a * b + c;
#endif
}

// A tile is `tile_rows` by `tile_registers` registers: with what is loaded, it fills the register
// file. Both divide what `padded` pads to.
#if defined(__AVX512F__)
inline constexpr int tile_rows = 8, tile_registers = 2;
#elif defined(__AVX2__)
inline constexpr int tile_rows = 4, tile_registers = 3;
#else
inline constexpr int tile_rows = 4, tile_registers = 2;
#endif

/// A[r, c] += sum_i Q[i, r] P[i, c] for one tile.
template <int registers>
INDUCER_INLINE void add_tile(const double* Q, const double* P, std::int64_t stride,
                             std::int64_t rows, double* A, std::int64_t a_stride) {
  constexpr int width = Pack<double>::width;
  Doubles sum[tile_rows][registers]{};
  for (std::int64_t i = 0; i < rows; ++i) {
    Doubles p[registers];
#pragma GCC unroll 4
    for (int c = 0; c < registers; ++c) p[c] = Pack<double>::load(P + i * stride + c * width);
#pragma GCC unroll 8
    for (int r = 0; r < tile_rows; ++r) {
      const Doubles q = Q[i * stride + r] - Doubles{};
#pragma GCC unroll 4
      for (int c = 0; c < registers; ++c) sum[r][c] = multiply_add(q, p[c], sum[r][c]);
    }
  }
#pragma GCC unroll 8
  for (int r = 0; r < tile_rows; ++r)
#pragma GCC unroll 4
    for (int c = 0; c < registers; ++c) {
      double* const at = A + r * a_stride + c * width;
      const Doubles total = Pack<double>::load(at) + sum[r][c];
      std::memcpy(at, &total, sizeof total);
    }
}

/// A[r, c] += sum_i Q[i, r] P[i, c] for c from `first` on: one row of tiles.
INDUCER_INLINE void add_tiles(const double* Q, const double* P, std::int64_t first,
                              std::int64_t cols, std::int64_t stride, std::int64_t rows, double* A,
                              std::int64_t a_stride) {
  constexpr int width = Pack<double>::width;
  std::int64_t c = first;
  for (; c + (tile_registers - 1) * width < cols; c += tile_registers * width)
    add_tile<tile_registers>(Q, P + c, stride, rows, A + c, a_stride);
  if constexpr (tile_registers == 3)
    if (c + width < cols) {
      add_tile<2>(Q, P + c, stride, rows, A + c, a_stride);
      c += 2 * width;
    }
  if (c < cols) add_tile<1>(Q, P + c, stride, rows, A + c, a_stride);
}

/// The triangle c >= r of A += Q' P, over `rows` rows of two panels of `cols` columns.
/// @param A  padded(cols) x a_stride, a_stride >= padded(cols); also some of what is outside the
///           triangle or beyond `cols` is written
/// @pre  panels are zero, or at least readable, up to padded(cols)
INDUCER_INLINE void add_triangle(const double* Q, const double* P, std::int64_t cols,
                                 std::int64_t stride, std::int64_t rows, double* A,
                                 std::int64_t a_stride) {
  constexpr std::int64_t width = Pack<double>::width;
  for (std::int64_t r = 0; r < cols; r += tile_rows)
    add_tiles(Q + r, P, r / width * width, cols, stride, rows, A + r * a_stride, a_stride);
}

/// A += Q' P, where Q has q_cols columns and P has p_cols; likewise.
INDUCER_INLINE void add_rectangle(const double* Q, std::int64_t q_cols, const double* P,
                                  std::int64_t p_cols, std::int64_t stride, std::int64_t rows,
                                  double* A, std::int64_t a_stride) {
  for (std::int64_t r = 0; r < q_cols; r += tile_rows)
    add_tiles(Q + r, P, 0, p_cols, stride, rows, A + r * a_stride, a_stride);
}

}  // namespace INDUCER_ISA
}  // namespace inducer
