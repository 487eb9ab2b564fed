// What linear models minimise, and its derivatives.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>

#include <cmath>

#include "inducer/linear/objective.h"
#include "inducer/losses/evaluate.h"
#include "linear/fits.h"

namespace inducer::linear {
namespace {

using OptionalStates = std::optional<States>;
using OptionalMatrix = std::optional<State<double>>;

losses::Kind kind_named(std::string_view name) {
  const std::optional<losses::Kind> kind = losses::kind_named(name);
  require(kind.has_value(), "no such loss: " + std::string(name));
  return *kind;
}

/// An objective, and the arrays of Python's that it looks into.
struct HeldObjective {
  HeldRows rows;
  std::optional<Vector<double>> targets;
  std::optional<Codes> codes;
  OptionalWeights weights;
  Objective objective;
};

double* of_rows(const char* name, OptionalStates& array, const Rows& X) {
  if (!array) return nullptr;
  require_length(name, *array, X.rows);
  return array->data();
}

}  // namespace

void bind_objective(nb::module_& m) {
  using Held = HeldObjective;
  nb::class_<Held>(m, "Objective", "A sum of losses over rows, and its derivatives.")
      .def(
          "__init__",
          [](Held* self, const HeldRows& X, std::string_view loss, double parameter,
             std::optional<Vector<double>> targets, std::optional<Codes> codes,
             std::int32_t positive, OptionalWeights weights, double smoothing) {
            require(targets.has_value() != codes.has_value(), "give targets or codes");
            require(std::isfinite(smoothing) && smoothing >= 0, "smoothing must be 0 or more");
            if (targets) require_length("targets", *targets, X.view.rows);
            if (codes) require_length("codes", *codes, X.view.rows);
            if (weights) require_length("weights", *weights, X.view.rows);
            const losses::Loss chosen{kind_named(loss), parameter};
            const Objective objective{X.view,
                                      chosen,
                                      targets ? targets->data() : nullptr,
                                      codes ? codes->data() : nullptr,
                                      positive,
                                      weights ? weights->data() : nullptr,
                                      smoothing};
            new (self) Held{X, targets, codes, weights, objective};
          },
          "X"_a, "loss"_a, nb::kw_only(), "parameter"_a, "targets"_a.noconvert().none(),
          "codes"_a.noconvert().none(), "positive"_a, "weights"_a.noconvert().none(),
          "smoothing"_a = 0.0)
      .def_prop_rw(
          "smoothing", [](const Held& held) { return held.objective.smoothing; },
          [](Held& held, double smoothing) {
            require(std::isfinite(smoothing) && smoothing >= 0, "smoothing must be 0 or more");
            held.objective.smoothing = smoothing;
          },
          "The width of the parabola that a kink is bent to; 0 for the loss itself.")
      .def(
          "evaluate",
          [](const Held& held, Vector<double> w, std::int64_t begin, std::int64_t end, int threads,
             OptionalStates gradient, OptionalMatrix hessian, OptionalStates scores,
             OptionalStates slopes, OptionalStates curvatures, OptionalStates squares,
             std::optional<Vector<double>> centre) {
            const Rows& X = held.rows.view;
            const std::int64_t width = X.cols + 1;
            require_length("w", w, width);
            require_block(X, begin, end);
            if (gradient) require_length("gradient", *gradient, width);
            if (hessian) require_shape("hessian", *hessian, width, width);
            if (squares) require_length("squares", *squares, X.cols);
            require(squares.has_value() == centre.has_value(), "squares go with a centre");
            if (centre) require_length("centre", *centre, X.cols);
            const Wanted wanted{
                gradient ? gradient->data() : nullptr, hessian ? hessian->data() : nullptr,
                of_rows("scores", scores, X),          of_rows("slopes", slopes, X),
                of_rows("curvatures", curvatures, X),  squares ? squares->data() : nullptr,
                centre ? centre->data() : nullptr};
            nb::gil_scoped_release release;
            return evaluate(held.objective, w.data(), begin, end, wanted, threads);
          },
          "w"_a.noconvert(), "begin"_a, "end"_a, "threads"_a, nb::kw_only(),
          "gradient"_a.noconvert().none() = nb::none(), "hessian"_a.noconvert().none() = nb::none(),
          "scores"_a.noconvert().none() = nb::none(), "slopes"_a.noconvert().none() = nb::none(),
          "curvatures"_a.noconvert().none() = nb::none(),
          "squares"_a.noconvert().none() = nb::none(), "centre"_a.noconvert().none() = nb::none(),
          "The sum over rows begin to end at w (the offset last); adds to gradient, hessian and "
          "squares (of the columns, about the centre), writes the others at these rows.")
      .def(
          "along",
          [](const Held& held, Vector<double> scores, Vector<double> changes, double t,
             std::int64_t begin, std::int64_t end, int threads) {
            const Rows& X = held.rows.view;
            require_length("scores", scores, X.rows);
            require_length("changes", changes, X.rows);
            require_block(X, begin, end);
            Along found;
            {
              nb::gil_scoped_release release;
              found = evaluate_along(held.objective, scores.data(), changes.data(), t, begin, end,
                                     threads);
            }
            return nb::make_tuple(found.value, found.slope, found.curvature);
          },
          "scores"_a.noconvert(), "changes"_a.noconvert(), "t"_a, "begin"_a, "end"_a, "threads"_a,
          "The sum over rows begin to end at scores + t changes, and two derivatives in t.");
  m.def(
      "curvature_product",
      [](const HeldRows& held, Vector<double> curvatures, Vector<double> v, std::int64_t begin,
         std::int64_t end, States out, int threads, std::optional<Vector<double>> slopes,
         OptionalStates gradient, OptionalStates changes) {
        const Rows& X = held.view;
        require(slopes.has_value() == gradient.has_value(), "slopes and gradient go together");
        if (slopes) require_length("slopes", *slopes, X.rows);
        if (gradient) require_length("gradient", *gradient, X.cols + 1);
        const AlsoWanted also{slopes ? slopes->data() : nullptr,
                              gradient ? gradient->data() : nullptr,
                              of_rows("changes", changes, X)};
        require_length("curvatures", curvatures, X.rows);
        require_length("v", v, X.cols + 1);
        require_length("out", out, X.cols + 1);
        require_block(X, begin, end);
        nb::gil_scoped_release release;
        curvature_product(X, curvatures.data(), v.data(), begin, end, out.data(), also, threads);
      },
      "X"_a, "curvatures"_a.noconvert(), "v"_a.noconvert(), "begin"_a, "end"_a, "out"_a.noconvert(),
      "threads"_a, nb::kw_only(), "slopes"_a.noconvert().none() = nb::none(),
      "gradient"_a.noconvert().none() = nb::none(), "changes"_a.noconvert().none() = nb::none(),
      "Adds the Hessian of rows begin to end times v to out; also the rows times slopes to "
      "gradient, and writes the scores of v to changes at these rows.");
}

}  // namespace inducer::linear
