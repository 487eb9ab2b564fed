#include "inducer/linear/coordinate.h"

#include "inducer/base/vector.h"

namespace inducer::INDUCER_ISA {

double sweep_coordinates(const linear::Quadratic& p, double* w, double* g) {
  double most = 0;
  for (std::int64_t j = 0; j < p.cols; ++j) {
    const double* const column = p.Q + j * p.stride;
    const double curvature = column[j];
    const double old = w[j], pull = g[j] + curvature * old;
    double next = 0;
    if (curvature + p.l2 > 0) {
      if (pull > p.l1)
        next = (pull - p.l1) / (curvature + p.l2);
      else if (pull < -p.l1 && !p.positive)
        next = (pull + p.l1) / (curvature + p.l2);
    }
    if (next == old) continue;
    const double change = next - old;
    w[j] = next;
    axpy(-change, column, g, p.cols);
    const double moved = curvature * change * change;
    most = moved > most ? moved : most;
  }
  return most;
}

}  // namespace inducer::INDUCER_ISA
