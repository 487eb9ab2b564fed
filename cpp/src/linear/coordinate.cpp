#include "inducer/linear/coordinate.h"

#include <algorithm>
#include <cmath>

namespace inducer::linear {
namespace {

double sweep_here(const Quadratic& problem, double* w, double* g) {
  INDUCER_DISPATCH(sweep_coordinates(problem, w, g))
}

/// Half the squared length of the shortest subgradient, each coordinate by its curvature.
double gradient_bound(const Quadratic& p, const double* w, const double* g) {
  double bound = 0;
  for (std::int64_t j = 0; j < p.cols; ++j) {
    double slope = p.l2 * w[j] - g[j];
    if (p.positive && w[j] <= 0) slope = std::min(slope, 0.0);
    const double curvature = p.l2 > 0 ? p.l2 : p.Q[j * p.stride + j];
    if (curvature > 0) bound += slope * slope / (2 * curvature);
  }
  return bound;
}

}  // namespace

double duality_gap(const Quadratic& p, const double* w, const double* g) {
  if (!(p.l1 > 0)) return gradient_bound(p, w, g);
  double steepest = 0, qw = 0, gw = 0, norm1 = 0, norm2 = 0;
  for (std::int64_t j = 0; j < p.cols; ++j) {
    const double pull = g[j] - p.l2 * w[j];
    steepest = std::max(steepest, p.positive ? pull : std::abs(pull));
    qw += p.q[j] * w[j];
    gw += g[j] * w[j];
    norm1 += std::abs(w[j]);
    norm2 += w[j] * w[j];
  }
  const double shrink = steepest > p.l1 ? p.l1 / steepest : 1.0;
  const double residual2 = std::max(0.0, p.yy - qw - gw), residual_y = p.yy - qw;
  return std::max(0.0, (1 + shrink * shrink) / 2 * residual2 - shrink * residual_y + p.l1 * norm1 +
                           (1 + shrink * shrink) / 2 * p.l2 * norm2);
}

Descent descend(const Quadratic& problem, double tolerance, std::int64_t sweeps, double* w,
                double* g, Monitor& monitor) {
  Descent made;
  while (made.sweeps < sweeps) {
    const double moved = sweep_here(problem, w, g);
    ++made.sweeps;
    // What the last sweep gained is about `moved`; far less than the tolerance is nothing.
    if (made.sweeps % 10 == 0 || moved <= 0.1 * tolerance) {
      made.gap = duality_gap(problem, w, g);
      if (made.gap <= tolerance || moved == 0) return made;
    }
    if (monitor.should_stop()) break;
  }
  made.gap = duality_gap(problem, w, g);
  return made;
}

}  // namespace inducer::linear
