// inducer_tests [PART]: runs the tests whose names contain PART; all of them without it.
#include <atomic>
#include <cstdio>
#include <cstring>
#include <exception>

#include "check.h"

namespace {

std::atomic<int> failures{0};
constexpr int shown_at_most = 10;  // of one test

}  // namespace

void check::fail(const char* file, int line, const std::string& what) {
  if (failures.fetch_add(1) < shown_at_most) std::printf("%s:%d: %s\n", file, line, what.c_str());
}

int main(int argc, char** argv) {
  int passed = 0, failed = 0;
  for (const check::Test& test : check::tests()) {
    if (argc > 1 && !std::strstr(test.name, argv[1])) continue;
    failures = 0;
    try {
      test.body();
    } catch (const std::exception& error) {
      check::fail(test.name, 0, std::string("threw ") + error.what());
    } catch (...) {
      check::fail(test.name, 0, "threw");
    }
    if (failures > 0) std::printf("FAILED %s (%d checks)\n", test.name, failures.load());
    ++(failures > 0 ? failed : passed);
    std::fflush(stdout);  // a forked child must not print it again
  }
  std::printf("%d passed, %d failed\n", passed, failed);
  return failed > 0 || passed == 0;
}
