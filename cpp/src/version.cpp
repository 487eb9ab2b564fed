#include "inducer/version.h"

namespace inducer {

const char* version() noexcept {
  return INDUCER_VERSION;
}

}  // namespace inducer
