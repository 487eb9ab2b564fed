// inducer._core.linear: scores, and the perceptron family.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>

#include <any>
#include <optional>
#include <variant>

#include "arrays.h"
#include "inducer/base/monitor.h"
#include "inducer/linear/dual_perceptron.h"
#include "inducer/linear/mistakes.h"
#include "inducer/linear/multiclass_perceptron.h"
#include "inducer/linear/perceptron.h"
#include "inducer/linear/pocket.h"
#include "inducer/linear/problems.h"
#include "inducer/linear/scores.h"

namespace inducer {
namespace {

using namespace linear;
using Codes = Vector<std::int32_t>;
using OptionalWeights = std::optional<Vector<double>>;

template <class T>
using State = nb::ndarray<T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using States = nb::ndarray<double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

constexpr std::int64_t most_classes = 1 << 24;

Shuffle shuffle_named(std::string_view name) {
  if (name == "every") return Shuffle::every;
  if (name == "once") return Shuffle::once;
  require(name == "never", "shuffle must be every, once or never");
  return Shuffle::never;
}

void require_precision(const Rows& X, bool single) {
  require(X.single == single, "X and coef differ in precision");
}

void require_block(const Rows& X, std::int64_t begin, std::int64_t end) {
  require(0 <= begin && begin <= end && end <= X.rows, "no such block of rows");
}

/// @param classes  codes lie in 0 .. classes - 1
Examples examples_of(const Rows& X, const Codes& codes, const OptionalWeights& weights,
                     std::int64_t classes) {
  require(classes >= 2 && classes <= most_classes, "classes must be between 2 and 2^24");
  require_length("codes", codes, X.rows);
  for (std::size_t i = 0; i < codes.shape(0); ++i)
    require(codes(i) >= 0 && codes(i) < classes, "a code is not one of the classes");
  std::vector<double> weight_vector;
  if (weights) {
    require_length("weights", *weights, X.rows);
    weight_vector = to_vector(*weights);
  }
  return Examples(X, to_vector(codes), std::move(weight_vector));
}

/// The classes told apart by one weight vector each, or two of them by one.
std::int64_t outputs_for(std::int64_t classes) {
  return classes == 2 ? 1 : classes;
}

// ---- a fit of either precision, and the arrays it reads and writes --------------------------

template <template <class> class Fit>
struct FitOf {
  std::variant<Fit<double>, Fit<float>> fit;
  std::vector<std::any> kept;  // what the fit looks into

  template <class F>
  decltype(auto) visit(F&& f) {
    return std::visit(f, fit);
  }
};

/// A read-only property of whichever precision the fit has.
template <class Class, class Get>
void def_property(Class& c, const char* name, Get get) {
  c.def_prop_ro(name, [get](typename Class::Type& held) {
    return held.visit([&](auto& fit) { return nb::cast(get(fit)); });
  });
}

/// The weights that a perceptron begins with and leaves behind: arrays of Python's.
template <class T>
struct HeldState {
  State<T> coef;
  std::optional<State<double>> coef_sum;
  States intercept, intercept_sum, visits;

  /// @param counters  how many counts of visits: one a problem, or one
  HeldState(nb::handle state, std::int64_t outputs, std::int64_t cols, std::int64_t counters)
      : coef(nb::cast<State<T>>(state.attr("coef"), false)),
        coef_sum(nb::cast<std::optional<State<double>>>(state.attr("coef_sum"), false)),
        intercept(nb::cast<States>(state.attr("intercept"), false)),
        intercept_sum(nb::cast<States>(state.attr("intercept_sum"), false)),
        visits(nb::cast<States>(state.attr("visits"), false)) {
    require_length("coef", coef, outputs);
    require(static_cast<std::int64_t>(coef.shape(1)) == cols, "coef has the wrong width");
    if (coef_sum) {
      require_length("coef_sum", *coef_sum, outputs);
      require(coef_sum->shape(1) == coef.shape(1), "coef_sum has the wrong width");
    }
    require_length("intercept", intercept, outputs);
    require_length("intercept_sum", intercept_sum, outputs);
    require_length("visits", visits, counters);
  }

  PerceptronState<T> view() const {
    return {coef.data(), coef_sum ? coef_sum->data() : nullptr, intercept.data(),
            intercept_sum.data(), visits.data()};
  }
};

/// held.fit = Fit(examples, count, state, options, passes), in the precision of X.
template <template <class> class Fit>
void emplace_fit(FitOf<Fit>* held, const nb::object& X, Examples examples, std::int64_t count,
                 std::int64_t counters, const nb::object& state, const PerceptronOptions& options,
                 const PassOptions& passes) {
  const Rows rows = examples.X;
  const auto make = [&]<class T>(T) {
    const HeldState<T> arrays(state, count, rows.cols, counters);
    new (held) FitOf<Fit>{
        Fit<T>(std::move(examples), count, arrays.view(), options, passes), {X, arrays}};
  };
  if (rows.single)
    make(float());
  else
    make(double());
}

// ---- scores and sums ------------------------------------------------------------------------

template <class T>
void bind_scores(nb::module_& m) {
  m.def(
      "scores",
      [](const HeldRows& X, Matrix<T> coef, Vector<T> intercept, State<T> out, std::int64_t begin,
         std::int64_t end, int threads) {
        const Rows& rows = X.view;
        const auto outputs = static_cast<std::int64_t>(coef.shape(0));
        require_precision(rows, sizeof(T) == 4);
        require_block(rows, begin, end);
        require(static_cast<std::int64_t>(coef.shape(1)) == rows.cols,
                "coef has the wrong number of columns");
        require_length("intercept", intercept, outputs);
        require_length("out", out, rows.rows);
        require(static_cast<std::int64_t>(out.shape(1)) == outputs, "out has the wrong width");
        nb::gil_scoped_release release;
        scores<T>(rows, coef.data(), intercept.data(), outputs, begin, end, out.data(), threads);
      },
      "X"_a, "coef"_a.noconvert(), "intercept"_a.noconvert(), "out"_a.noconvert(), "begin"_a,
      "end"_a, "threads"_a, "Rows begin to end of out = X coef' + intercept.");
}

template <class T>
void bind_mistakes(nb::module_& m) {
  m.def(
      "sum_mistakes",
      [](const HeldRows& X, Codes codes, std::int32_t positive, OptionalWeights weights,
         Vector<T> w, double b, std::int64_t begin, std::int64_t end) {
        const Rows& rows = X.view;
        require_precision(rows, sizeof(T) == 4);
        require_length("codes", codes, rows.rows);
        if (weights) require_length("weights", *weights, rows.rows);
        require_length("coef", w, rows.cols);
        require_block(rows, begin, end);
        std::vector<double> sum(static_cast<std::size_t>(rows.cols), 0.0);
        BlockMistakes found;
        {
          nb::gil_scoped_release release;
          found = sum_mistakes<T>(rows, codes.data(), positive,
                                  weights ? weights->data() : nullptr, w.data(), b, begin, end,
                                  sum.data());
        }
        return nb::make_tuple(to_numpy(std::move(sum)), found.offset_sum, found.count,
                              found.weight, found.loss);
      },
      "X"_a, "codes"_a.noconvert(), "positive"_a, "weights"_a.none(), "coef"_a.noconvert(),
      "intercept"_a, "begin"_a, "end"_a,
      "Sum of weight y x over the mistakes of rows begin to end, the sum of weight y, and the "
      "mistakes' count, weight and loss.");
}

// ---- the perceptrons ------------------------------------------------------------------------

void bind_passes(nb::module_& m) {
  nb::class_<PassOptions>(m, "PassOptions", "The order of the rows, and when to stop.")
      .def(
          "__init__",
          [](PassOptions* self, std::string_view shuffle, std::int64_t max_passes,
             double tolerance, std::int64_t patience, std::uint64_t seed,
             std::uint64_t first_part) {
            new (self) PassOptions{shuffle_named(shuffle), max_passes, tolerance, patience, seed,
                                   first_part};
          },
          nb::kw_only(), "shuffle"_a, "max_passes"_a, "tolerance"_a, "patience"_a, "seed"_a,
          "first_part"_a);
  nb::class_<PassCount>(m, "PassCount", "The passes of one problem so far.")
      .def_ro("made", &PassCount::made)
      .def_ro("mistakes", &PassCount::mistakes)
      .def_prop_ro("last_mistakes", [](const PassCount& c) { return c.last.mistakes; })
      .def_prop_ro("last_loss", [](const PassCount& c) { return c.last.loss; });
}

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
      "X"_a, "codes"_a.noconvert(), "weights"_a.none(), "cost"_a.noconvert(), "current"_a,
      "best"_a, nb::kw_only(), "fit_intercept"_a, "rate"_a, "max_updates"_a, "seed"_a);
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
        return held.visit([&](auto& fit) { return fit.finished || fit.updates >= updates; });
      },
      "updates"_a);
  def_property(c, "finished", [](auto& fit) { return fit.finished; });
  def_property(c, "cost", [](auto& fit) { return fit.best_cost; });
  def_property(c, "mistakes", [](auto& fit) { return fit.mistakes; });
  def_property(c, "updates", [](auto& fit) { return fit.updates; });
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
          [](const DualPerceptronFit& fit) { return to_numpy(std::vector<double>(fit.alpha)); })
      .def_prop_ro("intercept", [](const DualPerceptronFit& fit) { return fit.b; })
      .def_prop_ro("passes",
                   [](const DualPerceptronFit& fit) { return fit.passes.count(); });
}

}  // namespace

void bind_linear(nb::module_& m) {
  bind_scores<double>(m);
  bind_scores<float>(m);
  bind_mistakes<double>(m);
  bind_mistakes<float>(m);
  bind_passes(m);
  bind_perceptron(m);
  bind_multiclass_perceptron(m);
  bind_pocket(m);
  bind_dual_perceptron(m);
}

}  // namespace inducer
