#include "inducer/linear/perceptron.h"

#include <algorithm>
#include <utility>

#include "inducer/linear/problems.h"

namespace inducer::linear {
namespace {

template <class T>
void visit_rows_here(const PerceptronSlice<T>& slice, const Rows& X, Monitor& monitor) {
  INDUCER_DISPATCH(visit_rows(slice, X, monitor))
}

}  // namespace

template <std::floating_point T>
PerceptronFit<T>::PerceptronFit(Examples examples, std::int64_t problems,
                                const PerceptronState<T>& state, const PerceptronOptions& options,
                                const PassOptions& passes)
    : examples_(std::move(examples)), state_(state), options_(options) {
  for (std::int64_t k = 0; k < problems; ++k)
    problems_.push_back({Passes(examples_, passes, static_cast<std::uint64_t>(k)), {}, {}});
}

template <std::floating_point T>
void PerceptronFit<T>::advance(Monitor& monitor, std::int64_t passes, int threads) {
  advance_problems(problems_, monitor, passes, threads,
                   [&](std::size_t k) { advance_one(k, monitor, passes); });
}

template <std::floating_point T>
void PerceptronFit<T>::advance_one(std::size_t k, Monitor& monitor, std::int64_t passes) {
  PerceptronProblem& p = problems_[k];
  const std::size_t at = k * static_cast<std::size_t>(examples_.X.cols);
  const auto positive = problems_.size() == 1 ? 1 : static_cast<std::int32_t>(k);
  p.passes.advance(
      examples_, monitor, passes,
      [&](const std::uint32_t* order, std::int64_t count, std::int64_t& position, Tally& tally) {
        const std::size_t kept = p.mistaken_rows.size();
        if (options_.remember) {
          const auto room = kept + static_cast<std::size_t>(count - position);
          p.mistaken_rows.resize(room);
          p.mistake_times.resize(room);
        }
        const std::int64_t before = tally.mistakes;
        visit_rows_here<T>(
            {order, count, position, tally, examples_.codes.data(), examples_.weights_or_null(),
             positive, options_.fit_intercept, options_.rate, state_.w + at,
             state_.u ? state_.u + at : nullptr, state_.b[k], state_.beta[k], state_.c[k],
             options_.remember ? p.mistaken_rows.data() + kept : nullptr,
             options_.remember ? p.mistake_times.data() + kept : nullptr},
            examples_.X, monitor);
        if (options_.remember) {
          const auto used = kept + static_cast<std::size_t>(tally.mistakes - before);
          p.mistaken_rows.resize(used);
          p.mistake_times.resize(used);
        }
      });
}

template class PerceptronFit<float>;
template class PerceptronFit<double>;

}  // namespace inducer::linear
