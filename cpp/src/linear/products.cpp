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

}  // namespace

void column_products(const Rows& X, const double* r, std::int64_t count, double* out, int threads) {
  const auto cells = X.layout == Rows::Layout::sparse
                         ? static_cast<double>(X.starts[X.rows]) /
                               static_cast<double>(std::max<std::int64_t>(1, X.rows))
                         : static_cast<double>(X.cols);
  const Split split(X.rows, cells + 1, 8);
  const auto cols = static_cast<std::size_t>(count * X.cols);
  std::vector<double> sums(cols * static_cast<std::size_t>(split.count), 0.0);
  parallel_chunks(threads, split.count, [&](std::int64_t chunk) {
    add_here(X, r, count, split.begin(chunk), split.begin(chunk + 1),
             sums.data() + static_cast<std::size_t>(chunk) * cols);
  });
  std::fill(out, out + cols, 0.0);
  for (std::size_t k = 0; k < sums.size(); ++k) out[k % cols] += sums[k];
}

}  // namespace inducer::linear
