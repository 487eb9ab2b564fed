#include "inducer/trees/grower.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "inducer/base/parallel.h"
#include "inducer/base/random.h"

namespace inducer::trees {
namespace {

/// Entries looked at, or cut, between two looks at the clock.
constexpr std::int64_t between_polls = 1 << 22;
constexpr std::int64_t most_chunks = 16;

std::uint64_t child_key(std::uint64_t key, bool right) {
  std::uint64_t word[4] = {key, right, 0, 0};
  philox(word, 0x74726565, 0);
  return word[0];
}

std::size_t place(std::int64_t i) { return static_cast<std::size_t>(i); }

}  // namespace

template <class Space>
Grower<Space>::Grower(Space space, const GrowOptions& options, std::int64_t small)
    : space_(std::move(space)),
      options_(options),
      small_(small),
      columns_(place(space_.cols())),
      splits_(small > 0 ? place(space_.cols()) : 1),
      benches_(small > 0 ? most_chunks : 1),
      spares_(benches_.size()) {
  std::iota(columns_.begin(), columns_.end(), 0u);
}

template <class Space>
void Grower<Space>::begin(std::int64_t depth, std::uint64_t key, const double* sums,
                          double whole) {
  whole_ = whole;
  nodes_.list.emplace_back();
  nodes_.list[0].rows = space_.rows();
  nodes_.sums.assign(sums, sums + space_.data().stride());
  enter({0, {0, space_.rows()}, depth, key});
}

template <class Space>
bool Grower<Space>::may_split(const Open& open) const {
  const auto rows = static_cast<double>(open.range.size());
  const double* const total = sums(open.node);
  return (options_.max_depth < 0 || open.depth < options_.max_depth) &&
         rows >= options_.min_split && rows >= 2 * options_.limits.min_leaf &&
         total[0] >= 2 * options_.limits.min_weight && !space_.data().pure(total);
}

template <class Space>
void Grower<Space>::enter(const Open& open) {
  if (!may_split(open)) return;
  if (open.range.size() <= small_ && options_.max_leaves < 0) {
    nodes_.list[place(open.node)].subtree = static_cast<std::int32_t>(aside_.size());
    aside_.push_back(open);
  } else {
    open_.push_back(open);
  }
}

template <class Space>
void Grower<Space>::advance(Monitor* monitor, int threads) {
  for (;;) {
    if (stage_ == Stage::idle) {
      if (open_.empty() && waiting_.empty()) return;
      next_node();
    }
    if (stage_ == Stage::search) {
      if (!search(monitor, threads)) return;
      settle();
    }
    if (stage_ == Stage::part) {
      if (!part(monitor, threads)) return;
      divide();
    }
    if (monitor && monitor->should_stop()) return;
  }
}

template <class Space>
void Grower<Space>::next_node() {
  next_ = 0;
  if (!open_.empty()) {
    current_ = open_.back();
    open_.pop_back();
    draw_columns();
    best_ = {};
    usable_ = 0;
    stage_ = Stage::search;
    return;
  }
  if (leaves_ >= options_.max_leaves) return waiting_.clear();
  const auto best =
      std::max_element(waiting_.begin(), waiting_.end(), [](const Found& a, const Found& b) {
        return a.gain != b.gain ? a.gain < b.gain : a.open.node > b.open.node;
      });
  found_ = std::move(*best);
  waiting_.erase(best);
  stage_ = Stage::part;
}

template <class Space>
void Grower<Space>::draw_columns() {
  if (options_.max_features >= space_.cols()) return;
  std::iota(columns_.begin(), columns_.end(), 0u);
  Stream stream(options_.seed, current_.key);
  shuffle(columns_.data(), space_.cols(), stream);
}

template <class Space>
std::int64_t Grower<Space>::columns_at_once(int threads) const {
  const std::int64_t rows = std::max<std::int64_t>(1, current_.range.size());
  return std::max<std::int64_t>(threads, between_polls / rows);
}

/// @return false when told to stop before all columns were seen
template <class Space>
bool Grower<Space>::search(Monitor* monitor, int threads) {
  const double* const total = sums(current_.node);
  if (small_ == 0) {  // one thread, and no need to look at the clock: from winner to winner
    for (const std::uint32_t column : columns_) {
      if (usable_ >= options_.max_features && best_.column >= 0) break;
      if (space_.constant(current_.range, column)) continue;
      ++usable_;
      space_.search(current_.range, total, options_.limits, column, benches_[0], best_);
    }
    return true;
  }
  while (next_ < space_.cols()) {
    std::vector<std::uint32_t> chosen;
    const std::int64_t wanted = std::max<std::int64_t>(1, options_.max_features - usable_);
    const std::int64_t most = std::min(columns_at_once(threads), wanted);
    for (; next_ < space_.cols() && static_cast<std::int64_t>(chosen.size()) < most; ++next_)
      if (const std::uint32_t column = columns_[place(next_)];
          !space_.constant(current_.range, column))
        chosen.push_back(column);
    const auto count = static_cast<std::int64_t>(chosen.size());
    usable_ += count;
    const inducer::Split split_of(count, static_cast<double>(current_.range.size()), most_chunks);
    parallel_chunks(threads, split_of.count, [&](std::int64_t chunk) {
      for (std::int64_t k = split_of.begin(chunk); k < split_of.begin(chunk + 1); ++k) {
        splits_[place(k)] = {};
        space_.search(current_.range, total, options_.limits, chosen[place(k)], bench(chunk),
                      splits_[place(k)]);
      }
    });
    const double slack = space_.data().slack(total);
    for (std::int64_t k = 0; k < count; ++k)
      if (best_.yields_to(splits_[place(k)].score, slack)) best_ = splits_[place(k)];
    if (usable_ >= options_.max_features && best_.column >= 0) break;
    if (next_ < space_.cols() && monitor && monitor->should_stop()) return false;
  }
  return true;
}

/// The search is over: is the best cut good enough?
template <class Space>
void Grower<Space>::settle() {
  stage_ = Stage::idle;
  if (best_.column < 0) return;
  const RowData& data = space_.data();
  const double* const total = sums(current_.node);
  found_.open = current_;
  found_.cut = space_.complete(current_.range, total, options_.limits, best_, benches_[0]);
  found_.left.resize(place(data.stride()));
  found_.right.resize(place(data.stride()));
  found_.left_rows =
      space_.measure(current_.range, found_.cut, found_.left.data(), found_.right.data());
  const double gain = total[0] * data.impurity(total) -
                      found_.left[0] * data.impurity(found_.left.data()) -
                      found_.right[0] * data.impurity(found_.right.data());
  if (Split& split = found_.cut.split; !split.missing_seen && found_.left[0] >= found_.right[0]) {
    split.missing_left = true;  // none was missing: such a cell will go to the heavier side
    found_.cut = space_.complete(current_.range, total, options_.limits, split, benches_[0]);
  }
  if (gain < options_.min_decrease * whole_ - 1e-12 * total[0] * data.impurity(total)) return;
  found_.gain = std::max(0.0, gain);
  if (options_.max_leaves >= 0)
    waiting_.push_back(found_);
  else
    stage_ = Stage::part, next_ = 0;
}

template <class Space>
bool Grower<Space>::part(Monitor* monitor, int threads) {
  const Range range = found_.open.range;
  current_ = found_.open;
  if (next_ == 0) space_.mark(range, found_.cut);
  while (next_ < space_.cols()) {
    const std::int64_t count = std::min(columns_at_once(threads), space_.cols() - next_);
    const inducer::Split split_of(count, static_cast<double>(range.size()), static_cast<std::int64_t>(spares_.size()));
    parallel_chunks(threads, split_of.count, [&](std::int64_t chunk) {
      for (std::int64_t k = split_of.begin(chunk); k < split_of.begin(chunk + 1); ++k)
        space_.part(range, next_ + k, spares_[place(chunk)]);
    });
    next_ += count;
    if (next_ < space_.cols() && monitor && monitor->should_stop()) return false;
  }
  return true;
}

/// The rows are apart: two nodes more.
template <class Space>
void Grower<Space>::divide() {
  stage_ = Stage::idle;
  const Open parent = found_.open;
  const auto left = static_cast<std::int32_t>(nodes_.list.size());
  const std::int64_t middle = parent.range.begin + found_.left_rows;
  nodes_.list.resize(nodes_.list.size() + 2);
  nodes_.sums.insert(nodes_.sums.end(), found_.left.begin(), found_.left.end());
  nodes_.sums.insert(nodes_.sums.end(), found_.right.begin(), found_.right.end());
  Node& node = nodes_.list[place(parent.node)];
  node.cut = std::move(found_.cut);
  node.left = left, node.right = left + 1;
  node.gain = found_.gain;
  nodes_.list[place(left)].rows = found_.left_rows;
  nodes_.list[place(left + 1)].rows = parent.range.size() - found_.left_rows;
  ++leaves_;
  // The left one is grown first: it is entered last.
  enter({left + 1, {middle, parent.range.end}, parent.depth + 1, child_key(parent.key, true)});
  enter({left, {parent.range.begin, middle}, parent.depth + 1, child_key(parent.key, false)});
}

template class Grower<SortedSpace>;

}  // namespace inducer::trees
