#include "inducer/base/parallel.h"

#include <pthread.h>

#include <atomic>
#include <cfenv>
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
  std::exception_ptr error{};
  std::mutex error_guard{};

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
  /// False, and nothing done, when another thread's loop has the pool or the process is leaving.
  bool run(Loop& loop, int helpers) {
    const std::unique_lock owner(busy_, std::try_to_lock);
    if (!owner.owns_lock()) return false;
    {
      const std::lock_guard lock(guard_);
      if (leaving_) return false;
      grow(helpers);
      loop_ = &loop;
      helpers_ = helpers;
      std::fegetenv(&rounding_);
      ++round_;
    }
    wake_.notify_all();
    loop.work();
    std::unique_lock lock(guard_);
    loop_ = nullptr;  // who wakes only now is not waited for
    rest_.wait(lock, [this] { return working_ == 0; });
    return true;
  }

  int size() {
    const std::lock_guard lock(guard_);
    return static_cast<int>(threads_.size());
  }

  /// Ends the threads once they have finished their chunks; loops go on in their callers' threads.
  void leave() {
    std::vector<std::thread> threads;
    {
      const std::lock_guard lock(guard_);
      leaving_ = true;
      threads.swap(threads_);
    }
    wake_.notify_all();
    for (std::thread& thread : threads) thread.join();
  }

 private:
  void grow(int helpers) {
    try {
      while (static_cast<int>(threads_.size()) < helpers) {
        const int index = static_cast<int>(threads_.size());
        threads_.emplace_back([this, index, seen = round_] { serve(index, seen); });
      }
    } catch (const std::exception&) {
      // The system has no more to give: with fewer the loop is slower, not wrong.
    }
  }

  void serve(int index, std::uint64_t seen) {
    std::unique_lock lock(guard_);
    for (;;) {
      wake_.wait(lock, [&] { return leaving_ || round_ != seen; });
      if (leaving_) return;
      seen = round_;
      Loop* const loop = loop_;
      if (!loop || index >= helpers_) continue;
      ++working_;
      std::fesetenv(&rounding_);  // round, and treat tiny numbers, as the caller does
      lock.unlock();
      loop->work();
      lock.lock();
      if (--working_ == 0) rest_.notify_one();
    }
  }

  std::mutex busy_;   // held by the thread whose loop this is
  std::mutex guard_;  // guards everything below
  std::condition_variable wake_, rest_;
  std::vector<std::thread> threads_;
  Loop* loop_ = nullptr;
  std::fenv_t rounding_{};
  std::uint64_t round_ = 0;
  int helpers_ = 0, working_ = 0;
  bool leaving_ = false;
};

/// The pool of this process, once there is one.
constinit std::atomic<Pool*> the_pool{nullptr};

Pool& pool() {
  Pool* found = the_pool.load();
  if (found) return *found;
  Pool* const made = new Pool;  // it has no threads yet: the loser of a race deletes its own
  if (the_pool.compare_exchange_strong(found, made)) return *made;
  delete made;
  return *found;
}

/// What happens to the pool at a fork and at exit.
///
/// A forked child has none of its parent's threads and cannot trust their locks: it forgets the
/// parent's pool, and does nothing else, since little is safe to do there. At exit the threads are
/// joined, but the pool is not freed: a thread that nobody joins (a daemon thread of Python) may
/// still be in a loop.
const struct Lifetime {
  Lifetime() {
    pthread_atfork(nullptr, nullptr, [] {
      inside_loop = false;
      the_pool = nullptr;
    });
  }
  ~Lifetime() {
    if (Pool* const last = the_pool.load()) last->leave();
  }
} lifetime;

}  // namespace

namespace impl {

void run_chunks(int threads, std::int64_t count, ChunkFunction function, void* body) {
  if (count <= 0) return;
  if (count == 1) return function(body, 0);
  Loop loop{function, body, count};
  const int helpers = static_cast<int>(std::min<std::int64_t>(std::max(1, threads), count)) - 1;
  if (helpers == 0 || inside_loop || !pool().run(loop, helpers)) loop.work();
  if (loop.error) std::rethrow_exception(loop.error);
}

}  // namespace impl

int pool_size() noexcept {
  Pool* const found = the_pool.load();
  return found ? found->size() : 0;
}

}  // namespace inducer
