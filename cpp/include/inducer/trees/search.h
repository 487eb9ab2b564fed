#pragma once
/// @file  The search for the best cut of one column at one node.
///
/// A column gives a sequence of parts, in the order in which they are cut: rows sorted by code, or
/// groups of rows of one code (the bins of a histogram; categories, ordered by their mean target).
/// One sweep adds them up and hands each left side that is allowed to the criterion, a block at a
/// time. Rows whose cell is missing stand aside: they are counted to the right in one sweep, to the
/// left in another.
#include <cfloat>
#include <cstdint>

#include "inducer/base/isa.h"
#include "inducer/trees/table.h"

namespace inducer::trees {

enum class Criterion : std::uint8_t {
  gini,
  entropy,
  error,
  gain_ratio,
  squared_error,
  friedman_mse,
  poisson,
  variance
};

constexpr bool classifies(Criterion c) {
  return c <= Criterion::gain_ratio;
}

/// How the sums of a side follow from its rows.
enum class Layout : std::uint8_t {
  bits,     ///< two classes, no weights: the class is the top bit of an entry's row
  pairs,    ///< weights and one term a row
  classes,  ///< weights and a code a row: the weight of each class
  several   ///< weights and `width` terms a row
};

/// The top bit of an entry's row, where it is the row's class.
inline constexpr std::uint32_t class_bit = 1u << 31;
inline constexpr std::uint32_t row_bits = class_bit - 1;

/// What a row adds to the sums of its side: its weight, and `width` terms.
///
/// Of two classes: the weight of the second. Of more: the weight of each. Of regression: weight
/// times target, for each output; for `variance` the weighted squares, too.
struct Terms {
  Layout layout;
  Criterion criterion;
  std::int32_t width;    ///< sums beside the weight
  std::int32_t outputs;  ///< classes, or targets
  const double* weights = nullptr;
  const double* values = nullptr;
  const std::int32_t* codes = nullptr;
};

inline constexpr int block = 256;

/// Left sides waiting to be judged: candidate c of them is weight[c], sums[k * block + c].
struct Candidates {
  double* weight;
  double* sums;
  double* gain;
  std::uint32_t* at;  ///< the part that is the last of the left side
  int count = 0;
};

struct Side {
  double rows = 0;
  const double* sums = nullptr;  ///< the weight, then the terms; null: nothing
};

struct NodeView {
  Terms terms;
  Side total;
  double parent;  ///< the criterion's score of the node whole
  double slack;   ///< scores as near as this are ties
  double min_leaf, min_weight;
  Candidates space;
  double* running;  ///< room for 1 + width
};

struct Split {
  double score = -DBL_MAX;
  std::int32_t column = -1;
  std::int64_t last = 0;      ///< the last part that goes left
  std::uint32_t below = 0, above = 0;  ///< its code, and that of the next
  bool missing_left = false, missing_seen = false;

  /// Ties go to the split that was there first.
  bool yields_to(double other, double slack) const { return other > score + slack; }
};

/// Rows in order of code; the last `missing` of them have none.
struct SortedRows {
  const Entry* entries;
  std::int64_t count, missing;
  const double* missing_sums;  ///< or null
};

/// Groups of rows: cells + code * stride is (rows, weight, terms...).
struct Groups {
  const double* cells;
  std::int64_t stride;
  const std::uint32_t* order;  ///< codes of the groups, as they are cut
  std::int64_t count;
  Side missing;
};

}  // namespace inducer::trees

namespace inducer {

INDUCER_PER_ISA(
    /// best = the best cut, if better than `best`.
    void search_rows(const trees::NodeView& node, const trees::SortedRows& rows,
                     std::int32_t column, trees::Split& best);
    void search_groups(const trees::NodeView& node, const trees::Groups& groups,
                       std::int32_t column, trees::Split& best);
    /// The criterion's score of a node whole.
    double score_whole(const trees::Terms& terms, const double* sums);
    /// sums += those of the rows.
    void add_rows(const trees::Terms& terms, const trees::Entry* entries, std::int64_t count,
                  double* sums);
    /// entries in two: those whose row is marked first, in their order. @param spare room for all
    void part_entries(const std::uint8_t* marks, trees::Entry* entries, std::int64_t count,
                      trees::Entry* spare))

}  // namespace inducer
