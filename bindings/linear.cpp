// inducer._core.linear: the perceptron family.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string_view.h>

#include <memory>
#include <optional>
#include <variant>

#include "arrays.h"
#include "inducer/base/monitor.h"
#include "inducer/linear/perceptron.h"
#include "inducer/linear/scores.h"

namespace inducer {
namespace {

using namespace linear;

Shuffle shuffle_named(std::string_view name) {
  if (name == "every") return Shuffle::every;
  if (name == "once") return Shuffle::once;
  require(name == "never", "shuffle must be every, once or never");
  return Shuffle::never;
}

std::vector<double> weights_of(const std::optional<Vector<double>>& weights, std::int64_t rows) {
  if (!weights) return {};
  require_length("weights", *weights, rows);
  return to_vector(*weights);
}

/// A fit under way, and the arrays it reads.
struct PerceptronHandle {
  nb::object X;
  std::variant<PerceptronFit<float>, PerceptronFit<double>> fit;

  template <class F>
  decltype(auto) visit(F&& f) {
    return std::visit(f, fit);
  }
};

PerceptronHandle* start_perceptron(nb::object X, Vector<std::int32_t> codes,
                                   std::optional<Vector<double>> weights, std::int64_t problems,
                                   bool fit_intercept, bool average, std::string_view shuffle,
                                   double rate, std::int64_t max_passes, double tolerance,
                                   std::int64_t patience, std::uint64_t seed,
                                   std::uint64_t first_part) {
  const Rows& rows = nb::cast<const HeldRows&>(X).view;
  require_length("codes", codes, rows.rows);
  require(problems >= 1, "problems must be at least 1");
  const PerceptronOptions options{fit_intercept, average,    shuffle_named(shuffle),
                                  rate,          max_passes, tolerance,
                                  patience,      seed,       first_part};
  auto code_vector = to_vector(codes);
  auto weight_vector = weights_of(weights, rows.rows);
  if (rows.single)
    return new PerceptronHandle{
        X, PerceptronFit<float>(rows, std::move(code_vector), std::move(weight_vector), problems,
                                options)};
  return new PerceptronHandle{
      X, PerceptronFit<double>(rows, std::move(code_vector), std::move(weight_vector), problems,
                               options)};
}

/// One value a problem, gathered into an array.
template <class Out, class Get>
auto per_problem(PerceptronHandle& handle, Get&& get) {
  return handle.visit([&](auto& fit) {
    std::vector<Out> values;
    for (const auto& p : fit.problems()) values.push_back(static_cast<Out>(get(p)));
    return nb::cast(to_numpy(std::move(values)));
  });
}

template <class T, class Get>
nb::object weight_matrix(PerceptronFit<T>& fit, Get&& get) {
  using Value = typename std::decay_t<decltype(get(fit.problems()[0]))>::value_type;
  std::vector<Value> all;
  all.reserve(fit.problems().size() * static_cast<std::size_t>(fit.cols()));
  for (const auto& p : fit.problems()) all.insert(all.end(), get(p).begin(), get(p).end());
  const std::size_t shape[2] = {fit.problems().size(), static_cast<std::size_t>(fit.cols())};
  return nb::cast(to_numpy(std::move(all), shape));
}

template <class T>
void set_state(PerceptronFit<T>& fit, const Matrix<double>& w, const Vector<double>& b,
               const Matrix<double>& u, const Vector<double>& beta, double c) {
  auto& problems = fit.problems();
  const auto count = static_cast<std::int64_t>(problems.size());
  require_length("coef", w, count);
  require_length("intercept", b, count);
  require_length("coef_sum", u, count);
  require_length("intercept_sum", beta, count);
  const auto cols = static_cast<std::size_t>(fit.cols());
  require(w.shape(1) == cols && u.shape(1) == cols, "coef has the wrong number of columns");
  for (std::size_t k = 0; k < problems.size(); ++k) {
    for (std::size_t j = 0; j < cols; ++j) problems[k].w[j] = static_cast<T>(w(k, j));
    for (std::size_t j = 0; j < problems[k].u.size(); ++j) problems[k].u[j] = u(k, j);
    problems[k].b = b(k);
    problems[k].beta = beta(k);
    problems[k].c = c;
  }
}

template <class T>
void bind_scores(nb::module_& m) {
  m.def(
      "scores",
      [](const HeldRows& X, Matrix<T> coef, Vector<T> intercept, int threads) {
        const Rows& rows = X.view;
        require(rows.single == (sizeof(T) == 4), "X and coef differ in precision");
        require(static_cast<std::int64_t>(coef.shape(1)) == rows.cols,
                "coef has the wrong number of columns");
        require_length("intercept", intercept, static_cast<std::int64_t>(coef.shape(0)));
        std::vector<T> out(static_cast<std::size_t>(rows.rows) * coef.shape(0));
        {
          nb::gil_scoped_release release;
          scores<T>(rows, coef.data(), intercept.data(), static_cast<std::int64_t>(coef.shape(0)),
                    out.data(), threads);
        }
        const std::size_t shape[2] = {static_cast<std::size_t>(rows.rows), coef.shape(0)};
        return to_numpy(std::move(out), shape);
      },
      "X"_a, "coef"_a.noconvert(), "intercept"_a.noconvert(), "threads"_a, "X coef' + intercept.");
}

}  // namespace

void bind_linear(nb::module_& m) {
  bind_scores<double>(m);
  bind_scores<float>(m);

  nb::class_<PerceptronHandle>(m, "PerceptronFit", "A perceptron fit that runs in slices.")
      .def(nb::new_(&start_perceptron), "X"_a, "codes"_a.noconvert(), "weights"_a.none(),
           nb::kw_only(), "problems"_a, "fit_intercept"_a, "average"_a, "shuffle"_a, "rate"_a,
           "max_passes"_a, "tolerance"_a, "patience"_a, "seed"_a, "first_part"_a)
      .def(
          "set_state",
          [](PerceptronHandle& h, Matrix<double> coef, Vector<double> intercept,
             Matrix<double> coef_sum, Vector<double> intercept_sum, double count) {
            h.visit([&](auto& fit) {
              set_state(fit, coef, intercept, coef_sum, intercept_sum, count);
            });
          },
          nb::kw_only(), "coef"_a, "intercept"_a, "coef_sum"_a, "intercept_sum"_a, "count"_a,
          "Begin from these weights and sums, given the number of rows seen, plus one.")
      .def(
          "advance",
          [](PerceptronHandle& h, Monitor& monitor, std::int64_t passes, int threads) {
            nb::gil_scoped_release release;
            h.visit([&](auto& fit) { fit.advance(monitor, passes, threads); });
          },
          "monitor"_a, "passes"_a, "threads"_a,
          "Run until finished, or this many passes are made, or the slice is over.")
      .def(
          "reached",
          [](PerceptronHandle& h, std::int64_t passes) {
            return h.visit([&](auto& fit) { return fit.reached(passes); });
          },
          "passes"_a)
      .def_prop_ro(
          "finished",
          [](PerceptronHandle& h) { return h.visit([](auto& f) { return f.finished(); }); })
      .def_prop_ro("coef",
                   [](PerceptronHandle& h) {
                     return h.visit([](auto& fit) {
                       return weight_matrix(fit, [](const auto& p) -> const auto& { return p.w; });
                     });
                   })
      .def_prop_ro("coef_sum",
                   [](PerceptronHandle& h) {
                     return h.visit([](auto& fit) {
                       return weight_matrix(fit, [](const auto& p) -> const auto& { return p.u; });
                     });
                   })
      .def_prop_ro("intercept",
                   [](PerceptronHandle& h) {
                     return per_problem<double>(h, [](const auto& p) { return p.b; });
                   })
      .def_prop_ro("intercept_sum",
                   [](PerceptronHandle& h) {
                     return per_problem<double>(h, [](const auto& p) { return p.beta; });
                   })
      .def_prop_ro("count",
                   [](PerceptronHandle& h) {
                     return per_problem<double>(h, [](const auto& p) { return p.c; });
                   })
      .def_prop_ro("passes",
                   [](PerceptronHandle& h) {
                     return per_problem<std::int64_t>(h, [](const auto& p) { return p.passes; });
                   })
      .def_prop_ro("mistakes",
                   [](PerceptronHandle& h) {
                     return per_problem<std::int64_t>(h, [](const auto& p) { return p.mistakes; });
                   })
      .def_prop_ro("pass_mistakes",
                   [](PerceptronHandle& h) {
                     return per_problem<std::int64_t>(
                         h, [](const auto& p) { return p.pass_mistakes; });
                   })
      .def_prop_ro("pass_loss",
                   [](PerceptronHandle& h) {
                     return per_problem<double>(h, [](const auto& p) { return p.pass_loss; });
                   })
      .def_prop_ro("clean", [](PerceptronHandle& h) {
        return h.visit([](auto& fit) {
          for (const auto& p : fit.problems())
            if (!p.clean) return false;
          return true;
        });
      });
}

}  // namespace inducer
