#include "inducer/stream/learner.h"

#include <algorithm>
#include <cmath>

namespace inducer::stream {

namespace {

using losses::Loss;

double score_of(const Cell* cells, const std::uint32_t* index, const float* value, std::int64_t n) {
  INDUCER_DISPATCH(stream::score(cells, index, value, n))
}
void adapt_to(Cell* cells, const std::uint32_t* index, const float* value, std::int64_t n,
              float slope2, float* scales, float* rates, double& q, double& squares) {
  INDUCER_DISPATCH(stream::adapt(cells, index, value, n, slope2, scales, rates, q, squares))
}
void move_by(Cell* cells, const std::uint32_t* index, const float* value, std::int64_t n, float s,
             const float* rates) {
  INDUCER_DISPATCH(stream::move(cells, index, value, n, s, rates))
}
void move_all_by(Cell* cells, const std::uint32_t* index, const float* value, std::int64_t n,
                 float s) {
  INDUCER_DISPATCH(stream::move_all(cells, index, value, n, s))
}
double length_of(const float* value, std::int64_t n) {
  INDUCER_DISPATCH(stream::squared_length(value, n))
}
void follow_by(Cell* cells, const std::uint32_t* index, const float* value, std::int64_t n,
               double slope, const LearnerOptions& o) {
  INDUCER_DISPATCH(
      stream::follow(cells, index, value, n, slope, o.rate, o.beta, o.l1, o.l2, o.bias))
}

/// Bounded, so that the exponential losses neither overflow a sum nor break a bracket.
double slope_of(const Loss& loss, double y, double z) {
  const double slope =
      ::inducer::INDUCER_ISA::losses::visit(loss, [&](const auto& l) { return l.slope(y, z); });
  return std::clamp(slope, -1e6, 1e6);
}

double curvature_of(const Loss& loss, double y, double z) {
  return ::inducer::INDUCER_ISA::losses::visit(loss,
                                               [&](const auto& l) { return l.curvature(y, z); });
}

double value_of(const Loss& loss, double y, double z) {
  return ::inducer::INDUCER_ISA::losses::visit(loss, [&](const auto& l) { return l.value(y, z); });
}

/// Of the logistic loss: the margin m moves by d with d + e^m (e^d - 1) = time.
double logistic_way(double m, double time) {
  const double e = std::exp(m);
  double d = time / (1 + e);  // too far, for the slope falls on the way; and so is the other bound
  if (m > 30) return d;
  d = std::min(d, std::log1p(time / e));
  for (int k = 0; k < 40; ++k) {  // from above, Newton falls to the root
    const double e_d = std::exp(d), next = d - (d + e * (e_d - 1) - time) / (1 + e * e_d);
    if (!(next < d)) break;
    const bool near = d - next <= 1e-9 * d;
    d = next;
    if (near) break;
  }
  return d;
}

/// The s between 0 and -eta l'(y, z) with s = -eta l'(y, z + s q).
double proximal_step(const Loss& loss, double y, double z, double eta, double q) {
  const double explicit_step = -eta * slope_of(loss, y, z);
  double low = std::min(0.0, explicit_step), high = std::max(0.0, explicit_step);
  if (low == high) return explicit_step;
  double s = explicit_step / (1 + eta * q * curvature_of(loss, y, z));
  constexpr double enough = 1e-10;
  for (int k = 0; k < 200; ++k) {  // Newton, and bisection where that would leave the bracket
    const double f = s + eta * slope_of(loss, y, z + s * q);
    if (std::fabs(f) <= enough * std::fabs(s)) return s;
    (f > 0 ? high : low) = s;
    if (high - low <= enough * (std::fabs(low) + std::fabs(high))) break;
    const double next = s - f / (1 + eta * q * curvature_of(loss, y, z + s * q));
    s = next > low && next < high ? next : low + (high - low) / 2;
  }
  return explicit_step > 0 ? low : high;  // the near side of a kink
}

}  // namespace

double step(const Loss& loss, double y, double z, double eta, double q) {
  using losses::Kind;
  if (!(q > 0)) return -eta * slope_of(loss, y, z);
  const double slope = slope_of(loss, y, z);
  switch (loss.kind) {
    case Kind::logistic:
      return y * logistic_way(y * z, eta * q) / q;
    case Kind::squared:  // the slope itself decays: it is the distance to go, twice
    case Kind::squared_hinge:
    case Kind::squared_epsilon_insensitive:
      return slope / 2 * std::expm1(-2 * eta * q) / q;
    default:
      return proximal_step(loss, y, z, eta, q);
  }
}

Learner::Learner(LearnerOptions options, std::span<Cell> cells)
    : norms(static_cast<std::size_t>(options.outputs)),
      options_(options),
      cells_(cells),
      scores_(static_cast<std::size_t>(options.outputs)) {}

void Learner::learn(const Loss& loss, const Row& row, int output, double y, double z,
                    double weight) {
  const double slope = slope_of(loss, y, z);
  if (slope == 0 || weight == 0) return;
  Cell* cells = cells_.data() + output;
  if (options_.rule == Rule::adaptive) {
    double q = 0, squares = 0;
    adapt_to(cells, row.index, row.value, row.n, static_cast<float>(weight * slope * slope),
             scales_.data(), rates_.data(), q, squares);
    Norm& norm = norms[static_cast<std::size_t>(output)];
    norm.weight += weight;
    norm.squares += weight * squares;
    const double c = std::sqrt(norm.weight / norm.squares);
    const double s = c * step(loss, y, z, options_.rate * weight, c * q);
    move_by(cells, row.index, row.value, row.n, static_cast<float>(s), rates_.data());
  } else if (options_.rule == Rule::plain) {
    const double eta = options_.rate * std::pow(tally.time, -options_.power);
    const double s = step(loss, y, z, eta * weight, length_of(row.value, row.n));
    move_all_by(cells, row.index, row.value, row.n, static_cast<float>(s));
  } else {
    follow_by(cells, row.index, row.value, row.n, weight * slope, options_);
  }
}

Prediction Learner::predict(const Row& row, const Example& example, const Cost* costs) {
  for (int k = 0; k < options_.outputs; ++k)
    scores_[static_cast<std::size_t>(k)] = score_of(cells_.data() + k, row.index, row.value, row.n);
  if (options_.outputs == 1) return {scores_[0], scores_[0], example.tag};
  const bool listed = options_.costs && example.costs > 0;  // then one of those with a cost
  const auto code = [&](std::int32_t c) { return listed ? costs[c].code : c; };
  const auto at = [&](std::int32_t k) { return scores_[static_cast<std::size_t>(k)]; };
  const std::int32_t candidates =
      listed ? static_cast<std::int32_t>(example.costs) : options_.outputs;
  std::int32_t said = code(0);
  for (std::int32_t c = 1; c < candidates; ++c)
    if (options_.costs ? at(code(c)) < at(said) : at(code(c)) > at(said)) said = code(c);
  return {static_cast<double>(said), at(said), example.tag};
}

double Learner::loss_of(const Example& example, const Cost* costs, const Prediction& said) const {
  if (options_.costs) {
    for (std::uint32_t c = 0; c < example.costs; ++c)
      if (costs[c].code == static_cast<std::int32_t>(said.said)) return costs[c].cost;
    return 0;
  }
  if (options_.outputs > 1) return said.said != example.label ? 1 : 0;
  return value_of(options_.loss, example.label, said.score);
}

void Learner::meet(const Block& block, std::vector<Prediction>* predictions) {
  const std::uint32_t* index = block.index.data();
  const float* value = block.value.data();
  const Cost* costs = block.costs.data();
  for (const Example& example : block.examples) {
    const Row row{index, value, example.features};
    if (rates_.size() < example.features) {
      rates_.resize(example.features);
      scales_.resize(example.features);
    }
    const Prediction said = predict(row, example, costs);
    if (predictions) predictions->push_back(said);
    const bool labelled = options_.costs ? example.costs > 0 : !std::isnan(example.label);
    ++tally.examples;
    ++tally.in_pass;
    tally.features += example.features;
    if (labelled) {
      const double loss = loss_of(example, costs, said);
      const bool wrong = options_.costs || options_.outputs > 1
                             ? loss > 0
                             : options_.classes && said.score * example.label <= 0;
      const bool held = options_.holdout > 0 &&
                        std::fmod(tally.in_pass, static_cast<double>(options_.holdout)) == 0;
      if (held) {
        tally.held_weight += example.weight;
        tally.held_loss += example.weight * loss;
        tally.held_mistakes += wrong ? example.weight : 0;
      } else {
        ++tally.labelled;
        tally.weight += example.weight;
        tally.loss += example.weight * loss;
        tally.mistakes += wrong ? example.weight : 0;
        tally.since_weight += example.weight;
        tally.since_loss += example.weight * loss;
        if (options_.learning) {
          tally.time += example.weight;
          if (options_.costs) {
            const Loss squared{losses::Kind::squared, 0};
            for (std::uint32_t c = 0; c < example.costs; ++c)
              learn(squared, row, costs[c].code, costs[c].cost,
                    scores_[static_cast<std::size_t>(costs[c].code)], example.weight);
          } else if (options_.outputs > 1) {
            for (int k = 0; k < options_.outputs; ++k)
              learn(options_.loss, row, k, k == static_cast<int>(example.label) ? 1 : -1,
                    scores_[static_cast<std::size_t>(k)], example.weight);
          } else {
            learn(options_.loss, row, 0, example.label, said.score, example.weight);
          }
        }
        if (tally.labelled >= tally.next_report) {
          const double since = tally.since_weight > 0 ? tally.since_loss / tally.since_weight : 0;
          const double average = tally.weight > 0 ? tally.loss / tally.weight : 0;
          reports.push_back({tally.labelled, tally.weight, average, since, example.label, said.said,
                             static_cast<double>(example.features)});
          tally.next_report *= 2;
          tally.since_weight = tally.since_loss = 0;
        }
      }
    }
    index += example.features;
    value += example.features;
    costs += example.costs;
  }
}

}  // namespace inducer::stream
