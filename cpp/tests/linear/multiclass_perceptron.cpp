#include "inducer/linear/multiclass_perceptron.h"

#include "base/kernels.h"
#include "check.h"
#include "linear/problem.h"

using namespace inducer;
using namespace inducer::linear;

namespace {

struct Outcome {
  std::vector<double> w, u, b, beta;
  double c = 1;
  std::int64_t mistakes = 0;
  double last_loss = 0;

  bool operator==(const Outcome& other) const {
    return bits(w) == bits(other.w) && bits(u) == bits(other.u) && bits(b) == bits(other.b) &&
           bits(beta) == bits(other.beta) && c == other.c && mistakes == other.mistakes &&
           bits(last_loss) == bits(other.last_loss);
  }
};

struct Setting {
  std::int64_t classes;
  bool averaged;
  PerceptronOptions options;
  PassOptions passes = exactly(3);
};

template <class T>
Outcome plain_loops(const Problem<T>& p, const Setting& s) {
  const std::int64_t cols = p.X.cols;
  Outcome out{filled(s.classes * cols, 0.0), filled(s.averaged ? s.classes * cols : 0, 0.0),
              filled(s.classes, 0.0), filled(s.classes, 0.0)};
  double total = 0;
  for (std::int64_t i = 0; i < p.X.rows; ++i) total += p.weight(i);
  for (const auto& order : orders(p.weights, p.X.rows, s.passes, 0)) {
    double loss = 0;
    for (std::int64_t i : order) {
      std::vector<double> a = out.b;
      for (std::int64_t k = 0; k < s.classes; ++k)
        for (std::int64_t j = 0; j < cols; ++j)
          at(a, k) += at(out.w, k * cols + j) * static_cast<double>(p.X(i, j));
      const std::int64_t guess = std::max_element(a.begin(), a.end()) - a.begin();
      const std::int64_t label = at(p.codes, i);
      if (guess != label) {
        const double r = s.options.rate * p.weight(i);
        for (std::int64_t k : {label, guess}) {
          const double step = k == label ? r : -r;
          for (std::int64_t j = 0; j < cols; ++j) {
            const double x = static_cast<double>(p.X(i, j));
            at(out.w, k * cols + j) += step * x;
            if (s.averaged) at(out.u, k * cols + j) += step * out.c * x;
          }
          if (s.options.fit_intercept) {
            at(out.b, k) += step;
            if (s.averaged) at(out.beta, k) += step * out.c;
          }
        }
        loss += p.weight(i) * (at(a, guess) - at(a, label));
        ++out.mistakes;
      }
      out.c += 1;
    }
    out.last_loss = loss / total;
  }
  return out;
}

template <class T>
Outcome kernel(const Problem<T>& p, const Stored<T>& stored, const Setting& s,
               double seconds = forever, int* slices = nullptr) {
  const std::int64_t size = s.classes * p.X.cols;
  std::vector<T> w = filled(size, T(0));
  Outcome out{
      {}, filled(s.averaged ? size : 0, 0.0), filled(s.classes, 0.0), filled(s.classes, 0.0)};
  MulticlassPerceptronFit<T> fit(
      p.examples(stored), s.classes,
      {w.data(), s.averaged ? out.u.data() : nullptr, out.b.data(), out.beta.data(), &out.c},
      s.options, s.passes);
  const int taken = run_in_slices(
      seconds, [&](Monitor& monitor) { fit.advance(monitor, s.passes.max_passes); },
      [&] { return fit.passes.count().finished; });
  if (slices) *slices = taken;
  out.w.assign(w.begin(), w.end());
  out.mistakes = fit.passes.count().mistakes;
  out.last_loss = fit.passes.count().last.loss;
  return out;
}

template <class T>
void matches_plain_loops() {
  for (bool weighted : {false, true})
    for (std::int64_t classes : {2, 3, 5})
      for (bool averaged : {false, true})
        for (bool fit_intercept : {true, false}) {
          const Problem<T> p = problem<T>(60, 7, static_cast<int>(classes), weighted);
          const Setting s{classes, averaged, {fit_intercept, false, fit_intercept ? 1.0 : 0.5}};
          const Outcome expected = plain_loops(p, s);
          CHECK(expected.mistakes > 20);
          for (Form form : every_form) {
            const Stored<T> stored(p.X, form);
            on_each_level([&](Isa) { CHECK(kernel(p, stored, s) == expected); });
          }
        }
}

}  // namespace

TEST(multiclass_perceptron_by_hand) {
  // One column, three classes, rows 1 of class 2, then 2 of class 0: of equals the first is said.
  const Problem<double> p = by_hand<double>(2, 1, {1, 2}, {2, 0});
  Setting s{3, true, {}};
  s.passes = exactly(1);
  s.passes.shuffle = Shuffle::never;
  const Outcome out = kernel(p, Stored<double>(p.X, Form::c_order), s);
  // c = 1: all are 0, so 0 is said in place of 2;  w = (-1, 0, 1), b likewise, u and beta too.
  // c = 2: a = (-3, 0, 3): 2 is said in place of 0; w gains (2, 0, -2), b (1, 0, -1); loss 6.
  CHECK((out.w == std::vector<double>{1, 0, -1}));
  CHECK((out.b == std::vector<double>{0, 0, 0}));
  CHECK((out.u == std::vector<double>{3, 0, -3}));
  CHECK((out.beta == std::vector<double>{1, 0, -1}));
  CHECK_EQUAL(out.c, 3.0);
  CHECK_EQUAL(out.mistakes, std::int64_t{2});
  CHECK_EQUAL(out.last_loss, 3.0);
}

TEST(multiclass_perceptron_matches_plain_loops) {
  matches_plain_loops<double>();
  matches_plain_loops<float>();
}

TEST(multiclass_perceptron_in_slices_is_the_same_on_every_level_and_layout) {
  for (auto [rows, cols] : {std::pair{2500, 3}, std::pair{8, 70000}}) {
    Problem<double> p = problem<double>(rows, cols, 3, true);
    p.X = table<double>(rows, cols, 4, rough);
    const Setting s{3, true, {true, false, 0.3}};
    const Outcome dense = kernel(p, Stored<double>(p.X, Form::c_order), s);
    const Outcome sparse = kernel(p, Stored<double>(p.X, Form::sparse), s);
    for (Form form : {Form::c_order, Form::fortran, Form::sparse}) {
      const Stored<double> stored(p.X, form);
      on_each_level([&](Isa) {
        for (double seconds : slice_lengths) {
          int slices = 0;
          CHECK(kernel(p, stored, s, seconds, &slices) == (form == Form::sparse ? sparse : dense));
          if (seconds == 0) CHECK(slices > 3);
        }
      });
    }
  }
}
