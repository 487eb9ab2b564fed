#include "inducer/linear/passes.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "inducer/base/random.h"

namespace inducer::linear {

Examples::Examples(const Rows& rows, std::vector<std::int32_t> codes_, std::vector<double> weights_,
                   std::int64_t classes)
    : X(rows), codes(std::move(codes_)), weights(std::move(weights_)) {
  bool outside = false;
  for (const std::int32_t code : codes) outside |= code < 0 || code >= classes;
  if (outside) throw std::invalid_argument("a code is not one of the classes");
  find_visited();
}

Examples::Examples(const Rows& rows, std::vector<double> numbers_, std::vector<double> weights_)
    : X(rows), numbers(std::move(numbers_)), weights(std::move(weights_)) {
  find_visited();
}

void Examples::find_visited() {
  visited.resize(static_cast<std::size_t>(X.rows));
  std::iota(visited.begin(), visited.end(), 0u);
  total_weight = static_cast<double>(X.rows);
  if (weights.empty()) return;
  std::erase_if(visited, [&](std::uint32_t i) { return !(weights[i] > 0); });
  total_weight = std::accumulate(weights.begin(), weights.end(), 0.0);
}

Passes::Passes(const Examples& examples, const PassOptions& options, std::uint64_t stream)
    : options_(options), stream_(stream) {
  count_.finished = examples.visited.empty() || options.max_passes <= 0;
}

void Passes::begin(const Examples& examples) {
  // An order depends on seed, stream and the number of the pass alone: so it does not matter
  // whether the passes are made by one fit or by several.
  const bool every = options_.shuffle == Shuffle::every;
  const bool first = order_.empty();
  if (first || every) order_ = examples.visited;
  if (every || (first && options_.shuffle == Shuffle::once)) {
    const auto pass = options_.first_part + static_cast<std::uint64_t>(count_.made);
    Stream stream(options_.seed, stream_, every ? pass : 0);
    shuffle(order_.data(), static_cast<std::int64_t>(order_.size()), stream);
  }
  tally_ = {};
  under_way_ = true;
}

bool Passes::end(const Examples& examples) {
  position_ = 0;
  under_way_ = false;
  ++count_.made;
  count_.mistakes += tally_.mistakes;
  count_.last = {tally_.mistakes, tally_.loss / examples.total_weight, tally_.penalty};
  bool stuck = false;
  if (options_.tolerance >= 0) {
    const double objective = count_.last.loss + count_.last.penalty;
    stale_ = objective > best_ - options_.tolerance ? stale_ + 1 : 0;
    best_ = std::min(best_, objective);
    stuck = stale_ >= options_.patience;
    if (stuck) stale_ = 0;
    if (options_.clean_ends && tally_.mistakes == 0) finish();
  }
  if (count_.made >= options_.max_passes) finish();
  return stuck;
}

void Passes::finish() {
  count_.finished = true;
  std::vector<std::uint32_t>().swap(order_);
}

}  // namespace inducer::linear
