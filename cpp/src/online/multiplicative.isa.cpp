// Multiplicative updates: Winnow (Littlestone 1988), EG (Kivinen and Warmuth 1997).
//
// What is remembered of a weight is its logarithm s, which updates only add to: nothing overflows.
// The weights at hand are exp(s - peak), or exp(s - peak) - exp(-s - peak) when balanced, and
// `total` is the sum of their sizes, exp(s - peak) + exp(-s - peak). From time to time all are
// worked out anew from the s: when a weight has outgrown the peak, when the total has all but
// vanished, or after some passes over the weights, so that rounding does not add up. When that is
// depends on the updates alone, so slices make no difference.
#include "inducer/online/visit.h"

namespace inducer::INDUCER_ISA {
namespace {

constexpr double most_growth = 30;     // of logarithms, above the peak
constexpr double least_total = 1e-13;  // about exp(-30)
constexpr double cells_a_renewal = 4;  // for each weight

template <class T>
struct Multiplicative {
  static constexpr std::int64_t work = 16;  // exponentials

  T* w;
  double* memory;  // (s, size) of each weight
  double* b_memory;
  double* scalars;
  std::int64_t cols;
  double b, peak, total, touched;
  const online::Rule& rule;
  double unit;  // exp(-peak): what one is beside the weights at hand

  INDUCER_INLINE double rise(double s) const { return rule.balanced ? std::fabs(s) : s; }
  INDUCER_INLINE double up(double s) const { return std::exp(s - peak); }
  INDUCER_INLINE double down(double s) const { return rule.balanced ? std::exp(-s - peak) : 0.0; }

  template <class Row>
  INDUCER_INLINE double score(const Row& x) const {
    const double sum = static_cast<double>(dot(x, w));
    if (rule.radius > 0) return rule.radius * sum / total + b;
    return rule.offset == online::Offset::fixed ? sum + b * unit : sum + b;
  }

  template <class Row>
  INDUCER_INLINE Step step(double y, double a, double weight, const Row&) const {
    if (rule.on_mistakes) {
      if (y * a > 0) return {0, 0};
      return {1, y * rule.rate * weight};
    }
    const LossAt at = loss_at(rule.loss, y, a);
    return {at.value, -rule.rate * at.slope * weight};
  }

  template <class Row>
  INDUCER_INLINE void move(double r, const Row& x, double) {
    double highest = peak, sum = total;
    for_each(x, [&](std::int64_t j, auto value) {
      double* const m = memory + 2 * j;
      const double s = m[0] + r * static_cast<double>(value);
      const double plus = up(s), minus = down(s), size = plus + minus;
      highest = rise(s) > highest ? rise(s) : highest;
      sum += size - m[1];
      w[j] = static_cast<T>(plus - minus);
      m[0] = s, m[1] = size;
      touched += 1;
    });
    total = sum;
    if (rule.offset == online::Offset::step) b += r;
    if (rule.offset == online::Offset::weight) {
      b_memory[0] += r;
      const double s = b_memory[0];
      b = up(s) - down(s);
      highest = rise(s) > highest ? rise(s) : highest;
    }
    if (highest - peak > most_growth || !(total > least_total) ||
        touched > cells_a_renewal * static_cast<double>(cols))
      renew();
  }

  /// All weights from their logarithms.
  __attribute__((noinline)) void renew() {
    const bool has_weight = rule.offset == online::Offset::weight;
    double highest = cols > 0 ? rise(memory[0]) : 0.0;
    for (std::int64_t j = 1; j < cols; ++j)
      highest = rise(memory[2 * j]) > highest ? rise(memory[2 * j]) : highest;
    if (has_weight && rise(b_memory[0]) > highest) highest = rise(b_memory[0]);
    peak = highest;
    unit = std::exp(-peak);
    total = touched = 0;
    for (std::int64_t j = 0; j < cols; ++j) {
      double* const m = memory + 2 * j;
      const double plus = up(m[0]), minus = down(m[0]);
      w[j] = static_cast<T>(plus - minus);
      total += m[1] = plus + minus;
    }
    if (has_weight) b = up(b_memory[0]) - down(b_memory[0]);
  }
};

template <class T, class View>
__attribute__((noinline)) void visit_rows_of(const online::OnlineSlice<T>& s, const View& X,
                                             Monitor& monitor) {
  Multiplicative<T> policy{s.w,
                           s.memory,
                           s.b_memory,
                           s.scalars,
                           X.cols,
                           s.b,
                           s.scalars[1],
                           s.scalars[2],
                           s.scalars[3],
                           s.rule,
                           std::exp(-s.scalars[1])};
  visit_examples(s, X, monitor, policy);
  s.b = policy.b;
  s.scalars[1] = policy.peak;
  s.scalars[2] = policy.total;
  s.scalars[3] = policy.touched;
}

}  // namespace

void visit_multiplicative(const online::OnlineSlice<float>& slice, const Rows& rows,
                          Monitor& monitor) {
  visit_layout<float>(rows, [&](const auto& X) { visit_rows_of(slice, X, monitor); });
}
void visit_multiplicative(const online::OnlineSlice<double>& slice, const Rows& rows,
                          Monitor& monitor) {
  visit_layout<double>(rows, [&](const auto& X) { visit_rows_of(slice, X, monitor); });
}

}  // namespace inducer::INDUCER_ISA
