#include "inducer/losses/evaluate.h"

namespace inducer::INDUCER_ISA {

void evaluate_loss(const inducer::losses::Loss& loss, const double* y, const double* z,
                   std::int64_t count, double* value, double* slope, double* curvature) {
  losses::visit(loss, [&](const auto one) {
    for (std::int64_t i = 0; i < count; ++i) {
      value[i] = one.value(y[i], z[i]);
      slope[i] = one.slope(y[i], z[i]);
      curvature[i] = one.curvature(y[i], z[i]);
    }
  });
}

}  // namespace inducer::INDUCER_ISA
