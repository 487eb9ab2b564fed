#pragma once
/// @file  Sums over rows, made piece by piece: how rows are cut, and where each piece adds up.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "inducer/base/parallel.h"
#include "inducer/base/views.h"

namespace inducer::linear {

inline double cells_per_row(const Rows& X) {
  if (X.layout != Rows::Layout::sparse) return static_cast<double>(X.cols);
  return X.rows > 0 ? static_cast<double>(X.starts[X.rows]) / static_cast<double>(X.rows) : 0.0;
}

/// Pieces that each add into memory of their own: no more than are worth making it zero, adding it
/// up, and holding it.
inline Split split_of(const Rows& X, std::int64_t count, double factor, std::int64_t sums) {
  const double work = (2 * cells_per_row(X) + 16) * factor;
  const double worth = work * static_cast<double>(count) / (4.0 * static_cast<double>(sums));
  const auto held = std::int64_t{1} << 24;  // 128 MiB of sums
  const auto most = std::min<std::int64_t>({16, static_cast<std::int64_t>(std::min(worth, 1e6)),
                                            std::max<std::int64_t>(held / sums, 2)});
  return Split(count, work, std::max<std::int64_t>(most, 1));
}

/// The sums of the pieces, and memory to make them in.
class Sums {
 public:
  Sums(const Split& split, std::int64_t sums, std::int64_t memory)
      : sums_(sums), memory_(memory), values_(static_cast<std::size_t>(split.count * sums)) {
    memories_.resize(static_cast<std::size_t>(split.count * memory));
  }
  double* of(std::int64_t piece) { return values_.data() + piece * sums_; }
  double* memory(std::int64_t piece) { return memories_.data() + piece * memory_; }

 private:
  std::int64_t sums_, memory_;
  std::vector<double> values_, memories_;
};

}  // namespace inducer::linear
