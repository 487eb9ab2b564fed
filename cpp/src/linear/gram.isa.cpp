#include "inducer/linear/gram.h"

#include "inducer/base/rows.h"
#include "inducer/linear/gram_tile.h"

namespace inducer::INDUCER_ISA {
namespace {

using linear::ColumnBlock;
using linear::GramSpace;
using linear::GramTerms;

/// out = columns [first, end) of a row of X less the shift.
template <std::floating_point T>
INDUCER_INLINE void lay(DenseRow<T> x, std::int64_t first, std::int64_t end, const double* shift,
                        double* __restrict out) {
  const T* from = x.values + first;
  if (shift)
    for (std::int64_t j = 0; j < end - first; ++j)
      out[j] = static_cast<double>(from[j]) - shift[first + j];
  else
    for (std::int64_t j = 0; j < end - first; ++j) out[j] = static_cast<double>(from[j]);
}

template <std::floating_point T>
INDUCER_INLINE void lay(StridedRow<T> x, std::int64_t first, std::int64_t end, const double* shift,
                        double* __restrict out) {
  for (std::int64_t j = first; j < end; ++j)
    out[j - first] = static_cast<double>(x.values[j * x.stride]) - (shift ? shift[j] : 0.0);
}

template <std::floating_point T>
INDUCER_INLINE void lay(SparseRow<T> x, std::int64_t first, std::int64_t end, const double* shift,
                        double* __restrict out) {
  for (std::int64_t j = first; j < end; ++j) out[j - first] = shift ? -shift[j] : 0.0;
  for_each(x, [&](std::int64_t j, T value) {
    if (first <= j && j < end) out[j - first] += static_cast<double>(value);
  });
}

/// out = the columns of a block of z_i.
template <class View>
INDUCER_INLINE void lay_row(const View& X, const GramTerms& t, std::int64_t i, ColumnBlock block,
                            double* out) {
  const std::int64_t last = block.first + block.count;
  const std::int64_t end = last < X.cols ? last : X.cols;
  if (block.first < end) lay(X.row(i), block.first, end, t.shift, out);
  const std::int64_t from = block.first < X.cols ? X.cols : block.first;
  for (std::int64_t j = from; j < last; ++j)
    out[j - block.first] = j < X.cols + t.outputs ? t.targets[i * t.outputs + j - X.cols] : 1.0;
}

template <class View>
void add_packed(const View& X, const GramTerms& t, std::int64_t begin, std::int64_t end,
                ColumnBlock r, ColumnBlock c, const GramSpace& space) {
  const bool triangle = r.first == c.first;
  const bool copied = t.weights || !triangle;
  for (std::int64_t i = begin; i < end;) {
    std::int64_t rows = 0;
    for (; i < end && rows < linear::panel_rows; ++i) {
      const double h = t.weights ? t.weights[i] : 1.0;
      if (h == 0) continue;  // of a loss with straight pieces, most rows
      double* const p = space.P + rows * space.stride;
      double* const q = space.Q + rows++ * space.stride;
      lay_row(X, t, i, c, p);
      if (!copied) continue;
      if (triangle) {
        for (std::int64_t j = 0; j < c.count; ++j) q[j] = h * p[j];
      } else {
        lay_row(X, t, i, r, q);
        for (std::int64_t j = 0; j < r.count; ++j) q[j] *= h;
      }
    }
    if (rows == 0) break;
    const double* const Q = copied ? space.Q : space.P;
    if (triangle)
      add_triangle(Q, space.P, c.count, space.stride, rows, space.A, space.a_stride);
    else
      add_rectangle(Q, r.count, space.P, c.count, space.stride, rows, space.A, space.a_stride);
  }
}

template <std::floating_point T>
void add_cells(const SparseRows<T>& X, const GramTerms& t, std::int64_t begin, std::int64_t end,
               ColumnBlock block, double* A) {
  const std::int64_t width = X.cols + t.outputs + 1, last = block.first + block.count;
  for (std::int64_t i = begin; i < end; ++i) {
    const SparseRow<T> x = X.row(i);
    const double* const y = t.targets + i * t.outputs;
    const double h = t.weights ? t.weights[i] : 1.0;
    if (h == 0) continue;
    std::int64_t k = 0;
    while (k < x.size && x.columns[k] < block.first) ++k;
    for (; k < x.size && x.columns[k] < last; ++k) {
      double* const a = A + x.columns[k] * width;
      const double value = h * static_cast<double>(x.values[k]);
      for (std::int64_t l = k; l < x.size; ++l)
        a[x.columns[l]] += value * static_cast<double>(x.values[l]);
      for (std::int64_t l = 0; l < t.outputs; ++l) a[X.cols + l] += value * y[l];
      a[width - 1] += value;
    }
    for (std::int64_t j = block.first < X.cols ? X.cols : block.first; j < last; ++j) {
      double* const a = A + j * width;
      const std::int64_t output = j - X.cols;
      const double value = output < t.outputs ? h * y[output] : h;
      for (std::int64_t l = output; l < t.outputs; ++l) a[X.cols + l] += value * y[l];
      a[width - 1] += value;
    }
  }
}

}  // namespace

void add_packed_gram(const Rows& rows, const GramTerms& terms, std::int64_t begin, std::int64_t end,
                     ColumnBlock r, ColumnBlock c, const GramSpace& space) {
  visit(rows, [&](const auto& X) { add_packed(X, terms, begin, end, r, c, space); });
}

void add_gram_cells(const Rows& rows, const GramTerms& terms, std::int64_t begin, std::int64_t end,
                    ColumnBlock r, double* A) {
  const auto add = [&]<class T>(const T* values) {
    add_cells(SparseRows<T>{values, rows.columns, rows.starts, rows.rows, rows.cols}, terms, begin,
              end, r, A);
  };
  if (rows.single)
    add(static_cast<const float*>(rows.values));
  else
    add(static_cast<const double*>(rows.values));
}

}  // namespace inducer::INDUCER_ISA
