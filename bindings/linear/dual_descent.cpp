// Support vector machines by dual coordinate descent.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>

#include "inducer/base/monitor.h"
#include "inducer/linear/dual_descent.h"
#include "linear/fits.h"

namespace inducer::linear {
namespace {

struct HeldDualDescent {
  HeldRows rows;  // keeps alive what the fit looks into
  DualDescentFit fit;
};

}  // namespace

void bind_dual_descent(nb::module_& m) {
  using Held = HeldDualDescent;
  nb::class_<Held>(m, "DualDescentFit", "Dual coordinate descent that runs in slices.")
      .def(
          "__init__",
          [](Held* self, const HeldRows& X, Vector<double> targets, Vector<double> low,
             Vector<double> high, double epsilon, double stiffness,
             std::optional<Vector<double>> centre, std::uint64_t seed) {
            require(X.view.rows < (std::int64_t{1} << 32), "too many rows");
            require_length("targets", targets, X.view.rows);
            require_length("low", low, X.view.rows);
            require_length("high", high, X.view.rows);
            if (centre) require_length("centre", *centre, X.view.cols);
            require(std::isfinite(epsilon) && epsilon >= 0 && std::isfinite(stiffness) &&
                        stiffness >= 0,
                    "epsilon and stiffness must be 0 or more");
            new (self)
                Held{X, DualDescentFit(X.view, targets.data(), low.data(), high.data(), epsilon,
                                       stiffness, centre ? centre->data() : nullptr, seed)};
          },
          "X"_a, "targets"_a.noconvert(), "low"_a.noconvert(), "high"_a.noconvert(), nb::kw_only(),
          "epsilon"_a, "stiffness"_a, "centre"_a.noconvert().none(), "seed"_a)
      .def(
          "advance",
          [](Held& held, Monitor& monitor, std::int64_t passes, int) {
            nb::gil_scoped_release release;
            held.fit.advance(monitor, passes);
          },
          "monitor"_a, "passes"_a, "threads"_a,
          "Run until this many passes are made, or the slice is over.")
      .def(
          "reached", [](const Held& held, std::int64_t passes) { return held.fit.reached(passes); },
          "passes"_a)
      .def(
          "restore", [](Held& held) { held.fit.restore(); }, "Visit all rows again.")
      .def_prop_ro(
          "beta", [](const Held& held) { return to_numpy(held.fit.beta()); },
          nb::rv_policy::automatic)
      .def_prop_ro("bias", [](const Held& held) { return held.fit.bias(); })
      .def_prop_ro("worst", [](const Held& held) { return held.fit.worst(); })
      .def_prop_ro("passes", [](const Held& held) { return held.fit.passes(); })
      .def_prop_ro("active", [](const Held& held) { return held.fit.active(); });
  m.def(
      "advance_together",
      [](const std::vector<Held*>& held, Monitor& monitor, std::int64_t passes, int threads) {
        std::vector<DualDescentFit*> fits;
        for (Held* one : held) {
          require(one != nullptr, "a fit is None");
          require(std::find(fits.begin(), fits.end(), &one->fit) == fits.end(),
                  "a fit is there twice");
          fits.push_back(&one->fit);
        }
        nb::gil_scoped_release release;
        advance_together(fits, monitor, passes, threads);
      },
      "fits"_a, "monitor"_a, "passes"_a, "threads"_a,
      "Run each fit until it has made this many passes, or the slice is over.");
}

}  // namespace inducer::linear
