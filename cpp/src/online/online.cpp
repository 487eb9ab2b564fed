#include "inducer/online/online.h"

#include <utility>

#include "inducer/linear/problems.h"

namespace inducer::online {
namespace {

template <class T>
void visit_rows_here(const OnlineSlice<T>& slice, const Rows& X, Monitor& monitor) {
  switch (slice.rule.kind) {
    case Kind::passive_aggressive:
      INDUCER_DISPATCH(visit_passive_aggressive(slice, X, monitor))
    case Kind::multiplicative:
      INDUCER_DISPATCH(visit_multiplicative(slice, X, monitor))
    case Kind::leader:
      INDUCER_DISPATCH(visit_leader(slice, X, monitor))
  }
}

}  // namespace

template <std::floating_point T>
OnlineFit<T>::OnlineFit(linear::Examples examples, std::vector<double> targets,
                        std::int64_t problems, const State<T>& state, const Rule& rule,
                        const linear::PassOptions& passes)
    : examples_(std::move(examples)), targets_(std::move(targets)), state_(state), rule_(rule) {
  for (std::int64_t k = 0; k < problems; ++k)
    problems_.push_back({linear::Passes(examples_, passes, static_cast<std::uint64_t>(k))});
}

template <std::floating_point T>
void OnlineFit<T>::advance(Monitor& monitor, std::int64_t passes, int threads) {
  linear::advance_problems(problems_, monitor, passes, threads,
                           [&](std::size_t k) { advance_one(k, monitor, passes); });
}

template <std::floating_point T>
void OnlineFit<T>::advance_one(std::size_t k, Monitor& monitor, std::int64_t passes) {
  const auto cols = static_cast<std::size_t>(examples_.X.cols);
  const auto width = static_cast<std::size_t>(memory_width(rule_));
  const auto positive = problems_.size() == 1 ? 1 : static_cast<std::int32_t>(k);
  problems_[k].passes.advance(
      examples_, monitor, passes,
      [&](const std::uint32_t* order, std::int64_t count, std::int64_t& position,
          linear::Tally& tally) {
        visit_rows_here<T>(
            {order, count, position, tally, examples_.codes.data(),
             targets_.empty() ? nullptr : targets_.data(), examples_.weights_or_null(), positive,
             rule_, state_.w + k * cols, state_.memory + k * cols * width, state_.b[k],
             state_.b_memory + k * width, state_.scalars + k * scalar_count},
            examples_.X, monitor);
      });
}

template class OnlineFit<float>;
template class OnlineFit<double>;

}  // namespace inducer::online
