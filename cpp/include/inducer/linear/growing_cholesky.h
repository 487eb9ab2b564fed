#pragma once
/// @file  A Cholesky factor M = L L' that rows and columns of M enter and leave, O(size^2) each.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "inducer/base/isa.h"

namespace inducer {

/// The `count` right-hand sides become L^-1 of themselves, or with `both` (L L')^-1; row r of L has
/// r + 1 entries. One sweep over L serves all of them.
INDUCER_PER_ISA(void solve_triangles(const std::vector<double>* L, std::int64_t size,
                                     double* const* sides, int count, bool both))

namespace linear {

class GrowingCholesky {
 public:
  std::size_t size() const noexcept { return rows_.size(); }

  /// M gets one more row: `cross` with those that are in already, then its diagonal. When rounding
  /// leaves nothing of the diagonal, a little of it is put back: the factor stays invertible.
  void append(std::vector<double> cross, double diagonal) {
    solve({&cross}, false);
    double rest = diagonal;
    for (const double value : cross) rest -= value * value;
    constexpr double least = 1e-15;
    cross.push_back(std::sqrt(std::max(rest, std::max(least * diagonal, 1e-300))));
    rows_.push_back(std::move(cross));
  }

  /// Row and column q leave. What is below them is a step longer than a triangle; rotations of
  /// neighbouring columns make it one again.
  void remove(std::size_t q) {
    rows_.erase(rows_.begin() + static_cast<std::ptrdiff_t>(q));
    std::vector<double> cosine(size()), sine(size());
    for (std::size_t r = q; r < size(); ++r) {
      std::vector<double>& row = rows_[r];
      for (std::size_t c = q; c < r; ++c) {
        const double left = row[c], right = row[c + 1];
        row[c] = cosine[c] * left + sine[c] * right;
        row[c + 1] = cosine[c] * right - sine[c] * left;
      }
      const double length = std::hypot(row[r], row[r + 1]);
      cosine[r] = row[r] / length;
      sine[r] = row[r + 1] / length;
      row[r] = length;
      row.pop_back();
    }
  }

  /// Each vector v becomes the solution x of M x = v; without `both`, of L x = v.
  void solve(const std::vector<std::vector<double>*>& vectors, bool both = true) const;

 private:
  std::vector<std::vector<double>> rows_;
};

}  // namespace linear
}  // namespace inducer
