#include "inducer/linear/dual_perceptron.h"

#include <utility>

namespace inducer::linear {

DualPerceptronFit::DualPerceptronFit(Examples examples, std::int32_t positive, std::uint64_t stream,
                                     bool fit_intercept, const PassOptions& options)
    : passes(examples, options, stream),
      examples_(std::move(examples)),
      positive_(positive),
      fit_intercept_(fit_intercept) {
  alpha.assign(static_cast<std::size_t>(rows()), 0.0);
  activation_.assign(static_cast<std::size_t>(rows()), 0.0);
}

std::int64_t DualPerceptronFit::advance(Monitor& monitor, std::int64_t wanted) {
  if (mistaken_ >= 0) return mistaken_;
  passes.advance(
      examples_, monitor, wanted,
      [&](const std::uint32_t* order, std::int64_t count, std::int64_t& position, Tally& tally) {
        if (corrected_) ++position;
        corrected_ = false;
        const std::int64_t from = position;
        for (; position < count; ++position) {
          const std::size_t i = order[position];
          const double agreement = sign(i) * (activation_[i] + b);
          if (agreement > 0) continue;
          const double weight = examples_.weights.empty() ? 1.0 : examples_.weights[i];
          tally.loss -= weight * agreement;
          ++tally.mistakes;
          mistaken_ = static_cast<std::int64_t>(i);
          break;
        }
        monitor.add_done(position - from);
      });
  return mistaken_;
}

void DualPerceptronFit::correct(const double* kernel_row) {
  const auto i = static_cast<std::size_t>(mistaken_);
  const double weight = examples_.weights.empty() ? 1.0 : examples_.weights[i];
  const double r = weight * sign(i);
  for (std::size_t n = 0; n < activation_.size(); ++n) activation_[n] += r * kernel_row[n];
  alpha[i] += weight;
  if (fit_intercept_) b += r;
  mistaken_ = -1;
  corrected_ = true;
}

}  // namespace inducer::linear
