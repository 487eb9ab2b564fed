#pragma once
/// @file  Matrices seen by their rows. A view owns nothing and copies nothing.
///
/// Three layouts, one concept, so that a loop over rows is written once:
///
///     DenseRows    row i is values[i * stride .. + cols)      C order, and column slices of it
///     StridedRows  x_ij  is values[i * row_stride + j * col_stride]     Fortran order, any slice
///     SparseRows   row i is (columns[k], values[k]), starts[i] <= k < starts[i + 1]     CSR
///
/// What can be done with a row (dot, axpy, ...) is in rows.h: it depends on the instruction set.
#include <concepts>
#include <cstdint>

#include "inducer/base/isa.h"

namespace inducer {

template <std::floating_point T>
struct DenseRow {
  const T* values;
  std::int64_t cols;
};

template <std::floating_point T>
struct StridedRow {
  const T* values;
  std::int64_t cols;
  std::int64_t stride;
};

template <std::floating_point T>
struct SparseRow {
  const T* values;
  const std::int32_t* columns;
  std::int64_t size;
};

template <std::floating_point T>
struct DenseRows {
  using Scalar = T;
  const T* values;
  std::int64_t rows, cols, stride;

  INDUCER_INLINE DenseRow<T> row(std::int64_t i) const { return {values + i * stride, cols}; }
};

template <std::floating_point T>
struct StridedRows {
  using Scalar = T;
  const T* values;
  std::int64_t rows, cols, row_stride, col_stride;

  INDUCER_INLINE StridedRow<T> row(std::int64_t i) const {
    return {values + i * row_stride, cols, col_stride};
  }
};

template <std::floating_point T>
struct SparseRows {
  using Scalar = T;
  const T* values;
  const std::int32_t* columns;
  const std::int64_t* starts;
  std::int64_t rows, cols;

  INDUCER_INLINE SparseRow<T> row(std::int64_t i) const {
    const std::int64_t begin = starts[i];
    return {values + begin, columns + begin, starts[i + 1] - begin};
  }
};

template <class M>
concept RowView = requires(const M m, std::int64_t i) {
  typename M::Scalar;
  { m.rows } -> std::convertible_to<std::int64_t>;
  { m.cols } -> std::convertible_to<std::int64_t>;
  m.row(i);
};

/// Any of the three, of either precision, told apart at run time: what crosses a border where
/// templates cannot. `visit` turns it back into a view.
struct Rows {
  enum class Layout : std::uint8_t { dense, strided, sparse };

  Layout layout = Layout::dense;
  bool single = false;  ///< float32 rather than float64
  const void* values = nullptr;
  const std::int32_t* columns = nullptr;
  const std::int64_t* starts = nullptr;
  std::int64_t rows = 0, cols = 0;
  std::int64_t row_stride = 0, col_stride = 1;
};

/// f(view), the view being of scalar type T and of the layout that X has.
template <std::floating_point T, class F>
INDUCER_INLINE decltype(auto) visit_layout(const Rows& X, F&& f) {
  const T* values = static_cast<const T*>(X.values);
  switch (X.layout) {
    case Rows::Layout::sparse:
      return f(SparseRows<T>{values, X.columns, X.starts, X.rows, X.cols});
    case Rows::Layout::strided:
      return f(StridedRows<T>{values, X.rows, X.cols, X.row_stride, X.col_stride});
    default:
      return f(DenseRows<T>{values, X.rows, X.cols, X.row_stride});
  }
}

/// f(view), for either precision.
template <class F>
INDUCER_INLINE decltype(auto) visit(const Rows& X, F&& f) {
  return X.single ? visit_layout<float>(X, f) : visit_layout<double>(X, f);
}

}  // namespace inducer
