// The widest margin of two classes.
#include <cmath>

#include "arrays.h"
#include "inducer/base/monitor.h"
#include "inducer/linear/max_margin.h"

namespace inducer::linear {
namespace {

struct HeldMaxMargin {
  HeldRows rows;  // keeps alive what the fit looks into
  MaxMarginFit fit;
};

std::vector<std::int8_t> signs_of(const Vector<std::int8_t>& sign) {
  bool positive = false, negative = false;
  for (std::size_t i = 0; i < sign.shape(0); ++i) {
    require(sign(i) == 1 || sign(i) == -1, "a sign is neither 1 nor -1");
    (sign(i) > 0 ? positive : negative) = true;
  }
  require(positive && negative, "both signs must occur");
  return to_vector(sign);
}

template <class T>
nb::object array(const std::vector<T>& values) {
  return nb::cast(to_numpy(std::vector<T>(values)));
}

}  // namespace

void bind_max_margin(nb::module_& m) {
  using Held = HeldMaxMargin;
  nb::class_<Held>(m, "MaxMarginFit", "The widest margin, found in slices.")
      .def(
          "__init__",
          [](Held* self, const HeldRows& X, Vector<std::int8_t> sign, bool two_hulls,
             double constant, double scale, double tolerance) {
            require_length("sign", sign, X.view.rows);
            require(std::isfinite(constant) && std::isfinite(scale) && scale > 0,
                    "constant and scale must be finite, scale positive");
            require(!two_hulls || constant == 0, "two hulls have no use for a constant");
            new (self) Held{
                X, MaxMarginFit(X.view, signs_of(sign), {two_hulls, constant, scale, tolerance})};
          },
          "X"_a, "sign"_a.noconvert(), nb::kw_only(), "two_hulls"_a, "constant"_a, "scale"_a,
          "tolerance"_a)
      .def(
          "advance",
          [](Held& held, Monitor& monitor, int threads) {
            nb::gil_scoped_release release;
            held.fit.advance(monitor, threads);
          },
          "monitor"_a, "threads"_a, "Run until finished or the slice is over.")
      .def_prop_ro("finished", [](const Held& held) { return held.fit.finished; })
      .def_prop_ro("rounds", [](const Held& held) { return held.fit.rounds; })
      .def_prop_ro("steps", [](const Held& held) { return held.fit.steps; })
      .def_prop_ro("radius", [](const Held& held) { return held.fit.radius; })
      .def_prop_ro("lower", [](const Held& held) { return held.fit.lower; })
      .def_prop_ro("upper", [](const Held& held) { return held.fit.upper; })
      .def_prop_ro("offset", [](const Held& held) { return held.fit.offset; })
      .def_prop_ro("coef", [](const Held& held) { return array(held.fit.coef); })
      .def_prop_ro("held", [](const Held& held) { return array(held.fit.held); })
      .def_prop_ro("weight", [](const Held& held) { return array(held.fit.weight); });
}

}  // namespace inducer::linear
