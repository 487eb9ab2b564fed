#include "base/kernels.h"

namespace inducer {

std::vector<Isa> levels() {
  std::vector<Isa> found;
  const Isa before = isa();
  for (Isa level : {Isa::plain, Isa::v2, Isa::v3, Isa::v4})
    if (use_isa(level)) found.push_back(level);
  use_isa(before);
  return found;
}

void on_each_level(const std::function<void(Isa)>& body) {
  const Isa before = isa();
  for (Isa level : levels()) {
    use_isa(level);
    body(level);
  }
  use_isa(before);
}

}  // namespace inducer
