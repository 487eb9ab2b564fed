#pragma once
/// @file  Where the rows of a table lie while a tree grows: a node is a range of them.
#include <cstdint>
#include <vector>

#include "inducer/trees/row_data.h"
#include "inducer/trees/search.h"
#include "inducer/trees/table.h"

namespace inducer::trees {

struct Range {
  std::int64_t begin = 0, end = 0;
  std::int64_t size() const noexcept { return end - begin; }
};

/// What is asked of every node.
struct Limits {
  double min_leaf = 1, min_weight = 0;
};

/// A cut, and for categories the set of those that go left (absent ones as missing cells).
struct Cut {
  Split split;
  std::vector<std::uint64_t> set;

  bool goes_left(std::uint32_t code, std::uint32_t missing) const {
    if (code == missing) return split.missing_left;
    if (set.empty()) return code <= split.below;
    return set[code >> 6] >> (code & 63) & 1;
  }
};

/// Where one thread searches.
struct Bench {
  std::vector<double> candidates, sums, cells, keys;
  std::vector<std::uint32_t> at, order, codes;

  /// A view of the node, with room for the candidates of terms of this width.
  NodeView view(const RowData& data, const double* total, double rows, const Limits& limits);
};

/// bench.order = the groups by their mean target (two classes: the share of the second). Of all
/// partitions of the groups one that cuts this order is best, for two classes and for the squared
/// error (Fisher 1958, Breiman et al. 1984). More classes, or targets, are ordered along the
/// direction in which the groups differ most: good, not always best.
void order_groups(const RowData& data, Bench& bench, std::int64_t count, std::int64_t stride);

/// Sorted lists, one a column: an exact search. Each node is the same range of all of them.
class SortedSpace {
 public:
  /// The rows of nonzero weight.
  SortedSpace(const Table& table, RowData data, int threads);

  const RowData& data() const noexcept { return data_; }
  std::int64_t rows() const noexcept { return rows_; }
  std::int64_t cols() const noexcept { return table_->cols(); }
  const Table& table() const noexcept { return *table_; }

  bool constant(Range node, std::int64_t column) const;
  void search(Range node, const double* sums, const Limits& limits, std::int64_t column,
              Bench& bench, Split& best) const;
  /// The set of categories that a split sends left; nothing for numbers.
  Cut complete(Range node, const double* sums, const Limits& limits, const Split& split,
               Bench& bench) const;
  void sum(Range node, double* sums) const;
  /// The sums of both sides. @return how many rows go left
  std::int64_t measure(Range node, const Cut& cut, double* left, double* right) const;
  /// Notes which rows go left; then every column can be cut in two.
  void mark(Range node, const Cut& cut);
  void part(Range node, std::int64_t column, std::vector<Entry>& spare);

  /// A copy of one node: its rows numbered anew and side by side.
  SortedSpace of(Range node);

 private:
  SortedSpace() = default;
  const Entry* list(Range node, std::int64_t column) const {
    return entries_.data() + column * rows_ + node.begin;
  }
  /// The rows of a column of categories, by category, in an order in which cutting is best.
  Groups group(Range node, std::int64_t column, Bench& bench) const;

  const Table* table_ = nullptr;
  RowData data_;
  std::int64_t rows_ = 0;
  std::vector<Entry> entries_;
  std::vector<std::uint8_t> marks_;
  std::vector<std::uint32_t> renumbered_;
};

}  // namespace inducer::trees
