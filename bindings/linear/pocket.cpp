// The pocket algorithm.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>

#include "inducer/base/monitor.h"
#include "inducer/linear/pocket.h"
#include "linear/fits.h"

namespace inducer::linear {

void bind_pocket(nb::module_& m) {
  using Held = FitOf<PocketFit>;
  nb::class_<Held> c(m, "PocketFit", "A pocket perceptron that runs in slices.");
  c.def(
      "__init__",
      [](Held* self, nb::object X, Codes codes, OptionalWeights weights, Matrix<double> cost,
         nb::object current, nb::object best, bool fit_intercept, double rate,
         std::int64_t max_updates, std::uint64_t seed) {
        const Rows rows = nb::cast<const HeldRows&>(X).view;
        const auto classes = static_cast<std::int64_t>(cost.shape(0));
        require(cost.shape(1) == cost.shape(0), "cost must be square");
        Examples examples = examples_of(rows, codes, weights, classes);
        std::vector<double> costs(cost.data(), cost.data() + cost.size());
        const PocketOptions options{fit_intercept, rate, max_updates, seed};
        const auto make = [&]<class T>(T) {
          const std::int64_t outputs = outputs_for(classes);
          const HeldState<T> walker(current, outputs, rows.cols, outputs);
          const HeldState<T> pocket(best, outputs, rows.cols, outputs);
          new (self) Held{PocketFit<T>(std::move(examples), classes, std::move(costs),
                                       {walker.coef.data(), walker.intercept.data(),
                                        pocket.coef.data(), pocket.intercept.data()},
                                       options),
                          {X, walker, pocket}};
        };
        if (rows.single)
          make(float());
        else
          make(double());
      },
      "X"_a, "codes"_a.noconvert(), "weights"_a.none(), "cost"_a.noconvert(), "current"_a, "best"_a,
      nb::kw_only(), "fit_intercept"_a, "rate"_a, "max_updates"_a, "seed"_a);
  c.def(
      "advance",
      [](Held& held, Monitor& monitor, std::int64_t updates, int threads) {
        nb::gil_scoped_release release;
        held.visit([&](auto& fit) { fit.advance(monitor, updates, threads); });
      },
      "monitor"_a, "updates"_a, "threads"_a,
      "Run until finished, or this many updates are made, or the slice is over.");
  c.def(
      "reached",
      [](Held& held, std::int64_t updates) {
        return held.visit([&](auto& fit) { return fit.reached(updates); });
      },
      "updates"_a);
  def_property(c, "finished", [](auto& fit) { return fit.finished; });
  def_property(c, "cost", [](auto& fit) { return fit.best_cost; });
  def_property(c, "mistakes", [](auto& fit) { return fit.mistakes; });
  def_property(c, "updates", [](auto& fit) { return fit.updates; });
}
}  // namespace inducer::linear
