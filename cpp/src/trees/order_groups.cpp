#include <algorithm>
#include <cmath>
#include <numeric>

#include "inducer/trees/space.h"

namespace inducer::trees {
namespace {

/// The direction in which the groups' means differ most, by powers of their covariance.
void find_direction(const Bench& bench, std::int64_t count, std::int64_t stride, int width,
                    std::vector<double>& direction) {
  const auto size = static_cast<std::size_t>(width);
  std::vector<double> whole(size + 1), next(size);
  for (std::int64_t g = 0; g < count; ++g)
    for (std::size_t k = 0; k <= size; ++k)
      whole[k] += bench.cells[static_cast<std::size_t>(g * stride + 1) + k];
  for (std::size_t k = 0; k < size; ++k) direction[k] = 1.0 / static_cast<double>(k + 1);
  for (int power = 0; power < 30; ++power) {
    std::fill(next.begin(), next.end(), 0.0);
    for (std::int64_t g = 0; g < count; ++g) {
      const double* const cell = bench.cells.data() + g * stride + 1;
      if (!(cell[0] > 0)) continue;
      double along = 0;
      for (std::size_t k = 0; k < size; ++k)
        along += direction[k] * (cell[1 + k] - whole[1 + k] * cell[0] / whole[0]);
      for (std::size_t k = 0; k < size; ++k)
        next[k] += along * (cell[1 + k] / cell[0] - whole[1 + k] / whole[0]);
    }
    double norm = 0;
    for (const double x : next) norm += x * x;
    if (!(norm > 0)) return;
    for (std::size_t k = 0; k < size; ++k) direction[k] = next[k] / std::sqrt(norm);
  }
}

}  // namespace

void order_groups(const RowData& data, Bench& bench, std::int64_t count, std::int64_t stride) {
  const std::int32_t width = data.criterion == Criterion::variance ? data.outputs : data.width;
  std::vector<double> direction(static_cast<std::size_t>(width), 1.0);
  if (width > 1) find_direction(bench, count, stride, width, direction);
  bench.keys.resize(static_cast<std::size_t>(count));
  bench.order.resize(static_cast<std::size_t>(count));
  std::iota(bench.order.begin(), bench.order.end(), 0u);
  for (std::int64_t g = 0; g < count; ++g) {
    const double* const cell = bench.cells.data() + g * stride + 1;
    double key = 0;
    for (std::int32_t k = 0; k < width; ++k) key += direction[static_cast<std::size_t>(k)] * cell[1 + k];
    bench.keys[static_cast<std::size_t>(g)] = cell[0] > 0 ? key / cell[0] : 0;
  }
  std::stable_sort(bench.order.begin(), bench.order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return bench.keys[a] < bench.keys[b]; });
}

}  // namespace inducer::trees
