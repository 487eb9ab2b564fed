#pragma once
/// @file  A line that cannot be used, and why.
#include <stdexcept>
#include <string>
#include <string_view>

namespace inducer::stream {

struct BadLine : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A word as it is shown in a message, not all of it when it is long.
inline std::string quoted(std::string_view word) {
  std::string out("'");
  out.append(word.substr(0, 40));
  return out.append(word.size() > 40 ? "...'" : "'");
}

}  // namespace inducer::stream
