#include "inducer/linear/max_margin.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "inducer/base/parallel.h"
#include "inducer/base/rows.h"

namespace inducer::linear {
namespace {

void score_rows(const Rows& X, const std::int8_t* sign, const double* w, const std::int64_t* list,
                std::int64_t begin, std::int64_t end, double* out) {
  INDUCER_DISPATCH(margin_scores_of(X, sign, w, list, begin, end, out))
}

void measure_rows(const Rows& X, double scale, std::int64_t begin, std::int64_t end, double* out) {
  INDUCER_DISPATCH(norms_of(X, scale, begin, end, out))
}

void solve_here(const std::vector<double>* L, std::int64_t size, double* const* sides, int count,
                bool both) {
  INDUCER_DISPATCH(solve_triangles(L, size, sides, count, both))
}

double squared_norm(const std::vector<double>& v) {
  double sum = 0;
  for (const double value : v) sum += value * value;
  return sum;
}

std::size_t at(std::int64_t index) {
  return static_cast<std::size_t>(index);
}

}  // namespace

void GrowingCholesky::solve(const std::vector<std::vector<double>*>& vectors, bool both) const {
  std::vector<double*> sides;
  for (std::vector<double>* v : vectors) sides.push_back(v->data());
  solve_here(rows_.data(), static_cast<std::int64_t>(size()), sides.data(),
             static_cast<int>(sides.size()), both);
}

MaxMarginFit::MaxMarginFit(const Rows& X, std::vector<std::int8_t> sign,
                           const MaxMarginOptions& options)
    : coef(at(X.cols)),
      X_(X),
      sign_(std::move(sign)),
      options_(options),
      groups_(options.two_hulls ? 2 : 1),
      w_(at(X.cols) + 1),
      scaled_w_(at(X.cols) + 1),
      score_(at(X.rows)) {}

void MaxMarginFit::advance(Monitor& monitor, int threads) {
  while (!finished) {
    if (phase_ == Phase::step) {
      if (!step(threads)) phase_ = Phase::score;
    } else {
      if (!pass_over_rows(monitor, threads)) return;
      if (phase_ == Phase::measure) {
        start();
        phase_ = Phase::score;
      } else {
        judge();
        phase_ = Phase::step;
      }
    }
    if (monitor.should_stop()) return;
  }
}

/// Norms or scores of all rows, in blocks of some milliseconds; false when the slice ended before.
bool MaxMarginFit::pass_over_rows(Monitor& monitor, int threads) {
  if (passed_ == 0 && phase_ == Phase::score) rebuild_w();
  const auto work = static_cast<double>(X_.cols + 8);
  const std::int64_t block = 1 + (std::int64_t{1} << 22) / (X_.cols + 8);
  while (passed_ < X_.rows) {
    const std::int64_t begin = passed_, end = std::min(X_.rows, begin + block);
    parallel_for(threads, end - begin, work, [&](std::int64_t from, std::int64_t to) {
      if (phase_ == Phase::measure)
        measure_rows(X_, options_.scale, begin + from, begin + to, score_.data());
      else
        score_rows(X_, sign_.data(), scaled_w_.data(), nullptr, begin + from, begin + to,
                   score_.data());
    });
    monitor.add_done(end - begin);
    passed_ = end;
    if (passed_ < X_.rows && monitor.should_stop()) return false;
  }
  passed_ = 0;
  return true;
}

/// From norms in score_: the radius, and where to begin: the shortest row of each group.
void MaxMarginFit::start() {
  double largest = 0;
  for (std::int64_t i = 0; i < X_.rows; ++i) {
    std::int64_t& shortest = anchor_[group(i)];
    if (shortest < 0 || score_[at(i)] < score_[at(shortest)]) shortest = i;
    largest = std::max(largest, score_[at(i)]);
  }
  radius = largest / options_.scale;
  for (std::int64_t g = 0; g < groups_; ++g) {
    held.push_back(anchor_[g]);
    weight.push_back(1.0);
    factor_.append(std::vector<double>(at(g)), ridge_);
  }
}

/// From scores of all rows: the bounds, whether to end, and the rows to look at next.
void MaxMarginFit::judge() {
  ++rounds;
  double least[2] = {std::numeric_limits<double>::infinity(),
                     std::numeric_limits<double>::infinity()};
  double level[2] = {0, 0};  // of those held
  for (std::int64_t i = 0; i < X_.rows; ++i)
    least[group(i)] = std::min(least[group(i)], score_[at(i)]);
  for (std::size_t k = 0; k < held.size(); ++k)
    level[group(held[k])] += weight[k] * score_[at(held[k])];
  if (groups_ == 1) least[1] = 0;

  norm2_ = squared_norm(w_);
  const double norm = std::sqrt(norm2_);
  const double groups = static_cast<double>(groups_);
  upper = std::min(upper, norm / (groups * options_.scale));
  if (norm == 0) {
    lower = std::max(lower, 0.0);
    finished = true;
    return;
  }
  const double gap_before = upper_before_ - lower;
  const double reached = (least[0] + least[1]) / (groups * norm * options_.scale);
  if (reached > lower) {
    lower = reached;
    for (std::size_t j = 0; j < coef.size(); ++j) coef[j] = w_[j] / norm;
    offset = groups_ == 2 ? (least[1] - least[0]) / (2 * norm * options_.scale)
                          : options_.constant * w_.back() / norm;
  }
  // Near the end the gap falls by far more than the norm, until rounding lets neither.
  const bool moved = norm2_ < (1 - 1e-6) * least_norm2_ || upper - lower < 0.9 * gap_before;
  idle_rounds_ = moved ? 0 : idle_rounds_ + 1;
  const double extent = std::hypot(radius, options_.constant) * options_.scale;
  constexpr double nothing = 1e-15, noise = 1e-11;  // in units of the longest row
  finished = norm2_ - (least[0] + least[1]) <= options_.tolerance * norm2_ ||
             norm <= nothing * extent || idle_rounds_ >= most_idle_rounds ||
             (norm <= noise * extent && norm2_ > 0.8 * least_norm2_);
  least_norm2_ = std::min(least_norm2_, norm2_);
  upper_before_ = upper;
  if (finished) return;

  near_.clear();
  steps_left_ = 2 * static_cast<std::int64_t>(near_rows) + X_.cols;
  const double enough = options_.tolerance * norm2_ / (2 * groups);
  for (std::int64_t g = 0; g < groups_; ++g) {
    std::vector<std::int64_t> low;
    for (std::int64_t i = 0; i < X_.rows; ++i)
      if (group(i) == g && score_[at(i)] < level[g] - enough) low.push_back(i);
    if (low.size() > near_rows) {
      std::nth_element(low.begin(), low.begin() + near_rows, low.end(), [&](auto a, auto b) {
        return std::pair(score_[at(a)], a) < std::pair(score_[at(b)], b);
      });
      low.resize(near_rows);
      std::sort(low.begin(), low.end());
    }
    near_.insert(near_.end(), low.begin(), low.end());
  }
}

/// Takes in the row that sticks out most, and minimises; false when none does.
bool MaxMarginFit::step(int threads) {
  if (steps_left_-- == 0) return false;
  scores_of_rows(near_, near_score_, threads);
  std::vector<double> held_score;
  scores_of_rows(held, held_score, 1);
  double level[2] = {0, 0};
  for (std::size_t k = 0; k < held.size(); ++k) level[group(held[k])] += weight[k] * held_score[k];

  double most = options_.tolerance * norm2_ / (2 * static_cast<double>(groups_));
  std::size_t chosen = near_.size();
  for (std::size_t k = 0; k < near_.size(); ++k) {
    const double out = level[group(near_[k])] - near_score_[k];
    if (out > most && std::find(held.begin(), held.end(), near_[k]) == held.end())
      most = out, chosen = k;
  }
  if (chosen == near_.size()) return false;
  ++steps;
  const double before = norm2_;
  append(near_[chosen]);
  minimise();
  if (!(norm2_ < before)) near_.erase(near_.begin() + static_cast<std::ptrdiff_t>(chosen));
  return true;
}

void MaxMarginFit::append(std::int64_t row) {
  const std::int64_t own = anchor_[group(row)];
  std::vector<double> difference(w_.size()), cross, anchor_dot;
  visit(X_, [&](const auto& X) {
    INDUCER_ISA::axpy(factor(row), X.row(row), difference.data());
    INDUCER_ISA::axpy(-factor(own), X.row(own), difference.data());
  });
  difference.back() = options_.constant * (factor(row) - factor(own));
  double diagonal = squared_norm(difference);

  for (double& value : difference) value *= options_.scale;
  difference.back() *= options_.constant;
  const std::vector<std::int64_t> anchors(anchor_, anchor_ + groups_);
  cross.resize(held.size());
  anchor_dot.resize(anchors.size());
  score_rows(X_, sign_.data(), difference.data(), held.data(), 0,
             static_cast<std::int64_t>(held.size()), cross.data());
  score_rows(X_, sign_.data(), difference.data(), anchors.data(), 0, groups_, anchor_dot.data());

  if (steps == 1 && diagonal > 0) {
    // Only the anchors are held, and they differ from themselves by nothing: the ridge, which
    // stands for the constraints, can still be made as large as what it is added to.
    ridge_ = diagonal;
    factor_ = GrowingCholesky();
    for (std::size_t g = 0; g < held.size(); ++g) factor_.append(std::vector<double>(g), ridge_);
  }
  for (std::size_t k = 0; k < held.size(); ++k) {
    const std::int64_t g = group(held[k]);
    cross[k] = cross[k] - anchor_dot[at(g)] + (g == group(row) ? ridge_ : 0);
  }
  factor_.append(std::move(cross), diagonal + ridge_);
  held.push_back(row);
  weight.push_back(0.0);
}

void MaxMarginFit::remove(std::size_t place) {
  factor_.remove(place);
  held.erase(held.begin() + static_cast<std::ptrdiff_t>(place));
  weight.erase(weight.begin() + static_cast<std::ptrdiff_t>(place));
}

/// Newton steps over the affine hull of the rows held, until the first weight falls to zero, that
/// row let go and again, until none does. Each step begins at the gradient of w as it is: a second
/// one, where it is needed, takes away the rounding of the first.
void MaxMarginFit::minimise() {
  constexpr int most_full_steps = 4;
  constexpr double settled = 1e-12;
  std::vector<double> gradient, delta, move(w_.size());
  for (int full_steps = 0; full_steps < most_full_steps;) {
    scores_of_rows(held, gradient, 1);
    if (full_steps > 0 && unevenness(gradient) <= settled * norm2_) break;
    newton(gradient, delta);
    add_rows(delta, move);
    double slope = 0;
    const double length2 = squared_norm(move);
    for (std::size_t j = 0; j < w_.size(); ++j) slope += w_[j] * move[j];
    if (!(slope < 0) || !(length2 > 0)) break;
    double far = std::min(1.0, -slope / length2);  // 1, but for rounding
    std::size_t blocking = held.size();
    for (std::size_t k = 0; k < held.size(); ++k)
      if (delta[k] < 0 && weight[k] < -delta[k] * far) far = weight[k] / -delta[k], blocking = k;

    for (std::size_t k = 0; k < held.size(); ++k) weight[k] += far * delta[k];
    for (std::size_t j = 0; j < w_.size(); ++j) w_[j] += far * move[j];
    norm2_ = squared_norm(w_);
    if (blocking < held.size())
      remove(blocking);
    else
      ++full_steps;
  }
  for (std::size_t k = held.size(); k-- > 0;)
    if (!(weight[k] > 0)) remove(k);
}

/// How far the scores of the rows held are from their groups' levels: zero at the minimum.
double MaxMarginFit::unevenness(const std::vector<double>& scores) const {
  double level[2] = {0, 0}, most = 0;
  for (std::size_t k = 0; k < held.size(); ++k) level[group(held[k])] += weight[k] * scores[k];
  for (std::size_t k = 0; k < held.size(); ++k)
    most = std::max(most, std::fabs(scores[k] - level[group(held[k])]));
  return most;
}

/// delta = -M^-1 (gradient - E' multiplier), with the sum of delta zero in each group.
void MaxMarginFit::newton(std::vector<double>& gradient, std::vector<double>& delta) const {
  std::vector<std::vector<double>> pull(at(groups_), std::vector<double>(held.size()));
  std::vector<std::vector<double>*> sides = {&gradient};
  for (std::vector<double>& ones : pull) sides.push_back(&ones);
  for (std::size_t k = 0; k < held.size(); ++k) pull[at(group(held[k]))][k] = 1;
  factor_.solve(sides);
  double sums[2] = {0, 0}, gram[2][2] = {{0, 0}, {0, 0}}, multiplier[2] = {0, 0};
  for (std::size_t k = 0; k < held.size(); ++k) {
    const std::int64_t g = group(held[k]);
    sums[g] += gradient[k];
    for (std::int64_t h = 0; h < groups_; ++h) gram[g][h] += pull[at(h)][k];
  }
  if (groups_ == 1) {
    multiplier[0] = sums[0] / gram[0][0];
  } else {
    const double determinant = gram[0][0] * gram[1][1] - gram[0][1] * gram[1][0];
    multiplier[0] = (sums[0] * gram[1][1] - sums[1] * gram[0][1]) / determinant;
    multiplier[1] = (sums[1] * gram[0][0] - sums[0] * gram[1][0]) / determinant;
  }
  delta.resize(held.size());
  for (std::size_t k = 0; k < held.size(); ++k) {
    delta[k] = -gradient[k];
    for (std::int64_t h = 0; h < groups_; ++h) delta[k] += multiplier[h] * pull[at(h)][k];
  }
  // Where M is all but singular the sums come out wrong; the weights share what is left.
  double excess[2] = {0, 0};
  for (std::size_t k = 0; k < held.size(); ++k) excess[group(held[k])] += delta[k];
  for (std::size_t k = 0; k < held.size(); ++k) delta[k] -= excess[group(held[k])] * weight[k];
}

/// sum = sum of a_k z_k over the rows held.
void MaxMarginFit::add_rows(const std::vector<double>& a, std::vector<double>& sum) const {
  std::fill(sum.begin(), sum.end(), 0.0);
  double constant = 0;
  visit(X_, [&](const auto& X) {
    for (std::size_t k = 0; k < held.size(); ++k) {
      INDUCER_ISA::axpy(a[k] * factor(held[k]), X.row(held[k]), sum.data());
      constant += a[k] * factor(held[k]);
    }
  });
  sum.back() = options_.constant * constant;
}

/// w afresh from the weights, which are made to sum to one: rounding does not pile up.
void MaxMarginFit::rebuild_w() {
  double sums[2] = {0, 0};
  for (std::size_t k = 0; k < held.size(); ++k) sums[group(held[k])] += weight[k];
  for (std::size_t k = 0; k < held.size(); ++k) weight[k] /= sums[group(held[k])];
  add_rows(weight, w_);
  for (std::size_t j = 0; j < w_.size(); ++j) scaled_w_[j] = options_.scale * w_[j];
  scaled_w_.back() *= options_.constant;
}

void MaxMarginFit::scores_of_rows(const std::vector<std::int64_t>& rows, std::vector<double>& out,
                                  int threads) {
  for (std::size_t j = 0; j < w_.size(); ++j) scaled_w_[j] = options_.scale * w_[j];
  scaled_w_.back() *= options_.constant;
  out.resize(rows.size());
  parallel_for(threads, static_cast<std::int64_t>(rows.size()), static_cast<double>(X_.cols + 8),
               [&](std::int64_t begin, std::int64_t end) {
                 score_rows(X_, sign_.data(), scaled_w_.data(), rows.data(), begin, end,
                            out.data());
               });
}

}  // namespace inducer::linear
