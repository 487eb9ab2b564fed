#include "inducer/trees/table.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "inducer/base/parallel.h"
#include "inducer/trees/sort.h"

namespace inducer::trees {
namespace {

constexpr std::int64_t together = 8;  // columns read in one go down the rows: a line of float64

/// The cells of columns [first, last), one after the other.
void gather(const Rows& X, std::int64_t first, std::int64_t last, double* cells) {
  const auto strided = [&]<class T>(const T* values) {
    for (std::int64_t i = 0; i < X.rows; ++i)
      for (std::int64_t j = first; j < last; ++j)
        cells[(j - first) * X.rows + i] =
            static_cast<double>(values[i * X.row_stride + j * X.col_stride]);
  };
  if (X.single)
    strided(static_cast<const float*>(X.values));
  else
    strided(static_cast<const double*>(X.values));
}

/// As scikit-learn does: the midpoint, unless rounding would make it the upper value.
double between(double below, double above) {
  double middle = below / 2 + above / 2;
  if (!(middle < above) || !std::isfinite(middle)) middle = below;
  return middle;
}

}  // namespace

struct Table::Bench {
  std::vector<Keyed> keyed, spare;
  std::vector<std::uint32_t> codes;
};

Table::Table(const Rows& X, std::vector<std::int32_t> levels, std::int64_t max_bins, int threads)
    : rows_(X.rows), max_bins_(max_bins), columns_(static_cast<std::size_t>(X.cols)) {
  if (X.layout == Rows::Layout::sparse) throw std::invalid_argument("trees take dense tables");
  for (std::size_t j = 0; j < columns_.size(); ++j) {
    columns_[j].levels = static_cast<std::uint32_t>(levels[j]);
    if (!exact() && levels[j] > 65535)
      throw std::invalid_argument("a binned table takes up to 65535 categories a column, column " +
                                  std::to_string(j) + " has " + std::to_string(levels[j]));
  }
  const auto size = static_cast<std::size_t>(rows_);
  if (exact()) {
    entries_.resize(size * columns_.size());
  } else {
    const std::int32_t most = levels.empty() ? 0 : *std::max_element(levels.begin(), levels.end());
    // One code is for missing cells.
    if (max_bins_ <= 255 && most <= 255) {
      stride_ = (X.cols + 63) / 64 * 64;
      bytes_.resize(size * static_cast<std::size_t>(stride_));
    } else {
      stride_ = (X.cols + 31) / 32 * 32;
      words_.resize(size * static_cast<std::size_t>(stride_));
    }
  }
  parallel_chunks(threads, (X.cols + together - 1) / together, [&](std::int64_t chunk) {
    const std::int64_t first = chunk * together, last = std::min(X.cols, first + together);
    std::vector<double> cells(size * static_cast<std::size_t>(last - first));
    gather(X, first, last, cells.data());
    Bench bench{std::vector<Keyed>(size), std::vector<Keyed>(size), {}};
    for (std::int64_t j = first; j < last; ++j) {
      const double* column = cells.data() + (j - first) * rows_;
      exact() ? rank(j, column, bench) : bin(j, column, bench);
    }
  });
}

void Table::rank(std::int64_t j, const double* cells, Bench& bench) {
  Column& column = columns_[static_cast<std::size_t>(j)];
  sort_cells(cells, rows_, bench.keyed, bench.spare);
  Entry* const list = entries_.data() + j * rows_;
  std::uint32_t code = 0;
  std::int64_t present = 0;
  for (; present < rows_; ++present) {
    const std::uint32_t row = bench.keyed[static_cast<std::size_t>(present)].row;
    const double x = cells[row];
    if (std::isnan(x)) break;
    if (column.categorical()) {
      code = static_cast<std::uint32_t>(x);
    } else if (present == 0 || x > column.high.back()) {
      code = static_cast<std::uint32_t>(column.high.size());
      column.high.push_back(x);
    }
    list[present] = {code, row};
  }
  column.low = column.high;
  column.codes =
      column.categorical() ? column.levels : static_cast<std::uint32_t>(column.high.size());
  for (std::int64_t k = present; k < rows_; ++k)
    list[k] = {column.codes, bench.keyed[static_cast<std::size_t>(k)].row};
}

void Table::bin(std::int64_t j, const double* cells, Bench& bench) {
  Column& column = columns_[static_cast<std::size_t>(j)];
  std::vector<std::uint32_t>& codes = bench.codes;
  codes.resize(static_cast<std::size_t>(rows_));
  if (column.categorical()) {
    column.codes = column.levels;
    for (std::int64_t i = 0; i < rows_; ++i)
      codes[static_cast<std::size_t>(i)] =
          std::isnan(cells[i]) ? column.codes : static_cast<std::uint32_t>(cells[i]);
    return store(j, codes);
  }
  sort_cells(cells, rows_, bench.keyed, bench.spare);
  const auto at = [&](std::int64_t k) { return cells[bench.keyed[static_cast<std::size_t>(k)].row]; };
  std::int64_t present = rows_;
  while (present > 0 && std::isnan(at(present - 1))) --present;
  std::int64_t distinct = present > 0;
  for (std::int64_t k = 1; k < present && distinct <= max_bins_; ++k) distinct += at(k) > at(k - 1);
  const bool all_fit = distinct <= max_bins_;
  for (std::int64_t k = 0; k < present; ++k) {
    const double x = at(k);
    // A bin ends where a new number begins and the bins so far have their share of the rows.
    const auto bins = static_cast<std::int64_t>(column.high.size());
    if (bins == 0 || (x > column.high.back() && (all_fit || k * max_bins_ >= bins * present))) {
      column.low.push_back(x);
      column.high.push_back(x);
    }
    column.high.back() = x;
    codes[bench.keyed[static_cast<std::size_t>(k)].row] =
        static_cast<std::uint32_t>(column.high.size() - 1);
  }
  column.codes = static_cast<std::uint32_t>(column.high.size());
  for (std::int64_t k = present; k < rows_; ++k)
    codes[bench.keyed[static_cast<std::size_t>(k)].row] = column.codes;
  store(j, codes);
}

void Table::store(std::int64_t j, const std::vector<std::uint32_t>& codes) {
  for (std::int64_t i = 0; i < rows_; ++i) {
    const std::uint32_t code = codes[static_cast<std::size_t>(i)];
    const auto place = static_cast<std::size_t>(i * stride_ + j);
    if (is_narrow())
      bytes_[place] = static_cast<std::uint8_t>(code);
    else
      words_[place] = static_cast<std::uint16_t>(code);
  }
}

double Table::threshold(std::int64_t j, std::uint32_t below, std::uint32_t above) const {
  const Column& c = column(j);
  if (above >= c.codes) return std::numeric_limits<double>::infinity();
  return between(c.high[below], c.low[above]);
}

}  // namespace inducer::trees
