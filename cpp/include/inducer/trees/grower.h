#pragma once
/// @file  Growing one tree on one space, node by node.
///
/// Depth first, or best first when the number of leaves is limited. A large node is searched, and
/// then cut, some columns at a time, on all threads, and may be left between them. A small node is
/// put aside: the space copies it and one thread grows all that is below. What is grown does not
/// depend on the number of threads: a column's search starts from nothing in large nodes, and
/// winners are compared in the order of the columns.
#include <cstdint>
#include <vector>

#include "inducer/base/monitor.h"
#include "inducer/trees/space.h"

namespace inducer::trees {

struct GrowOptions {
  std::int64_t max_depth = -1;   ///< -1: any
  std::int64_t max_leaves = -1;  ///< -1: any, depth first
  double min_split = 2, min_decrease = 0;
  Limits limits;
  std::int64_t max_features = 0;
  std::uint64_t seed = 0;
};

struct Node {
  Cut cut;  ///< column -1: a leaf
  std::int32_t left = -1, right = -1;
  std::int32_t subtree = -1;  ///< or: which of the small nodes grew it
  std::int64_t rows = 0;
  double gain = 0;
};

/// Nodes in the order in which they were made, and the sums of each.
struct Nodes {
  std::vector<Node> list;
  std::vector<double> sums;
};

/// A node whose fate is open.
struct Open {
  std::int32_t node = 0;
  Range range;
  std::int64_t depth = 0;
  std::uint64_t key = 1;  ///< tells its random numbers
};

template <class Space>
class Grower {
 public:
  /// @param small  nodes of up to so many rows are put aside; 0: none
  Grower(Space space, const GrowOptions& options, std::int64_t small);

  /// Begins at a node that holds all rows of the space.
  /// @param whole  the weight of all rows of the tree
  void begin(std::int64_t depth, std::uint64_t key, const double* sums, double whole);

  /// Until done, or told to stop. @param monitor null: until done
  void advance(Monitor* monitor, int threads);
  bool done() const noexcept { 
    return open_.empty() && waiting_.empty() && stage_ == Stage::idle;
  }

  const Nodes& nodes() const noexcept { return nodes_; }
  Nodes take() { return std::move(nodes_); }
  const std::vector<Open>& put_aside() const noexcept { return aside_; }
  Space& space() noexcept { return space_; }
  const Space& space() const noexcept { return space_; }

 private:
  enum class Stage : std::uint8_t { idle, search, part };

  bool may_split(const Open& open) const;
  void next_node();
  bool search(Monitor* monitor, int threads);
  void settle();
  bool part(Monitor* monitor, int threads);
  void divide();
  void enter(const Open& open);
  void draw_columns();
  std::int64_t columns_at_once(int threads) const;
  Bench& bench(std::int64_t chunk) { return benches_[static_cast<std::size_t>(chunk)]; }
  const double* sums(std::int32_t node) const {
    return nodes_.sums.data() + node * space_.data().stride();
  }

  Space space_;
  GrowOptions options_;
  double whole_ = 0;
  std::int64_t small_, leaves_ = 1;
  Nodes nodes_;

  struct Found {  // a node whose cut is known: best first, it waits for its turn
    Open open;
    Cut cut;
    std::int64_t left_rows;
    double gain;
    std::vector<double> left, right;
  };
  std::vector<Open> open_;  // to be searched, the last one first
  std::vector<Found> waiting_;
  std::vector<Open> aside_;

  // The node in hand.
  Stage stage_ = Stage::idle;
  Open current_;
  Found found_;
  std::vector<std::uint32_t> columns_;  // in the order in which they are looked at
  std::int64_t next_ = 0, usable_ = 0;
  Split best_;
  std::vector<Split> splits_;
  std::vector<Bench> benches_;
  std::vector<std::vector<Entry>> spares_;
};

extern template class Grower<SortedSpace>;

}  // namespace inducer::trees
