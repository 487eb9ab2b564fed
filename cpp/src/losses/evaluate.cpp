#include "inducer/losses/evaluate.h"

#include <array>
#include <cstddef>

namespace inducer::losses {
namespace {

// In the order of Kind.
constexpr std::array<std::string_view, 16> names = {
    "zero_one",
    "perceptron",
    "hinge",
    "squared_hinge",
    "logistic",
    "exponential",
    "modified_huber",
    "squared",
    "absolute",
    "huber",
    "epsilon_insensitive",
    "squared_epsilon_insensitive",
    "quantile",
    "poisson",
    "gamma",
    "tweedie",
};
static_assert(names.size() == static_cast<std::size_t>(Kind::tweedie) + 1);

}  // namespace

std::optional<Kind> kind_named(std::string_view name) {
  for (std::size_t k = 0; k < names.size(); ++k)
    if (names[k] == name) return static_cast<Kind>(k);
  return std::nullopt;
}

void evaluate(const Loss& loss, const double* y, const double* z, std::int64_t count, double* value,
              double* slope, double* curvature) {
  INDUCER_DISPATCH(evaluate_loss(loss, y, z, count, value, slope, curvature))
}

}  // namespace inducer::losses
