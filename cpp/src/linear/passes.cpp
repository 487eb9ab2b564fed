#include "inducer/linear/passes.h"

#include <algorithm>
#include <utility>

#include "inducer/base/random.h"

namespace inducer::linear {

Examples::Examples(const Rows& rows, std::vector<std::int32_t> codes_, std::vector<double> weights_)
    : X(rows), codes(std::move(codes_)), weights(std::move(weights_)) {
  visited.reserve(static_cast<std::size_t>(X.rows));
  for (std::int64_t i = 0; i < X.rows; ++i) {
    const double weight = weights.empty() ? 1.0 : weights[static_cast<std::size_t>(i)];
    if (weight > 0) visited.push_back(static_cast<std::uint32_t>(i));
    total_weight += weight;
  }
}

Passes::Passes(const Examples& examples, const PassOptions& options, std::uint64_t stream)
    : options_(options), stream_(stream) {
  count_.finished = examples.visited.empty() || options.max_passes <= 0;
}

void Passes::begin(const Examples& examples) {
  const bool first = order_.empty();
  if (first) order_ = examples.visited;
  if (options_.shuffle == Shuffle::every || (options_.shuffle == Shuffle::once && first)) {
    Stream stream(options_.seed, stream_,
                  options_.first_part + static_cast<std::uint64_t>(count_.made));
    shuffle(order_.data(), static_cast<std::int64_t>(order_.size()), stream);
  }
  tally_ = {};
  under_way_ = true;
}

void Passes::end(const Examples& examples) {
  position_ = 0;
  under_way_ = false;
  ++count_.made;
  count_.mistakes += tally_.mistakes;
  count_.last = {tally_.mistakes, tally_.loss / examples.total_weight};
  if (options_.tolerance >= 0) {
    stale_ = count_.last.loss > best_loss_ - options_.tolerance ? stale_ + 1 : 0;
    best_loss_ = std::min(best_loss_, count_.last.loss);
    count_.finished = tally_.mistakes == 0 || stale_ >= options_.patience;
  }
  count_.finished = count_.finished || count_.made >= options_.max_passes;
  if (count_.finished) std::vector<std::uint32_t>().swap(order_);
}

}  // namespace inducer::linear
