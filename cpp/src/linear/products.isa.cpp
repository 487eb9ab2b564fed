#include "inducer/linear/products.h"

#include "inducer/base/rows.h"

namespace inducer::INDUCER_ISA {
namespace {

template <class View>
void add_rows(const View& X, const double* r, std::int64_t begin, std::int64_t end, double* out) {
  for (std::int64_t i = begin; i < end; ++i) axpy(r[i], X.row(i), out);
}

/// Four rows at a time: `out` is read and written a quarter as often.
template <class T>
void add_rows(const DenseRows<T>& X, const double* r, std::int64_t begin, std::int64_t end,
              double* __restrict out) {
  std::int64_t i = begin;
  for (; i + 4 <= end; i += 4) {
    const T *a = X.row(i).values, *b = X.row(i + 1).values, *c = X.row(i + 2).values,
            *d = X.row(i + 3).values;
    for (std::int64_t j = 0; j < X.cols; ++j)
      out[j] = out[j] + r[i] * static_cast<double>(a[j]) + r[i + 1] * static_cast<double>(b[j]) +
               r[i + 2] * static_cast<double>(c[j]) + r[i + 3] * static_cast<double>(d[j]);
  }
  for (; i < end; ++i) axpy(r[i], X.row(i), out);
}

/// Columns that are far apart are gone down one by one, in the same order of additions.
template <class T>
void add_rows(const StridedRows<T>& X, const double* r, std::int64_t begin, std::int64_t end,
              double* out) {
  for (std::int64_t j = 0; j < X.cols; ++j) {
    const T* const column = X.values + j * X.col_stride;
    double sum = out[j];
    for (std::int64_t i = begin; i < end; ++i)
      sum += r[i] * static_cast<double>(column[i * X.row_stride]);
    out[j] = sum;
  }
}

template <class View>
void add_sizes(const View& X, const double* h, std::int64_t begin, std::int64_t end,
               double* __restrict sizes, double* __restrict squares) {
  for (std::int64_t i = begin; i < end; ++i)
    for_each(X.row(i), [&](std::int64_t j, auto value) {
      const double x = static_cast<double>(value);
      sizes[j] += h[i] * (x < 0 ? -x : x);
      squares[j] += h[i] * (x * x);
    });
}

template <class T>
void add_sizes(const StridedRows<T>& X, const double* h, std::int64_t begin, std::int64_t end,
               double* sizes, double* squares) {
  for (std::int64_t j = 0; j < X.cols; ++j) {
    const T* const column = X.values + j * X.col_stride;
    double size = sizes[j], square = squares[j];
    for (std::int64_t i = begin; i < end; ++i) {
      const double x = static_cast<double>(column[i * X.row_stride]);
      size += h[i] * (x < 0 ? -x : x);
      square += h[i] * (x * x);
    }
    sizes[j] = size;
    squares[j] = square;
  }
}

}  // namespace

void add_column_sizes(const Rows& rows, const double* h, std::int64_t begin, std::int64_t end,
                      double* out) {
  visit(rows, [&](const auto& X) { add_sizes(X, h, begin, end, out, out + X.cols); });
}

void add_column_products(const Rows& rows, const double* r, std::int64_t count, std::int64_t begin,
                         std::int64_t end, double* out) {
  visit(rows, [&](const auto& X) {
    // Rows that stay in the cache until the last vector is through with them; a multiple of four.
    const std::int64_t cells = mean_cells(X) + 1;
    const std::int64_t step = count == 1 ? end - begin : 4 + (1 << 15) / cells / 4 * 4;
    for (std::int64_t from = begin; from < end; from += step) {
      const std::int64_t to = end - from < step ? end : from + step;
      for (std::int64_t k = 0; k < count; ++k)
        add_rows(X, r + k * X.rows, from, to, out + k * X.cols);
    }
  });
}

}  // namespace inducer::INDUCER_ISA
