#include "inducer/linear/dual_perceptron.h"

#include "check.h"
#include "inducer/linear/perceptron.h"
#include "linear/problem.h"

using namespace inducer;
using namespace inducer::linear;

namespace {

struct Outcome {
  std::vector<double> alpha;
  double b = 0;
  std::int64_t mistakes = 0;
  double last_loss = 0;
};

double inner_product(const Table<double>& X, std::int64_t i, std::int64_t n) {
  double sum = 0;
  for (std::int64_t j = 0; j < X.cols; ++j) sum += X(i, j) * X(n, j);
  return sum;
}

/// The matrix of a kernel of the inner products.
template <class Kernel>
Table<double> kernel_matrix(const Table<double>& X, Kernel kernel) {
  Table<double> K{X.rows, X.rows, {}};
  for (std::int64_t i = 0; i < X.rows; ++i)
    for (std::int64_t n = 0; n < X.rows; ++n) K.cells.push_back(kernel(inner_product(X, i, n)));
  return K;
}

/// The header's formula: the activation of a row is summed anew at each visit.
Outcome plain_loops(const Problem<double>& p, const Table<double>& K, bool fit_intercept,
                    const PassOptions& options) {
  Outcome out{filled(p.X.rows, 0.0)};
  double total = 0;
  for (std::int64_t i = 0; i < p.X.rows; ++i) total += p.weight(i);
  const auto y = [&](std::int64_t i) { return at(p.codes, i) == 1 ? 1.0 : -1.0; };
  for (const auto& order : orders(p.weights, p.X.rows, options, 8)) {
    double loss = 0;
    for (std::int64_t n : order) {
      double a = out.b;
      for (std::int64_t m = 0; m < p.X.rows; ++m) a += at(out.alpha, m) * y(m) * K(m, n);
      if (y(n) * a > 0) continue;
      at(out.alpha, n) += p.weight(n);
      if (fit_intercept) out.b += p.weight(n) * y(n);
      loss += p.weight(n) * -y(n) * a;
      ++out.mistakes;
    }
    out.last_loss = loss / total;
  }
  return out;
}

Outcome kernel(const Problem<double>& p, const Table<double>& K, bool fit_intercept,
               const PassOptions& options, double seconds = forever) {
  Rows none;
  none.rows = p.X.rows;
  DualPerceptronFit fit({none, p.codes, p.weights, 2}, 1, 8, fit_intercept, options);
  run_in_slices(
      seconds,
      [&](Monitor& monitor) {
        const std::int64_t row = fit.advance(monitor, options.max_passes);
        CHECK_EQUAL(fit.waits(), row >= 0);
        if (row < 0) return;
        CHECK_EQUAL(fit.advance(monitor, options.max_passes), row);  // it goes on waiting
        fit.correct(K.cells.data() + row * K.cols);
      },
      [&] { return fit.passes.count().finished; });
  return {fit.alpha, fit.b, fit.passes.count().mistakes, fit.passes.count().last.loss};
}

void check_equal(const Outcome& got, const Outcome& expected) {
  CHECK(bits(got.alpha) == bits(expected.alpha));
  CHECK_EQUAL(got.b, expected.b);
  CHECK_EQUAL(got.mistakes, expected.mistakes);
  CHECK_EQUAL(got.last_loss, expected.last_loss);
}

}  // namespace

TEST(dual_perceptron_matches_plain_loops) {
  for (bool weighted : {false, true})
    for (bool fit_intercept : {true, false}) {
      const Problem<double> p = problem<double>(50, 4, 2, weighted);
      for (double power : {1.0, 2.0}) {
        const Table<double> K =
            kernel_matrix(p.X, [&](double s) { return power == 1 ? s : (1 + s) * (1 + s); });
        const Outcome expected = plain_loops(p, K, fit_intercept, exactly(4));
        CHECK(expected.mistakes > 10);
        for (double seconds : slice_lengths)
          check_equal(kernel(p, K, fit_intercept, exactly(4), seconds), expected);
      }
    }
}

TEST(dual_perceptron_is_the_perceptron) {
  const Problem<double> p = problem<double>(50, 4, 2, true);
  PassOptions options = exactly(4);
  options.shuffle = Shuffle::never;
  const Outcome dual = kernel(p, kernel_matrix(p.X, [](double s) { return s; }), true, options);
  const Stored<double> stored(p.X, Form::c_order);
  std::vector<double> w = filled(4, 0.0);
  double b = 0, beta = 0, c = 1;
  PerceptronFit<double> primal(p.examples(stored), 1, {w.data(), nullptr, &b, &beta, &c}, {},
                               options);
  Monitor monitor;
  primal.advance(monitor, 4, 1);
  std::vector<double> sum = filled(4, 0.0);
  for (std::int64_t i = 0; i < 50; ++i)
    for (std::int64_t j = 0; j < 4; ++j)
      at(sum, j) += at(dual.alpha, i) * (at(p.codes, i) == 1 ? 1 : -1) * p.X(i, j);
  CHECK(sum == w);
  CHECK_EQUAL(dual.b, b);
  CHECK_EQUAL(dual.mistakes, primal.problems()[0].passes.count().mistakes);
}

TEST(dual_perceptron_ends_with_a_clean_pass) {
  // Row 0 is +, row 1 is -, each its own inner product: one mistake each, then a clean pass.
  const Problem<double> p = by_hand<double>(2, 2, {1, 0, 0, 1}, {1, 0});
  PassOptions options;
  options.shuffle = Shuffle::never;
  const Outcome out = kernel(p, kernel_matrix(p.X, [](double s) { return 2 * s; }), false, options);
  CHECK((out.alpha == std::vector<double>{1, 1}));
  CHECK_EQUAL(out.mistakes, std::int64_t{2});
}

TEST(dual_perceptron_of_nothing_is_finished) {
  Rows none;
  DualPerceptronFit fit({none, {}, {}, 2}, 1, 0, true, exactly(3));
  Monitor monitor;
  CHECK_EQUAL(fit.advance(monitor, 3), std::int64_t{-1});
  CHECK(fit.passes.count().finished);
}
