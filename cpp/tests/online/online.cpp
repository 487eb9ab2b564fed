#include "inducer/online/online.h"

#include "base/kernels.h"
#include "check.h"
#include "inducer/linear/problems.h"
#include "linear/problem.h"

using namespace inducer;
using namespace inducer::online;

namespace {

struct Outcome {
  std::vector<double> w, memory, b, b_memory, scalars;
  std::int64_t moves = 0;
  double loss = 0;

  bool operator==(const Outcome& other) const {
    return bits(w) == bits(other.w) && bits(memory) == bits(other.memory) &&
           bits(b) == bits(other.b) && bits(b_memory) == bits(other.b_memory) &&
           bits(scalars) == bits(other.scalars) && moves == other.moves &&
           bits(loss) == bits(other.loss);
  }
};

/// What a fit from nothing leaves behind.
template <class T>
Outcome kernel(const Problem<T>& p, const Stored<T>& stored, const Rule& rule,
               std::int64_t problems, int threads = 1, double seconds = forever,
               int* slices = nullptr, linear::PassOptions passes = exactly(3)) {
  const std::int64_t cols = p.X.cols, width = memory_width(rule);
  const bool multiplies = rule.kind == Kind::multiplicative;
  const double size = rule.balanced ? 2.0 : 1.0;
  std::vector<T> w(static_cast<std::size_t>(problems * cols),
                   multiplies && !rule.balanced ? T(1) : T(0));
  Outcome out{{},
              filled(problems * cols * width, 0.0),
              filled(problems, 0.0),
              filled(problems * width, 0.0),
              filled(problems * scalar_count, 0.0)};
  for (std::int64_t k = 0; k < problems; ++k) {
    at(out.scalars, k * scalar_count) = 1;
    at(out.scalars, k * scalar_count + 2) = size * static_cast<double>(cols);
  }
  if (multiplies)
    for (std::int64_t j = 0; j < problems * cols; ++j) at(out.memory, 2 * j + 1) = size;
  std::vector<double> targets;
  if (rule.numbers)
    for (std::int64_t i = 0; i < p.X.rows; ++i) targets.push_back(at(p.codes, i) * 1.5 - 1);
  OnlineFit<T> fit(
      p.examples(stored), targets, problems,
      {w.data(), out.memory.data(), out.b.data(), out.b_memory.data(), out.scalars.data()}, rule,
      passes);
  const int took = run_in_slices(
      seconds, [&](Monitor& monitor) { fit.advance(monitor, passes.max_passes, threads); },
      [&] { return linear::reached(fit.problems(), passes.max_passes); });
  if (slices) *slices = took;
  out.w.assign(w.begin(), w.end());
  for (const OnlineProblem& problem : fit.problems()) {
    out.moves += problem.passes.count().mistakes;
    out.loss += problem.passes.count().last.loss;
  }
  return out;
}

std::vector<Rule> every_rule() {
  std::vector<Rule> all;
  for (Caution caution : {Caution::none, Caution::capped, Caution::softened})
    for (bool average : {false, true}) {
      Rule rule;
      rule.caution = caution, rule.average = average, rule.C = 0.1;
      all.push_back(rule);
    }
  Rule rule;
  rule.kind = Kind::multiplicative;
  rule.on_mistakes = true;
  all.push_back(rule);  // Winnow, balanced
  rule.on_mistakes = false, rule.radius = 3, rule.offset = Offset::step;
  all.push_back(rule);
  rule.balanced = false, rule.offset = Offset::fixed;
  rule.loss.kind = losses::Kind::hinge;
  all.push_back(rule);
  rule.rate = 60;  // the weights are worked out anew again and again
  all.push_back(rule);
  rule = {};
  rule.kind = Kind::leader;
  all.push_back(rule);
  rule.l1 = 0.5, rule.l2 = 0.5, rule.numbers = true;
  rule.loss.kind = losses::Kind::absolute;
  all.push_back(rule);
  rule = {};
  rule.numbers = true, rule.epsilon = 0.1;
  all.push_back(rule);
  return all;
}

template <class T>
Problem<T> rough_problem(std::int64_t rows, std::int64_t cols, int classes) {
  Problem<T> made = problem<T>(rows, cols, classes, true);
  made.X = table<T>(rows, cols, 7, [](Stream& stream) { return 2 * stream.uniform() - 1; });
  return made;
}

template <class T>
void has_the_same_bits_everywhere() {
  const Problem<T> p = rough_problem<T>(80, 41, 3);
  for (const Rule& rule : every_rule()) {
    const std::int64_t problems = rule.numbers ? 1 : 3;
    const Outcome dense = kernel(p, Stored<T>(p.X, Form::c_order), rule, problems);
    const Outcome sparse = kernel(p, Stored<T>(p.X, Form::sparse), rule, problems);
    CHECK(dense.moves > 0);
    on_each_level([&](Isa) {
      for (Form form : every_form) {
        const Stored<T> stored(p.X, form);
        for (int threads : thread_counts)
          CHECK(kernel(p, stored, rule, problems, threads) ==
                (form == Form::sparse ? sparse : dense));
      }
    });
  }
}

TEST(online_rules_give_the_same_bits_on_any_level_layout_and_number_of_threads) {
  has_the_same_bits_everywhere<double>();
  has_the_same_bits_everywhere<float>();
}

TEST(online_rules_in_slices_are_the_same_as_at_once) {
  const Problem<double> p = rough_problem<double>(2500, 3, 3);
  for (const Rule& rule : every_rule())
    for (Form form : {Form::c_order, Form::sparse}) {
      const std::int64_t problems = rule.numbers ? 1 : 3;
      const Stored<double> stored(p.X, form);
      const Outcome expected = kernel(p, stored, rule, problems);
      for (int threads : thread_counts)
        for (double seconds : slice_lengths) {
          int slices = 0;
          CHECK(kernel(p, stored, rule, problems, threads, seconds, &slices) == expected);
          if (seconds == 0 && threads == 1) CHECK(slices > 3);
        }
    }
}

TEST(passive_aggressive_by_hand) {
  const Problem<double> p = by_hand<double>(3, 2, {2, 0, 0, 1, 2, 1}, {1, 0, 1});
  const Stored<double> stored(p.X, Form::c_order);
  Rule rule;
  rule.caution = Caution::none;
  rule.offset = Offset::fixed;
  linear::PassOptions once = exactly(1);
  once.shuffle = linear::Shuffle::never;
  const Outcome out = kernel(p, stored, rule, 1, 1, forever, nullptr, once);
  // row     y   a   loss  |x|^2  w
  // (2,0)  +1   0   1     4      (1/2, 0)
  // (0,1)  -1   0   1     1      (1/2, -1)
  // (2,1)  +1   0   1     5      (1/2 + 2/5, -1 + 1/5)
  CHECK((out.w == std::vector<double>{0.5 + 1.0 / 5 * 2, -1 + 1.0 / 5}));
  CHECK_EQUAL(out.moves, std::int64_t{3});
  CHECK_EQUAL(out.loss, 1.0);
  CHECK_EQUAL(out.scalars[0], 4.0);
}

TEST(a_row_too_long_to_be_squared_leaves_no_number) {
  const Problem<double> p = by_hand<double>(2, 1, {1e200, 1}, {1, 0});
  Rule rule;
  CHECK(std::isnan(kernel(p, Stored<double>(p.X, Form::c_order), rule, 1).w[0]));
}

TEST(online_rules_take_rows_without_cells_and_no_columns) {
  const Problem<double> empty = by_hand<double>(3, 0, {}, {1, 1, 0});
  const Problem<double> zeros = by_hand<double>(2, 2, {0, 0, 0, 0}, {1, 0});
  for (const Rule& rule : every_rule())
    for (Form form : every_form) {
      kernel(empty, Stored<double>(empty.X, form), rule, 1);
      const Outcome out = kernel(zeros, Stored<double>(zeros.X, form), rule, 1);
      for (double w : out.w) CHECK(w == (rule.kind == Kind::multiplicative && !rule.balanced));
    }
}

}  // namespace
