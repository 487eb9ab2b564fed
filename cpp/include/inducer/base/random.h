#pragma once
/// @file  A counter-based generator: Philox4x64-10 (Salmon et al., SC 2011).
///
/// The n-th number of stream s under seed k is a function of (k, s, n) alone: no state to carry
/// between threads, no platform in it, and a stream may be entered anywhere. numpy.random.Philox
/// gives the same words (tests/reference).
#include <cstdint>

#include "inducer/base/isa.h"

namespace inducer {

/// Ten rounds of the block function: a counter of four words becomes four random words.
INDUCER_INLINE void philox(std::uint64_t (&word)[4], std::uint64_t k0, std::uint64_t k1) {
  __extension__ using Wide = unsigned __int128;
  std::uint64_t c0 = word[0], c1 = word[1], c2 = word[2], c3 = word[3];
  for (int round = 0; round < 10; ++round) {
    const Wide a = static_cast<Wide>(0xD2E7470EE14C6C93ull) * c0;
    const Wide b = static_cast<Wide>(0xCA5A826395121157ull) * c2;
    c0 = static_cast<std::uint64_t>(b >> 64) ^ c1 ^ k0;
    c2 = static_cast<std::uint64_t>(a >> 64) ^ c3 ^ k1;
    c1 = static_cast<std::uint64_t>(b);
    c3 = static_cast<std::uint64_t>(a);
    k0 += 0x9E3779B97F4A7C15ull;
    k1 += 0xBB67AE8584CAA73Bull;
  }
  word[0] = c0, word[1] = c1, word[2] = c2, word[3] = c3;
}

class Stream {
 public:
  /// @param seed,id  the key: one seed a fit, one id a task of it (a class, a tree, ...)
  /// @param part     a part of the stream (a pass): parts never overlap
  INDUCER_INLINE Stream(std::uint64_t seed, std::uint64_t id, std::uint64_t part = 0)
      : key_{seed, id}, part_{part} {}

  INDUCER_INLINE std::uint64_t next() {
    if (used_ == 4) {
      refill();
      used_ = 0;
    }
    return word_[used_++];
  }

  /// Uniform on 0 .. n - 1, exactly (Lemire 2019). @pre 0 < n < 2^32
  INDUCER_INLINE std::uint32_t below(std::uint32_t n) {
    std::uint64_t m = static_cast<std::uint64_t>(half()) * n;
    if (static_cast<std::uint32_t>(m) < n) {
      const std::uint32_t least = (0u - n) % n;
      while (static_cast<std::uint32_t>(m) < least) m = static_cast<std::uint64_t>(half()) * n;
    }
    return static_cast<std::uint32_t>(m >> 32);
  }

  /// Uniform on [0, 1), a multiple of 2^-53.
  INDUCER_INLINE double uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }

 private:
  INDUCER_INLINE std::uint32_t half() {
    if (halves_ == 0) {
      pair_ = next();
      halves_ = 2;
    }
    const std::uint32_t value = static_cast<std::uint32_t>(pair_);
    pair_ >>= 32;
    --halves_;
    return value;
  }

  INDUCER_INLINE void refill() {
    ++counter_;
    word_[0] = counter_, word_[1] = part_, word_[2] = 0, word_[3] = 0;
    philox(word_, key_[0], key_[1]);
  }

  std::uint64_t key_[2];
  std::uint64_t part_;
  std::uint64_t counter_ = 0;  // numpy's Philox, too, adds one before it draws
  std::uint64_t word_[4] = {};
  int used_ = 4;
  std::uint64_t pair_ = 0;
  int halves_ = 0;
};

/// Fisher and Yates, from the last place down.
INDUCER_INLINE void shuffle(std::uint32_t* items, std::int64_t n, Stream& stream) {
  for (std::int64_t i = n - 1; i > 0; --i) {
    const std::uint32_t j = stream.below(static_cast<std::uint32_t>(i + 1));
    const std::uint32_t held = items[i];
    items[i] = items[j];
    items[j] = held;
  }
}

}  // namespace inducer
