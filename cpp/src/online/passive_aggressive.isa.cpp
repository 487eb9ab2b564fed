// Passive-aggressive: the smallest change of the weights that makes the row right (Crammer,
// Dekel, Keshet, Shalev-Shwartz and Singer, 2006).
#include "inducer/online/visit.h"

namespace inducer::INDUCER_ISA {
namespace {

template <bool averaged, class T>
struct PassiveAggressive {
  static constexpr std::int64_t work = averaged ? 4 : 3;
  static constexpr double rounding = sizeof(T) == 4 ? 1e-6 : 2e-15;  // some units in the last place

  T* w;
  double* u;  // sum of r x c; the average is w - u / c
  double b, beta;
  double C, epsilon, constant;
  online::Caution caution;
  bool numbers;

  template <class Row>
  INDUCER_INLINE double score(const Row& x) const {
    return static_cast<double>(dot(x, w)) + b;
  }

  template <class Row>
  INDUCER_INLINE Step step(double y, double a, double weight, const Row& x) const {
    double loss, side, size_of_terms;
    if (numbers) {
      const double rest = y - a;
      side = rest < 0 ? -1.0 : 1.0;
      loss = side * rest - epsilon;
      size_of_terms = std::fabs(y) + std::fabs(a) + epsilon;
    } else {
      side = y;
      loss = 1 - y * a;
      size_of_terms = 1 + std::fabs(a);
    }
    // A step ends where the loss is zero, but for rounding: what is no more than that is no loss,
    // or the passes would never be clean.
    if (!(loss > rounding * size_of_terms)) return {0, 0};
    const double length2 = squared_length(x) + constant;
    // An empty row teaches nothing; one too long to be squared is an overflow, seen by the caller.
    if (!(length2 > 0)) return {loss, 0};
    if (length2 == __builtin_inf()) return {loss, __builtin_nan("")};
    // A weight makes the row's loss dearer: it multiplies C, and so no step goes too far.
    double size =
        loss / (caution == online::Caution::softened ? length2 + 0.5 / (weight * C) : length2);
    if (caution == online::Caution::capped && size > weight * C) size = weight * C;
    return {loss, side * size};
  }

  template <class Row>
  INDUCER_INLINE void move(double r, const Row& x, double visits) {
    axpy(static_cast<T>(r), x, w);
    if (constant > 0) b += r;
    if constexpr (averaged) {
      axpy(r * visits, x, u);
      if (constant > 0) beta += r * visits;
    }
  }
};

template <bool averaged, class T, class View>
__attribute__((noinline)) void visit_rows_of(const online::OnlineSlice<T>& s, const View& X,
                                             Monitor& monitor) {
  const online::Rule& rule = s.rule;
  PassiveAggressive<averaged, T> policy{
      s.w,
      s.memory,
      s.b,
      averaged ? *s.b_memory : 0.0,
      rule.C,
      rule.epsilon,
      rule.offset == online::Offset::fixed ? 0.0 : 1.0,
      rule.caution,
      rule.numbers,
  };
  visit_examples(s, X, monitor, policy);
  s.b = policy.b;
  if constexpr (averaged) *s.b_memory = policy.beta;
}

template <class T>
void visit_any(const online::OnlineSlice<T>& slice, const Rows& rows, Monitor& monitor) {
  visit_layout<T>(rows, [&](const auto& X) {
    if (slice.rule.average)
      visit_rows_of<true>(slice, X, monitor);
    else
      visit_rows_of<false>(slice, X, monitor);
  });
}

}  // namespace

void visit_passive_aggressive(const online::OnlineSlice<float>& slice, const Rows& X,
                              Monitor& monitor) {
  visit_any(slice, X, monitor);
}
void visit_passive_aggressive(const online::OnlineSlice<double>& slice, const Rows& X,
                              Monitor& monitor) {
  visit_any(slice, X, monitor);
}

}  // namespace inducer::INDUCER_ISA
