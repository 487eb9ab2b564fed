#include "inducer/trees/binned_space.h"

#include <algorithm>
#include <bit>
#include <numeric>

namespace inducer::trees {
namespace {

template <class Code>
void add_here(const Terms& terms, const Code* codes, const std::uint32_t* rows, std::int64_t count,
              double* cells, std::int64_t stride, std::uint64_t* seen) {
  INDUCER_DISPATCH(add_histogram(terms, codes, rows, count, cells, stride, seen))
}
void search_here(const NodeView& node, const Groups& groups, std::int32_t column,
                 Split& best){INDUCER_DISPATCH(search_groups(node, groups, column, best))}

std::size_t place(std::int64_t i) {
  return static_cast<std::size_t>(i);
}

}  // namespace

template <class F>
decltype(auto) BinnedSpace::with_codes(std::int64_t column, F f) const {
  if (table_->is_narrow())
    return f(own_ ? bytes_.data() + column * rows() : table_->narrow(column));
  return f(own_ ? words_.data() + column * rows() : table_->wide(column));
}

BinnedSpace::BinnedSpace(const Table& table, RowData data, int)
    : table_(&table), data_(std::move(data)) {
  const bool bits = data_.layout == Layout::bits;
  for (std::int64_t i = 0; i < table.rows(); ++i)
    if (bits)
      order_.push_back(static_cast<std::uint32_t>(i) | (data_.codes[place(i)] ? class_bit : 0u));
    else if (data_.weights[place(i)] != 0)
      order_.push_back(static_cast<std::uint32_t>(i));
  spare_.resize(order_.size());
}

bool BinnedSpace::constant(Range node, std::int64_t column) const {
  const std::uint32_t* const rows = order_.data() + node.begin;
  return with_codes(column, [&](const auto* codes) {
    for (std::int64_t k = 1; k < node.size(); ++k)
      if (codes[rows[k] & row_bits] != codes[rows[0] & row_bits]) return false;
    return true;
  });
}

Groups BinnedSpace::group(Range node, std::int64_t column, Bench& bench) const {
  const Column& told = table_->column(column);
  const std::int64_t stride = data_.width + 2;
  // All cells are zero between two searches: of few rows only few need be made so again.
  if (const std::size_t room = (told.codes + std::size_t{1}) * place(stride);
      bench.cells.size() < room)
    bench.cells.resize(room);
  bench.seen.assign((told.codes + 64) / 64, 0);
  with_codes(column, [&](const auto* codes) {
    add_here(data_.terms(), codes, order_.data() + node.begin, node.size(), bench.cells.data(),
             stride, bench.seen.data());
  });
  bench.order.clear();
  for (std::size_t word = 0; word < bench.seen.size(); ++word)
    for (std::uint64_t bits = bench.seen[word]; bits; bits &= bits - 1)
      bench.order.push_back(static_cast<std::uint32_t>(word * 64) +
                            static_cast<std::uint32_t>(std::countr_zero(bits)));
  Side missing;
  if (bench.order.back() == told.codes) {
    bench.order.pop_back();
    const double* const cell = bench.cells.data() + told.codes * stride;
    missing = {cell[0], cell + 1};
  }
  if (told.categorical()) order_groups(data_, bench, stride);
  return {bench.cells.data(), stride, bench.order.data(),
          static_cast<std::int64_t>(bench.order.size()), missing};
}

namespace {

void clear(const Groups& groups, std::uint32_t missing, Bench& bench) {
  const auto zero = [&](std::uint32_t code) {
    std::fill_n(bench.cells.data() + code * groups.stride, groups.stride, 0.0);
  };
  for (const std::uint32_t code : bench.order) zero(code);
  if (groups.missing.rows > 0) zero(missing);
}

}  // namespace

void BinnedSpace::search(Range node, const double* sums, const Limits& limits, std::int64_t column,
                         Bench& bench, Split& best) const {
  const NodeView view = bench.view(data_, sums, static_cast<double>(node.size()), limits);
  const Groups groups = group(node, column, bench);
  search_here(view, groups, static_cast<std::int32_t>(column), best);
  clear(groups, table_->column(column).codes, bench);
}

Cut BinnedSpace::complete(Range node, const double*, const Limits&, const Split& split,
                          Bench& bench) const {
  Cut cut{split, {}};
  const Column& column = table_->column(split.column);
  if (!column.categorical()) return cut;
  const Groups groups = group(node, split.column, bench);
  cut.set.assign((column.levels + 63) / 64, split.missing_left ? ~std::uint64_t{0} : 0);
  for (std::int64_t k = 0; k < groups.count; ++k) cut.put(groups.order[k], k <= split.last);
  clear(groups, column.codes, bench);
  return cut;
}

void BinnedSpace::sum(Range node, double* sums) const {
  std::fill_n(sums, data_.stride(), 0.0);
  for (std::int64_t k = node.begin; k < node.end; ++k) {
    const Entry entry{0, order_[place(k)]};
    data_.add(&entry, 1, sums);
  }
}

std::int64_t BinnedSpace::measure(Range node, const Cut& cut, double* left, double* right) const {
  std::fill_n(left, data_.stride(), 0.0);
  std::fill_n(right, data_.stride(), 0.0);
  const std::uint32_t missing = table_->column(cut.split.column).codes;
  std::vector<Entry> sides[2];
  with_codes(cut.split.column, [&](const auto* codes) {
    for (std::int64_t k = node.begin; k < node.end; ++k) {
      const std::uint32_t row = order_[place(k)];
      sides[cut.goes_left(codes[row & row_bits], missing)].push_back({0, row});
    }
  });
  const auto count = [](const std::vector<Entry>& side) {
    return static_cast<std::int64_t>(side.size());
  };
  data_.add(sides[1].data(), count(sides[1]), left);
  data_.add(sides[0].data(), count(sides[0]), right);
  return count(sides[1]);
}

void BinnedSpace::mark(Range node, const Cut& cut) {
  const std::uint32_t missing = table_->column(cut.split.column).codes;
  with_codes(cut.split.column, [&](const auto* codes) {
    std::int64_t left = node.begin, right = 0;
    for (std::int64_t k = node.begin; k < node.end; ++k) {
      const std::uint32_t row = order_[place(k)];
      const bool side = cut.goes_left(codes[row & row_bits], missing);
      order_[place(left)] = row;
      spare_[place(right)] = row;
      left += side;
      right += !side;
    }
    std::copy_n(spare_.begin(), right, order_.begin() + left);
  });
}

BinnedSpace BinnedSpace::of(Range node) {
  BinnedSpace some;
  some.table_ = table_;
  some.own_ = true;
  const std::uint32_t keep = data_.layout == Layout::bits ? class_bit : 0;
  std::vector<std::uint32_t> rows;
  for (std::int64_t k = 0; k < node.size(); ++k) {
    const std::uint32_t row = order_[place(node.begin + k)];
    rows.push_back(row & ~keep);
    some.order_.push_back(static_cast<std::uint32_t>(k) | (row & keep));
  }
  some.spare_.resize(rows.size());
  const auto copy = [&](auto& to) {
    to.reserve(rows.size() * place(cols()));
    for (std::int64_t j = 0; j < cols(); ++j)
      with_codes(j, [&](const auto* codes) {
        for (const std::uint32_t row : rows)
          to.push_back(static_cast<typename std::decay_t<decltype(to)>::value_type>(codes[row]));
      });
  };
  if (table_->is_narrow())
    copy(some.bytes_);
  else
    copy(some.words_);
  some.data_ = data_.of(rows);
  return some;
}

}  // namespace inducer::trees
