#pragma once
/// @file  The rows of a column, sorted by their cells.
#include <cstdint>
#include <vector>

namespace inducer::trees {

/// The upper half of a number's order, and its row.
struct Keyed {
  std::uint32_t key;
  std::uint32_t row;
};

/// `sorted` by cell, equal cells by row, NaN last. O(rows), unless many cells share 20 leading bits.
/// @param sorted,spare  room for `rows` each
void sort_cells(const double* cells, std::int64_t rows, std::vector<Keyed>& sorted,
                std::vector<Keyed>& spare);

}  // namespace inducer::trees
