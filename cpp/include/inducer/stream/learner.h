#pragma once
/// @file  A linear learner over hashed features, that meets each example once and tells before it
/// learns.
///
/// The score of output k is z = sum_j w_j x_j. On an example with loss l(y, z) the weights move
/// along x, coordinate j at a rate r_j of its own, as one step s says for all:
///
///     w_j += s r_j x_j ,   and so the score moves by s q, q = sum_j r_j x_j^2 .
///
/// An example of weight a lets the score flow down its loss for the time eta a,
///
///     ds/dt = -l'(y, z + s q)   from s = 0 ,
///
/// which never overshoots, however large weight, rate or features; and weight 2 is as good as two
/// copies in one. Squared and logistic losses are solved for, up to rounding; on a straight piece
/// the flow is a plain step that ends at the kink; the other losses take one proximal step,
/// s = -eta a l'(y, z + s q), which does not overshoot either.
/// The rules differ in r:
///
///     adaptive  r_j = c / (m_j sqrt(G_j)): G_j the sum of squared slopes by w_j so far, m_j the
///               largest |x_j| so far (w_j shrinks by old m / new m when it grows), and
///               c^2 = (sum of a) / (sum of a sum_j x_j^2/m_j^2). The scale of a feature and the
///               length of the examples do not matter.
///     plain     r_j = t^-power, t the weight of the examples so far, this one with it
///     ftrl      follow the proximally regularised leader, McMahan's per-coordinate rule with
///               l1 and l2; its step is explicit. The constant feature is not penalised.
///
/// Several outputs are several such learners, one against all; with costs each learns the cost of
/// its class by squared loss, and the cheapest is predicted.
///
/// References: Duchi, Hazan, Singer 2011 (adaptive rates); Ross, Mineiro, Langford 2013 (scales);
/// Karampatziakis, Langford 2011 (weights); McMahan et al. 2013 (FTRL).
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "inducer/base/isa.h"
#include "inducer/losses/losses.h"
#include "inducer/stream/block.h"

namespace inducer::stream {

/// What is known of one feature for one output. All zero: nothing.
struct Cell {
  float weight;
  float squares;  ///< G
  float scale;    ///< m
  float dual;     ///< ftrl's sum of slopes
};

enum class Rule : std::uint8_t { adaptive, plain, ftrl };

struct LearnerOptions {
  losses::Loss loss;
  Rule rule = Rule::adaptive;
  double rate = 0.5, power = 0.5, beta = 1, l1 = 0, l2 = 0;
  int outputs = 1;
  std::uint64_t bias = 0;  ///< the first cell of the constant feature
  bool costs = false;
  bool classes = true;  ///< mistakes are counted
  bool learning = true;
  std::int64_t holdout = 0;  ///< every so many examples one is only predicted; 0 for none
};

/// What came by. A pass adds to it; doubles, for they count weights and are saved as they are.
struct Tally {
  double examples = 0, labelled = 0, weight = 0, loss = 0, mistakes = 0, features = 0;
  double in_pass = 0;                                        ///< examples of this pass
  double held_weight = 0, held_loss = 0, held_mistakes = 0;  ///< of this pass
  double since_weight = 0, since_loss = 0, next_report = 1, time = 0;

  template <class Self, class F>
  static void visit(Self& t, F&& f) {
    f("examples", t.examples);
    f("labelled", t.labelled);
    f("weight", t.weight);
    f("loss", t.loss);
    f("mistakes", t.mistakes);
    f("features", t.features);
    f("in_pass", t.in_pass);
    f("held_weight", t.held_weight);
    f("held_loss", t.held_loss);
    f("held_mistakes", t.held_mistakes);
    f("since_weight", t.since_weight);
    f("since_loss", t.since_loss);
    f("next_report", t.next_report);
    f("time", t.time);
  }
};

/// A line of the screen: at the 1st, 2nd, 4th, 8th ... example.
struct Report {
  double examples, weight, average, since, label, said, features;
};

struct Prediction {
  double said;   ///< the score, or the code of a class
  double score;  ///< of the class that is said; without classes the same
  std::uint32_t tag;
};

/// The sums that c of the adaptive rule is made of, for one output.
struct Norm {
  double weight = 0, squares = 0;
};

class Learner {
 public:
  /// @param cells  the table; lives as long as the learner
  Learner(LearnerOptions options, std::span<Cell> cells);

  /// Predicts and learns, one example after the other.
  /// @param[out] predictions  one more for each example, unless null
  void meet(const Block& block, std::vector<Prediction>* predictions);

  Tally tally;
  std::vector<Norm> norms;
  std::vector<Report> reports;

 private:
  struct Row {
    const std::uint32_t* index;
    const float* value;
    std::int64_t n;
  };

  void learn(const losses::Loss& loss, const Row& row, int output, double y, double z,
             double weight);
  Prediction predict(const Row& row, const Example& example, const Cost* costs);
  double loss_of(const Example& example, const Cost* costs, const Prediction& said) const;

  LearnerOptions options_;
  std::span<Cell> cells_;
  std::vector<double> scores_;
  std::vector<float> rates_, scales_;
};

/// How far the flow goes in the time eta.
double step(const losses::Loss& loss, double y, double z, double eta, double q);

}  // namespace inducer::stream

namespace inducer {

INDUCER_PER_ISA(namespace stream {
  using inducer::stream::Cell;
  /// sum_j w_j x_j, in four lanes.
  double score(const Cell* cells, const std::uint32_t* index, const float* value, std::int64_t n);
  /// Adds the squared slopes and widens the scales of the row's cells; the rates come out, and
  /// q and sum_j x_j^2/m_j^2 by reference, without the factor c.
  void adapt(Cell * cells, const std::uint32_t* index, const float* value, std::int64_t n,
             float slope2, float* scales, float* rates, double& q, double& squares);
  /// w_j += s r_j x_j
  void move(Cell * cells, const std::uint32_t* index, const float* value, std::int64_t n, float s,
            const float* rates);
  /// w_j += s x_j
  void move_all(Cell * cells, const std::uint32_t* index, const float* value, std::int64_t n,
                float s);
  double squared_length(const float* value, std::int64_t n);
  void follow(Cell * cells, const std::uint32_t* index, const float* value, std::int64_t n,
              double slope, double rate, double beta, double l1, double l2, std::uint64_t bias);
})

}  // namespace inducer
