#pragma once
/// @file  64-bit hashes of words. A product of 128 bits, folded, mixes two words of the message at
/// once: two or three nanoseconds a word. Not for keeping secrets.
#include <cstdint>
#include <cstring>
#include <string_view>

#include "inducer/base/isa.h"

namespace inducer::stream {

using Hash = std::uint64_t;

INDUCER_INLINE Hash fold(Hash a, Hash b) {
  const auto product = static_cast<unsigned __int128>(a) * b;
  return static_cast<Hash>(product) ^ static_cast<Hash>(product >> 64);
}

/// The hash of bytes; other seeds give other functions. Reads no byte outside.
INDUCER_INLINE Hash hash(std::string_view bytes, Hash seed) {
  constexpr Hash odd1 = 0x9e3779b97f4a7c15, odd2 = 0xa0761d6478bd642f, odd3 = 0xe7037ed1a0b428db;
  const char* p = bytes.data();
  std::size_t left = bytes.size();
  Hash h = (seed ^ odd1) + left;
  const auto word = [&p](std::size_t size, std::size_t offset) {
    Hash w = 0;
    std::memcpy(&w, p + offset, size);
    return w;
  };
  for (; left > 8; left -= 8, p += 8) h = fold(h ^ word(8, 0), odd2);
  Hash last = 0;
  if (left >= 4)  // two halves, that may overlap
    last = word(4, 0) | word(4, left - 4) << 32;
  else if (left > 0)
    last = word(1, 0) | word(1, left / 2) << 8 | word(1, left - 1) << 16;
  return fold(fold(h ^ last, odd3), odd1 ^ h);
}

/// The hash of a sequence that goes on: order matters.
INDUCER_INLINE Hash chained(Hash before, Hash next) {
  return fold(before ^ 0x8bb84b93962eacc9, next + 0x2d358dccaa6c78a5);
}

/// One of the summands of the hash of a set: sum them, then `finished`. Order does not matter.
INDUCER_INLINE Hash summand(Hash one) {
  return fold(one ^ 0x4b33a62ed433d4a3, 0x4d5a2da51de1aa47);
}
INDUCER_INLINE Hash finished(Hash sum) {
  return fold(sum, 0xd6e8feb86659fd93) ^ sum;
}

}  // namespace inducer::stream
