#include "inducer/base/monitor.h"

#include <limits>
#include <thread>

#include "check.h"

using inducer::Monitor;

TEST(monitor_runs_until_told_otherwise) {
  Monitor monitor;
  CHECK(!monitor.should_stop());
  CHECK(!monitor.stopped());
  CHECK_EQUAL(monitor.done(), std::int64_t{0});
}

TEST(monitor_slices_end_when_their_time_is_over) {
  Monitor monitor;
  for (double over : {0.0, -1.0, -std::numeric_limits<double>::infinity(), 1e-12}) {
    monitor.begin_slice(over);
    CHECK(monitor.should_stop());
  }
  for (double long_time : {1e3, 3.1e9, 3.3e9, 1e300, std::numeric_limits<double>::infinity(),
                           std::numeric_limits<double>::quiet_NaN()}) {
    monitor.begin_slice(long_time);
    CHECK(!monitor.should_stop());
  }
  monitor.begin_slice(0.002);
  std::this_thread::sleep_for(std::chrono::milliseconds(4));
  CHECK(monitor.should_stop());
  CHECK(!monitor.stopped());
}

TEST(monitor_once_stopped_stays_so) {
  Monitor monitor;
  monitor.stop();
  monitor.begin_slice(1e3);
  CHECK(monitor.should_stop());
  CHECK(monitor.stopped());
}

TEST(monitor_counts_from_several_threads) {
  Monitor monitor;
  std::thread other([&] {
    for (int k = 0; k < 1000; ++k) monitor.add_done(2);
  });
  for (int k = 0; k < 1000; ++k) monitor.add_done(1);
  other.join();
  CHECK_EQUAL(monitor.done(), std::int64_t{3000});
}
