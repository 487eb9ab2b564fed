#include "inducer/trees/search.h"

#include <cstring>

#include "inducer/trees/criteria.h"

namespace inducer::INDUCER_ISA {
namespace {

using namespace trees;

// ---- judging a block of candidates ----------------------------------------------------------

template <class C, class Make>
INDUCER_INLINE void judge_each(const NodeView& node, Make make) {
  const Candidates& c = node.space;
  const double whole = node.total.sums[0], least = node.min_weight;
  for (int j = 0; j < c.count; ++j) {
    const double left = c.weight[j], right = whole - left;
    const double gain = C::score(make(j, left, false), make(j, right, true), node.parent);
    c.gain[j] = left >= least && right >= least && left > 0 && right > 0 ? gain : -DBL_MAX;
  }
}

template <class C>
void judge(const NodeView& node) {
  const Candidates& c = node.space;
  const double* const total = node.total.sums + 1;
  if (node.terms.width > 1)
    judge_each<C>(node, [&](int j, double weight, bool rest) {
      return ManySums{node.terms.width, weight, c.sums + j, block, rest ? total : nullptr};
    });
  else if (classifies(node.terms.criterion))
    judge_each<C>(node, [&, all = total[0]](int j, double weight, bool rest) {
      return TwoClasses{weight, rest ? all - c.sums[j] : c.sums[j]};
    });
  else
    judge_each<C>(node, [&, all = total[0]](int j, double weight, bool rest) {
      return OneSum{weight, rest ? all - c.sums[j] : c.sums[j]};
    });
}

/// f.operator()<C>() for the criterion of that name.
template <class F>
INDUCER_INLINE auto with_criterion(Criterion criterion, F f) {
  switch (criterion) {
    case Criterion::entropy:
      return f.template operator()<Entropy>();
    case Criterion::error:
      return f.template operator()<Majority>();
    case Criterion::gain_ratio:
      return f.template operator()<GainRatio>();
    case Criterion::friedman_mse:
      return f.template operator()<Friedman>();
    case Criterion::poisson:
      return f.template operator()<Poisson>();
    case Criterion::variance:
      return f.template operator()<Variance>();
    default:
      return f.template operator()<Squares>();
  }
}

// ---- adding rows ----------------------------------------------------------------------------

/// f(add), where add(entry, sums) adds a row to (weight, terms...).
template <class F>
INDUCER_INLINE void with_layout(const Terms& t, F f) {
  switch (t.layout) {
    case Layout::bits:
      return f([](const Entry& e, double* sums) {
        sums[0] += 1;
        sums[1] += static_cast<double>(static_cast<std::int32_t>(e.row >> 31));
      });
    case Layout::pairs:
      return f([w = t.weights, v = t.values](const Entry& e, double* sums) {
        sums[0] += w[e.row];
        sums[1] += v[e.row];
      });
    case Layout::classes:
      return f([w = t.weights, codes = t.codes](const Entry& e, double* sums) {
        sums[0] += w[e.row];
        sums[1 + codes[e.row]] += w[e.row];
      });
    default:
      return f([w = t.weights, v = t.values, n = t.width](const Entry& e, double* sums) {
        sums[0] += w[e.row];
        for (int k = 0; k < n; ++k) sums[1 + k] += v[static_cast<std::int64_t>(e.row) * n + k];
      });
  }
}

// ---- the sweep, over whatever the parts are --------------------------------------------------

/// Rows one by one: a cut may fall where the code changes.
template <class Add>
struct RowParts {
  const Entry* entries;
  std::int64_t count;  // of parts
  Add add;

  INDUCER_INLINE double size(std::int64_t) const { return 1; }
  INDUCER_INLINE bool ends(std::int64_t j) const { return entries[j].code != entries[j + 1].code; }
  INDUCER_INLINE void add_to(double* sums, std::int64_t j) const { add(entries[j], sums); }
  std::uint32_t code(std::int64_t j) const { return entries[j].code; }
};

struct GroupParts {
  Groups groups;
  std::int64_t count;
  std::int32_t width;

  INDUCER_INLINE const double* cell(std::int64_t j) const {
    return groups.cells + groups.order[j] * groups.stride;
  }
  INDUCER_INLINE double size(std::int64_t j) const { return cell(j)[0]; }
  INDUCER_INLINE bool ends(std::int64_t) const { return true; }
  INDUCER_INLINE void add_to(double* sums, std::int64_t j) const {
    for (int k = 0; k <= width; ++k) sums[k] += cell(j)[1 + k];
  }
  std::uint32_t code(std::int64_t j) const { return groups.order[j]; }
};

/// @param aside    rows that go left before the first part
/// @param missing  whether there are rows beyond the last part, so that a cut may follow it
template <int fixed_width, class Parts>
INDUCER_INLINE void sweep(NodeView node, const Parts& parts, Side aside, bool missing,
                          std::int32_t column, Split& best) {
  const int width = fixed_width ? fixed_width : node.terms.width;
  double local[1 + (fixed_width ? fixed_width : 1)] = {};
  double* const sums = fixed_width ? local : node.running;
  for (int k = 0; k <= width; ++k) sums[k] = aside.sums ? aside.sums[k] : 0.0;
  double left = aside.rows;
  const double most = node.total.rows - node.min_leaf;
  Candidates& c = node.space;
  const bool beyond = missing && !aside.sums;
  for (std::int64_t begin = 0; begin < parts.count; begin += block) {
    const std::int64_t end = begin + block < parts.count ? begin + block : parts.count;
    int kept = 0;
    for (std::int64_t j = begin; j < end; ++j) {
      parts.add_to(sums, j);
      left += parts.size(j);
      c.weight[kept] = sums[0];
      for (int k = 0; k < width; ++k) c.sums[k * block + kept] = sums[1 + k];
      c.at[kept] = static_cast<std::uint32_t>(j);
      const bool last = j + 1 == parts.count;
      const bool cut = last ? beyond : parts.ends(j);
      kept += cut & (left >= node.min_leaf) & (left <= most);
    }
    c.count = kept;
    with_criterion(node.terms.criterion, [&]<class C>() { judge<C>(node); });
    double greatest[8] = {-DBL_MAX, -DBL_MAX, -DBL_MAX, -DBL_MAX,
                          -DBL_MAX, -DBL_MAX, -DBL_MAX, -DBL_MAX};
    int j = 0;
    for (; j + 8 <= kept; j += 8)
      for (int k = 0; k < 8; ++k)
        greatest[k] = c.gain[j + k] > greatest[k] ? c.gain[j + k] : greatest[k];
    for (; j < kept; ++j) greatest[0] = c.gain[j] > greatest[0] ? c.gain[j] : greatest[0];
    double top = greatest[0];
    for (int k = 1; k < 8; ++k) top = greatest[k] > top ? greatest[k] : top;
    if (!best.yields_to(top, node.slack)) continue;
    for (j = 0; j < kept; ++j)
      if (best.yields_to(c.gain[j], node.slack)) {
        best.score = c.gain[j];
        best.column = column;
        best.last = c.at[j];
        best.missing_left = aside.sums != nullptr;
        best.missing_seen = missing;
      }
    const bool last = best.last + 1 == parts.count;
    best.below = parts.code(best.last);
    best.above = last ? ~0u : parts.code(best.last + 1);
  }
}

template <int fixed_width, class Parts>
INDUCER_INLINE void sweep_both(const NodeView& node, const Parts& parts, Side missing,
                               std::int32_t column, Split& best) {
  const bool any = missing.rows > 0;
  sweep<fixed_width>(node, parts, {}, any, column, best);
  if (any) sweep<fixed_width>(node, parts, missing, any, column, best);
}

}  // namespace

void search_rows(const NodeView& node, const SortedRows& rows, std::int32_t column, Split& best) {
  const Side missing{static_cast<double>(rows.missing), rows.missing_sums};
  with_layout(node.terms, [&]<class Add>(Add add) {
    const RowParts<Add> parts{rows.entries, rows.count - rows.missing, add};
    if (node.terms.layout == Layout::bits || node.terms.layout == Layout::pairs)
      sweep_both<1>(node, parts, missing, column, best);
    else
      sweep_both<0>(node, parts, missing, column, best);
  });
}

void search_groups(const NodeView& node, const Groups& groups, std::int32_t column, Split& best) {
  const GroupParts parts{groups, groups.count, node.terms.width};
  if (node.terms.width == 1)
    sweep_both<1>(node, parts, groups.missing, column, best);
  else
    sweep_both<0>(node, parts, groups.missing, column, best);
}

double score_whole(const Terms& terms, const double* sums) {
  return with_criterion(terms.criterion, [&]<class C>() {
    if (terms.width > 1) return C::side(ManySums{terms.width, sums[0], sums + 1, 1, nullptr});
    if (classifies(terms.criterion)) return C::side(TwoClasses{sums[0], sums[1]});
    return C::side(OneSum{sums[0], sums[1]});
  });
}

void add_rows(const Terms& terms, const Entry* entries, std::int64_t count, double* sums) {
  with_layout(terms, [&](auto add) {
    for (std::int64_t j = 0; j < count; ++j) add(entries[j], sums);
  });
}

void part_entries(const std::uint8_t* marks, Entry* entries, std::int64_t count, Entry* spare) {
  std::int64_t left = 0, right = 0;
  for (std::int64_t j = 0; j < count; ++j) {
    const Entry entry = entries[j];
    const bool mark = marks[entry.row & row_bits] != 0;
    entries[left] = entry;
    spare[right] = entry;
    left += mark;
    right += !mark;
  }
  std::memcpy(entries + left, spare, static_cast<std::size_t>(right) * sizeof(Entry));
}

}  // namespace inducer::INDUCER_ISA
