// The perceptron, binary and multiclass, and the dual one.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>

#include "inducer/base/monitor.h"
#include "inducer/linear/dual_perceptron.h"
#include "inducer/linear/multiclass_perceptron.h"
#include "inducer/linear/problems.h"
#include "linear/fits.h"

namespace inducer::linear {
namespace {

void bind_perceptron(nb::module_& m) {
  using Held = FitOf<PerceptronFit>;
  nb::class_<Held> c(m, "PerceptronFit", "Perceptrons, one a class, that run in slices.");
  c.def(
      "__init__",
      [](Held* self, nb::object X, Codes codes, OptionalWeights weights, nb::object state,
         std::int64_t classes, bool fit_intercept, bool remember, double rate,
         const PassOptions& passes) {
        require(!(remember && !state.attr("coef_sum").is_none()),
                "what is remembered is not averaged");
        const std::int64_t problems = outputs_for(classes);
        emplace_fit(self, X,
                    examples_of(nb::cast<const HeldRows&>(X).view, codes, weights, classes),
                    problems, problems, state, {fit_intercept, remember, rate}, passes);
      },
      "X"_a, "codes"_a.noconvert(), "weights"_a.none(), "state"_a, nb::kw_only(), "classes"_a,
      "fit_intercept"_a, "remember"_a, "rate"_a, "passes"_a);
  c.def(
      "advance",
      [](Held& held, Monitor& monitor, std::int64_t passes, int threads) {
        nb::gil_scoped_release release;
        held.visit([&](auto& fit) { fit.advance(monitor, passes, threads); });
      },
      "monitor"_a, "passes"_a, "threads"_a,
      "Run until finished, or this many passes are made, or the slice is over.");
  c.def(
      "reached",
      [](Held& held, std::int64_t passes) {
        return held.visit([&](auto& fit) { return reached(fit.problems(), passes); });
      },
      "passes"_a, "Whether no problem has more to do before it has made this many passes.");
  c.def(
      "mistaken",
      [](Held& held, std::size_t k) {
        return held.visit([&](auto& fit) {
          require(k < fit.problems().size(), "no such problem");
          const auto& p = fit.problems()[k];
          return nb::make_tuple(to_numpy(std::vector<std::uint32_t>(p.mistaken_rows)),
                                to_numpy(std::vector<double>(p.mistake_times)));
        });
      },
      "problem"_a, "Of each mistake that problem made: the row, and the rows visited plus one.");
  def_property(c, "passes", [](auto& fit) {
    std::vector<PassCount> counts;
    for (const auto& problem : fit.problems()) counts.push_back(problem.passes.count());
    return counts;
  });
}

void bind_multiclass_perceptron(nb::module_& m) {
  using Held = FitOf<MulticlassPerceptronFit>;
  nb::class_<Held> c(m, "MulticlassPerceptronFit", "A multiclass perceptron that runs in slices.");
  c.def(
      "__init__",
      [](Held* self, nb::object X, Codes codes, OptionalWeights weights, nb::object state,
         std::int64_t classes, bool fit_intercept, double rate, const PassOptions& passes) {
        emplace_fit(self, X,
                    examples_of(nb::cast<const HeldRows&>(X).view, codes, weights, classes),
                    classes, 1, state, {fit_intercept, false, rate}, passes);
      },
      "X"_a, "codes"_a.noconvert(), "weights"_a.none(), "state"_a, nb::kw_only(), "classes"_a,
      "fit_intercept"_a, "rate"_a, "passes"_a);
  c.def(
      "advance",
      [](Held& held, Monitor& monitor, std::int64_t passes, int) {
        nb::gil_scoped_release release;
        held.visit([&](auto& fit) { fit.advance(monitor, passes); });
      },
      "monitor"_a, "passes"_a, "threads"_a,
      "Run until finished, or this many passes are made, or the slice is over.");
  c.def(
      "reached",
      [](Held& held, std::int64_t passes) {
        return held.visit([&](auto& fit) { return fit.passes.count().reached(passes); });
      },
      "passes"_a);
  def_property(c, "passes", [](auto& fit) { return std::vector{fit.passes.count()}; });
}
void bind_dual_perceptron(nb::module_& m) {
  nb::class_<DualPerceptronFit>(m, "DualPerceptronFit",
                                "A dual perceptron that asks for rows of the kernel matrix.")
      .def(
          "__init__",
          [](DualPerceptronFit* self, Codes codes, OptionalWeights weights, std::int32_t positive,
             std::uint64_t stream, bool fit_intercept, const PassOptions& passes) {
            Rows none;  // a matrix of no columns: the kernel is the caller's
            none.rows = static_cast<std::int64_t>(codes.shape(0));
            new (self) DualPerceptronFit(examples_of(none, codes, weights, most_classes), positive,
                                         stream, fit_intercept, passes);
          },
          "codes"_a.noconvert(), "weights"_a.none(), nb::kw_only(), "positive"_a, "stream"_a,
          "fit_intercept"_a, "passes"_a)
      .def(
          "advance",
          [](DualPerceptronFit& fit, Monitor& monitor, std::int64_t passes) {
            nb::gil_scoped_release release;
            return fit.advance(monitor, passes);
          },
          "monitor"_a, "passes"_a,
          "Run on; the row of a mistake, for which `correct` comes next, or -1.")
      .def(
          "correct",
          [](DualPerceptronFit& fit, Vector<double> kernel_row) {
            require_length("kernel_row", kernel_row, fit.rows());
            require(fit.waits(), "no row was asked for");
            fit.correct(kernel_row.data());
          },
          "kernel_row"_a.noconvert())
      .def(
          "reached",
          [](const DualPerceptronFit& fit, std::int64_t passes) {
            return fit.passes.count().reached(passes);
          },
          "passes"_a)
      .def_prop_ro(
          "alpha",
          [](const DualPerceptronFit& fit) { return to_numpy(std::vector<double>(fit.alpha)); },
          nb::rv_policy::automatic)
      .def_prop_ro("intercept", [](const DualPerceptronFit& fit) { return fit.b; })
      .def_prop_ro("passes", [](const DualPerceptronFit& fit) { return fit.passes.count(); });
}

}  // namespace

void bind_perceptrons(nb::module_& m) {
  bind_perceptron(m);
  bind_multiclass_perceptron(m);
  bind_dual_perceptron(m);
}

}  // namespace inducer::linear
