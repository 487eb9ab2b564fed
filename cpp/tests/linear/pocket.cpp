#include "inducer/linear/pocket.h"

#include "base/kernels.h"
#include "check.h"
#include "linear/problem.h"

using namespace inducer;
using namespace inducer::linear;

namespace {

struct Outcome {
  std::vector<double> w, b, best_w, best_b;
  double cost = std::numeric_limits<double>::infinity();
  std::int64_t mistakes = 0, updates = 0;

  bool operator==(const Outcome&) const = default;
};

struct Setting {
  std::int64_t classes;
  std::vector<double> cost;
  PocketOptions options;

  std::int64_t outputs() const { return classes == 2 ? 1 : classes; }
};

/// The algorithm as the header tells it.
template <class T>
Outcome plain_loops(const Problem<T>& p, const Setting& s) {
  const std::int64_t cols = p.X.cols, outputs = s.outputs();
  Outcome out{filled(outputs * cols, 0.0), filled(outputs, 0.0), filled(outputs * cols, 0.0),
              filled(outputs, 0.0)};
  Stream stream(s.options.seed, 0);
  for (;;) {
    std::vector<double> charge;
    std::vector<std::int64_t> guess;
    std::int64_t mistakes = 0;
    double total = 0;
    for (std::int64_t i = 0; i < p.X.rows; ++i) {
      std::vector<double> a = out.b;
      for (std::int64_t k = 0; k < outputs; ++k)
        for (std::int64_t j = 0; j < cols; ++j)
          at(a, k) += at(out.w, k * cols + j) * static_cast<double>(p.X(i, j));
      const std::int64_t code = at(p.codes, i);
      std::int64_t said = std::max_element(a.begin(), a.end()) - a.begin();
      if (outputs == 1) said = (code == 1 ? a[0] : -a[0]) > 0 ? code : 1 - code;
      guess.push_back(said);
      charge.push_back(said == code ? 0 : p.weight(i) * at(s.cost, code * s.classes + said));
      mistakes += said != code && p.weight(i) > 0;
      total += charge.back();
    }
    if (total < out.cost) {
      out.cost = total;
      out.best_w = out.w;
      out.best_b = out.b;
      out.mistakes = mistakes;
    }
    if (total == 0 || out.updates == s.options.max_updates) return out;
    double target = stream.uniform() * total;
    std::int64_t chosen = 0;
    while (target >= at(charge, chosen)) target -= at(charge, chosen++);
    const auto move = [&](std::int64_t k, double r) {
      for (std::int64_t j = 0; j < cols; ++j)
        at(out.w, k * cols + j) += r * static_cast<double>(p.X(chosen, j));
      if (s.options.fit_intercept) at(out.b, k) += r;
    };
    const double r = s.options.rate;
    if (outputs == 1) {
      move(0, at(p.codes, chosen) == 1 ? r : -r);
    } else {
      move(at(p.codes, chosen), r);
      move(at(guess, chosen), -r);
    }
    ++out.updates;
  }
}

template <class T>
Outcome kernel(const Problem<T>& p, const Stored<T>& stored, const Setting& s, int threads = 1,
               double seconds = forever, int* slices = nullptr, Monitor* watched = nullptr) {
  const std::int64_t size = s.outputs() * p.X.cols;
  std::vector<T> w = filled(size, T(0)), best_w = w;
  std::vector<double> b = filled(s.outputs(), 0.0), best_b = b;
  PocketFit<T> fit(p.examples(stored), s.classes, s.cost,
                   {w.data(), b.data(), best_w.data(), best_b.data()}, s.options);
  const int taken = run_in_slices(
      seconds,
      [&](Monitor& monitor) {
        fit.advance(monitor, s.options.max_updates, threads);
        if (watched) watched->add_done(monitor.done());
      },
      [&] { return fit.finished; });
  if (slices) *slices = taken;
  return {{w.begin(), w.end()}, b,          {best_w.begin(), best_w.end()}, best_b, fit.best_cost,
          fit.mistakes,         fit.updates};
}

/// What saying the one for the other costs: dyadic, not symmetric, and never a sum that rounds.
std::vector<double> uneven_cost(std::int64_t classes) {
  std::vector<double> cost;
  for (std::int64_t k = 0; k < classes * classes; ++k)
    cost.push_back(k % (classes + 1) == 0 ? 0.0 : static_cast<double>(k % 4) / 2);
  return cost;
}

template <class T>
void matches_plain_loops() {
  int worse_at_the_end = 0;
  for (bool weighted : {false, true})
    for (std::int64_t classes : {2, 3})
      for (bool fit_intercept : {true, false}) {
        const Problem<T> p = problem<T>(60, 5, static_cast<int>(classes), weighted);
        const Setting s{
            classes, uneven_cost(classes), {fit_intercept, fit_intercept ? 1.0 : 0.5, 40, 9}};
        const Outcome expected = plain_loops(p, s);
        CHECK_EQUAL(expected.updates, std::int64_t{40});
        CHECK(expected.cost > 0);
        worse_at_the_end += expected.w != expected.best_w;
        for (Form form : every_form) {
          const Stored<T> stored(p.X, form);
          on_each_level([&](Isa) { CHECK(kernel(p, stored, s) == expected); });
        }
      }
  CHECK(worse_at_the_end > 4);  // of eight: else the pocket would prove nothing
}

}  // namespace

TEST(pocket_matches_plain_loops) {
  matches_plain_loops<double>();
  matches_plain_loops<float>();
}

TEST(pocket_ends_when_nothing_is_wrong) {
  // (1) + and (-1) -: whichever row is drawn first, one update separates them.
  const Problem<double> p = by_hand<double>(2, 1, {1, -1}, {1, 0});
  const Setting s{2, {0, 1, 1, 0}, {false, 1.0, 1000, 1}};
  const Outcome out = kernel(p, Stored<double>(p.X, Form::c_order), s);
  CHECK((out.best_w == std::vector<double>{1}));
  CHECK_EQUAL(out.cost, 0.0);
  CHECK_EQUAL(out.updates, std::int64_t{1});
  CHECK_EQUAL(out.mistakes, std::int64_t{0});
}

TEST(pocket_without_updates_keeps_its_first_rule) {
  const Problem<double> p = by_hand<double>(2, 1, {1, -1}, {1, 0}, {2, 3});
  const Setting s{2, {0, 5, 7, 0}, {true, 1.0, 0, 1}};
  const Outcome out = kernel(p, Stored<double>(p.X, Form::c_order), s);
  CHECK_EQUAL(out.cost, 2 * 7.0 + 3 * 5.0);
  CHECK_EQUAL(out.mistakes, std::int64_t{2});
  CHECK_EQUAL(out.updates, std::int64_t{0});
}

TEST(pocket_never_corrects_a_row_that_costs_nothing) {
  // Rows of no weight and mistakes of no cost are left alone; only row 2 can move the weights.
  const Problem<double> p =
      by_hand<double>(3, 3, {1, 0, 0, 0, 1, 0, 0, 0, 1}, {1, 0, 1}, {0, 1, 1});
  const Setting s{2, {0, 0, 1, 0}, {false, 1.0, 1000, 4}};
  const Outcome out = kernel(p, Stored<double>(p.X, Form::c_order), s);
  CHECK((out.w == std::vector<double>{0, 0, 1}));
  CHECK_EQUAL(out.updates, std::int64_t{1});
  CHECK_EQUAL(out.cost, 0.0);
}

TEST(pocket_in_slices_is_the_same_on_every_level_and_number_of_threads) {
  for (auto [rows, cols] : {std::pair{500, 9}, std::pair{40, 70000}}) {
    Problem<double> p = problem<double>(rows, cols, 3, true);
    p.X = table<double>(rows, cols, 4, rough);
    const Stored<double> stored(p.X, Form::c_order);
    const Setting s{3, uneven_cost(3), {true, 0.3, 10, 2}};
    const Outcome expected = kernel(p, stored, s);
    on_each_level([&](Isa) {
      for (int threads : thread_counts)
        for (double seconds : {0.0, forever}) {
          int slices = 0;
          Monitor watched;
          CHECK(kernel(p, stored, s, threads, seconds, &slices, &watched) == expected);
          if (seconds == 0) CHECK(slices > (p.X.cols > 1000 ? 20 : 9));
        }
    });
  }
}
