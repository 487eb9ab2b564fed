#pragma once
/// @file  A tree under way: the large nodes first, then the small ones, side by side.
#include <cstdint>
#include <memory>
#include <variant>
#include <vector>

#include "inducer/base/monitor.h"
#include "inducer/trees/grower.h"
#include "inducer/trees/tree.h"

namespace inducer::trees {

/// A tree that grows in one kind of space.
template <class Space>
class SpaceFit {
 public:
  SpaceFit(const Table& table, RowData data, const GrowOptions& options, int threads);

  void advance(Monitor& monitor, int threads);
  bool done() const noexcept { return grower_.done() && grown_ == grower_.put_aside().size(); }
  Tree tree() const;

 private:
  void grow_small(std::size_t which);

  GrowOptions options_;
  double whole_ = 0;
  Grower<Space> grower_;
  std::vector<Nodes> subtrees_;
  std::size_t grown_ = 0;
};

class TreeFit {
 public:
  TreeFit(std::shared_ptr<const Table> table, Criterion criterion, const Labels& labels,
          const GrowOptions& options, int threads);

  void advance(Monitor& monitor, int threads) {
    std::visit([&](auto& fit) { fit.advance(monitor, threads); }, fit_);
  }
  bool done() const noexcept {
    return std::visit([](const auto& fit) { return fit.done(); }, fit_);
  }
  /// @pre done()
  Tree tree() const {
    return std::visit([](const auto& fit) { return fit.tree(); }, fit_);
  }

 private:
  std::shared_ptr<const Table> table_;
  std::variant<SpaceFit<SortedSpace>, SpaceFit<BinnedSpace>> fit_;
};

}  // namespace inducer::trees
