#include "inducer/linear/sgd.h"

#include <algorithm>
#include <utility>

#include "inducer/linear/problems.h"

namespace inducer::linear {
namespace {

template <class T>
void visit_here(const SgdSlice<T>& slice, const Rows& X, Monitor& monitor) {
  INDUCER_DISPATCH(visit_sgd_rows(slice, X, monitor))
}

template <class T>
void conclude_here(const SgdSlice<T>& slice) {
  INDUCER_DISPATCH(conclude_sgd_pass(slice))
}

}  // namespace

template <std::floating_point T>
SgdFit<T>::SgdFit(Examples examples, std::int64_t problems, const PerceptronState<T>& state,
                  const SgdOptions& options, PassOptions passes)
    : examples_(std::move(examples)), state_(state), options_(options) {
  const auto visited = static_cast<std::int64_t>(examples_.visited.size());
  options_.batch = std::clamp<std::int64_t>(options_.batch, 1, std::max<std::int64_t>(visited, 1));
  // Under a penalty the weights change without a mistake, too.
  passes.clean_ends = !(options_.l2 > 0) && options_.sparsity == Sparsity::none;
  for (std::int64_t k = 0; k < problems; ++k) {
    SgdProblem problem;
    problem.passes = Passes(examples_, passes, static_cast<std::uint64_t>(k));
    problem.numbers.rate = options_.eta0;
    problems_.push_back(std::move(problem));
  }
}

template <std::floating_point T>
void SgdFit<T>::advance(Monitor& monitor, std::int64_t passes, int threads) {
  advance_problems(problems_, monitor, passes, threads,
                   [&](std::size_t k) { advance_one(k, monitor, passes); });
}

template <std::floating_point T>
bool SgdFit<T>::lower_rate() {
  bool lowered = false;
  for (SgdProblem& problem : problems_) lowered |= lower_rate(problem);
  return lowered;
}

template <std::floating_point T>
bool SgdFit<T>::lower_rate(SgdProblem& problem) const {
  if (!options_.adaptive || !(problem.numbers.rate > 1e-6)) return false;
  problem.numbers.rate /= 5;
  return true;
}

template <std::floating_point T>
void SgdFit<T>::advance_one(std::size_t k, Monitor& monitor, std::int64_t passes) {
  SgdProblem& p = problems_[k];
  const auto cols = static_cast<std::size_t>(examples_.X.cols);
  const auto batch = static_cast<std::size_t>(options_.batch);
  p.batch_rows.resize(batch), p.batch_slopes.resize(batch);
  if (options_.sparsity != Sparsity::none) p.paid.resize(cols);
  if (options_.sparsity == Sparsity::truncated_steps)
    p.steps.resize(cols), p.stepped.resize(cols), p.stepped_list.resize(cols);
  const auto slice = [&](const std::uint32_t* order, std::int64_t count, std::int64_t& position,
                         Tally& tally) {
    return SgdSlice<T>{order,
                       count,
                       position,
                       tally,
                       examples_.codes.empty() ? nullptr : examples_.codes.data(),
                       examples_.numbers.data(),
                       examples_.weights_or_null(),
                       problems_.size() == 1 ? 1 : static_cast<std::int32_t>(k),
                       options_,
                       examples_.X.cols,
                       state_.w + k * cols,
                       state_.u ? state_.u + k * cols : nullptr,
                       state_.b[k],
                       state_.beta[k],
                       state_.c[k],
                       p.numbers,
                       p.paid.empty() ? nullptr : p.paid.data(),
                       p.steps.data(),
                       p.stepped.data(),
                       p.stepped_list.data(),
                       p.batch_rows.data(),
                       p.batch_slopes.data()};
  };
  p.passes.advance(
      examples_, monitor, passes,
      [&](const std::uint32_t* order, std::int64_t count, std::int64_t& position, Tally& tally) {
        visit_here<T>(slice(order, count, position, tally), examples_.X, monitor);
      },
      [&](Tally& tally) {
        std::int64_t nowhere = 0;
        conclude_here<T>(slice(nullptr, 0, nowhere, tally));
        if (p.numbers.overflowed) p.passes.finish();
      },
      [&] { return lower_rate(p); });
  if (p.passes.count().finished) {  // its memory may serve the next problem
    const SgdNumbers numbers = p.numbers;
    p = {std::move(p.passes), numbers, {}, {}, {}, {}, {}, {}};
  }
}

template class SgdFit<float>;
template class SgdFit<double>;

}  // namespace inducer::linear
