#include "inducer/trees/space.h"

#include <algorithm>
#include <numeric>

#include "inducer/base/parallel.h"

namespace inducer::trees {
namespace {

void search_here(const NodeView& node, const SortedRows& rows, std::int32_t column, Split& best) {
  INDUCER_DISPATCH(search_rows(node, rows, column, best))
}
void search_here(const NodeView& node, const Groups& groups, std::int32_t column, Split& best) {
  INDUCER_DISPATCH(search_groups(node, groups, column, best))
}
void part_here(const std::uint8_t* marks, Entry* entries, std::int64_t count, Entry* spare) {
  INDUCER_DISPATCH(part_entries(marks, entries, count, spare))
}

std::size_t place(std::int64_t i) { return static_cast<std::size_t>(i); }

/// How many rows of a node's list have no cell: those at its end.
std::int64_t missing_in(const Entry* list, std::int64_t count, std::uint32_t missing) {
  if (list[count - 1].code != missing) return 0;
  const Entry* const first = std::partition_point(
      list, list + count, [&](const Entry& entry) { return entry.code != missing; });
  return list + count - first;
}

}  // namespace

NodeView Bench::view(const RowData& data, const double* total, double rows, const Limits& limits) {
  const auto room = static_cast<std::size_t>(block) * place(data.width + 2);
  if (candidates.size() < room) {
    candidates.resize(room);
    at.resize(block);
  }
  sums.resize(place(2 * data.stride()));
  NodeView node;
  node.terms = data.terms();
  node.total = {rows, total};
  node.parent = data.score(total);
  node.slack = data.slack(total);
  node.min_leaf = limits.min_leaf, node.min_weight = limits.min_weight;
  node.space = {candidates.data(), candidates.data() + 2 * block, candidates.data() + block,
                at.data()};
  node.running = sums.data();
  return node;
}

SortedSpace::SortedSpace(const Table& table, RowData data, int threads)
    : table_(&table), data_(std::move(data)) {
  const bool bits = data_.layout == Layout::bits;
  const bool all = bits || std::find(data_.weights.begin(), data_.weights.end(), 0.0) ==
                               data_.weights.end();
  rows_ = all ? table.rows()
              : static_cast<std::int64_t>(std::count_if(data_.weights.begin(), data_.weights.end(),
                                                        [](double w) { return w != 0; }));
  entries_.resize(place(rows_ * cols()));
  marks_.resize(place(table.rows()));
  renumbered_.resize(place(table.rows()));
  parallel_for(threads, cols(), 8.0 * static_cast<double>(rows_),
               [&](std::int64_t begin, std::int64_t end) {
                 for (std::int64_t j = begin; j < end; ++j) {
                   Entry* to = entries_.data() + j * rows_;
                   const Entry* const from = table.sorted(j);
                   for (std::int64_t k = 0; k < table.rows(); ++k) {
                     Entry entry = from[k];
                     if (bits)
                       entry.row |= data_.codes[entry.row] ? class_bit : 0u;
                     else if (!all && data_.weights[entry.row] == 0)
                       continue;
                     *to++ = entry;
                   }
                 }
               });
}

bool SortedSpace::constant(Range node, std::int64_t column) const {
  const Entry* const entries = list(node, column);
  return entries[0].code == entries[node.size() - 1].code;
}

void SortedSpace::search(Range node, const double* sums, const Limits& limits, std::int64_t column,
                         Bench& bench, Split& best) const {
  const NodeView view = bench.view(data_, sums, static_cast<double>(node.size()), limits);
  const auto j = static_cast<std::int32_t>(column);
  if (table_->column(column).categorical()) {
    const Groups groups = group(node, column, bench);
    return search_here(view, groups, j, best);
  }
  const Entry* const entries = list(node, column);
  const std::int64_t missing =
      missing_in(entries, node.size(), table_->column(column).codes);
  double* const aside = bench.sums.data() + data_.stride();
  if (missing > 0) {
    std::fill_n(aside, data_.stride(), 0.0);
    data_.add(entries + node.size() - missing, missing, aside);
  }
  search_here(view, SortedRows{entries, node.size(), missing, aside}, j, best);
}

Groups SortedSpace::group(Range node, std::int64_t column, Bench& bench) const {
  const Entry* const entries = list(node, column);
  const std::uint32_t missing_code = table_->column(column).codes;
  const std::int64_t stride = data_.stride() + 1;
  bench.cells.clear(), bench.codes.clear();
  Side missing;
  for (std::int64_t begin = 0, end; begin < node.size(); begin = end) {
    for (end = begin + 1; end < node.size() && entries[end].code == entries[begin].code;) ++end;
    bench.codes.push_back(entries[begin].code);
    bench.cells.resize(bench.cells.size() + place(stride));
    double* const cell = bench.cells.data() + bench.cells.size() - stride;
    cell[0] = static_cast<double>(end - begin);
    data_.add(entries + begin, end - begin, cell + 1);
  }
  std::int64_t count = static_cast<std::int64_t>(bench.codes.size());
  if (bench.codes.back() == missing_code) {
    --count;
    const double* const cell = bench.cells.data() + count * stride;
    missing = {cell[0], cell + 1};
  }
  order_groups(data_, bench, count, stride);
  return {bench.cells.data(), stride, bench.order.data(), count, missing};
}

Cut SortedSpace::complete(Range node, const double*, const Limits&, const Split& split,
                          Bench& bench) const {
  Cut cut{split, {}};
  const Column& column = table_->column(split.column);
  if (!column.categorical()) return cut;
  const Groups groups = group(node, split.column, bench);
  cut.set.assign((column.levels + 63) / 64, split.missing_left ? ~std::uint64_t{0} : 0);
  for (std::int64_t k = 0; k < groups.count; ++k) {
    const std::uint32_t code = bench.codes[groups.order[k]];
    const std::uint64_t bit = std::uint64_t{1} << (code & 63);
    if (k <= split.last)
      cut.set[code >> 6] |= bit;
    else
      cut.set[code >> 6] &= ~bit;
  }
  return cut;
}

void SortedSpace::sum(Range node, double* sums) const {
  std::fill_n(sums, data_.stride(), 0.0);
  if (cols() > 0) data_.add(list(node, 0), node.size(), sums);
}

std::int64_t SortedSpace::measure(Range node, const Cut& cut, double* left, double* right) const {
  std::fill_n(left, data_.stride(), 0.0);
  std::fill_n(right, data_.stride(), 0.0);
  const Entry* const entries = list(node, cut.split.column);
  const std::uint32_t missing = table_->column(cut.split.column).codes;
  std::int64_t count = 0;
  for (std::int64_t begin = 0, end; begin < node.size(); begin = end) {
    const bool side = cut.goes_left(entries[begin].code, missing);
    for (end = begin + 1; end < node.size() && cut.goes_left(entries[end].code, missing) == side;)
      ++end;
    data_.add(entries + begin, end - begin, side ? left : right);
    if (side) count += end - begin;
  }
  return count;
}

void SortedSpace::mark(Range node, const Cut& cut) {
  const Entry* const entries = list(node, cut.split.column);
  const std::uint32_t missing = table_->column(cut.split.column).codes;
  for (std::int64_t k = 0; k < node.size(); ++k)
    marks_[entries[k].row & row_bits] = cut.goes_left(entries[k].code, missing);
}

void SortedSpace::part(Range node, std::int64_t column, std::vector<Entry>& spare) {
  if (spare.size() < place(node.size())) spare.resize(place(node.size()));
  part_here(marks_.data(), entries_.data() + column * rows_ + node.begin, node.size(),
            spare.data());
}

SortedSpace SortedSpace::of(Range node) {
  SortedSpace some;
  some.table_ = table_;
  some.rows_ = node.size();
  some.entries_.resize(place(node.size() * cols()));
  some.marks_.resize(place(node.size()));
  some.renumbered_.resize(place(node.size()));
  std::vector<std::uint32_t> rows(place(node.size()));
  const std::uint32_t keep = data_.layout == Layout::bits ? class_bit : 0;
  for (std::int64_t k = 0; k < node.size(); ++k) {
    const std::uint32_t row = list(node, 0)[k].row;
    rows[place(k)] = row & ~keep;
    renumbered_[row & ~keep] = static_cast<std::uint32_t>(k);
  }
  for (std::int64_t j = 0; j < cols(); ++j) {
    const Entry* const from = list(node, j);
    Entry* const to = some.entries_.data() + j * node.size();
    for (std::int64_t k = 0; k < node.size(); ++k)
      to[k] = {from[k].code, renumbered_[from[k].row & ~keep] | (from[k].row & keep)};
  }
  some.data_ = data_.of(rows);
  return some;
}

}  // namespace inducer::trees
