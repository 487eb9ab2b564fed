#pragma once
/// @file  How a running kernel is watched and stopped.
///
/// A kernel polls `should_stop` about every `poll_work` multiply-adds and adds to `done`. Another
/// thread may read `done`, and call `stop`, at any time: both are plain atomics, so Python can do
/// so while the kernel runs without the interpreter lock. A kernel that stops has left its state
/// whole and can be called again: that is how a long fit runs in slices.
#include <atomic>
#include <chrono>
#include <cstdint>

#include "inducer/base/isa.h"

namespace inducer {

class Monitor {
 public:
  using Clock = std::chrono::steady_clock;

  static constexpr std::int64_t poll_work = 1 << 16;

  /// From now on, `should_stop` turns true after this many seconds; infinitely many are allowed.
  void begin_slice(double seconds) noexcept {
    auto deadline = Clock::time_point::max();
    if (seconds < century) {  // so that the sum, in nanoseconds, does not overflow
      const std::chrono::duration<double> span(seconds > 0 ? seconds : 0);
      deadline = Clock::now() + std::chrono::duration_cast<Clock::duration>(span);
    }
    deadline_.store(deadline.time_since_epoch().count(), std::memory_order_relaxed);
  }

  INDUCER_INLINE bool should_stop() const noexcept {
    return stopped_.load(std::memory_order_relaxed) ||
           Clock::now().time_since_epoch().count() >= deadline_.load(std::memory_order_relaxed);
  }

  void stop() noexcept { stopped_.store(true, std::memory_order_relaxed); }
  bool stopped() const noexcept { return stopped_.load(std::memory_order_relaxed); }

  void add_done(std::int64_t count) noexcept { done_.fetch_add(count, std::memory_order_relaxed); }
  std::int64_t done() const noexcept { return done_.load(std::memory_order_relaxed); }

 private:
  static constexpr double century = 3.2e9;

  std::atomic<bool> stopped_{false};
  std::atomic<std::int64_t> done_{0};
  std::atomic<Clock::rep> deadline_{Clock::duration::max().count()};
};

}  // namespace inducer
