#pragma once
/// @file  What the label of a line may be, and the number that the learner gets for it.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "inducer/stream/block.h"

namespace inducer::stream {

enum class LabelKind : std::uint8_t {
  any,      ///< every number
  counts,   ///< numbers from 0 on
  amounts,  ///< numbers above 0
  signs,    ///< -1, 0 or false, and 1 or true
  classes,  ///< words; the first `most` that come, or those that were named
};

struct LabelOptions {
  LabelKind kind = LabelKind::signs;
  std::vector<std::string> classes;  ///< those known from the start
  std::size_t most = 0;              ///< how many classes there may be
  bool listed_costs = false;         ///< labels are lists of class:cost
  std::vector<double> costs;         ///< most x most: row of the true class; or empty
};

class Labels {
 public:
  explicit Labels(LabelOptions options);

  /// The label as the learner wants it. Throws BadLine.
  double label(std::string_view word);

  /// Writes label or costs of one example.
  void set(std::string_view word, Example& example, Block& block);

  const std::vector<std::string>& classes() const { return options_.classes; }
  /// Leaves the first n classes: those that came later were of a line that turned out to be bad.
  void forget_from(std::size_t n);
  bool listed_costs() const { return options_.listed_costs; }

 private:
  std::int32_t code(std::string_view word);

  LabelOptions options_;
  std::unordered_map<std::string, std::int32_t> codes_;
  std::string last_word_;
  std::int32_t last_code_ = -1;
};

}  // namespace inducer::stream
