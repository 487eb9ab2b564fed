#include "inducer/stream/learner.h"

#include <cmath>

#include "check.h"

using namespace inducer;
using namespace inducer::stream;
using losses::Kind;
using losses::Loss;

namespace {

constexpr std::uint64_t rows = 16;

/// A block of one example after the other; feature 16 is the constant one.
Block block_of(const std::vector<std::vector<float>>& examples, const std::vector<double>& labels,
               double weight = 1) {
  Block block;
  for (std::size_t i = 0; i < examples.size(); ++i) {
    Example example;
    example.label = labels[i];
    example.weight = weight;
    for (std::size_t j = 0; j < examples[i].size(); ++j) {
      if (examples[i][j] == 0) continue;
      block.index.push_back(static_cast<std::uint32_t>(j));
      block.value.push_back(examples[i][j]);
      ++example.features;
    }
    block.index.push_back(rows);
    block.value.push_back(1);
    ++example.features;
    block.examples.push_back(example);
  }
  return block;
}

LearnerOptions with(Kind kind, double parameter = 0) {
  LearnerOptions options;
  options.loss = {kind, parameter};
  options.bias = rows;
  return options;
}

constexpr Loss all_losses[] = {
    {Kind::perceptron, 0},
    {Kind::hinge, 0},
    {Kind::squared_hinge, 0},
    {Kind::logistic, 0},
    {Kind::exponential, 0},
    {Kind::modified_huber, 0},
    {Kind::squared, 0},
    {Kind::absolute, 0},
    {Kind::huber, 0.7},
    {Kind::epsilon_insensitive, 0.1},
    {Kind::squared_epsilon_insensitive, 0.1},
    {Kind::quantile, 0.8},
    {Kind::poisson, 0},
    {Kind::gamma, 0},
    {Kind::tweedie, 1.5},
};

double slope(const Loss& loss, double y, double z) {
  return inducer::INDUCER_ISA::losses::visit(loss, [&](const auto& l) { return l.slope(y, z); });
}

}  // namespace

TEST(stream_step_goes_down_and_not_too_far) {
  for (const Loss& loss : all_losses)
    for (const double z : {-300.0, -3.0, -1.0, -0.2, 0.0, 0.4, 1.0, 2.5, 40.0, 800.0})
      for (const double eta : {1e-6, 0.1, 1.0, 50.0, 1e6})
        for (const double q : {0.0, 1e-6, 0.3, 5.0, 1e4}) {
          const double s = step(loss, 1, z, eta, q), before = slope(loss, 1, z);
          CHECK(std::isfinite(s));
          CHECK(before == 0 ? s == 0 : s * before <= 0);
          if (q == 0 || before == 0) continue;
          CHECK(before * slope(loss, 1, z + s * q * (1 - 1e-6)) >= 0);
        }
}

TEST(stream_step_of_weight_two_is_two_steps) {
  // Where the flow is solved for, or straight; not where a step is proximal.
  for (const Loss& loss : {Loss{Kind::logistic, 0}, Loss{Kind::squared, 0}, Loss{Kind::hinge, 0},
                           Loss{Kind::squared_hinge, 0}, Loss{Kind::quantile, 0.3},
                           Loss{Kind::absolute, 0}, Loss{Kind::perceptron, 0}})
    for (const double y : {-1.0, 1.0})
      for (const double z : {-20.0, -2.0, -0.3, 0.0, 0.7, 3.0, 25.0})
        for (const double eta : {1e-3, 0.4, 7.0}) {
          const double q = 0.8, once = step(loss, y, z, 2 * eta, q);
          const double first = step(loss, y, z, eta, q);
          const double twice = first + step(loss, y, z + first * q, eta, q);
          CHECK(std::fabs(once - twice) <= 1e-7 * (1 + std::fabs(once)));
        }
}

TEST(stream_learner_lowers_each_loss) {
  for (const Loss& loss : all_losses)
    for (const Rule rule : {Rule::adaptive, Rule::plain, Rule::ftrl}) {
      LearnerOptions options = with(loss.kind, loss.parameter);
      options.rule = rule;
      std::vector<Cell> cells(rows + 1);
      Learner learner(options, cells);
      const double y = loss.kind < Kind::poisson ? 1 : 2;  // a mean of 1 is where those begin
      const Block block = block_of({{1, 0, 2}, {0, 1, 1}, {1, 1, 0}}, {y, y, y});
      learner.meet(block, nullptr);
      const double first = learner.tally.loss;
      for (int pass = 0; pass < 50; ++pass) {
        learner.tally.loss = 0;
        learner.meet(block, nullptr);
      }
      // The perceptron's is zero from the start.
      CHECK(loss.kind == Kind::perceptron ? learner.tally.loss <= first
                                          : learner.tally.loss < first);
    }
}

TEST(stream_adaptive_rule_does_not_see_scales) {
  std::vector<std::vector<float>> plain = {{1, 2, 0}, {0.5, 0, 3}, {2, 1, 1}, {1, 0, 4}};
  std::vector<std::vector<float>> scaled = plain;
  for (auto& x : scaled) {
    x[0] *= 1024;
    x[2] /= 4096;
  }
  for (const Kind kind : {Kind::logistic, Kind::squared, Kind::hinge}) {
    std::vector<Cell> a(rows + 1), b(rows + 1);
    Learner one(with(kind), a), two(with(kind), b);
    std::vector<Prediction> said_one, said_two;
    for (int pass = 0; pass < 5; ++pass) {
      one.meet(block_of(plain, {1, -1, -1, 1}), &said_one);
      two.meet(block_of(scaled, {1, -1, -1, 1}), &said_two);
    }
    for (std::size_t i = 0; i < said_one.size(); ++i)
      CHECK(std::fabs(said_one[i].score - said_two[i].score) < 1e-4);
  }
}

TEST(stream_ftrl_makes_zeros_but_not_of_the_bias) {
  LearnerOptions options = with(Kind::logistic);
  options.rule = Rule::ftrl;
  options.l1 = 1000;
  std::vector<Cell> cells(rows + 1);
  Learner learner(options, cells);
  for (int pass = 0; pass < 20; ++pass) learner.meet(block_of({{1, 2}, {3, 1}}, {1, 1}), nullptr);
  for (std::size_t j = 0; j < rows; ++j) CHECK_EQUAL(cells[j].weight, 0.0f);
  CHECK(cells[rows].weight > 0);
}

TEST(stream_holdout_is_not_learned_from) {
  LearnerOptions options = with(Kind::logistic);
  options.holdout = 2;
  std::vector<Cell> cells(rows + 1);
  Learner learner(options, cells);
  learner.meet(block_of({{1, 0}, {0, 1}, {1, 0}, {0, 1}}, {1, 1, 1, 1}), nullptr);
  CHECK(cells[0].weight > 0);
  CHECK_EQUAL(cells[1].weight, 0.0f);
  CHECK_EQUAL(learner.tally.held_weight, 2.0);
  CHECK_EQUAL(learner.tally.weight, 2.0);
}

TEST(stream_costs_predict_the_cheapest) {
  LearnerOptions options = with(Kind::squared);
  options.costs = true;
  options.outputs = 3;
  options.bias = rows * 3;
  std::vector<Cell> cells((rows + 1) * 3);
  Learner learner(options, cells);
  Block block;
  Example example;
  example.features = 1;
  example.costs = 3;
  block.examples = {example};
  block.index = {rows * 3};
  block.value = {1};
  block.costs = {{0, 4}, {1, 1}, {2, 2}};
  std::vector<Prediction> said;
  for (int pass = 0; pass < 100; ++pass) learner.meet(block, &said);
  CHECK_EQUAL(said.back().said, 1.0);
  CHECK(std::fabs(said.back().score - 1) < 1e-2);
  block.examples[0].costs = 1;  // only what has a cost may be said
  block.costs = {{2, 2}};
  said.clear();
  learner.meet(block, &said);
  CHECK_EQUAL(said[0].said, 2.0);
}

TEST(stream_extreme_values_stay_finite) {
  for (const Loss& loss : all_losses)
    for (const Rule rule : {Rule::adaptive, Rule::plain, Rule::ftrl}) {
      LearnerOptions options = with(loss.kind, loss.parameter);
      options.rule = rule;
      std::vector<Cell> cells(rows + 1);
      Learner learner(options, cells);
      for (const float big : {1e-15f, 1e15f, 1.0f, 1e-15f, 1e15f})
        learner.meet(block_of({{big, 1}, {1, -big}}, {1, 1}, 3), nullptr);
      for (const Cell& cell : cells) CHECK(std::isfinite(cell.weight) || rule == Rule::ftrl);
    }
}
