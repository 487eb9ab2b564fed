#pragma once
/// @file  What a fit knows of each row besides its cells: its weight, and what it adds to the sums
/// of a node.
#include <cstdint>
#include <vector>

#include "inducer/trees/search.h"

namespace inducer::trees {

/// Codes of classes, or targets; the caller owns the memory.
struct Labels {
  const std::int32_t* codes = nullptr;
  const double* targets = nullptr;  ///< rows x outputs
  std::int64_t outputs = 1;         ///< classes, or targets
  const double* weights = nullptr;  ///< or null: all one
};

/// The sums of a node: its weight, the terms, and a square (regression: for the impurity alone).
struct RowData {
  Layout layout = Layout::pairs;
  Criterion criterion = Criterion::gini;
  std::int32_t width = 1, outputs = 1;
  std::vector<double> weights, values, squares;
  std::vector<std::int32_t> codes;
  std::vector<double> centre;  ///< taken from the targets: nearer zero they have more digits

  RowData() = default;
  RowData(Criterion criterion, const Labels& labels, std::int64_t rows);

  /// The same of some rows. @param rows  with the class in the top bit, if the layout has it there
  RowData of(const std::vector<std::uint32_t>& rows) const;

  Terms terms() const;
  /// How many numbers are the sums of a node.
  std::int64_t stride() const noexcept { return width + 2; }
  void add(const Entry* entries, std::int64_t count, double* sums) const;

  double impurity(const double* sums) const;
  double score(const double* sums) const;
  /// Scores of cuts of this node as near as this are ties: what sums in another order may change.
  double slack(const double* sums) const;
  /// As far as rounding can tell.
  bool pure(const double* sums) const;
  /// The weight of each class, or the mean of each target.
  void value(const double* sums, double* value) const;
};

}  // namespace inducer::trees
