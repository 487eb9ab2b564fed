#include "inducer/linear/perceptron.h"

#include "base/kernels.h"
#include "check.h"
#include "inducer/linear/problems.h"
#include "linear/problem.h"

using namespace inducer;
using namespace inducer::linear;

namespace {

/// What a fit leaves behind, class after class.
struct Outcome {
  std::vector<double> w, u, b, beta, c;
  std::vector<std::int64_t> mistakes;  ///< of all passes
  std::vector<double> last_loss;
  std::vector<std::vector<std::int64_t>> mistaken;
  std::vector<std::vector<double>> times;

  bool operator==(const Outcome& other) const {
    return bits(w) == bits(other.w) && bits(u) == bits(other.u) && bits(b) == bits(other.b) &&
           bits(beta) == bits(other.beta) && bits(c) == bits(other.c) &&
           mistakes == other.mistakes && bits(last_loss) == bits(other.last_loss) &&
           mistaken == other.mistaken && times == other.times;
  }
};

enum class Kind : std::uint8_t { plain, averaged, voted };

struct Setting {
  std::int64_t problems = 1;
  Kind kind = Kind::plain;
  PerceptronOptions options;
  PassOptions passes = exactly(3);
  double start = 0;  ///< of every weight
};

/// The header's formula, loop by loop.
template <class T>
Outcome plain_loops(const Problem<T>& p, const Setting& s) {
  const std::int64_t cols = p.X.cols;
  Outcome out{filled(s.problems * cols, s.start),
              s.kind == Kind::averaged ? filled(s.problems * cols, 0.0) : std::vector<double>{},
              filled(s.problems, s.start),
              filled(s.problems, 0.0),
              filled(s.problems, 1.0),
              {},
              {},
              {},
              {}};
  for (std::int64_t k = 0; k < s.problems; ++k) {
    const std::int32_t positive = s.problems == 1 ? 1 : static_cast<std::int32_t>(k);
    double &b = at(out.b, k), &beta = at(out.beta, k), &c = at(out.c, k);
    std::int64_t mistakes = 0;
    double loss = 0, total = 0;
    for (std::int64_t i = 0; i < p.X.rows; ++i) total += p.weight(i);
    out.mistaken.emplace_back();
    out.times.emplace_back();
    for (const auto& order : orders(p.weights, p.X.rows, s.passes, static_cast<std::uint64_t>(k))) {
      loss = 0;
      for (std::int64_t i : order) {
        double a = b;
        for (std::int64_t j = 0; j < cols; ++j)
          a += at(out.w, k * cols + j) * static_cast<double>(p.X(i, j));
        const double y = at(p.codes, i) == positive ? 1 : -1;
        if (y * a <= 0) {
          const double r = s.options.rate * p.weight(i);
          for (std::int64_t j = 0; j < cols; ++j) {
            const double x = static_cast<double>(p.X(i, j));
            at(out.w, k * cols + j) += r * y * x;
            if (s.kind == Kind::averaged) at(out.u, k * cols + j) += r * y * c * x;
          }
          if (s.options.fit_intercept) {
            b += r * y;
            if (s.kind == Kind::averaged) beta += r * y * c;
          }
          if (s.kind == Kind::voted) {
            out.mistaken.back().push_back(i);
            out.times.back().push_back(c);
          }
          loss += p.weight(i) * -y * a;
          ++mistakes;
        }
        c += 1;
      }
    }
    out.mistakes.push_back(mistakes);
    out.last_loss.push_back(loss / total);
  }
  return out;
}

template <class T>
Outcome kernel(const Problem<T>& p, const Stored<T>& stored, Setting s, int threads = 1,
               double seconds = forever, int* slices = nullptr) {
  const std::int64_t size = s.problems * p.X.cols;
  std::vector<T> w = filled(size, static_cast<T>(s.start));
  std::vector<double> u = filled(size, 0.0), b = filled(s.problems, s.start),
                      beta = filled(s.problems, 0.0), c = filled(s.problems, 1.0);
  s.options.remember = s.kind == Kind::voted;
  PerceptronFit<T> fit(
      p.examples(stored), s.problems,
      {w.data(), s.kind == Kind::averaged ? u.data() : nullptr, b.data(), beta.data(), c.data()},
      s.options, s.passes);
  const int taken = run_in_slices(
      seconds, [&](Monitor& monitor) { fit.advance(monitor, s.passes.max_passes, threads); },
      [&] { return reached(fit.problems(), s.passes.max_passes); });
  if (slices) *slices = taken;
  if (s.kind != Kind::averaged) u.clear();
  Outcome out{{w.begin(), w.end()}, u, b, beta, c, {}, {}, {}, {}};
  for (const PerceptronProblem& made : fit.problems()) {
    CHECK_EQUAL(made.passes.count().made, s.passes.max_passes);
    out.mistakes.push_back(made.passes.count().mistakes);
    out.last_loss.push_back(made.passes.count().last.loss);
    out.mistaken.emplace_back(made.mistaken_rows.begin(), made.mistaken_rows.end());
    out.times.push_back(made.mistake_times);
  }
  return out;
}

template <class T>
void matches_plain_loops() {
  for (bool weighted : {false, true})
    for (std::int64_t problems : {1, 3})
      for (Kind kind : {Kind::plain, Kind::averaged, Kind::voted})
        for (bool fit_intercept : {true, false})
          for (double start : {0.0, 2.0}) {
            const Problem<T> p =
                problem<T>(60, 7, problems == 1 ? 2 : static_cast<int>(problems), weighted);
            Setting s{problems, kind, {fit_intercept, false, fit_intercept ? 1.0 : 0.5}};
            s.start = start;
            const Outcome expected = plain_loops(p, s);
            CHECK(expected.mistakes[0] > 20);
            for (Form form : every_form) {
              const Stored<T> stored(p.X, form);
              on_each_level([&](Isa) { CHECK(kernel(p, stored, s) == expected); });
            }
          }
}

/// Numbers that round: no plain loops here, but everything must agree with itself.
Problem<double> rough_problem(std::int64_t rows, std::int64_t cols, int classes) {
  Problem<double> p = problem<double>(rows, cols, classes, true);
  p.X = table<double>(rows, cols, 4, rough);
  return p;
}

}  // namespace

TEST(perceptron_by_hand) {
  // Rows (1, 0) +, (0, 1) -, (1, 1) +, in this order, twice.
  Problem<double> p = by_hand<double>(3, 2, {1, 0, 0, 1, 1, 1}, {1, 0, 1});
  const Stored<double> stored(p.X, Form::c_order);
  Setting s{1, Kind::averaged, {}};
  s.passes = exactly(2);
  s.passes.shuffle = Shuffle::never;
  const Outcome out = kernel(p, stored, s);
  // c  row    w        b   a   mistake     u          beta
  // 1  (1,0)  (0,0)    0   0   yes      (1,0)           1
  // 2  (0,1)  (1,0)    1   1   yes      (1,-2)         -1
  // 3  (1,1)  (1,-1)   0   0   yes      (4,1)           2
  // 4  (1,0)  (2,0)    1   3   no
  // 5  (0,1)  (2,0)    1   1   yes      (4,-4)         -3
  // 6  (1,1)  (2,-1)   0   1   no
  CHECK((out.w == std::vector<double>{2, -1}));
  CHECK((out.b == std::vector<double>{0}));
  CHECK((out.u == std::vector<double>{4, -4}));
  CHECK((out.beta == std::vector<double>{-3}));
  CHECK((out.c == std::vector<double>{7}));
  CHECK((out.mistakes == std::vector<std::int64_t>{4}));
  CHECK_EQUAL(out.last_loss[0], 1.0 / 3);
  s.kind = Kind::voted;
  CHECK((kernel(p, stored, s).mistaken[0] == std::vector<std::int64_t>{0, 1, 2, 1}));
  CHECK((kernel(p, stored, s).times[0] == std::vector<double>{1, 2, 3, 5}));
}

TEST(perceptron_matches_plain_loops) {
  matches_plain_loops<double>();
  matches_plain_loops<float>();
}

TEST(perceptron_average_is_the_mean_of_the_weights_over_all_visits) {
  const Problem<double> p = problem<double>(60, 7, 2, false);
  const Stored<double> stored(p.X, Form::c_order);
  Setting s{1, Kind::averaged, {}};
  const Outcome out = kernel(p, stored, s);
  std::vector<double> sum = filled(7, 0.0);
  s.kind = Kind::voted;
  const Outcome steps = kernel(p, stored, s);
  // The weights as they were after each visit, replayed from the mistakes. The mean has one more
  // term, the zeros before the first visit.
  std::vector<double> w = filled(7, 0.0);
  std::size_t next = 0;
  for (double c = 1; c < out.c[0]; c += 1) {
    if (next < steps.times[0].size() && steps.times[0][next] == c) {
      const std::int64_t i = steps.mistaken[0][next++];
      for (std::int64_t j = 0; j < 7; ++j) at(w, j) += (at(p.codes, i) == 1 ? 1 : -1) * p.X(i, j);
    }
    for (std::int64_t j = 0; j < 7; ++j) at(sum, j) += at(w, j);
  }
  for (std::int64_t j = 0; j < 7; ++j)
    CHECK_EQUAL(at(sum, j), at(out.w, j) * out.c[0] - at(out.u, j));
}

TEST(perceptron_gives_the_same_bits_on_any_level_layout_and_number_of_threads) {
  const Problem<double> p = rough_problem(80, 41, 5);
  for (Kind kind : {Kind::plain, Kind::averaged, Kind::voted}) {
    const Setting s{5, kind, {true, false, 0.3}};
    const Outcome dense = kernel(p, Stored<double>(p.X, Form::c_order), s);
    const Outcome sparse = kernel(p, Stored<double>(p.X, Form::sparse), s);
    on_each_level([&](Isa) {
      for (Form form : every_form) {
        const Stored<double> stored(p.X, form);
        for (int threads : thread_counts)
          CHECK(kernel(p, stored, s, threads) == (form == Form::sparse ? sparse : dense));
      }
    });
  }
}

TEST(perceptron_in_slices_is_the_same_as_at_once) {
  const Problem<double> narrow = rough_problem(2500, 3, 3);
  const Problem<double> wide = rough_problem(8, 70000, 3);
  for (const Problem<double>* p : {&narrow, &wide})
    for (Form form : {Form::c_order, Form::fortran, Form::sparse})
      for (Kind kind : {Kind::plain, Kind::averaged, Kind::voted}) {
        const Stored<double> stored(p->X, form);
        const Setting s{3, kind, {true, false, 0.3}};
        const Outcome expected = kernel(*p, stored, s);
        for (int threads : thread_counts)
          for (double seconds : slice_lengths) {
            int slices = 0;
            CHECK(kernel(*p, stored, s, threads, seconds, &slices) == expected);
            // Some slices must have ended within a pass.
            if (seconds == 0 && threads == 1) CHECK(slices > 3 * 3);
          }
      }
}

TEST(perceptron_stops_after_a_clean_pass) {
  // Separable by its first column.
  Problem<float> p = by_hand<float>(4, 2, {1, 3, 2, 5, -1, 4, -2, 1}, {1, 1, 0, 0});
  const Stored<float> stored(p.X, Form::c_order);
  std::vector<float> w(2);
  double b = 0, beta = 0, c = 1;
  PassOptions passes;
  passes.patience = 1000;
  PerceptronFit<float> fit(p.examples(stored), 1, {w.data(), nullptr, &b, &beta, &c}, {}, passes);
  Monitor monitor;
  fit.advance(monitor, 1000, 1);
  const PassCount& count = fit.problems()[0].passes.count();
  CHECK(count.finished && count.made < 100);
  CHECK_EQUAL(count.last.mistakes, std::int64_t{0});
  CHECK_EQUAL(monitor.done(), 4 * count.made);
  for (std::int64_t i = 0; i < 4; ++i) {
    const double a = static_cast<double>(w[0] * p.X(i, 0) + w[1] * p.X(i, 1)) + b;
    CHECK((at(p.codes, i) == 1 ? a : -a) > 0);
  }
}

TEST(perceptron_of_no_columns_learns_the_intercept_alone) {
  const Problem<double> p = by_hand<double>(3, 0, {}, {1, 1, 0});
  for (Form form : every_form) {
    Setting s{1, Kind::plain, {}};
    s.passes.shuffle = Shuffle::never;
    CHECK(kernel(p, Stored<double>(p.X, form), s) == plain_loops(p, s));
  }
}
