#pragma once
/// @file  A small problem for the perceptrons, and the order in which its rows are visited.
#include <algorithm>
#include <limits>
#include <utility>

#include "inducer/base/monitor.h"
#include "inducer/linear/passes.h"
#include "tables.h"

/// Whole numbers, so that every sum is exact and plain loops give the same bits.
template <class T>
struct Problem {
  Table<T> X;
  std::vector<std::int32_t> codes;
  std::vector<double> weights;  ///< or empty

  inducer::linear::Examples examples(const Stored<T>& stored) const {
    return {stored.view(), codes, weights, 100};  // no test has more classes
  }
  double weight(std::int64_t i) const { return weights.empty() ? 1.0 : at(weights, i); }
};

/// @param classes   labels 0 .. classes - 1, not separable
/// @param weighted  weights in quarters, some of them zero
template <class T>
Problem<T> problem(std::int64_t rows, std::int64_t cols, int classes, bool weighted,
                   std::uint64_t seed = 1) {
  inducer::Stream stream(seed, 5);
  Problem<T> made{table<T>(rows, cols, seed, small_whole), {}, {}};
  for (std::int64_t i = 0; i < rows; ++i) {
    made.codes.push_back(static_cast<std::int32_t>(stream.below(static_cast<unsigned>(classes))));
    if (weighted) made.weights.push_back(stream.below(6) / 4.0);
  }
  return made;
}

template <class T>
Problem<T> by_hand(std::int64_t rows, std::int64_t cols, std::vector<T> cells,
                   std::vector<std::int32_t> codes, std::vector<double> weights = {}) {
  return {{rows, cols, std::move(cells)}, std::move(codes), std::move(weights)};
}

/// The order of the rows in each pass: a shuffle by seed, stream and the pass's number alone.
inline std::vector<std::vector<std::int64_t>> orders(const std::vector<double>& weights,
                                                     std::int64_t rows,
                                                     const inducer::linear::PassOptions& options,
                                                     std::uint64_t stream) {
  using inducer::linear::Shuffle;
  std::vector<std::int64_t> rising;
  for (std::int64_t i = 0; i < rows; ++i)
    if (weights.empty() || at(weights, i) > 0) rising.push_back(i);
  std::vector<std::vector<std::int64_t>> all;
  for (std::int64_t pass = 0; pass < options.max_passes; ++pass) {
    std::vector<std::int64_t> order = rising;
    if (options.shuffle != Shuffle::never) {
      const auto number = options.first_part + static_cast<std::uint64_t>(pass);
      inducer::Stream random(options.seed, stream, options.shuffle == Shuffle::every ? number : 0);
      for (std::size_t i = order.size(); i > 1; --i)
        std::swap(order[i - 1], order[random.below(static_cast<std::uint32_t>(i))]);
    }
    all.push_back(order);
  }
  return all;
}

/// Options for exactly this many passes.
inline inducer::linear::PassOptions exactly(std::int64_t passes, std::uint64_t seed = 3) {
  inducer::linear::PassOptions options;
  options.max_passes = passes;
  options.tolerance = -1;
  options.seed = seed;
  return options;
}

/// Calls advance(monitor) in slices until finished() is true; how many slices it took.
/// @param seconds  of a slice: zero stops at every look at the monitor
template <class Advance, class Finished>
int run_in_slices(double seconds, Advance&& advance, Finished&& finished) {
  inducer::Monitor monitor;
  int slices = 0;
  while (!finished()) {
    monitor.begin_slice(seconds);
    advance(monitor);
    ++slices;
  }
  return slices;
}

/// Rows begin .. end - 1 of the whole.
struct Block {
  std::int64_t begin, end;
};

inline constexpr double forever = std::numeric_limits<double>::infinity();
inline constexpr std::initializer_list<double> slice_lengths = {0.0, 2e-5, forever};
inline constexpr std::initializer_list<int> thread_counts = {1, 2, 7};
