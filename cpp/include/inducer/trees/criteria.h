#pragma once
/// @file  What a criterion thinks of a cut. For *.isa.cpp files.
///
/// score(left, right, parent) grows with the impurity that the cut removes. Most are a sum of two
/// sides, where side(s) = constant of the node - (weight times impurity of s):
///
///     gini           sum_c s_c^2 / w            squared_error  sum_o s_o^2 / w
///     entropy        sum_c s_c log s_c / w      poisson        sum_o s_o log(s_o / w)
///     error          max_c s_c                  variance       w / (w - 1) sum_o (s_o^2 / w - q)
///
/// A side is (weight, sum(k) for k < width); whether it is of one sum, of two classes or of many is
/// known when compiled for the first two, so that a loop over candidates becomes vectors.
#include <cmath>
#include <cstdint>

#include "inducer/base/isa.h"

namespace inducer::INDUCER_ISA {

/// One sum beside the weight.
struct OneSum {
  static constexpr int width = 1;
  double weight, first;
  INDUCER_INLINE double sum(int) const { return first; }
};

/// Two classes: the weight of both, and that of the second.
struct TwoClasses {
  static constexpr int width = 2;
  double weight, second;
  INDUCER_INLINE double sum(int k) const { return k ? second : weight - second; }
};

/// Any number: sums[k * stride], or what is left of `total` without them.
struct ManySums {
  int width;
  double weight;
  const double* sums;
  std::int64_t stride;
  const double* total;
  INDUCER_INLINE double sum(int k) const {
    const double s = sums[k * stride];
    return total ? total[k] - s : s;
  }
};

INDUCER_INLINE double log_times(double a, double b) {
  return a > 0 ? a * std::log2(b) : 0.0;
}

template <class Criterion>
struct SumOfSides {
  template <class S>
  static INDUCER_INLINE double score(const S& l, const S& r, double) {
    return Criterion::side(l) + Criterion::side(r);
  }
};

struct Squares : SumOfSides<Squares> {  // gini, squared_error
  template <class S>
  static INDUCER_INLINE double side(const S& s) {
    double sum = 0;
    for (int k = 0; k < s.width; ++k) sum += s.sum(k) * s.sum(k);
    return sum / s.weight;
  }
};

struct Entropy : SumOfSides<Entropy> {
  template <class S>
  static INDUCER_INLINE double side(const S& s) {
    double sum = -log_times(s.weight, s.weight);
    for (int k = 0; k < s.width; ++k) sum += log_times(s.sum(k), s.sum(k));
    return sum;
  }
};

struct Majority : SumOfSides<Majority> {
  template <class S>
  static INDUCER_INLINE double side(const S& s) {
    double most = s.sum(0);
    for (int k = 1; k < s.width; ++k) most = s.sum(k) > most ? s.sum(k) : most;
    return most;
  }
};

/// Information gained, by the information that the cut itself carries.
struct GainRatio {
  template <class S>
  static INDUCER_INLINE double side(const S& s) {
    return Entropy::side(s);
  }
  template <class S>
  static INDUCER_INLINE double score(const S& l, const S& r, double parent) {
    const double w = l.weight + r.weight;
    const double gained = Entropy::side(l) + Entropy::side(r) - parent;
    return gained / (log_times(w, w) - log_times(l.weight, l.weight) -
                     log_times(r.weight, r.weight));
  }
};

/// The product of the weights and the squared difference of the means (summed over outputs).
struct Friedman {
  template <class S>
  static INDUCER_INLINE double side(const S&) {
    return 0;
  }
  template <class S>
  static INDUCER_INLINE double score(const S& l, const S& r, double) {
    double difference = 0;
    for (int k = 0; k < l.width; ++k) difference += r.weight * l.sum(k) - l.weight * r.sum(k);
    return difference * difference / (l.weight * r.weight);
  }
};

struct Poisson : SumOfSides<Poisson> {
  template <class S>
  static INDUCER_INLINE double side(const S& s) {
    double sum = 0;
    for (int k = 0; k < s.width; ++k)  // a mean of zero cannot be: the likelihood forbids it
      sum += s.sum(k) > 0 ? s.sum(k) * std::log(s.sum(k) / s.weight) : -HUGE_VAL;
    return sum;
  }
};

struct Variance : SumOfSides<Variance> {
  template <class S>
  static INDUCER_INLINE double side(const S& s) {  // the last sum is that of the squares
    double squares = -s.sum(s.width - 1);
    for (int k = 0; k + 1 < s.width; ++k) squares += s.sum(k) * s.sum(k) / s.weight;
    return s.weight > 1 ? squares * (s.weight / (s.weight - 1)) : 0.0;
  }
};

}  // namespace inducer::INDUCER_ISA
