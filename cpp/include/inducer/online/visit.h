#pragma once
/// @file  The one loop over examples that every online rule runs in, for *.isa.cpp files.
#include "inducer/base/rows.h"
#include "inducer/linear/visit.h"
#include "inducer/online/online.h"

namespace inducer::INDUCER_ISA {

/// What a rule makes of a row before it moves.
struct Step {
  double loss;
  double size;  ///< r; zero: nothing to learn from this row
};

/// rule.score(x), rule.step(y, score, weight, x) and rule.move(r, x) for the rows of a slice.
template <class T, class View, class Policy>
INDUCER_INLINE void visit_examples(const online::OnlineSlice<T>& s, const View& X, Monitor& monitor,
                                   Policy& rule) {
  const std::int32_t* const codes = s.codes;
  const double* const targets = s.targets;
  const double* const weights = s.weights;
  const std::int32_t positive = s.positive;
  double loss = s.tally.loss, visits = s.scalars[0];
  std::int64_t moves = 0;
  s.position =
      visit_in_order(X, s.order, s.count, s.position, codes, mean_cells(X) * Policy::work, monitor,
                     [&](std::int64_t i, const auto& x) {
                       const double y = targets ? targets[i] : codes[i] == positive ? 1.0 : -1.0;
                       const double weight = weights ? weights[i] : 1.0;
                       const Step step = rule.step(y, rule.score(x), weight, x);
                       loss += weight * step.loss;
                       if (step.size != 0) {
                         rule.move(step.size, x, visits);
                         ++moves;
                       }
                       visits += 1;
                     });
  s.tally.loss = loss;
  s.tally.mistakes += moves;
  s.scalars[0] = visits;
}

/// |x|^2, in the lanes of a dot product.
template <std::floating_point T>
INDUCER_INLINE double squared_length(DenseRow<T> x) {
  return static_cast<double>(dot(x.values, x.values, x.cols));
}

template <std::floating_point T>
INDUCER_INLINE double squared_length(SparseRow<T> x) {
  return static_cast<double>(dot(x.values, x.values, x.size));
}

/// The same lanes as of a dense row, so that the layout does not change a result.
template <std::floating_point T>
INDUCER_INLINE double squared_length(StridedRow<T> x) {
  T lane[lanes<T>]{};
  std::int64_t j = 0;
  for (; j + lanes<T> <= x.cols; j += lanes<T>)
    for (int k = 0; k < lanes<T>; ++k) {
      const T value = x.values[(j + k) * x.stride];
      lane[k] += value * value;
    }
  for (int k = 0; j < x.cols; ++j, ++k) {
    const T value = x.values[j * x.stride];
    lane[k] += value * value;
  }
  for (int half = lanes<T> / 2; half > 0; half /= 2)
    for (int k = 0; k < half; ++k) lane[k] += lane[k + half];
  return static_cast<double>(lane[0]);
}

/// Loss and slope at a score, whichever loss it is: a switch that always takes the same way.
struct LossAt {
  double value, slope;
};

INDUCER_INLINE LossAt loss_at(const inducer::losses::Loss& loss, double y, double score) {
  return losses::visit(loss,
                       [=](const auto& l) { return LossAt{l.value(y, score), l.slope(y, score)}; });
}

}  // namespace inducer::INDUCER_ISA
