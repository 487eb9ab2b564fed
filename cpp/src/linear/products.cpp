#include "inducer/linear/products.h"

#include <algorithm>
#include <vector>

#include "inducer/base/parallel.h"

namespace inducer::linear {
namespace {

void add_here(const Rows& X, const double* r, std::int64_t count, std::int64_t begin,
              std::int64_t end, double* out) {
  INDUCER_DISPATCH(add_column_products(X, r, count, begin, end, out))
}

void add_sizes_here(const Rows& X, const double* h, std::int64_t begin, std::int64_t end,
                    double* out) {
  INDUCER_DISPATCH(add_column_sizes(X, h, begin, end, out))
}

/// The sum of what add(begin, end, sums) adds up over pieces of the rows, in their order.
template <class Add>
void sum_over_rows(const Rows& X, std::size_t size, double* out, int threads, Add&& add) {
  const auto cells = X.layout == Rows::Layout::sparse
                         ? static_cast<double>(X.starts[X.rows]) /
                               static_cast<double>(std::max<std::int64_t>(1, X.rows))
                         : static_cast<double>(X.cols);
  const Split split(X.rows, cells + 1, 8);
  std::vector<double> sums(size * static_cast<std::size_t>(split.count), 0.0);
  parallel_chunks(threads, split.count, [&](std::int64_t chunk) {
    add(split.begin(chunk), split.begin(chunk + 1),
        sums.data() + static_cast<std::size_t>(chunk) * size);
  });
  std::fill(out, out + size, 0.0);
  for (std::size_t k = 0; k < sums.size(); ++k) out[k % size] += sums[k];
}

}  // namespace

void column_products(const Rows& X, const double* r, std::int64_t count, double* out, int threads) {
  sum_over_rows(X, static_cast<std::size_t>(count * X.cols), out, threads,
                [&](std::int64_t begin, std::int64_t end, double* sums) {
                  add_here(X, r, count, begin, end, sums);
                });
}

void column_sizes(const Rows& X, const double* h, double* out, int threads) {
  sum_over_rows(X, static_cast<std::size_t>(2 * X.cols), out, threads,
                [&](std::int64_t begin, std::int64_t end, double* sums) {
                  add_sizes_here(X, h, begin, end, sums);
                });
}

}  // namespace inducer::linear
