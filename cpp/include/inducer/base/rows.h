#pragma once
/// @file  What can be done with one row, whatever its layout:
///     dot(row, w)       sum_j x_j w_j
///     axpy(a, row, w)   w += a x
///     norm2(row)        sum_j x_j^2
///     scatter(row, w)   w = x, given w = 0; gather_zero(row, w) undoes it
///     prefetch(X, i)    asks for row i before it is needed
///     prefetch_place(X, i)  asks for where row i is, before `prefetch` needs to know
/// The order of additions is fixed (vector.h; eight lanes for sparse rows).
#include "inducer/base/vector.h"
#include "inducer/base/views.h"

namespace inducer {
namespace INDUCER_ISA {

template <std::floating_point T>
INDUCER_INLINE T dot(DenseRow<T> x, const T* w) {
  return dot(x.values, w, x.cols);
}

/// The same lanes as a dense row, so that the layout of X does not change a result.
template <std::floating_point T>
INDUCER_INLINE T dot(StridedRow<T> x, const T* w) {
  T lane[lanes<T>]{};
  std::int64_t j = 0;
  for (; j + lanes<T> <= x.cols; j += lanes<T>)
    for (int k = 0; k < lanes<T>; ++k) lane[k] += x.values[(j + k) * x.stride] * w[j + k];
  for (int k = 0; j < x.cols; ++j, ++k) lane[k] += x.values[j * x.stride] * w[j];
  for (int half = lanes<T> / 2; half > 0; half /= 2)
    for (int k = 0; k < half; ++k) lane[k] += lane[k + half];
  return lane[0];
}

/// Summed in the numbers of w, whatever x is made of.
template <std::floating_point T, std::floating_point U>
INDUCER_INLINE U dot(SparseRow<T> x, const U* w) {
  U lane[8]{};
  std::int64_t k = 0;
  for (; k + 8 <= x.size; k += 8)
    for (int r = 0; r < 8; ++r) lane[r] += static_cast<U>(x.values[k + r]) * w[x.columns[k + r]];
  for (int r = 0; k < x.size; ++k, ++r) lane[r] += static_cast<U>(x.values[k]) * w[x.columns[k]];
  for (int half = 4; half > 0; half /= 2)
    for (int r = 0; r < half; ++r) lane[r] += lane[r + half];
  return lane[0];
}

template <std::floating_point T, std::floating_point U>
INDUCER_INLINE void axpy(U a, DenseRow<T> x, U* w) {
  axpy(a, x.values, w, x.cols);
}

template <std::floating_point T, std::floating_point U>
INDUCER_INLINE void axpy(U a, StridedRow<T> x, U* w) {
  for (std::int64_t j = 0; j < x.cols; ++j) w[j] += a * static_cast<U>(x.values[j * x.stride]);
}

template <std::floating_point T, std::floating_point U>
INDUCER_INLINE void axpy(U a, SparseRow<T> x, U* w) {
  for (std::int64_t k = 0; k < x.size; ++k) w[x.columns[k]] += a * static_cast<U>(x.values[k]);
}

/// f(j, x_j) for each stored cell, by rising j.
template <std::floating_point T, class F>
INDUCER_INLINE void for_each(DenseRow<T> x, F&& f) {
  for (std::int64_t j = 0; j < x.cols; ++j) f(j, x.values[j]);
}

template <std::floating_point T, class F>
INDUCER_INLINE void for_each(StridedRow<T> x, F&& f) {
  for (std::int64_t j = 0; j < x.cols; ++j) f(j, x.values[j * x.stride]);
}

template <std::floating_point T, class F>
INDUCER_INLINE void for_each(SparseRow<T> x, F&& f) {
  for (std::int64_t k = 0; k < x.size; ++k) f(static_cast<std::int64_t>(x.columns[k]), x.values[k]);
}

template <class Row>
INDUCER_INLINE double norm2(const Row& x) {
  double sum = 0;
  for_each(x, [&](std::int64_t, auto value) {
    sum += static_cast<double>(value) * static_cast<double>(value);
  });
  return sum;
}

/// Cells of a row, on average: what a visit of one costs in multiply-adds.
template <class View>
INDUCER_INLINE std::int64_t mean_cells(const View& X) {
  return X.cols;
}

template <std::floating_point T>
INDUCER_INLINE std::int64_t mean_cells(const SparseRows<T>& X) {
  return X.rows > 0 ? X.starts[X.rows] / X.rows : 0;
}

/// How many rows ahead to ask for when their order is random. In shuffled order nothing else hides
/// the latency of memory: a row takes some 20 ns, memory some 150 ns and far more when both cores
/// ask. Measured on Zen 5, 200,000 x 50 float64: 30 ms at 8 rows, 25 at 16, 24 at 24, 27 at 32.
template <class View>
inline constexpr std::int64_t rows_ahead = 24;
template <class T>
inline constexpr std::int64_t rows_ahead<SparseRows<T>> = 6;

/// Asks for every cache line of an array; nearness 3 is the first-level cache, 2 the second.
template <int nearness>
INDUCER_INLINE void prefetch_bytes(const void* begin, std::int64_t bytes) {
  const char* p = static_cast<const char*>(begin);
  for (std::int64_t at = 0; at < bytes; at += 64) __builtin_prefetch(p + at, 0, nearness);
}

template <std::floating_point T>
INDUCER_INLINE void prefetch(const DenseRows<T>& X, std::int64_t i) {
  prefetch_bytes<3>(X.values + i * X.stride, X.cols * static_cast<std::int64_t>(sizeof(T)));
}

template <std::floating_point T>
INDUCER_INLINE void prefetch(const StridedRows<T>& X, std::int64_t i) {
  __builtin_prefetch(X.values + i * X.row_stride);
}

template <std::floating_point T>
INDUCER_INLINE void prefetch(const SparseRows<T>& X, std::int64_t i) {
  // Not nearer than the second level: the weights, scattered, need the first level's buffers.
  const SparseRow<T> x = X.row(i);
  prefetch_bytes<2>(x.values, x.size * static_cast<std::int64_t>(sizeof(T)));
  prefetch_bytes<2>(x.columns, x.size * static_cast<std::int64_t>(sizeof(std::int32_t)));
}

template <class View>
INDUCER_INLINE void prefetch_place(const View&, std::int64_t) {}  // known without a look

template <std::floating_point T>
INDUCER_INLINE void prefetch_place(const SparseRows<T>& X, std::int64_t i) {
  __builtin_prefetch(X.starts + i);
}

}  // namespace INDUCER_ISA
}  // namespace inducer
