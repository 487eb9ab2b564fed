#pragma once
/// @file  The one parallel loop.
///
/// The pool is made at the first loop that needs it, made again in a forked child, and joined at
/// exit. How a loop is split depends on its size alone, never on the number of threads, so a
/// reduction that merges the chunks in order gives the same bits on one thread and on seven. A loop
/// too small to be worth a thread, one inside another loop, one that finds the pool busy, and one
/// that the system gives no threads all run in the caller's thread. (A loop of one chunk is no
/// loop: what is inside it may be parallel.)
#include <algorithm>
#include <cstdint>
#include <exception>
#include <memory>
#include <type_traits>

namespace inducer {

/// Multiply-adds, or bytes, that are worth handing to another thread (about 20 microseconds).
inline constexpr double chunk_work = 1 << 16;

/// How n items of some work each are cut: chunk c of `count` is [begin(c), begin(c + 1)).
struct Split {
  std::int64_t n = 0, count = 1;

  Split(std::int64_t items, double work_per_item, std::int64_t most = 64) noexcept : n(items) {
    const double chunks = static_cast<double>(items) * work_per_item / chunk_work;
    if (chunks > 1)
      count = chunks < static_cast<double>(most) ? static_cast<std::int64_t>(chunks) : most;
    count = std::max<std::int64_t>(1, std::min(count, items));
  }
  std::int64_t begin(std::int64_t chunk) const noexcept {
    // At most n, since chunk <= count: nothing overflows.
    return n / count * chunk + std::min(chunk, n % count);
  }
};

namespace impl {
using ChunkFunction = void (*)(void* body, std::int64_t chunk);
/// Runs body(0) ... body(count - 1) on at most `threads` threads; the first exception is rethrown.
void run_chunks(int threads, std::int64_t count, ChunkFunction function, void* body);
}  // namespace impl

/// body(chunk) for each chunk in [0, count), on at most `threads` threads, in any order.
template <class Body>
void parallel_chunks(int threads, std::int64_t count, Body&& body) {
  using Plain = std::remove_reference_t<Body>;
  impl::run_chunks(
      threads, count,
      [](void* opaque, std::int64_t chunk) { (*static_cast<Plain*>(opaque))(chunk); },
      const_cast<void*>(static_cast<const void*>(std::addressof(body))));
}

/// body(begin, end) for pieces that cover [0, n).
/// @param work  multiply-adds or bytes an item costs; decides the split
template <class Body>
void parallel_for(int threads, std::int64_t n, double work, Body&& body) {
  if (n <= 0) return;
  const Split split(n, work);
  parallel_chunks(threads, split.count,
                  [&](std::int64_t chunk) { body(split.begin(chunk), split.begin(chunk + 1)); });
}

/// The number of threads the pool holds now (for tests).
int pool_size() noexcept;

}  // namespace inducer
