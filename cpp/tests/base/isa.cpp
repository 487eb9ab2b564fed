#include "inducer/base/isa.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/kernels.h"
#include "check.h"

using namespace inducer;

TEST(isa_levels_can_be_chosen_and_have_names) {
  const std::vector<Isa> all = levels();
  CHECK(!all.empty());
  std::vector<std::string> names;
  on_each_level([&](Isa level) {
    CHECK_EQUAL(isa(), level);
    names.emplace_back(name(level));
  });
  const std::vector<std::string> known = {"plain", "v2", "v3", "v4"};
  for (const std::string& found : names)
    CHECK(std::find(known.begin(), known.end(), found) != known.end());
  CHECK(std::adjacent_find(names.begin(), names.end()) == names.end());
}

TEST(isa_that_is_not_there_changes_nothing) {
  const std::vector<Isa> all = levels();
  const Isa before = isa();
  for (Isa level : {Isa::plain, Isa::v2, Isa::v3, Isa::v4}) {
    if (std::find(all.begin(), all.end(), level) != all.end()) continue;
    CHECK(!use_isa(level));
    CHECK_EQUAL(isa(), before);
  }
}

TEST(isa_too_old_a_processor_is_refused_in_words) {
  CHECK_THROWS(std::runtime_error,
               "this processor is older than every instruction set that inducer was built for",
               refuse_processor());
}
