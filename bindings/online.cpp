// inducer._core.online: online linear learners.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string_view.h>

#include <array>
#include <utility>

#include "inducer/base/monitor.h"
#include "inducer/linear/problems.h"
#include "inducer/online/online.h"
#include "linear/fits.h"

namespace inducer {
namespace online {
namespace {

template <class Value, std::size_t count>
Value named(const std::array<std::pair<std::string_view, Value>, count>& names,
            std::string_view wanted, const char* what) {
  for (const auto& [name, value] : names)
    if (name == wanted) return value;
  throw std::invalid_argument(std::string(what) + " is unknown: " + std::string(wanted));
}

constexpr std::array<std::pair<std::string_view, Kind>, 3> kinds{
    {{"passive_aggressive", Kind::passive_aggressive},
     {"multiplicative", Kind::multiplicative},
     {"leader", Kind::leader}}};
constexpr std::array<std::pair<std::string_view, Offset>, 3> offsets{
    {{"fixed", Offset::fixed}, {"weight", Offset::weight}, {"step", Offset::step}}};
constexpr std::array<std::pair<std::string_view, Caution>, 3> cautions{
    {{"none", Caution::none}, {"capped", Caution::capped}, {"softened", Caution::softened}}};
constexpr std::array<std::pair<std::string_view, losses::Kind>, 10> loss_kinds{
    {{"perceptron", losses::Kind::perceptron},
     {"hinge", losses::Kind::hinge},
     {"squared_hinge", losses::Kind::squared_hinge},
     {"logistic", losses::Kind::logistic},
     {"modified_huber", losses::Kind::modified_huber},
     {"squared", losses::Kind::squared},
     {"absolute", losses::Kind::absolute},
     {"huber", losses::Kind::huber},
     {"epsilon_insensitive", losses::Kind::epsilon_insensitive},
     {"quantile", losses::Kind::quantile}}};

/// The arrays that a fit begins with and leaves behind: Python's.
template <class T>
struct HeldState {
  using Flat = linear::States;
  using Table = linear::State<double>;
  using Cube = Array<double, nb::ndim<3>, nb::c_contig, nb::device::cpu>;

  linear::State<T> coef;
  Cube memory;
  Flat intercept;
  Table intercept_memory, scalars;

  HeldState(nb::handle state, std::int64_t problems, std::int64_t cols, std::int64_t width)
      : coef(nb::cast<linear::State<T>>(state.attr("coef"), false)),
        memory(nb::cast<Cube>(state.attr("memory"), false)),
        intercept(nb::cast<Flat>(state.attr("intercept"), false)),
        intercept_memory(nb::cast<Table>(state.attr("intercept_memory"), false)),
        scalars(nb::cast<Table>(state.attr("scalars"), false)) {
    const auto is = [](std::size_t size, std::int64_t expected) {
      return static_cast<std::int64_t>(size) == expected;
    };
    require(is(coef.shape(0), problems) && is(coef.shape(1), cols), "coef has the wrong shape");
    require(
        is(memory.shape(0), problems) && is(memory.shape(1), cols) && is(memory.shape(2), width),
        "memory has the wrong shape");
    require_length("intercept", intercept, problems);
    require(is(intercept_memory.shape(0), problems) && is(intercept_memory.shape(1), width),
            "intercept_memory has the wrong shape");
    require(is(scalars.shape(0), problems) && is(scalars.shape(1), scalar_count),
            "scalars has the wrong shape");
  }

  State<T> view() const {
    return {coef.data(), memory.data(), intercept.data(), intercept_memory.data(), scalars.data()};
  }
};

void bind_rule(nb::module_& m) {
  nb::class_<Rule>(m, "OnlineRule", "What an update does.")
      .def_static(
          "passive_aggressive",
          [](std::string_view offset, bool numbers, std::string_view caution, double C,
             double epsilon, bool average) {
            Rule rule;
            rule.kind = Kind::passive_aggressive;
            rule.offset = named(offsets, offset, "offset");
            rule.numbers = numbers;
            rule.caution = named(cautions, caution, "caution");
            rule.C = C, rule.epsilon = epsilon, rule.average = average;
            return rule;
          },
          nb::kw_only(), "offset"_a, "numbers"_a, "caution"_a, "C"_a, "epsilon"_a, "average"_a)
      .def_static(
          "winnow",
          [](std::string_view offset, bool balanced, double rate) {
            Rule rule;
            rule.kind = Kind::multiplicative;
            rule.offset = named(offsets, offset, "offset");
            rule.on_mistakes = true, rule.balanced = balanced, rule.rate = rate;
            return rule;
          },
          nb::kw_only(), "offset"_a, "balanced"_a, "rate"_a)
      .def_static(
          "exponentiated_gradient",
          [](std::string_view offset, bool numbers, std::string_view loss, double parameter,
             bool balanced, double rate, double radius) {
            Rule rule;
            rule.kind = Kind::multiplicative;
            rule.offset = named(offsets, offset, "offset");
            rule.numbers = numbers;
            rule.loss = {named(loss_kinds, loss, "loss"), parameter};
            rule.balanced = balanced, rule.rate = rate, rule.radius = radius;
            return rule;
          },
          nb::kw_only(), "offset"_a, "numbers"_a, "loss"_a, "parameter"_a, "balanced"_a, "rate"_a,
          "radius"_a)
      .def_static(
          "leader",
          [](std::string_view offset, bool numbers, std::string_view loss, double parameter,
             double alpha, double beta, double l1, double l2) {
            Rule rule;
            rule.kind = Kind::leader;
            rule.offset = named(offsets, offset, "offset");
            rule.numbers = numbers;
            rule.loss = {named(loss_kinds, loss, "loss"), parameter};
            rule.alpha = alpha, rule.beta = beta, rule.l1 = l1, rule.l2 = l2;
            return rule;
          },
          nb::kw_only(), "offset"_a, "numbers"_a, "loss"_a, "parameter"_a, "alpha"_a, "beta"_a,
          "l1"_a, "l2"_a)
      .def_prop_ro("memory_width", &memory_width)
      .def_prop_ro("numbers", [](const Rule& rule) { return rule.numbers; });
}

void bind_fit(nb::module_& m) {
  using Held = linear::FitOf<OnlineFit>;
  nb::class_<Held> c(m, "OnlineFit", "Online learners, one a class, that run in slices.");
  c.def(
      "__init__",
      [](Held* self, nb::object X, linear::Codes codes, std::optional<Vector<double>> targets,
         linear::OptionalWeights weights, nb::object state, std::int64_t classes, const Rule& rule,
         const linear::PassOptions& passes) {
        const Rows rows = nb::cast<const HeldRows&>(X).view;
        require(targets.has_value() == rule.numbers, "numbers have targets, and classes have none");
        std::vector<double> numbers;
        if (targets) {
          require_length("targets", *targets, rows.rows);
          numbers = to_vector(*targets);
        }
        const std::int64_t problems = rule.numbers ? 1 : linear::outputs_for(classes);
        linear::Examples examples = linear::examples_of(rows, codes, weights, classes);
        const auto make = [&]<class T>(T) {
          const HeldState<T> arrays(state, problems, rows.cols, memory_width(rule));
          new (self) Held{OnlineFit<T>(std::move(examples), std::move(numbers), problems,
                                       arrays.view(), rule, passes),
                          {X, arrays}};
        };
        if (rows.single)
          make(float());
        else
          make(double());
      },
      "X"_a, "codes"_a.noconvert(), "targets"_a.none(), "weights"_a.none(), "state"_a,
      nb::kw_only(), "classes"_a, "rule"_a, "passes"_a);
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
        return held.visit([&](auto& fit) { return linear::reached(fit.problems(), passes); });
      },
      "passes"_a, "Whether no problem has more to do before it has made this many passes.");
  linear::def_property(c, "passes", [](auto& fit) {
    std::vector<linear::PassCount> counts;
    for (const auto& problem : fit.problems()) counts.push_back(problem.passes.count());
    return counts;
  });
}

}  // namespace
}  // namespace online

void bind_online(nanobind::module_& m) {
  online::bind_rule(m);
  online::bind_fit(m);
}

}  // namespace inducer
