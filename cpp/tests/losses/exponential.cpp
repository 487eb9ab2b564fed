// The three functions, against long double; each level has the same bits by test_objective's bits.
#include "inducer/losses/exponential.h"

#include <cmath>

#include "check.h"
#include "inducer/base/random.h"
#include "tables.h"

using namespace inducer;

TEST(fast_exp_is_within_its_bound) {
  Stream stream(1, 1);
  for (int k = 0; k < 200000; ++k) {
    const double x = (2 * stream.uniform() - 1) * (k % 2 ? 700.0 : 2.0);
    const long double exact = std::exp(static_cast<long double>(x));
    CHECK(std::fabs(INDUCER_ISA::losses::fast_exp(x) - exact) <= 4e-16L * exact);
  }
  CHECK_EQUAL(INDUCER_ISA::losses::fast_exp(0.0), 1.0);
  CHECK(INDUCER_ISA::losses::fast_exp(-1e9) < 1e-300);
  CHECK(INDUCER_ISA::losses::fast_exp(1e9) > 1e300);
}

TEST(log1p_unit_is_within_its_bound) {
  Stream stream(1, 2);
  for (int k = 0; k < 200000; ++k) {
    const double e = std::ldexp(stream.uniform(), -static_cast<int>(stream.below(60)));
    const long double exact = std::log1p(static_cast<long double>(e));
    CHECK(std::fabs(INDUCER_ISA::losses::log1p_unit(e) - exact) <= 5e-16L * exact);
  }
  CHECK_EQUAL(INDUCER_ISA::losses::log1p_unit(0.0), 0.0);
}

TEST(log_from_one_is_within_its_bound) {
  Stream stream(1, 3);
  for (int k = 0; k < 200000; ++k) {
    const double x =
        std::ldexp(1 + stream.uniform(), k % 2 ? static_cast<int>(stream.below(1000)) : 0);
    const long double exact = std::log(static_cast<long double>(x));
    CHECK(std::fabs(INDUCER_ISA::losses::log_from_one(x) - exact) <= 8e-16L * exact);
  }
  CHECK_EQUAL(INDUCER_ISA::losses::log_from_one(1.0), 0.0);
  CHECK(std::isnan(INDUCER_ISA::losses::log_from_one(std::nan(""))));
}
