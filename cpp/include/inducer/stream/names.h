#pragma once
/// @file  Which word a hashed feature was: the first that came, within a bound on memory.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace inducer::stream {

class Names {
 public:
  static constexpr std::size_t most_bytes = std::size_t{1} << 27;

  /// @param slots  0 when names are not wanted
  explicit Names(std::size_t slots) : starts_(slots) {}

  bool wanted() const { return !starts_.empty(); }
  std::size_t slots() const { return starts_.size(); }
  bool unknown(std::size_t slot) const { return starts_[slot] == 0; }

  void remember(std::size_t slot, std::string_view name) {
    if (!unknown(slot)) return;
    if (text_.size() + name.size() >= most_bytes) {
      ++forgotten_;
      return;
    }
    starts_[slot] = static_cast<std::uint32_t>(text_.size()) + 1;
    text_.append(name);
    text_.push_back('\n');  // no name holds one: a line ended there
  }

  /// How many features came by when there was no more room.
  std::int64_t forgotten() const { return forgotten_; }

  /// One line for each name: the slot, a tabulator, the name.
  std::string listed() const {
    std::string out;
    for (std::size_t slot = 0; slot < starts_.size(); ++slot) {
      if (starts_[slot] == 0) continue;
      const std::size_t begin = starts_[slot] - 1;
      out += std::to_string(slot) + '\t';
      out.append(text_, begin, text_.find('\n', begin) + 1 - begin);
    }
    return out;
  }

 private:
  std::vector<std::uint32_t> starts_;  ///< place in the text, plus one
  std::string text_;
  std::int64_t forgotten_ = 0;
};

}  // namespace inducer::stream
