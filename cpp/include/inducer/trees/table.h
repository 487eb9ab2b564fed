#pragma once
/// @file  A table as a tree sees it: of each cell only how it compares with others of its column.
///
/// A cell becomes a code. Exact: its rank among the distinct numbers of its column. Binned: the
/// number of its bin, the bins being cut at quantiles; where the distinct numbers fit, each has a
/// bin of its own. A category's code is its level. The code after the last is that of a missing
/// cell. An exact table also sorts the rows of each column by code, once: a tree splits such lists
/// in two and never sorts again.
#include <cstdint>
#include <vector>

#include "inducer/base/views.h"

namespace inducer::trees {

/// A row in the list of a column.
struct Entry {
  std::uint32_t code;
  std::uint32_t row;
};

struct Column {
  std::uint32_t levels = 0;  ///< of categories; 0: numbers
  std::uint32_t codes = 0;   ///< the code of a missing cell
  /// The least and greatest number of each code; none for categories.
  std::vector<double> low, high;

  bool categorical() const noexcept { return levels > 0; }
};

class Table {
 public:
  /// @param levels    a column: 0 for numbers, else how many categories
  /// @param max_bins  0: exact
  Table(const Rows& X, std::vector<std::int32_t> levels, std::int64_t max_bins, int threads);

  std::int64_t rows() const noexcept { return rows_; }
  std::int64_t cols() const noexcept { return static_cast<std::int64_t>(columns_.size()); }
  bool exact() const noexcept { return max_bins_ == 0; }
  const Column& column(std::int64_t j) const { return columns_[static_cast<std::size_t>(j)]; }

  /// The rows of column j by code, missing ones last. @pre exact()
  const Entry* sorted(std::int64_t j) const { return entries_.data() + j * rows_; }

  /// The codes of row i, one a column. @pre !exact()
  const std::uint8_t* narrow(std::int64_t i) const { return bytes_.data() + i * stride_; }
  const std::uint16_t* wide(std::int64_t i) const { return words_.data() + i * stride_; }
  bool is_narrow() const noexcept { return !bytes_.empty(); }
  std::int64_t stride() const noexcept { return stride_; }

  /// What separates numbers of code `below` from those of `above`: x <= threshold is below.
  double threshold(std::int64_t j, std::uint32_t below, std::uint32_t above) const;

 private:
  struct Bench;  // where one column is worked on

  void rank(std::int64_t j, const double* cells, Bench& bench);
  void bin(std::int64_t j, const double* cells, Bench& bench);
  void store(std::int64_t j, const std::vector<std::uint32_t>& codes);

  std::int64_t rows_, max_bins_, stride_ = 0;
  std::vector<Column> columns_;
  std::vector<Entry> entries_;
  std::vector<std::uint8_t> bytes_;
  std::vector<std::uint16_t> words_;
};

}  // namespace inducer::trees
