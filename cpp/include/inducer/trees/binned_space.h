#pragma once
/// @file  Rows that stay where they are, told apart by bins: a search by histograms.
#include <cstdint>
#include <vector>

#include "inducer/trees/space.h"

namespace inducer::trees {

/// The rows of a node are a range of one list; a column's histogram is made from them when it is
/// searched. The same questions as to SortedSpace.
class BinnedSpace {
 public:
  /// The rows of nonzero weight.
  BinnedSpace(const Table& table, RowData data, int threads);

  const RowData& data() const noexcept { return data_; }
  std::int64_t rows() const noexcept { return static_cast<std::int64_t>(order_.size()); }
  std::int64_t cols() const noexcept { return table_->cols(); }
  const Table& table() const noexcept { return *table_; }

  bool constant(Range node, std::int64_t column) const;
  void search(Range node, const double* sums, const Limits& limits, std::int64_t column,
              Bench& bench, Split& best) const;
  Cut complete(Range node, const double* sums, const Limits& limits, const Split& split,
               Bench& bench) const;
  void sum(Range node, double* sums) const;
  std::int64_t measure(Range node, const Cut& cut, double* left, double* right) const;
  /// Cuts the list of rows in two: there is but one.
  void mark(Range node, const Cut& cut);
  void part(Range, std::int64_t, std::vector<Entry>&) {}

  BinnedSpace of(Range node);

 private:
  BinnedSpace() = default;
  /// f(codes of the column, by row)
  template <class F>
  decltype(auto) with_codes(std::int64_t column, F f) const;
  Groups group(Range node, std::int64_t column, Bench& bench) const;

  const Table* table_ = nullptr;
  RowData data_;
  std::vector<std::uint32_t> order_;  // rows, with the class in the top bit where it lies there
  std::vector<std::uint32_t> spare_;
  // Of a copy of a node: its own codes, a column after the other; otherwise those of the table.
  bool own_ = false;
  std::vector<std::uint8_t> bytes_;
  std::vector<std::uint16_t> words_;
};

}  // namespace inducer::trees
