#pragma once
/// @file  What a step of stochastic gradient descent is made of, for *.isa.cpp files.
#include <cmath>
#include <cstdint>

#include "inducer/base/rows.h"
#include "inducer/linear/sgd.h"

namespace inducer {
namespace INDUCER_ISA {

/// v takes s in when it is smaller than this: long before r / s can overflow in float32.
template <class T>
inline constexpr double least_scale = sizeof(T) == 4 ? 1e-6 : 1e-9;

/// y of row i: a number, or the sign of its class.
struct Targets {
  const std::int32_t* codes;
  const double* numbers;
  std::int32_t positive;

  INDUCER_INLINE double operator()(std::int64_t i) const {
    return codes ? (codes[i] == positive ? 1.0 : -1.0) : numbers[i];
  }
};

INDUCER_INLINE void prefetch_label(const Targets& targets, std::int64_t i) {
  if (targets.codes)
    __builtin_prefetch(targets.codes + i);
  else
    __builtin_prefetch(targets.numbers + i);
}

/// t^power; the course's powers without a call.
INDUCER_INLINE double power_of(double t, double power) {
  if (power == 0.5) return std::sqrt(t);
  if (power == 0.25) return std::sqrt(std::sqrt(t));
  if (power == 1.0) return t;
  return std::pow(t, power);
}

INDUCER_INLINE double rate_at(const linear::SgdOptions& options, double rate, double t) {
  switch (options.schedule) {
    case linear::Schedule::power:
      return rate / power_of(t, options.power);
    case linear::Schedule::shifted:
      return rate / (options.shift + t);
    default:
      return rate;
  }
}

/// A slope that no walk can follow is no use, and might overflow.
INDUCER_INLINE double clipped(double slope) {
  constexpr double most = 1e12;
  return slope < -most ? -most : slope > most ? most : slope;
}

/// r^2 / 2, of scikit-learn's name and scale.
struct HalfSquared {
  INDUCER_INLINE double value(double y, double z) const { return (z - y) * (z - y) / 2; }
  INDUCER_INLINE double slope(double y, double z) const { return z - y; }
};

/// Whichever loss it is, told apart at every row.
struct AnyLoss {
  inducer::losses::Loss loss;
  double factor;
  INDUCER_INLINE double value(double y, double z) const {
    return factor * losses::visit(loss, [&](auto l) { return l.value(y, z); });
  }
  INDUCER_INLINE double slope(double y, double z) const {
    return factor * losses::visit(loss, [&](auto l) { return l.slope(y, z); });
  }
};

/// What the rows of a pass cost so far.
template <class Loss>
struct Costs {
  double sum;

  explicit Costs(const linear::SgdNumbers& n) : sum(n.cost) {}
  INDUCER_INLINE void add(const Loss& loss, double y, double z, double weight) {
    sum += weight * loss.value(y, z);
  }
  INDUCER_INLINE void keep(linear::SgdNumbers& n) const { n.cost = sum; }
};

/// Logarithms are dear: those of rows without weights are taken of products.
template <>
struct Costs<losses::Logistic> {
  double sum, product;

  explicit Costs(const linear::SgdNumbers& n) : sum(n.cost), product(n.cost_product) {}
  INDUCER_INLINE void add(const losses::Logistic& loss, double y, double z, double weight) {
    if (weight != 1) {
      sum += weight * loss.value(y, z);
      return;
    }
    const double m = y * z;
    sum += m < 0 ? -m : 0.0;
    product *= 1 + std::exp(-std::fabs(m));
    if (product > 1e200) {
      sum += std::log(product);
      product = 1;
    }
  }
  INDUCER_INLINE void keep(linear::SgdNumbers& n) const { n.cost = sum, n.cost_product = product; }
};

/// A weight less a penalty, zero at the least.
INDUCER_INLINE double shrunk(double v, double by) {
  const double down = v - by > 0 ? v - by : 0.0;
  const double up = v + by < 0 ? v + by : 0.0;
  return v > 0 ? down : v < 0 ? up : v;
}

/// v takes s in; the sum, what is kept of v. The caller goes on with s = 1 and kept = 0.
template <class T>
void fold(T* v, double* sum, std::int64_t cols, double s, double kept) {
  if (sum) axpy(kept, v, sum, cols);
  scale(static_cast<T>(s), v, cols);
}

/// What a weight pays of what it owes under the cumulative penalty. `paid` is signed: what was
/// added to the weight. So due + paid is owed by a positive one, due - paid by a negative one.
struct Cumulative {
  double due, s, inverse;  // 1 / s

  /// The new v, of which `paid` takes note. No branches: signs are hard to foretell.
  INDUCER_INLINE double pay(double v, double& paid) const {
    const double owed_above = (due + paid) * inverse, owed_below = (due - paid) * inverse;
    const double above = v - (owed_above > 0 ? owed_above : 0.0);
    const double below = v + (owed_below > 0 ? owed_below : 0.0);
    const double next = (above > 0 ? above : 0.0) + (below < 0 ? below : 0.0);
    paid += s * (next - v);
    return next;
  }
};

/// v += a x, and the penalty of the features of x.
template <class T>
INDUCER_INLINE void step_and_pay(T a, DenseRow<T> x, T* __restrict v, double* __restrict paid,
                                 const Cumulative& l1) {
  for (std::int64_t j = 0; j < x.cols; ++j)
    v[j] = static_cast<T>(l1.pay(static_cast<double>(v[j] + a * x.values[j]), paid[j]));
}

template <class T>
INDUCER_INLINE void step_and_pay(T a, StridedRow<T> x, T* __restrict v, double* __restrict paid,
                                 const Cumulative& l1) {
  for (std::int64_t j = 0; j < x.cols; ++j)
    v[j] = static_cast<T>(l1.pay(static_cast<double>(v[j] + a * x.values[j * x.stride]), paid[j]));
}

template <class T>
INDUCER_INLINE void step_and_pay(T a, SparseRow<T> x, T* __restrict v, double* __restrict paid,
                                 const Cumulative& l1) {
  for (std::int64_t k = 0; k < x.size; ++k) {
    const std::int32_t j = x.columns[k];
    v[j] = static_cast<T>(l1.pay(static_cast<double>(v[j] + a * x.values[k]), paid[j]));
  }
}

/// v += a x and sum += c x.
template <class T, class Row>
INDUCER_INLINE void step_and_sum(T a, double c, const Row& x, T* v, double* sum) {
  axpy(a, x, v);
  axpy(c, x, sum);
}

/// In one loop: the cells that are scattered over memory are waited for together.
template <class T>
INDUCER_INLINE void step_and_sum(T a, double c, const SparseRow<T>& x, T* __restrict v,
                                 double* __restrict sum) {
  for (std::int64_t k = 0; k < x.size; ++k) {
    const std::int32_t j = x.columns[k];
    v[j] += a * x.values[k];
    sum[j] += c * static_cast<double>(x.values[k]);
  }
}

}  // namespace INDUCER_ISA
}  // namespace inducer
