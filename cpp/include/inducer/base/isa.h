#pragma once
/// @file  Which instruction set the hot kernels use, chosen once at run time.
///
/// A file named *.isa.cpp is compiled once for each level, with INDUCER_ISA naming both the level
/// and the namespace its code lives in. The namespaces keep the copies apart: a function compiled
/// for AVX-512 must never be the one that the linker hands to a caller on an older processor. For
/// the same reason such files use no library templates that leave out-of-line code behind
/// (tests/unit/test_build.py looks for it).
///
///     v2     x86-64 of 2009 (SSE4.2)          v4     AVX-512
///     v3     AVX2                             plain  any other processor
#include <cstdint>
#include <string_view>

#ifndef INDUCER_ISA
#if defined(__x86_64__)
#define INDUCER_ISA v2
#else
#define INDUCER_ISA plain
#endif
#endif

#define INDUCER_INLINE __attribute__((always_inline)) inline

namespace inducer {

enum class Isa : std::uint8_t { plain, v2, v3, v4 };

/// The level in use: the best that this processor and this build have, unless told otherwise.
Isa isa() noexcept;

/// Use a level; false, and no change, when the processor or the build lacks it.
bool use_isa(Isa level) noexcept;

std::string_view name(Isa level) noexcept;

/// Thrown at the first kernel, when this processor has no level of this build.
[[noreturn]] void refuse_processor();

}  // namespace inducer

#ifdef INDUCER_HAS_V2
#define INDUCER_ON_V2(...) __VA_ARGS__
#else
#define INDUCER_ON_V2(...)
#endif
#ifdef INDUCER_HAS_V3
#define INDUCER_ON_V3(...) __VA_ARGS__
#else
#define INDUCER_ON_V3(...)
#endif
#ifdef INDUCER_HAS_V4
#define INDUCER_ON_V4(...) __VA_ARGS__
#else
#define INDUCER_ON_V4(...)
#endif
#ifdef INDUCER_HAS_PLAIN
#define INDUCER_ON_PLAIN(...) __VA_ARGS__
#else
#define INDUCER_ON_PLAIN(...)
#endif

/// Declares a kernel once for each level that is built.
#define INDUCER_PER_ISA(...)                         \
  INDUCER_ON_PLAIN(namespace plain { __VA_ARGS__; }) \
  INDUCER_ON_V2(namespace v2 { __VA_ARGS__; })       \
  INDUCER_ON_V3(namespace v3 { __VA_ARGS__; })       \
  INDUCER_ON_V4(namespace v4 { __VA_ARGS__; })

/// Calls the kernel of the level in use.
#define INDUCER_DISPATCH(...)                                                 \
  switch (::inducer::isa()) {                                                 \
    INDUCER_ON_V4(case ::inducer::Isa::v4 : return v4::__VA_ARGS__;)          \
    INDUCER_ON_V3(case ::inducer::Isa::v3 : return v3::__VA_ARGS__;)          \
    INDUCER_ON_V2(case ::inducer::Isa::v2 : return v2::__VA_ARGS__;)          \
    INDUCER_ON_PLAIN(case ::inducer::Isa::plain : return plain::__VA_ARGS__;) \
    default:                                                                  \
      ::inducer::refuse_processor();                                          \
  }
