#include "inducer/base/isa.h"

#include <atomic>
#include <cstdlib>
#include <stdexcept>

namespace inducer {
namespace {

bool available(Isa level) noexcept {
#if defined(__x86_64__)
  __builtin_cpu_init();
#endif
  switch (level) {
    INDUCER_ON_V4(case Isa::v4 : return __builtin_cpu_supports("x86-64-v4");)
    INDUCER_ON_V3(case Isa::v3 : return __builtin_cpu_supports("x86-64-v3");)
    INDUCER_ON_V2(case Isa::v2 : return __builtin_cpu_supports("x86-64-v2");)
    INDUCER_ON_PLAIN(case Isa::plain : return true;)
    default:
      return false;
  }
}

Isa best() noexcept {
  // INDUCER_ISA=v2|v3|v4|plain asks for a level; one that is not there is passed over.
  if (const char* asked = std::getenv("INDUCER_ISA")) {
    for (Isa level : {Isa::v4, Isa::v3, Isa::v2, Isa::plain})
      if (name(level) == asked && available(level)) return level;
  }
  for (Isa level : {Isa::v4, Isa::v3, Isa::v2})
    if (available(level)) return level;
  return Isa::plain;
}

// Chosen when the library is loaded: no other thread of ours runs yet, so the environment can be
// read, and there is no first call whose lock a forked child could inherit.
std::atomic<Isa> chosen{best()};

}  // namespace

Isa isa() noexcept {
  return chosen.load(std::memory_order_relaxed);
}

bool use_isa(Isa level) noexcept {
  if (!available(level)) return false;
  chosen.store(level, std::memory_order_relaxed);
  return true;
}

std::string_view name(Isa level) noexcept {
  switch (level) {
    case Isa::v4:
      return "v4";
    case Isa::v3:
      return "v3";
    case Isa::v2:
      return "v2";
    default:
      return "plain";
  }
}

void refuse_processor() {
  throw std::runtime_error(
      "this processor is older than every instruction set that inducer was built for");
}

}  // namespace inducer
