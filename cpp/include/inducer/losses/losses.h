#pragma once
/// @file  What a row costs, given its target y and its score z, and how that changes with z.
///
/// Each loss is a small struct with `value`, `slope` (the first derivative) and `curvature` (the
/// second). At a kink the slope is the one that learning from mistakes takes: that of the side
/// where the row costs something for classes, zero for numbers. inducer.losses has the same ones
/// in Python, by the same names and parameters, and a test holds the two against each other.
///
///     classes   y = -1 or +1, margin m = y z
///     numbers   y any number, residual r = z - y
///     counts    y >= 0, mean exp(z): half deviances, less what does not depend on z
#include <cmath>
#include <cstdint>

#include "inducer/base/isa.h"

namespace inducer::losses {

enum class Kind : std::uint8_t {
  zero_one,
  perceptron,
  hinge,
  squared_hinge,
  logistic,
  exponential,
  modified_huber,
  squared,
  absolute,
  huber,
  epsilon_insensitive,
  squared_epsilon_insensitive,
  quantile,
  poisson,
  gamma,
  tweedie,
};

/// A loss told apart at run time; `visit` turns it into one of the structs below.
struct Loss {
  Kind kind = Kind::logistic;
  /// Of huber and the epsilon losses: where the kink is; of quantile: which; of tweedie: the power.
  double parameter = 0;
};

}  // namespace inducer::losses

namespace inducer::INDUCER_ISA::losses {

/// 1[m <= 0]. Counted, never minimised.
struct ZeroOne {
  INDUCER_INLINE double value(double y, double z) const { return y * z <= 0 ? 1.0 : 0.0; }
  INDUCER_INLINE double slope(double, double) const { return 0.0; }
  INDUCER_INLINE double curvature(double, double) const { return 0.0; }
};

/// max(0, -m)
struct Perceptron {
  INDUCER_INLINE double value(double y, double z) const { return y * z < 0 ? -y * z : 0.0; }
  INDUCER_INLINE double slope(double y, double z) const { return y * z <= 0 ? -y : 0.0; }
  INDUCER_INLINE double curvature(double, double) const { return 0.0; }
};

/// max(0, 1 - m)
struct Hinge {
  INDUCER_INLINE double value(double y, double z) const { return y * z < 1 ? 1 - y * z : 0.0; }
  INDUCER_INLINE double slope(double y, double z) const { return y * z <= 1 ? -y : 0.0; }
  INDUCER_INLINE double curvature(double, double) const { return 0.0; }
};

/// max(0, 1 - m)^2
struct SquaredHinge {
  INDUCER_INLINE double value(double y, double z) const {
    const double short_by = y * z < 1 ? 1 - y * z : 0.0;
    return short_by * short_by;
  }
  INDUCER_INLINE double slope(double y, double z) const {
    return y * z < 1 ? -2 * y * (1 - y * z) : 0.0;
  }
  INDUCER_INLINE double curvature(double y, double z) const { return y * z < 1 ? 2.0 : 0.0; }
};

/// log(1 + exp(-m)), in natural logarithms
struct Logistic {
  INDUCER_INLINE double value(double y, double z) const {
    const double m = y * z;
    return (m < 0 ? -m : 0.0) + std::log1p(std::exp(-std::fabs(m)));
  }
  INDUCER_INLINE double slope(double y, double z) const {
    const double m = y * z, e = std::exp(-std::fabs(m));
    return -y * (m > 0 ? e : 1.0) / (1 + e);
  }
  INDUCER_INLINE double curvature(double y, double z) const {
    const double e = std::exp(-std::fabs(y * z));
    return e / ((1 + e) * (1 + e));
  }
};

/// exp(-m)
struct Exponential {
  INDUCER_INLINE double value(double y, double z) const { return std::exp(-y * z); }
  INDUCER_INLINE double slope(double y, double z) const { return -y * std::exp(-y * z); }
  INDUCER_INLINE double curvature(double y, double z) const { return std::exp(-y * z); }
};

/// max(0, 1 - m)^2 from m = -1 on, -4 m below
struct ModifiedHuber {
  INDUCER_INLINE double value(double y, double z) const {
    const double m = y * z;
    return m >= 1 ? 0.0 : m >= -1 ? (1 - m) * (1 - m) : -4 * m;
  }
  INDUCER_INLINE double slope(double y, double z) const {
    const double m = y * z;
    return m >= 1 ? 0.0 : m >= -1 ? -2 * y * (1 - m) : -4 * y;
  }
  INDUCER_INLINE double curvature(double y, double z) const {
    const double m = y * z;
    return m < 1 && m >= -1 ? 2.0 : 0.0;
  }
};

/// r^2, for classes too: there (1 - m)^2
struct Squared {
  INDUCER_INLINE double value(double y, double z) const { return (z - y) * (z - y); }
  INDUCER_INLINE double slope(double y, double z) const { return 2 * (z - y); }
  INDUCER_INLINE double curvature(double, double) const { return 2.0; }
};

/// |r|
struct Absolute {
  INDUCER_INLINE double value(double y, double z) const { return std::fabs(z - y); }
  INDUCER_INLINE double slope(double y, double z) const { return z > y ? 1.0 : z < y ? -1.0 : 0.0; }
  INDUCER_INLINE double curvature(double, double) const { return 0.0; }
};

/// r^2 / 2 where |r| <= delta, delta |r| - delta^2 / 2 beyond
struct Huber {
  double delta;
  INDUCER_INLINE double value(double y, double z) const {
    const double r = std::fabs(z - y), near = r < delta ? r : delta;
    return near * near / 2 + delta * (r - near);
  }
  INDUCER_INLINE double slope(double y, double z) const {
    const double r = z - y;
    return r > delta ? delta : r < -delta ? -delta : r;
  }
  INDUCER_INLINE double curvature(double y, double z) const {
    return std::fabs(z - y) <= delta ? 1.0 : 0.0;
  }
};

/// max(0, |r| - epsilon)
struct EpsilonInsensitive {
  double epsilon;
  INDUCER_INLINE double value(double y, double z) const {
    const double over = std::fabs(z - y) - epsilon;
    return over > 0 ? over : 0.0;
  }
  INDUCER_INLINE double slope(double y, double z) const {
    return z - y > epsilon ? 1.0 : y - z > epsilon ? -1.0 : 0.0;
  }
  INDUCER_INLINE double curvature(double, double) const { return 0.0; }
};

/// max(0, |r| - epsilon)^2
struct SquaredEpsilonInsensitive {
  double epsilon;
  INDUCER_INLINE double value(double y, double z) const {
    const double over = std::fabs(z - y) - epsilon;
    return over > 0 ? over * over : 0.0;
  }
  INDUCER_INLINE double slope(double y, double z) const {
    return z - y > epsilon ? 2 * (z - y - epsilon) : y - z > epsilon ? -2 * (y - z - epsilon) : 0.0;
  }
  INDUCER_INLINE double curvature(double y, double z) const {
    return std::fabs(z - y) > epsilon ? 2.0 : 0.0;
  }
};

/// q (y - z) where z < y, (1 - q) (z - y) beyond: least at the q-quantile
struct Quantile {
  double q;
  INDUCER_INLINE double value(double y, double z) const {
    return z < y ? q * (y - z) : (1 - q) * (z - y);
  }
  INDUCER_INLINE double slope(double y, double z) const { return z < y ? -q : z > y ? 1 - q : 0.0; }
  INDUCER_INLINE double curvature(double, double) const { return 0.0; }
};

/// y e, but zero where y is: exp of a score may be infinite, and 0 * inf is no number.
INDUCER_INLINE double times(double y, double e) {
  return y == 0 ? 0.0 : y * e;
}

/// exp(z) - y z
struct Poisson {
  INDUCER_INLINE double value(double y, double z) const {
    const double mean = std::exp(z);
    return __builtin_isinf(mean) ? mean : mean - times(y, z);
  }
  INDUCER_INLINE double slope(double y, double z) const { return std::exp(z) - y; }
  INDUCER_INLINE double curvature(double, double z) const { return std::exp(z); }
};

/// z + y exp(-z)
struct Gamma {
  INDUCER_INLINE double value(double y, double z) const { return z + times(y, std::exp(-z)); }
  INDUCER_INLINE double slope(double y, double z) const { return 1 - times(y, std::exp(-z)); }
  INDUCER_INLINE double curvature(double y, double z) const { return times(y, std::exp(-z)); }
};

/// exp((2-p) z) / (2-p) - y exp((1-p) z) / (1-p), for a power p from 1 to 2: others are not convex.
/// At 1 it is Poisson's loss, at 2 Gamma's.
struct Tweedie {
  double power;
  INDUCER_INLINE double value(double y, double z) const {
    const double a = 2 - power, b = 1 - power;
    const double high = a == 0 ? z : std::exp(a * z) / a;
    const double low = b == 0 ? times(y, z) : times(y, std::exp(b * z)) / b;
    return __builtin_isinf(high) && high > 0 ? high : high - low;
  }
  INDUCER_INLINE double slope(double y, double z) const {
    return std::exp((2 - power) * z) - times(y, std::exp((1 - power) * z));
  }
  INDUCER_INLINE double curvature(double y, double z) const {
    const double a = 2 - power, b = 1 - power;
    return times(a, std::exp(a * z)) - times(b * y, std::exp(b * z));
  }
};

/// f(struct of the loss). The structs are values: a loop that takes one by value is compiled for
/// it.
template <class F>
INDUCER_INLINE decltype(auto) visit(const inducer::losses::Loss& loss, F&& f) {
  using inducer::losses::Kind;
  switch (loss.kind) {
    case Kind::zero_one:
      return f(ZeroOne{});
    case Kind::perceptron:
      return f(Perceptron{});
    case Kind::hinge:
      return f(Hinge{});
    case Kind::squared_hinge:
      return f(SquaredHinge{});
    case Kind::exponential:
      return f(Exponential{});
    case Kind::modified_huber:
      return f(ModifiedHuber{});
    case Kind::squared:
      return f(Squared{});
    case Kind::absolute:
      return f(Absolute{});
    case Kind::huber:
      return f(Huber{loss.parameter});
    case Kind::epsilon_insensitive:
      return f(EpsilonInsensitive{loss.parameter});
    case Kind::squared_epsilon_insensitive:
      return f(SquaredEpsilonInsensitive{loss.parameter});
    case Kind::quantile:
      return f(Quantile{loss.parameter});
    case Kind::poisson:
      return f(Poisson{});
    case Kind::gamma:
      return f(Gamma{});
    case Kind::tweedie:
      return f(Tweedie{loss.parameter});
    default:
      return f(Logistic{});
  }
}

}  // namespace inducer::INDUCER_ISA::losses
