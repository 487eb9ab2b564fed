#include "inducer/linear/perceptron.h"

#include <algorithm>
#include <utility>

#include "inducer/base/parallel.h"
#include "inducer/base/random.h"

namespace inducer::linear {
namespace {

template <class T>
void visit_rows_on_this_machine(PerceptronPass<T>& pass, const Rows& X, const Monitor& monitor) {
  INDUCER_DISPATCH(visit_rows(pass, X, monitor))
}

}  // namespace

template <std::floating_point T>
PerceptronFit<T>::PerceptronFit(const Rows& X, std::vector<std::int32_t> codes,
                                std::vector<double> weights, std::int64_t problems,
                                const PerceptronOptions& options)
    : X_(X), codes_(std::move(codes)), weights_(std::move(weights)), options_(options) {
  used_.reserve(static_cast<std::size_t>(X.rows));
  for (std::int64_t i = 0; i < X.rows; ++i) {
    const double weight = weights_.empty() ? 1.0 : weights_[static_cast<std::size_t>(i)];
    if (weight > 0) used_.push_back(static_cast<std::uint32_t>(i));
    total_weight_ += weight;
  }
  problems_.resize(static_cast<std::size_t>(problems));
  for (auto& p : problems_) {
    p.w.assign(static_cast<std::size_t>(X.cols), T(0));
    if (options_.average) p.u.assign(static_cast<std::size_t>(X.cols), 0.0);
    p.finished = used_.empty() || options_.max_passes <= 0;
  }
}

template <std::floating_point T>
bool PerceptronFit<T>::finished() const noexcept {
  return std::all_of(problems_.begin(), problems_.end(), [](const auto& p) { return p.finished; });
}

template <std::floating_point T>
bool PerceptronFit<T>::reached(std::int64_t passes) const noexcept {
  return std::all_of(problems_.begin(), problems_.end(),
                     [=](const auto& p) { return p.finished || p.passes >= passes; });
}

template <std::floating_point T>
void PerceptronFit<T>::advance(Monitor& monitor, std::int64_t passes, int threads) {
  // As many problems at a time as there are threads: only those hold an order of the rows.
  while (!monitor.stopped()) {
    std::vector<std::size_t> batch;
    for (std::size_t k = 0; k < problems_.size(); ++k)
      if (!problems_[k].finished && problems_[k].passes < passes) {
        batch.push_back(k);
        if (static_cast<int>(batch.size()) >= std::max(1, threads)) break;
      }
    if (batch.empty()) break;
    parallel_chunks(threads, static_cast<std::int64_t>(batch.size()), [&](std::int64_t k) {
      advance_one(batch[static_cast<std::size_t>(k)], monitor, passes);
    });
    if (monitor.should_stop()) break;
  }
}

template <std::floating_point T>
void PerceptronFit<T>::advance_one(std::size_t k, const Monitor& monitor, std::int64_t passes) {
  PerceptronProblem<T>& p = problems_[k];
  PerceptronPass<T> pass{};
  pass.codes = codes_.data();
  pass.weights = weights_.empty() ? nullptr : weights_.data();
  pass.positive = problems_.size() == 1 ? 1 : static_cast<std::int32_t>(k);
  pass.count = rows_used();
  pass.w = p.w.data();
  pass.u = options_.average ? p.u.data() : nullptr;
  pass.rate = options_.rate;
  pass.fit_intercept = options_.fit_intercept;
  while (!p.finished && p.passes < passes) {
    if (p.position == 0) begin_pass(p, k);
    pass.order = p.order.data();
    pass.position = p.position;
    pass.b = p.b, pass.beta = p.beta, pass.c = p.c;
    pass.mistakes = p.mistakes_so_far, pass.loss = p.loss_so_far;
    visit_rows_on_this_machine(pass, X_, monitor);
    p.position = pass.position;
    p.b = pass.b, p.beta = pass.beta, p.c = pass.c;
    p.mistakes_so_far = pass.mistakes, p.loss_so_far = pass.loss;
    if (p.position < pass.count) return;
    end_pass(p);
    if (monitor.should_stop()) return;
  }
}

template <std::floating_point T>
void PerceptronFit<T>::begin_pass(PerceptronProblem<T>& p, std::size_t k) const {
  const bool first = p.order.empty();
  if (first) p.order = used_;
  if (options_.shuffle == Shuffle::every || (options_.shuffle == Shuffle::once && first)) {
    Stream stream(options_.seed, k, options_.first_part + static_cast<std::uint64_t>(p.passes));
    shuffle(p.order.data(), rows_used(), stream);
  }
  p.mistakes_so_far = 0;
  p.loss_so_far = 0;
}

template <std::floating_point T>
void PerceptronFit<T>::end_pass(PerceptronProblem<T>& p) const {
  p.position = 0;
  ++p.passes;
  p.pass_mistakes = p.mistakes_so_far;
  p.mistakes += p.pass_mistakes;
  p.pass_loss = p.loss_so_far / total_weight_;
  p.clean = p.pass_mistakes == 0;
  if (options_.tolerance >= 0) {
    p.stale = p.pass_loss > p.best_loss - options_.tolerance ? p.stale + 1 : 0;
    p.best_loss = std::min(p.best_loss, p.pass_loss);
    if (p.clean || p.stale >= options_.patience) p.finished = true;
  }
  if (p.passes >= options_.max_passes) p.finished = true;
  if (p.finished) std::vector<std::uint32_t>().swap(p.order);
}

template class PerceptronFit<float>;
template class PerceptronFit<double>;

}  // namespace inducer::linear
