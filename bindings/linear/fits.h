#pragma once
// What the bindings of the linear learners share: examples, and fits of either precision.
#include <any>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "arrays.h"
#include "inducer/linear/passes.h"
#include "inducer/linear/perceptron.h"

namespace inducer::linear {

using Codes = Vector<std::int32_t>;
using OptionalWeights = std::optional<Vector<double>>;

template <class T>
using State = Array<T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using States = Array<double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

constexpr std::int64_t most_classes = 1 << 24;

inline void require_precision(const Rows& X, bool single) {
  require(X.single == single, "X and coef differ in precision");
}

inline void require_block(const Rows& X, std::int64_t begin, std::int64_t end) {
  require(0 <= begin && begin <= end && end <= X.rows, "no such block of rows");
}

template <class Matrix>
void require_shape(const char* name, const Matrix& array, std::int64_t rows, std::int64_t cols) {
  require_length(name, array, rows);
  require(static_cast<std::int64_t>(array.shape(1)) == cols,
          std::string(name) + " has the wrong width");
}

/// @param classes  codes lie in 0 .. classes - 1
Examples examples_of(const Rows& X, const Codes& codes, const OptionalWeights& weights,
                     std::int64_t classes);

/// The classes told apart by one weight vector each, or two of them by one.
inline std::int64_t outputs_for(std::int64_t classes) {
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
  c.def_prop_ro(name, [get](typename Class::Type& held) { return held.visit(get); });
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
    new (held)
        FitOf<Fit>{Fit<T>(std::move(examples), count, arrays.view(), options, passes), {X, arrays}};
  };
  if (rows.single)
    make(float());
  else
    make(double());
}
}  // namespace inducer::linear
