#pragma once
/// @file  Coordinate descent on a quadratic with a penalty that bends at zero.
///
///     P(w) = 1/2 w'Qw - q'w + l1 sum_j |w_j| + l2/2 sum_j w_j^2       (w >= 0, if positive)
///
/// One coordinate at a time is set to its minimum, w_j = S(g_j + Q_jj w_j, l1) / (Q_jj + l2), where
/// S shrinks towards zero and g = q - Qw is kept up to date. A coordinate that stays where it is
/// costs O(1), so a sweep costs O(cols x coordinates that move): those at zero need no screening.
///
/// For Q = Z'Z and q = Z'y the gap of duality bounds P(w) - min P. The dual point is the residual
/// y - Zw, shrunk until no |z_j'(y - Zw) - l2 w_j| is above l1 (Kim et al., 2007, section III).
/// Without l1 there is no such point; the bound then comes from the gradient, |gradient|^2 / 2 l2,
/// and where l2 is zero as well, Q_jj stands in for it: an estimate.
#include <cstdint>

#include "inducer/base/isa.h"
#include "inducer/base/monitor.h"

namespace inducer::linear {

struct Quadratic {
  const double* Q;  ///< cols x stride, symmetric
  const double* q;  ///< cols
  double yy;        ///< y'y
  std::int64_t cols, stride;
  double l1, l2;
  bool positive;
};

/// How far a descent has come.
struct Descent {
  std::int64_t sweeps = 0;
  double gap = 0;
};

/// The gap of duality at w, given g = q - Qw.
double duality_gap(const Quadratic& problem, const double* w, const double* g);

/// Sweeps until the gap is `tolerance` at most, or `sweeps` are made, or the monitor says stop.
/// The gap is looked at after every tenth sweep, and after one that moved next to nothing.
/// @param[in,out] w,g  cols each; g = q - Qw
Descent descend(const Quadratic& problem, double tolerance, std::int64_t sweeps, double* w,
                double* g, Monitor& monitor);

}  // namespace inducer::linear

namespace inducer {

/// One sweep; the largest Q_jj (change of w_j)^2 is returned.
INDUCER_PER_ISA(double sweep_coordinates(const linear::Quadratic& problem, double* w, double* g))

}  // namespace inducer
