#include "inducer/base/parallel.h"

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cfenv>
#include <chrono>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

#include "check.h"
#include "tables.h"

using namespace inducer;
using namespace std::chrono_literals;

namespace {

/// Whether a loop over n items visits each of them once.
bool covers(int threads, std::int64_t n, double work) {
  std::vector<std::atomic<int>> visits(static_cast<std::size_t>(n));
  std::atomic<bool> sound{true};
  parallel_for(threads, n, work, [&](std::int64_t begin, std::int64_t end) {
    if (begin < 0 || begin >= end || end > n) sound = false;
    for (std::int64_t i = begin; i < end; ++i) ++visits[static_cast<std::size_t>(i)];
  });
  for (const auto& count : visits) sound = sound && count == 1;
  return sound;
}

/// The threads that take part in a loop of `count` chunks that last a while.
std::set<std::thread::id> threads_of(int threads, std::int64_t count) {
  std::set<std::thread::id> seen;
  std::mutex guard;
  parallel_chunks(threads, count, [&](std::int64_t) {
    std::this_thread::sleep_for(1ms);
    const std::lock_guard lock(guard);
    seen.insert(std::this_thread::get_id());
  });
  return seen;
}

constexpr double heavy = 1e9;  // an item worth a chunk of its own

}  // namespace

TEST(parallel_loops_cover_everything_once) {
  for (int threads : {-1, 0, 1, 2, 7})
    for (std::int64_t n : {0, 1, 2, 3, 63, 64, 65, 1000, 10007})
      for (double work : {0.0, 1.0, 100.0, heavy}) CHECK(covers(threads, n, work));
  CHECK(!pool_size() || pool_size() <= 6);
}

TEST(parallel_loop_of_nothing_is_nothing) {
  int calls = 0;
  parallel_for(2, 0, heavy, [&](std::int64_t, std::int64_t) { ++calls; });
  parallel_for(2, -5, heavy, [&](std::int64_t, std::int64_t) { ++calls; });
  parallel_chunks(2, 0, [&](std::int64_t) { ++calls; });
  parallel_chunks(2, -1, [&](std::int64_t) { ++calls; });
  CHECK_EQUAL(calls, 0);
}

TEST(parallel_split_depends_on_the_size_alone_and_is_even) {
  CHECK_EQUAL(Split(10, 1.0).count, std::int64_t{1});       // too small to be shared
  CHECK_EQUAL(Split(1 << 16, 2.0).count, std::int64_t{2});  // two chunks' worth
  CHECK_EQUAL(Split(1000, heavy).count, std::int64_t{64});
  CHECK_EQUAL(Split(3, heavy).count, std::int64_t{3});
  CHECK_EQUAL(Split(0, heavy).count, std::int64_t{1});
  CHECK_EQUAL(Split(1000, 1e300, 7).count, std::int64_t{7});
  for (std::int64_t n : {std::int64_t{64}, std::int64_t{1001}, std::int64_t{1} << 62}) {
    const Split split(n, heavy);
    CHECK_EQUAL(split.begin(0), std::int64_t{0});
    CHECK_EQUAL(split.begin(split.count), n);
    for (std::int64_t c = 0; c < split.count; ++c) {
      const std::int64_t size = split.begin(c + 1) - split.begin(c);
      CHECK(size == n / split.count || size == n / split.count + 1);
    }
  }
}

TEST(parallel_small_loops_and_single_chunks_stay_in_the_callers_thread) {
  const auto here = std::thread::id(std::this_thread::get_id());
  CHECK(threads_of(7, 1) == std::set{here});
  CHECK(threads_of(1, 20) == std::set{here});
  bool same = true;
  parallel_for(7, 1000, 1.0,
               [&](std::int64_t, std::int64_t) { same = here == std::this_thread::get_id(); });
  CHECK(same);
}

TEST(parallel_loops_use_no_more_threads_than_asked) {
  for (int threads : {2, 3, 7, 2}) {
    const auto seen = threads_of(threads, 40);
    CHECK(seen.size() <= static_cast<std::size_t>(threads));
    CHECK(seen.size() > 1);
    CHECK(pool_size() >= threads - 1);
  }
  CHECK(pool_size() <= 6);
}

TEST(parallel_reductions_by_chunk_have_the_same_bits_on_any_number_of_threads) {
  std::vector<double> values;
  Stream stream(1, 2);
  for (int i = 0; i < 100000; ++i) values.push_back(rough(stream));
  const Split split(100000, 64.0);
  std::set<std::uint64_t> seen;
  for (int threads : {1, 2, 7, 1, 7}) {
    std::vector<double> partial(static_cast<std::size_t>(split.count));
    parallel_chunks(threads, split.count, [&](std::int64_t c) {
      for (std::int64_t i = split.begin(c); i < split.begin(c + 1); ++i)
        at(partial, c) += at(values, i);
    });
    double sum = 0;
    for (double part : partial) sum += part;
    seen.insert(bits(sum));
  }
  CHECK_EQUAL(seen.size(), std::size_t{1});
}

TEST(parallel_inner_loops_run_in_the_thread_they_are_in) {
  std::atomic<int> cells{0}, strangers{0};
  parallel_chunks(7, 20, [&](std::int64_t) {
    const auto outer = std::this_thread::get_id();
    parallel_chunks(7, 10, [&](std::int64_t) {
      ++cells;
      if (outer != std::this_thread::get_id()) ++strangers;
    });
  });
  CHECK_EQUAL(cells.load(), 200);
  CHECK_EQUAL(strangers.load(), 0);
}

TEST(parallel_one_chunk_may_hold_a_parallel_loop) {
  std::set<std::thread::id> seen;
  parallel_chunks(7, 1, [&](std::int64_t) { seen = threads_of(7, 40); });
  CHECK(seen.size() > 1);
}

TEST(parallel_exception_reaches_the_caller_and_the_pool_survives) {
  for (int threads : {1, 2, 7})
    for (int repeat = 0; repeat < 20; ++repeat) {
      std::atomic<int> calls{0};
      CHECK_THROWS(std::runtime_error, "chunk 5", {
        parallel_chunks(threads, 1000, [&](std::int64_t chunk) {
          ++calls;
          if (chunk == 5) throw std::runtime_error("chunk " + std::to_string(chunk));
        });
      });
      CHECK(calls <= 1000);
      CHECK(covers(threads, 1000, heavy));
    }
  // Only one of several is kept, and a thrown inner loop leaves the outer one whole.
  std::atomic<int> caught{0};
  parallel_chunks(7, 20, [&](std::int64_t) {
    try {
      parallel_chunks(7, 10, [](std::int64_t) { throw 1; });
    } catch (int) {
      ++caught;
    }
  });
  CHECK_EQUAL(caught.load(), 20);
  CHECK(threads_of(7, 40).size() > 1);
}

TEST(parallel_after_a_failure_no_new_chunk_begins) {
  std::atomic<int> calls{0};
  try {
    parallel_chunks(1, 1000, [&](std::int64_t) {
      ++calls;
      throw 1;
    });
  } catch (int) {
  }
  CHECK_EQUAL(calls.load(), 1);
}

TEST(parallel_two_callers_at_once_both_finish) {
  std::vector<std::thread> callers;
  std::atomic<int> failures{0};
  for (int caller = 0; caller < 3; ++caller)
    callers.emplace_back([&] {
      for (int repeat = 0; repeat < 200; ++repeat)
        if (!covers(3, 200, heavy)) ++failures;
    });
  for (std::thread& caller : callers) caller.join();
  CHECK_EQUAL(failures.load(), 0);
}

TEST(parallel_busy_pool_leaves_the_loop_to_its_caller) {
  std::atomic<bool> busy{false}, release{false};
  std::thread owner([&] {
    parallel_chunks(2, 2, [&](std::int64_t) {
      busy = true;
      while (!release) std::this_thread::sleep_for(1ms);
    });
  });
  while (!busy) std::this_thread::sleep_for(1ms);
  const auto seen = threads_of(7, 20);
  CHECK(seen == std::set{std::thread::id(std::this_thread::get_id())});
  release = true;
  owner.join();
}

TEST(parallel_helpers_round_as_their_caller_does) {
  const int before = std::fegetround();
  for (int mode : {FE_UPWARD, FE_DOWNWARD, FE_TONEAREST}) {
    std::fesetround(mode);
    std::atomic<int> others{0};
    parallel_chunks(7, 40, [&](std::int64_t) {
      std::this_thread::sleep_for(100us);
      if (std::fegetround() != mode) ++others;
    });
    CHECK_EQUAL(others.load(), 0);
  }
  std::fesetround(before);
}

TEST(parallel_forked_child_makes_a_pool_of_its_own) {
  CHECK(threads_of(3, 40).size() > 1);
  for (int repeat = 0; repeat < 5; ++repeat) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(60);  // a child that hangs is a failure
      if (pool_size() != 0) _exit(2);
      if (!covers(3, 1000, heavy)) _exit(3);
      if (threads_of(3, 40).size() < 2) _exit(4);
      _exit(0);
    }
    int status = -1;
    CHECK_EQUAL(waitpid(child, &status, 0), child);
    CHECK(WIFEXITED(status));
    CHECK_EQUAL(WEXITSTATUS(status), 0);
    CHECK(covers(3, 1000, heavy));
  }
}

TEST(parallel_fork_from_within_a_loop_or_during_one) {
  // While another thread's loop has the pool, its locks are held: the child must not need them.
  std::atomic<bool> busy{false}, release{false};
  std::thread owner([&] {
    parallel_chunks(2, 2, [&](std::int64_t) {
      busy = true;
      while (!release) std::this_thread::sleep_for(1ms);
    });
  });
  while (!busy) std::this_thread::sleep_for(1ms);
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);
    _exit(covers(3, 1000, heavy) && threads_of(3, 40).size() > 1 ? 0 : 3);
  }
  int status = -1;
  CHECK_EQUAL(waitpid(child, &status, 0), child);
  CHECK(WIFEXITED(status));
  CHECK_EQUAL(WEXITSTATUS(status), 0);
  release = true;
  owner.join();
}
