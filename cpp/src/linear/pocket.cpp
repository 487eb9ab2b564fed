#include "inducer/linear/pocket.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "inducer/base/rows.h"

namespace inducer::linear {
namespace {

template <class T>
void add_row(const Rows& rows, std::int64_t i, double r, T* w) {
  visit_layout<T>(rows, [&](const auto& X) { INDUCER_ISA::axpy(static_cast<T>(r), X.row(i), w); });
}

}  // namespace

template <std::floating_point T>
PocketFit<T>::PocketFit(Examples examples, std::int64_t classes, std::vector<double> cost,
                        const PocketState<T>& state, const PocketOptions& options)
    : best_cost(std::numeric_limits<double>::infinity()),
      examples_(std::move(examples)),
      outputs_(classes == 2 ? 1 : classes),
      cost_(std::move(cost)),
      state_(state),
      options_(options),
      stream_(options.seed, 0),
      charge_(static_cast<std::size_t>(examples_.X.rows)),
      guess_(static_cast<std::size_t>(examples_.X.rows)) {}

template <std::floating_point T>
void PocketFit<T>::advance(Monitor& monitor, std::int64_t wanted, int threads) {
  while (!finished) {
    evaluate(monitor, threads);
    if (evaluated_ < examples_.X.rows) return;
    if (total_ == 0 || updates >= options_.max_updates) {
      finished = true;
    } else if (updates < wanted) {
      correct();
    } else {
      return;
    }
    if (monitor.should_stop()) return;
  }
}

/// Charges the rows not yet charged, in blocks of some milliseconds; after the last, the total is
/// known and the rule may go into the pocket.
template <std::floating_point T>
void PocketFit<T>::evaluate(Monitor& monitor, int threads) {
  const std::int64_t rows = examples_.X.rows;
  const std::int64_t block = 1 + (std::int64_t{1} << 22) / (examples_.X.cols * outputs_ + 8);
  while (evaluated_ < rows) {
    const std::int64_t end = std::min(rows, evaluated_ + block);
    charge_mistakes<T>(examples_.X, examples_.codes.data(), examples_.weights_or_null(),
                       {state_.w, state_.b, outputs_}, cost_.data(), charge_.data(), guess_.data(),
                       evaluated_, end, threads);
    monitor.add_done(end - evaluated_);
    evaluated_ = end;
    if (end == rows)
      put_into_pocket();
    else if (monitor.should_stop())
      return;
  }
}

template <std::floating_point T>
void PocketFit<T>::put_into_pocket() {
  total_ = 0;
  std::int64_t wrong = 0;
  for (std::size_t i = 0; i < charge_.size(); ++i) {
    const bool counts = examples_.weights.empty() || examples_.weights[i] > 0;
    total_ += charge_[i];
    wrong += counts && guess_[i] != examples_.codes[i];
  }
  if (total_ < best_cost) {
    best_cost = total_;
    std::copy_n(state_.w, outputs_ * examples_.X.cols, state_.best_w);
    std::copy_n(state_.b, outputs_, state_.best_b);
    mistakes = wrong;
  }
}

template <std::floating_point T>
void PocketFit<T>::correct() {
  const double target = stream_.uniform() * total_;
  double sum = 0;
  std::size_t chosen = 0;
  for (std::size_t i = 0; i < charge_.size(); ++i) {
    if (charge_[i] == 0) continue;
    chosen = i;
    sum += charge_[i];
    if (sum > target) break;
  }
  const auto move = [&](std::int64_t k, double r) {
    add_row(examples_.X, static_cast<std::int64_t>(chosen), r, state_.w + k * examples_.X.cols);
    if (options_.fit_intercept) state_.b[k] += r;
  };
  const std::int32_t code = examples_.codes[chosen];
  if (outputs_ == 1) {
    move(0, code == 1 ? options_.rate : -options_.rate);
  } else {
    move(code, options_.rate);
    move(guess_[chosen], -options_.rate);
  }
  ++updates;
  evaluated_ = 0;
}

template class PocketFit<float>;
template class PocketFit<double>;

}  // namespace inducer::linear
