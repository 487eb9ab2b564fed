#pragma once
/// @file  Examples as the reader hands them to the learner: a few at a time, in flat arrays.
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace inducer::stream {

inline constexpr double no_label = std::numeric_limits<double>::quiet_NaN();

/// What it costs to say a class.
struct Cost {
  std::int32_t code;
  double cost;
};

/// How much of each array belongs to one example, and its numbers.
struct Example {
  double label = no_label;  ///< -1 or +1, a class's code, or a number; NaN when there is none
  double weight = 1;
  std::uint32_t features = 0, costs = 0, tag = 0;
};

struct Block {
  std::vector<Example> examples;
  std::vector<std::uint32_t> index;  ///< of the first cell of a feature
  std::vector<float> value;
  std::vector<Cost> costs;
  std::string tags;

  static constexpr std::size_t most_examples = 128, most_features = 1 << 15;

  bool full() const { return examples.size() >= most_examples || index.size() >= most_features; }

  void clear() {
    examples.clear();
    index.clear();
    value.clear();
    costs.clear();
    tags.clear();
  }
};

/// The size of a block, to go back to when a line turns out to be bad.
struct Mark {
  std::size_t examples, features, costs, tags;

  explicit Mark(const Block& block)
      : examples(block.examples.size()),
        features(block.index.size()),
        costs(block.costs.size()),
        tags(block.tags.size()) {}

  void restore(Block& block) const {
    block.examples.resize(examples);
    block.index.resize(features);
    block.value.resize(features);
    block.costs.resize(costs);
    block.tags.resize(tags);
  }
};

}  // namespace inducer::stream
