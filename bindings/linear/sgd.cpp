// Stochastic gradient descent.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/variant.h>

#include <variant>

#include "inducer/linear/problems.h"
#include "inducer/linear/sgd.h"
#include "linear/fits.h"

namespace inducer::linear {
namespace {

template <class Value>
struct Named {
  std::string_view name;
  Value value;
};

template <class Value, std::size_t count>
Value named(std::string_view what, std::string_view name, const Named<Value> (&table)[count]) {
  for (const auto& entry : table)
    if (entry.name == name) return entry.value;
  throw std::invalid_argument("there is no " + std::string(what) + " " + std::string(name));
}

losses::Kind loss_named(std::string_view name) {
  using losses::Kind;
  static constexpr Named<Kind> table[] = {
      {"perceptron", Kind::perceptron},
      {"hinge", Kind::hinge},
      {"squared_hinge", Kind::squared_hinge},
      {"logistic", Kind::logistic},
      {"exponential", Kind::exponential},
      {"modified_huber", Kind::modified_huber},
      {"squared", Kind::squared},
      {"absolute", Kind::absolute},
      {"huber", Kind::huber},
      {"epsilon_insensitive", Kind::epsilon_insensitive},
      {"squared_epsilon_insensitive", Kind::squared_epsilon_insensitive},
      {"quantile", Kind::quantile},
  };
  return named("loss", name, table);
}

Sparsity sparsity_named(std::string_view name) {
  static constexpr Named<Sparsity> table[] = {
      {"none", Sparsity::none},
      {"cumulative", Sparsity::cumulative},
      {"truncated", Sparsity::truncated},
      {"truncated_steps", Sparsity::truncated_steps},
  };
  return named("sparsity", name, table);
}

Schedule schedule_named(std::string_view name) {
  static constexpr Named<Schedule> table[] = {
      {"constant", Schedule::constant}, {"power", Schedule::power}, {"shifted", Schedule::shifted},
      {"pa1", Schedule::pa1},           {"pa2", Schedule::pa2},
  };
  return named("schedule", name, table);
}

/// y: codes of classes, or numbers.
using Targets = std::variant<Codes, Vector<double>>;

Examples examples_with(const Rows& X, const Targets& y, const OptionalWeights& weights,
                       std::int64_t classes) {
  if (const auto* codes = std::get_if<Codes>(&y)) return examples_of(X, *codes, weights, classes);
  const auto& numbers = std::get<Vector<double>>(y);
  require_length("y", numbers, X.rows);
  std::vector<double> weight_vector;
  if (weights) {
    require_length("weights", *weights, X.rows);
    weight_vector = to_vector(*weights);
  }
  return Examples(X, to_vector(numbers), std::move(weight_vector));
}

}  // namespace

void bind_sgd(nb::module_& m) {
  nb::class_<SgdOptions>(m, "SgdOptions", "The objective and the steps of a descent.")
      .def(
          "__init__",
          [](SgdOptions* self, std::string_view loss, double loss_parameter, double loss_factor,
             double l2, double l1, std::string_view sparsity, std::string_view schedule,
             double eta0, double power, double shift, bool adaptive, bool fit_intercept,
             double average_from, std::int64_t batch) {
            new (self) SgdOptions{{loss_named(loss), loss_parameter},
                                  loss_factor,
                                  l2,
                                  l1,
                                  sparsity_named(sparsity),
                                  schedule_named(schedule),
                                  eta0,
                                  power,
                                  shift,
                                  adaptive,
                                  fit_intercept,
                                  average_from,
                                  batch};
          },
          nb::kw_only(), "loss"_a, "loss_parameter"_a, "loss_factor"_a, "l2"_a, "l1"_a,
          "sparsity"_a, "schedule"_a, "eta0"_a, "power"_a, "shift"_a, "adaptive"_a,
          "fit_intercept"_a, "average_from"_a, "batch"_a);
  using Held = FitOf<SgdFit>;
  nb::class_<Held> c(m, "SgdFit", "Descents, one a class or one, that run in slices.");
  c.def(
      "__init__",
      [](Held* self, nb::object X, Targets y, OptionalWeights weights, nb::object state,
         std::int64_t classes, const SgdOptions& options, const PassOptions& passes) {
        const Rows rows = nb::cast<const HeldRows&>(X).view;
        const std::int64_t problems = y.index() == 0 ? outputs_for(classes) : 1;
        Examples examples = examples_with(rows, y, weights, classes);
        const auto make = [&]<class T>(T) {
          const HeldState<T> arrays(state, problems, rows.cols, problems);
          new (self) Held{SgdFit<T>{std::move(examples), problems, arrays.view(), options, passes},
                          {X, arrays}};
        };
        if (rows.single)
          make(float());
        else
          make(double());
      },
      "X"_a, "y"_a.noconvert(), "weights"_a.none(), "state"_a, nb::kw_only(), "classes"_a,
      "options"_a, "passes"_a);
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
      "lower_rate",
      [](Held& held) { return held.visit([](auto& fit) { return fit.lower_rate(); }); },
      "Go on at a fifth of an adaptive rate; false when it is too small.");
  def_property(c, "passes", [](auto& fit) {
    std::vector<PassCount> counts;
    for (const auto& problem : fit.problems()) counts.push_back(problem.passes.count());
    return counts;
  });
  def_property(c, "overflowed", [](auto& fit) {
    for (const auto& problem : fit.problems())
      if (problem.numbers.overflowed) return true;
    return false;
  });
}

}  // namespace inducer::linear
