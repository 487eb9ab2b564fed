#pragma once
/// @file  Decimal numbers, read strictly: the whole word is a finite number, or it is none.
#include <charconv>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string_view>

namespace inducer::stream {

/// The number that a word says, correctly rounded. Most are digits and a point: those of up to 15
/// digits are a quotient of two exact numbers.
inline std::optional<double> number(std::string_view word) {
  static constexpr double tens[] = {1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                    1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
  const char* p = word.data();
  const char* const end = p + word.size();
  bool negative = false;
  if (p < end && (*p == '-' || *p == '+')) negative = *p++ == '-';
  const char* const begin = p;
  std::uint64_t digits = 0;
  for (; p < end && *p >= '0' && *p <= '9' && p - begin < 16; ++p)
    digits = digits * 10 + (*p - '0');
  std::ptrdiff_t count = p - begin, decimals = 0;
  if (p < end && *p == '.') {
    const char* const point = ++p;
    for (; p < end && *p >= '0' && *p <= '9' && p - point < 16; ++p)
      digits = digits * 10 + (*p - '0');
    decimals = p - point;
    count += decimals;
  }
  if (p == end && count > 0 && count <= 15) {
    const double value = static_cast<double>(digits) / tens[decimals];
    return negative ? -value : value;
  }
  double value = 0;
  const auto [stop, fault] = std::from_chars(begin, end, value);
  const bool signed_twice = begin < end && *begin == '-';
  if (fault != std::errc() || stop != end || begin == end || signed_twice || !std::isfinite(value))
    return std::nullopt;
  return negative ? -value : value;
}

}  // namespace inducer::stream
