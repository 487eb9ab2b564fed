#include "inducer/linear/multiclass_perceptron.h"

#include <utility>

namespace inducer::linear {
namespace {

template <class T>
void visit_rows_here(const MulticlassSlice<T>& slice, const Rows& X, Monitor& monitor) {
  INDUCER_DISPATCH(visit_rows(slice, X, monitor))
}

}  // namespace

template <std::floating_point T>
MulticlassPerceptronFit<T>::MulticlassPerceptronFit(Examples examples, std::int64_t classes,
                                                    const PerceptronState<T>& state,
                                                    const PerceptronOptions& options,
                                                    const PassOptions& pass_options)
    : passes(examples, pass_options, 0),
      examples_(std::move(examples)),
      classes_(classes),
      state_(state),
      options_(options) {}

template <std::floating_point T>
void MulticlassPerceptronFit<T>::advance(Monitor& monitor, std::int64_t wanted) {
  passes.advance(
      examples_, monitor, wanted,
      [&](const std::uint32_t* order, std::int64_t count, std::int64_t& position, Tally& tally) {
        visit_rows_here<T>({order, count, position, tally, examples_.codes.data(),
                            examples_.weights_or_null(), classes_, options_.fit_intercept,
                            options_.rate, state_.w, state_.u, state_.b, state_.beta, *state_.c},
                           examples_.X, monitor);
      });
}

template class MulticlassPerceptronFit<float>;
template class MulticlassPerceptronFit<double>;

}  // namespace inducer::linear
