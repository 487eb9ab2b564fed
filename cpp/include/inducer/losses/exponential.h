#pragma once
/// @file  exp, log and log1p without branches or calls, so that a loop over rows becomes vectors.
///
/// They are sums of products in a fixed order: the same bits on every instruction set. Against the
/// exact value, `fast_exp` is off by less than 4e-16 of it and `log1p_unit` by less than 5e-16,
/// `log_from_one` by less than 8e-16 (cpp/tests/losses/exponential.cpp measures it).
#include <cstdint>

#include "inducer/base/isa.h"

namespace inducer::INDUCER_ISA::losses {

/// e^x; x is held to [-708, 709], where e^x is a normal number.
INDUCER_INLINE double fast_exp(double x) {
  constexpr double shift = 0x1.8p52;  // adding it rounds to a whole number, kept in the low bits
  x = x < -708.0 ? -708.0 : x;
  x = x > 709.0 ? 709.0 : x;
  const double shifted = x * 0x1.71547652b82fep0 + shift;
  const double n = shifted - shift;
  // log 2 in two parts, the first short enough for n times it to be exact.
  const double r = (x - n * 0x1.62e42feep-1) - n * 0x1.a39ef35793c76p-33;
  double p = 1.0 / 6227020800.0;
  p = p * r + 1.0 / 479001600.0;
  p = p * r + 1.0 / 39916800.0;
  p = p * r + 1.0 / 3628800.0;
  p = p * r + 1.0 / 362880.0;
  p = p * r + 1.0 / 40320.0;
  p = p * r + 1.0 / 5040.0;
  p = p * r + 1.0 / 720.0;
  p = p * r + 1.0 / 120.0;
  p = p * r + 1.0 / 24.0;
  p = p * r + 1.0 / 6.0;
  p = p * r + 0.5;
  p = p * (r * r) + r;
  const auto whole = __builtin_bit_cast(std::uint64_t, shifted);
  const double power = __builtin_bit_cast(double, (whole + 1023) << 52);
  return (p + 1.0) * power;
}

/// log(1 + e) for 0 <= e <= 1: twice the series of atanh(e / (2 + e)).
INDUCER_INLINE double log1p_unit(double e) {
  const double s = e / (2.0 + e), u = s * s;
  double p = 1.0 / 33.0;
  p = p * u + 1.0 / 31.0;
  p = p * u + 1.0 / 29.0;
  p = p * u + 1.0 / 27.0;
  p = p * u + 1.0 / 25.0;
  p = p * u + 1.0 / 23.0;
  p = p * u + 1.0 / 21.0;
  p = p * u + 1.0 / 19.0;
  p = p * u + 1.0 / 17.0;
  p = p * u + 1.0 / 15.0;
  p = p * u + 1.0 / 13.0;
  p = p * u + 1.0 / 11.0;
  p = p * u + 1.0 / 9.0;
  p = p * u + 1.0 / 7.0;
  p = p * u + 1.0 / 5.0;
  p = p * u + 1.0 / 3.0;
  return 2.0 * s * (p * u + 1.0);
}

/// log x for x >= 1; not a number where x is infinite or none.
INDUCER_INLINE double log_from_one(double x) {
  const auto bits = __builtin_bit_cast(std::uint64_t, x);
  constexpr std::uint64_t exponent_of_one = 1023ull << 52, mantissa = (1ull << 52) - 1;
  const double part =
      __builtin_bit_cast(double, (bits & mantissa) | exponent_of_one);  // from 1 to 2
  // Written below 2^52, a whole number is a double without a conversion.
  const double power = __builtin_bit_cast(double, (bits >> 52) | (1075ull << 52)) - (0x1p52 + 1023);
  return power * 0x1.62e42fefa39efp-1 + log1p_unit(part - 1.0) + (x - x);
}

}  // namespace inducer::INDUCER_ISA::losses
