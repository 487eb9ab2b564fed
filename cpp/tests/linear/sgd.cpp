#include "inducer/linear/sgd.h"

#include <cmath>

#include "base/kernels.h"
#include "check.h"
#include "inducer/linear/problems.h"
#include "linear/problem.h"

using namespace inducer;
using namespace inducer::linear;
using losses::Kind;

namespace {

/// What a fit leaves behind, class after class.
struct Outcome {
  std::vector<double> w, sum, b, b_sum, t, loss, penalty;

  bool operator==(const Outcome& other) const {
    return bits(w) == bits(other.w) && bits(sum) == bits(other.sum) && bits(b) == bits(other.b) &&
           bits(b_sum) == bits(other.b_sum) && bits(t) == bits(other.t) &&
           bits(loss) == bits(other.loss) && bits(penalty) == bits(other.penalty);
  }
};

struct Setting {
  std::int64_t problems = 1;
  SgdOptions options;
  PassOptions passes = exactly(3);
  bool averaged = false;
};

double slope_of(Kind kind, double y, double z) {
  if (kind == Kind::hinge) return y * z <= 1 ? -y : 0.0;
  return -y / (1 + std::exp(y * z));
}

/// w after a penalty, zero at the least.
double less(double w, double by) {
  return w > 0 ? std::max(0.0, w - by) : std::min(0.0, w + by);
}

/// The header's formulas, step by step on every weight. The cumulative penalty is left out: in
/// dense rows it is the same as the truncated one.
template <class T>
Outcome plain_loops(const Problem<T>& p, const Setting& s) {
  const std::int64_t cols = p.X.cols, rows = p.X.rows;
  Outcome out;
  for (std::int64_t k = 0; k < s.problems; ++k) {
    const std::int32_t positive = s.problems == 1 ? 1 : static_cast<std::int32_t>(k);
    std::vector<double> w = filled(cols, 0.0), sum = filled(cols, 0.0);
    double b = 0, b_sum = 0, t = 1;
    for (const auto& order : orders(p.weights, rows, s.passes, static_cast<std::uint64_t>(k)))
      for (std::size_t begin = 0; begin < order.size();) {
        const std::size_t end =
            std::min(order.size(), begin + static_cast<std::size_t>(s.options.batch));
        const double eta = s.options.eta0 / std::pow(t, s.options.power);
        std::vector<double> g = filled(cols, 0.0);
        double g_b = 0;
        for (std::size_t n = begin; n < end; ++n) {
          const std::int64_t i = order[n];
          double z = b;
          for (std::int64_t j = 0; j < cols; ++j) z += at(w, j) * static_cast<double>(p.X(i, j));
          const double y = at(p.codes, i) == positive ? 1 : -1;
          const double slope =
              p.weight(i) * slope_of(s.options.loss.kind, y, z) / static_cast<double>(end - begin);
          for (std::int64_t j = 0; j < cols; ++j)
            at(g, j) += slope * static_cast<double>(p.X(i, j));
          g_b += slope;
        }
        for (std::int64_t j = 0; j < cols; ++j) {
          const double l1 = s.options.sparsity == Sparsity::none ? 0 : eta * s.options.l1;
          const double kept = at(w, j) * (1 - eta * s.options.l2);
          if (s.options.sparsity == Sparsity::truncated_steps) {
            const double next = less(kept, 0) - eta * at(g, j) -
                                (kept > 0   ? l1
                                 : kept < 0 ? -l1
                                            : 0);
            at(w, j) = kept * next < 0 ? 0 : next;
          } else {
            at(w, j) = less(kept - eta * at(g, j), l1);
          }
          at(sum, j) += at(w, j);
        }
        b -= eta * g_b;
        b_sum += b;
        t += 1;
        begin = end;
      }
    out.w.insert(out.w.end(), w.begin(), w.end());
    out.sum.insert(out.sum.end(), sum.begin(), sum.end());
    out.b.push_back(b), out.b_sum.push_back(b_sum), out.t.push_back(t);
  }
  return out;
}

template <class T>
Outcome kernel(const Problem<T>& p, const Stored<T>& stored, const Setting& s, int threads = 1,
               double seconds = forever, int* slices = nullptr) {
  const std::int64_t size = s.problems * p.X.cols;
  std::vector<T> w = filled(size, static_cast<T>(0));
  Outcome out;
  out.sum = filled(size, 0.0);
  out.b = out.b_sum = filled(s.problems, 0.0);
  out.t = filled(s.problems, 1.0);
  SgdFit<T> fit(p.examples(stored), s.problems,
                {w.data(), s.averaged ? out.sum.data() : nullptr, out.b.data(), out.b_sum.data(),
                 out.t.data()},
                s.options, s.passes);
  const int taken = run_in_slices(
      seconds, [&](Monitor& monitor) { fit.advance(monitor, s.passes.max_passes, threads); },
      [&] { return reached(fit.problems(), s.passes.max_passes); });
  if (slices) *slices = taken;
  out.w.assign(w.begin(), w.end());
  for (const SgdProblem& made : fit.problems()) {
    CHECK_EQUAL(made.passes.count().made, s.passes.max_passes);
    CHECK(!made.numbers.overflowed);
    out.loss.push_back(made.passes.count().last.loss);
    out.penalty.push_back(made.passes.count().last.penalty);
  }
  return out;
}

/// Numbers that round: everything must agree with itself to the bit, with plain loops nearly.
template <class T>
Problem<T> rough_problem(std::int64_t rows, std::int64_t cols, int classes, bool weighted = true) {
  Problem<T> p = problem<T>(rows, cols, classes, weighted);
  p.X = table<T>(rows, cols, 4, rough);
  for (T& cell : p.X.cells) cell = static_cast<T>(std::tanh(static_cast<double>(cell)) / 4);
  return p;
}

std::vector<Setting> settings(std::int64_t problems) {
  std::vector<Setting> all;
  for (Kind loss : {Kind::hinge, Kind::logistic})
    for (Sparsity sparsity :
         {Sparsity::none, Sparsity::cumulative, Sparsity::truncated, Sparsity::truncated_steps})
      for (std::int64_t batch : {1, 7})
        for (bool averaged : {false, true}) {
          if (averaged && sparsity > Sparsity::cumulative) continue;
          Setting s;
          s.problems = problems;
          s.options.loss.kind = loss;
          s.options.l2 = 0.02, s.options.l1 = 0.01;
          s.options.sparsity = sparsity;
          s.options.schedule = Schedule::power;
          s.options.eta0 = 0.3;
          s.options.batch = batch;
          s.averaged = averaged;
          all.push_back(s);
        }
  return all;
}

bool near(const std::vector<double>& one, const std::vector<double>& other, double tolerance) {
  bool all = one.size() == other.size();
  double scale = 1e-3;
  for (double value : other) scale = std::max(scale, std::fabs(value));
  for (std::size_t i = 0; i < one.size(); ++i)
    all = all && std::fabs(one[i] - other[i]) <= tolerance * scale;
  return all;
}

}  // namespace

TEST(sgd_by_hand) {
  // Hinge, eta 1/2, l2 1: rows (2) + and (1) -, in this order.
  Problem<double> p = by_hand<double>(2, 1, {2, 1}, {1, 0});
  const Stored<double> stored(p.X, Form::c_order);
  Setting s;
  s.options.loss.kind = Kind::hinge;
  s.options.l2 = 1, s.options.eta0 = 0.5;
  s.averaged = true;
  s.passes = exactly(1);
  s.passes.shuffle = Shuffle::never;
  const Outcome out = kernel(p, stored, s);
  // y z = 0 <= 1: w = 0 / 2 + 1/2 * 2 = 1,    b = 1/2
  // y z = -3/2:   w = 1 / 2 - 1/2 * 1 = 0,    b = 0
  CHECK((out.w == std::vector<double>{0}));
  CHECK((out.b == std::vector<double>{0}));
  CHECK((out.sum == std::vector<double>{1}));
  CHECK((out.b_sum == std::vector<double>{0.5}));
  CHECK((out.t == std::vector<double>{3}));
  CHECK_EQUAL(out.loss[0], (1 + 2.5) / 2);
  CHECK_EQUAL(out.penalty[0], 0.0);
}

TEST(sgd_matches_plain_loops) {
  for (bool weighted : {false, true}) {
    const Problem<double> p = rough_problem<double>(60, 7, 2, weighted);
    for (const Setting& s : settings(1)) {
      Setting dense = s;  // where it is the same as the cumulative one
      const bool lazy = s.options.sparsity == Sparsity::cumulative;
      if (lazy) continue;
      const Outcome expected = plain_loops(p, dense);
      for (Form form : every_form) {
        const Stored<double> stored(p.X, form);
        on_each_level([&](Isa) {
          const Outcome out = kernel(p, stored, s);
          CHECK(near(out.w, expected.w, 1e-12));
          CHECK(near(out.b, expected.b, 1e-12));
          CHECK(out.t == expected.t);
          if (s.averaged) {
            CHECK(near(out.sum, expected.sum, 1e-12));
            CHECK(near(out.b_sum, expected.b_sum, 1e-12));
          }
        });
      }
    }
  }
}

TEST(sgd_gives_the_same_bits_on_any_level_layout_and_number_of_threads) {
  const Problem<double> p = rough_problem<double>(80, 41, 5);
  const Problem<float> q = rough_problem<float>(80, 41, 5);
  for (const Setting& s : settings(5)) {
    const Outcome dense = kernel(p, Stored<double>(p.X, Form::c_order), s);
    const Outcome sparse = kernel(p, Stored<double>(p.X, Form::sparse), s);
    const Outcome single = kernel(q, Stored<float>(q.X, Form::c_order), s);
    on_each_level([&](Isa) {
      for (Form form : every_form) {
        const Stored<double> stored(p.X, form);
        for (int threads : thread_counts)
          CHECK(kernel(p, stored, s, threads) == (form == Form::sparse ? sparse : dense));
      }
      CHECK(kernel(q, Stored<float>(q.X, Form::fortran), s) == single);
    });
  }
}

TEST(sgd_in_slices_is_the_same_as_at_once) {
  const Problem<double> narrow = rough_problem<double>(900, 3, 3);
  const Problem<double> wide = rough_problem<double>(6, 70000, 3, false);
  for (const Problem<double>* p : {&narrow, &wide})
    for (Form form : {Form::c_order, Form::sparse})
      for (const Setting& s : settings(3)) {
        const Stored<double> stored(p->X, form);
        const Outcome expected = kernel(*p, stored, s);
        int slices = 0;
        CHECK(kernel(*p, stored, s, 1, 0, &slices) == expected);
        CHECK(kernel(*p, stored, s, 2, 2e-5) == expected);
        if (p == &wide) CHECK(slices > 3 * 3);  // some ended within a pass
      }
}

TEST(sgd_on_numbers_lowers_an_adaptive_rate_until_it_is_small) {
  const Problem<double> p = by_hand<double>(3, 1, {1, -1, 1}, {});
  const Stored<double> stored(p.X, Form::c_order);
  double w = 0, b = 0, b_sum = 0, t = 1;
  SgdOptions options;
  options.loss.kind = Kind::squared;
  options.eta0 = 0.2, options.adaptive = true;
  PassOptions passes;
  passes.max_passes = 10000, passes.patience = 2, passes.tolerance = 1e-9;
  SgdFit<double> fit(Examples(stored.view(), {1, 2, 4}, {}), 1, {&w, nullptr, &b, &b_sum, &t},
                     options, passes);
  Monitor monitor;
  fit.advance(monitor, 10000, 1);
  CHECK(fit.problems()[0].passes.count().finished);
  CHECK(fit.problems()[0].passes.count().made < 10000);
  CHECK(fit.problems()[0].numbers.rate <= 1e-6);
  CHECK(std::fabs(w - 0.25) < 1e-2 && std::fabs(b - 2.25) < 1e-2);  // the least squares
  CHECK(!fit.lower_rate());
}

TEST(sgd_notes_an_overflow_and_stops) {
  const Problem<double> p = by_hand<double>(2, 1, {1e200, -1e200}, {1, 0});
  for (Form form : every_form) {
    const Stored<double> stored(p.X, form);
    double w = 0, b = 0, b_sum = 0, t = 1;
    SgdOptions options;
    options.loss.kind = Kind::squared;
    PassOptions passes = exactly(100);
    SgdFit<double> fit(p.examples(stored), 1, {&w, nullptr, &b, &b_sum, &t}, options, passes);
    Monitor monitor;
    fit.advance(monitor, 100, 1);
    CHECK(fit.problems()[0].numbers.overflowed);
    CHECK(fit.problems()[0].passes.count().made < 100);
  }
}
