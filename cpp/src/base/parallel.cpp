#include "inducer/base/parallel.h"

#include <pthread.h>

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

namespace inducer {
namespace {

thread_local bool inside_loop = false;

/// One loop in flight: threads take chunks from `next` until none is left.
struct Loop {
  impl::ChunkFunction function;
  void* body;
  std::int64_t count;
  std::atomic<std::int64_t> next{0};
  std::atomic<bool> failed{false};
  std::exception_ptr error;
  std::mutex error_guard;

  void work() noexcept {
    const bool outer = inside_loop;
    inside_loop = true;
    for (std::int64_t chunk; (chunk = next.fetch_add(1)) < count;) {
      if (failed.load(std::memory_order_relaxed)) break;
      try {
        function(body, chunk);
      } catch (...) {
        const std::lock_guard lock(error_guard);
        if (!error) error = std::current_exception();
        failed = true;
      }
    }
    inside_loop = outer;
  }
};

class Pool {
 public:
  ~Pool() { join(); }

  /// False when another thread's loop has the pool.
  bool run(Loop& loop, int helpers) {
    const std::unique_lock owner(busy_, std::try_to_lock);
    if (!owner.owns_lock()) return false;
    {
      const std::lock_guard lock(guard_);
      while (static_cast<int>(threads_.size()) < helpers) {
        const int index = static_cast<int>(threads_.size());
        threads_.emplace_back([this, index, seen = round_] { serve(index, seen); });
      }
      loop_ = &loop;
      helpers_ = helpers;
      running_ = helpers;
      ++round_;
    }
    wake_.notify_all();
    loop.work();
    std::unique_lock lock(guard_);
    rest_.wait(lock, [this] { return running_ == 0; });
    loop_ = nullptr;
    return true;
  }

  int size() {
    const std::lock_guard lock(guard_);
    return static_cast<int>(threads_.size());
  }

  void join() {
    {
      const std::lock_guard lock(guard_);
      leaving_ = true;
    }
    wake_.notify_all();
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
  }

 private:
  void serve(int index, std::uint64_t seen) {
    for (;;) {
      std::unique_lock lock(guard_);
      wake_.wait(lock, [&] { return leaving_ || round_ != seen; });
      if (leaving_) return;
      seen = round_;
      if (index >= helpers_) continue;
      Loop* const loop = loop_;
      lock.unlock();
      loop->work();
      lock.lock();
      if (--running_ == 0) rest_.notify_one();
    }
  }

  std::mutex busy_;   // held by the thread whose loop this is
  std::mutex guard_;  // guards everything below
  std::condition_variable wake_, rest_;
  std::vector<std::thread> threads_;
  Loop* loop_ = nullptr;
  std::uint64_t round_ = 0;
  int helpers_ = 0, running_ = 0;
  bool leaving_ = false;
};

/// The pool of this process. A forked child has none of its parent's threads and cannot trust its
/// locks, so it leaves the parent's pool where it is and makes its own.
std::unique_ptr<Pool>& pool_slot() {
  static std::unique_ptr<Pool> slot = [] {
    pthread_atfork(nullptr, nullptr, [] {
      inside_loop = false;
      (void)pool_slot().release();
      pool_slot() = std::make_unique<Pool>();
    });
    return std::make_unique<Pool>();
  }();
  return slot;
}

}  // namespace

namespace impl {

void run_chunks(int threads, std::int64_t count, ChunkFunction function, void* body) {
  if (count <= 0) return;
  Loop loop{function, body, count, {}, {}, {}, {}};
  const int helpers = static_cast<int>(std::min<std::int64_t>(std::max(1, threads), count)) - 1;
  if (helpers == 0 || inside_loop || !pool_slot()->run(loop, helpers)) loop.work();
  if (loop.error) std::rethrow_exception(loop.error);
}

}  // namespace impl

int pool_size() noexcept {
  return pool_slot()->size();
}

}  // namespace inducer
