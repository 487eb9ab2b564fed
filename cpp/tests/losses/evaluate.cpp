// The losses by name, and where their formulas would overflow. tests/reference/test_losses.py holds
// them against Python's, on a grid.
#include "inducer/losses/evaluate.h"

#include <cmath>
#include <limits>

#include "check.h"

using inducer::losses::evaluate;
using inducer::losses::Kind;
using inducer::losses::kind_named;
using inducer::losses::Loss;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

struct At {
  double value = 0, slope = 0, curvature = 0;
};

At at(Loss loss, double y, double z) {
  At found;
  evaluate(loss, &y, &z, 1, &found.value, &found.slope, &found.curvature);
  return found;
}

}  // namespace

TEST(losses_have_names) {
  CHECK(kind_named("zero_one") == Kind::zero_one);
  CHECK(kind_named("squared_hinge") == Kind::squared_hinge);
  CHECK(kind_named("tweedie") == Kind::tweedie);
  CHECK(!kind_named("hing").has_value());
  CHECK(!kind_named("").has_value());
}

TEST(losses_at_their_kinks) {
  CHECK_EQUAL(at({Kind::hinge, 0}, 1, 1).slope, -1.0);
  CHECK_EQUAL(at({Kind::hinge, 0}, -1, -1).slope, 1.0);
  CHECK_EQUAL(at({Kind::perceptron, 0}, 1, 0).slope, -1.0);
  CHECK_EQUAL(at({Kind::absolute, 0}, 3, 3).slope, 0.0);
  CHECK_EQUAL(at({Kind::quantile, 0.2}, 3, 3).slope, 0.0);
  CHECK_EQUAL(at({Kind::huber, 2}, 0, 2).value, 2.0);
  CHECK_EQUAL(at({Kind::modified_huber, 0}, 1, -1).value, 4.0);
}

TEST(no_loss_is_nan_where_it_overflows) {
  for (int k = 0; k <= static_cast<int>(Kind::tweedie); ++k)
    for (const double parameter : {1.0, 1.5, 2.0})
      for (const double y : {0.0, 1.0, 1e10})
        for (const double z : {-1e308, -1e200, -800.0, 0.0, 800.0, 1e200, 1e308}) {
          const At found = at({static_cast<Kind>(k), parameter}, y, z);
          CHECK(!std::isnan(found.value));
          CHECK(!std::isnan(found.slope));
          CHECK(!std::isnan(found.curvature));
        }
  CHECK_EQUAL(at({Kind::poisson, 0}, 1e10, 1e308).value, infinity);
  CHECK_EQUAL(at({Kind::gamma, 0}, 0, -1e308).slope, 1.0);
  CHECK_EQUAL(at({Kind::tweedie, 1.5}, 0, -1e308).value, 0.0);
  CHECK_EQUAL(at({Kind::logistic, 0}, 1, -1e308).value, 1e308);
}

TEST(nothing_is_read_of_no_rows) {
  evaluate({Kind::logistic, 0}, nullptr, nullptr, 0, nullptr, nullptr, nullptr);
}
