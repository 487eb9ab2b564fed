#include "inducer/trees/sort.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <utility>

namespace inducer::trees {
namespace {

/// The 32 leading bits of a number, turned so that they compare as the numbers do.
std::uint32_t leading_key(double x) {
  if (std::isnan(x)) return ~0u;
  const auto bits = std::bit_cast<std::uint64_t>(x == 0 ? 0.0 : x);  // -0 is 0
  const auto high = static_cast<std::uint32_t>(bits >> 32);
  return high & 0x80000000u ? ~high : high | 0x80000000u;
}

}  // namespace

void sort_cells(const double* cells, std::int64_t rows, std::vector<Keyed>& sorted,
                std::vector<Keyed>& spare) {
  constexpr int digits = 3, radix = 11, buckets = 1 << radix;
  std::array<std::array<std::uint32_t, buckets>, digits> starts{};
  const auto digit = [](std::uint32_t key, int d) { return (key >> (d * radix)) & (buckets - 1); };
  for (std::int64_t i = 0; i < rows; ++i) {
    const std::uint32_t key = leading_key(cells[i]);
    sorted[static_cast<std::size_t>(i)] = {key, static_cast<std::uint32_t>(i)};
    for (int d = 0; d < digits; ++d) ++starts[static_cast<std::size_t>(d)][digit(key, d)];
  }
  for (int d = 0; d < digits; ++d) {
    auto& start = starts[static_cast<std::size_t>(d)];
    std::uint32_t sum = 0;
    for (std::uint32_t& count : start) sum += std::exchange(count, sum);
    for (const Keyed& entry : sorted) spare[start[digit(entry.key, d)]++] = entry;
    sorted.swap(spare);
  }
  // Cells that share their leading bits come in order of their rows; what is left is to order them.
  for (auto begin = sorted.begin(); begin != sorted.end();) {
    auto end = begin + 1;
    while (end != sorted.end() && end->key == begin->key) ++end;
    const auto less = [&](const Keyed& a, const Keyed& b) {
      const double x = cells[a.row], y = cells[b.row];
      return x < y || (!(y < x) && a.row < b.row);
    };
    if (begin->key != ~0u && !std::is_sorted(begin, end, less)) std::sort(begin, end, less);
    begin = end;
  }
}

}  // namespace inducer::trees
