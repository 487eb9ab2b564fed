#include "inducer/base/checks.h"

#include <cmath>
#include <vector>

#include "inducer/base/parallel.h"
#include "inducer/base/rows.h"

namespace inducer {
namespace {

template <class T>
bool finite_span(const T* values, std::int64_t n){INDUCER_DISPATCH(all_finite(values, n))}

std::int64_t falls(const std::int32_t* columns, std::int64_t n, std::int64_t cols) {
  INDUCER_DISPATCH(count_falls(columns, n, cols))
}

/// Whether columns lie in the matrix and rise within each of the rows [begin, end).
bool rows_sound(const std::int64_t* starts, const std::int32_t* columns, std::int64_t cols,
                std::int64_t begin, std::int64_t end) {
  const std::int64_t first = starts[begin], last = starts[end];
  std::int64_t left = falls(columns + first, last - first, cols);
  if (left <= 0) return left == 0;
  // From one row to the next they may fall.
  for (std::int64_t i = begin + 1; i < end; ++i) {
    const std::int64_t s = starts[i];
    if (s > starts[i - 1] && s < last) left -= columns[s - 1] >= columns[s];
  }
  return left == 0;
}

/// Whether rows [begin, end) hold finite values alone.
template <class T>
bool rows_finite(const DenseRows<T>& X, std::int64_t begin, std::int64_t end) {
  if (X.stride == X.cols) return finite_span(X.values + begin * X.stride, (end - begin) * X.cols);
  for (std::int64_t i = begin; i < end; ++i)
    if (!finite_span(X.values + i * X.stride, X.cols)) return false;
  return true;
}

template <class T>
bool rows_finite(const SparseRows<T>& X, std::int64_t begin, std::int64_t end) {
  return finite_span(X.values + X.starts[begin], X.starts[end] - X.starts[begin]);
}

template <class T>
bool rows_finite(const StridedRows<T>& X, std::int64_t begin, std::int64_t end) {
  // By columns, along which a Fortran-ordered matrix is contiguous.
  bool finite = true;
  for (std::int64_t j = 0; j < X.cols && finite; ++j) {
    const T* column = X.values + j * X.col_stride;
    if (X.row_stride == 1) {
      finite = finite_span(column + begin, end - begin);
    } else {
      for (std::int64_t i = begin; i < end; ++i) finite &= std::isfinite(column[i * X.row_stride]);
    }
  }
  return finite;
}

template <class View>
Place first_nonfinite_in(const View& X, std::int64_t begin, std::int64_t end) {
  for (std::int64_t i = begin; i < end; ++i) {
    Place place;
    INDUCER_ISA::for_each(X.row(i), [&](std::int64_t j, auto value) {
      if (!std::isfinite(value) && place.row < 0) place = {i, j};
    });
    if (place.row >= 0) return place;
  }
  return {};
}

/// The rows of a matrix cut into chunks, and the first chunk that fails a test.
template <class Test>
std::int64_t first_failing_chunk(int threads, const Split& split, Test&& test) {
  std::vector<char> failed(static_cast<std::size_t>(split.count), 0);
  parallel_chunks(threads, split.count, [&](std::int64_t c) {
    failed[static_cast<std::size_t>(c)] = !test(split.begin(c), split.begin(c + 1));
  });
  for (std::int64_t c = 0; c < split.count; ++c)
    if (failed[static_cast<std::size_t>(c)]) return c;
  return -1;
}

}  // namespace

Place first_nonfinite(const Rows& rows, int threads) {
  return visit(rows, [&](const auto& X) -> Place {
    if (X.rows <= 0 || X.cols <= 0) return {};  // there may be no array at all behind it
    const Split split(X.rows, static_cast<double>(X.cols));
    const std::int64_t chunk = first_failing_chunk(
        threads, split,
        [&](std::int64_t begin, std::int64_t end) { return rows_finite(X, begin, end); });
    return chunk < 0 ? Place{} : first_nonfinite_in(X, split.begin(chunk), split.begin(chunk + 1));
  });
}

CsrReport check_csr(const std::int64_t* starts, const std::int32_t* columns, std::int64_t rows,
                    std::int64_t cols, std::int64_t stored, int threads) {
  if (starts[0] != 0) return {CsrFault::starts, 0, 0};
  for (std::int64_t i = 0; i < rows; ++i)
    if (starts[i + 1] < starts[i] || starts[i + 1] > stored) return {CsrFault::starts, i, 0};
  if (rows == 0) return {};

  const Split split(rows, static_cast<double>(starts[rows]) / static_cast<double>(rows) + 1.0);
  const std::int64_t chunk =
      first_failing_chunk(threads, split, [&](std::int64_t begin, std::int64_t end) {
        return rows_sound(starts, columns, cols, begin, end);
      });
  if (chunk < 0) return {};

  CsrReport unordered;
  for (std::int64_t i = split.begin(chunk); i < rows; ++i) {
    for (std::int64_t k = starts[i]; k < starts[i + 1]; ++k) {
      if (columns[k] < 0 || columns[k] >= cols) return {CsrFault::range, i, columns[k]};
      if (unordered.fault == CsrFault::none && k > starts[i] && columns[k - 1] >= columns[k])
        unordered = {CsrFault::unordered, i, columns[k]};
    }
  }
  return unordered;
}

}  // namespace inducer
