#pragma once
/// @file  A tree under way: the large nodes first, then the small ones, side by side.
#include <cstdint>
#include <memory>
#include <vector>

#include "inducer/base/monitor.h"
#include "inducer/trees/grower.h"
#include "inducer/trees/tree.h"

namespace inducer::trees {

class TreeFit {
 public:
  TreeFit(std::shared_ptr<const Table> table, Criterion criterion, const Labels& labels,
          const GrowOptions& options, int threads);

  void advance(Monitor& monitor, int threads);
  bool done() const noexcept { return grower_.done() && grown_ == grower_.put_aside().size(); }
  /// @pre done()
  Tree tree() const;

 private:
  void grow_small(std::size_t which);

  std::shared_ptr<const Table> table_;
  GrowOptions options_;
  double whole_ = 0;
  Grower<SortedSpace> grower_;
  std::vector<Nodes> subtrees_;
  std::size_t grown_ = 0;
};

}  // namespace inducer::trees
