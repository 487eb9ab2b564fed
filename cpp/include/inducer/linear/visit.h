#pragma once
/// @file  The loop over rows in a given order, for *.isa.cpp files.
#include <cstdint>

#include "inducer/base/monitor.h"
#include "inducer/base/rows.h"

namespace inducer {
namespace INDUCER_ISA {

/// Asks for what belongs to row i besides the row. (Other labels have functions of their own.)
template <class Label>
INDUCER_INLINE void prefetch_label(const Label* labels, std::int64_t i) {
  __builtin_prefetch(labels + i);
}

/// rule(i, row i) for the rows order[position], ..., order[count - 1], until the monitor says
/// stop; the place reached is returned.
/// @param labels  what the rule reads of row i besides the row: asked for ahead of time, too
/// @param work    multiply-adds of a visit: says how often to look at the monitor
template <class View, class Labels, class Rule>
INDUCER_INLINE std::int64_t visit_in_order(const View& X, const std::uint32_t* order,
                                           std::int64_t count, std::int64_t position,
                                           const Labels& labels, std::int64_t work,
                                           Monitor& monitor, Rule&& rule) {
  constexpr std::int64_t ahead = rows_ahead<View>;
  const std::int64_t poll_rows = 1 + Monitor::poll_work / (work < 64 ? 64 : work);
  while (position < count) {
    const std::int64_t end = position + poll_rows < count ? position + poll_rows : count;
    monitor.add_done(end - position);
    const std::int64_t asking = end + 2 * ahead < count ? end : count - 2 * ahead;
    for (; position < asking; ++position) {
      prefetch_place(X, order[position + 2 * ahead]);
      const std::int64_t later = order[position + ahead];
      prefetch(X, later);
      prefetch_label(labels, later);
      const std::int64_t i = order[position];
      rule(i, X.row(i));
    }
    for (; position < end; ++position) {
      const std::int64_t i = order[position];
      rule(i, X.row(i));
    }
    if (position < count && monitor.should_stop()) break;
  }
  return position;
}

}  // namespace INDUCER_ISA
}  // namespace inducer
