#pragma once
/// @file  dot, axpy and scale, with the same bits on every instruction set.
///
/// A dot product adds into a fixed number of lanes: product j goes to lane j mod `lanes`, each
/// lane adds in order, and the lanes are folded in halves at the end. The lanes fill two AVX-512
/// registers, or four of AVX2, or eight of SSE: the sum is the same whichever it is. No fused
/// multiply-add is used, for it would round once where others round twice.
#include <concepts>
#include <cstdint>
#include <cstring>

#include "inducer/base/isa.h"
#if defined(__AVX2__)
#include <immintrin.h>
#endif

namespace inducer {
namespace INDUCER_ISA {

#if defined(__AVX512F__)
inline constexpr int register_bytes = 64;
#elif defined(__AVX2__)
inline constexpr int register_bytes = 32;
#else
inline constexpr int register_bytes = 16;
#endif

/// One register. Wider than the target has would be disastrous, so it is as wide as it is.
template <std::floating_point T>
struct Pack {
  static constexpr int width = register_bytes / static_cast<int>(sizeof(T));
  typedef T Register __attribute__((vector_size(register_bytes)));

  INDUCER_INLINE static Register load(const T* p) {
    Register r;
    std::memcpy(&r, p, sizeof r);
    return r;
  }

  /// The first n < width values, and zeros.
  INDUCER_INLINE static Register load_first(const T* p, int n) {
#if defined(__AVX512F__)
    if constexpr (sizeof(T) == 8)
      return (Register)_mm512_maskz_loadu_pd(static_cast<__mmask8>((1u << n) - 1u), p);
    else
      return (Register)_mm512_maskz_loadu_ps(static_cast<__mmask16>((1u << n) - 1u), p);
#elif defined(__AVX2__)
    alignas(32) static constexpr std::int32_t ones[16] = {-1, -1, -1, -1, -1, -1, -1, -1};
    const std::int32_t* mask = ones + 8 - n * static_cast<int>(sizeof(T) / 4);
    const __m256i m = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(mask));
    if constexpr (sizeof(T) == 8)
      return (Register)_mm256_maskload_pd(p, m);
    else
      return (Register)_mm256_maskload_ps(p, m);
#else
    Register r{};
    for (int k = 0; k < n; ++k) r[k] = p[k];
    return r;
#endif
  }
};

template <std::floating_point T>
inline constexpr int lanes = 128 / static_cast<int>(sizeof(T));

/// The sum of the lanes: halves are added until one is left.
template <std::floating_point T, int registers>
INDUCER_INLINE T fold(typename Pack<T>::Register (&lane)[registers]) {
  for (int half = registers / 2; half > 0; half /= 2)
    for (int r = 0; r < half; ++r) lane[r] += lane[r + half];
  T value[Pack<T>::width];
  std::memcpy(value, &lane[0], sizeof value);
  for (int half = Pack<T>::width / 2; half > 0; half /= 2)
    for (int k = 0; k < half; ++k) value[k] += value[k + half];
  return value[0];
}

template <std::floating_point T>
INDUCER_INLINE T dot(const T* a, const T* b, std::int64_t n) {
  using P = Pack<T>;
  constexpr int registers = lanes<T> / P::width;
  typename P::Register lane[registers]{};
  std::int64_t j = 0;
  for (; j + lanes<T> <= n; j += lanes<T>)
    for (int r = 0; r < registers; ++r)
      lane[r] += P::load(a + j + r * P::width) * P::load(b + j + r * P::width);
  int r = 0;
  for (; j + P::width <= n; j += P::width, ++r) lane[r] += P::load(a + j) * P::load(b + j);
  if (j < n) {
    // Adding a zero changes no lane: none is ever -0, since each starts at +0.
    const int left = static_cast<int>(n - j);
    lane[r] += P::load_first(a + j, left) * P::load_first(b + j, left);
  }
  return fold<T, registers>(lane);
}

/// w += a x. Each element by itself, so the same on every instruction set.
template <std::floating_point T, std::floating_point U>
INDUCER_INLINE void axpy(U a, const T* __restrict x, U* __restrict w, std::int64_t n) {
  for (std::int64_t j = 0; j < n; ++j) w[j] += a * static_cast<U>(x[j]);
}

/// w *= a.
template <std::floating_point T>
INDUCER_INLINE void scale(T a, T* w, std::int64_t n) {
  for (std::int64_t j = 0; j < n; ++j) w[j] *= a;
}

}  // namespace INDUCER_ISA
}  // namespace inducer
