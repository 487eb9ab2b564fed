// Follow the regularised leader, proximal, with a rate for each weight (McMahan et al., 2013).
//
// Of each weight z and q are remembered, q the root of the sum of its squared gradients. A gradient
// g brings
//
//     q' = sqrt(q^2 + g^2),   z += g - (q' - q) / alpha * w,
//     w = 0 if |z| <= l1, else -(z - sign(z) l1) / ((beta + q') / alpha + l2)
#include "inducer/online/visit.h"

namespace inducer::INDUCER_ISA {
namespace {

template <class T>
struct Leader {
  static constexpr std::int64_t work = 12;

  T* w;
  double* memory;  // (z, q) of each weight
  double* b_memory;
  double b;
  const inducer::losses::Loss loss;
  double steepness;  // 1 / alpha
  double beta, l1, l2;
  bool offset;

  template <class Row>
  INDUCER_INLINE double score(const Row& x) const {
    return static_cast<double>(dot(x, w)) + b;
  }

  template <class Row>
  INDUCER_INLINE Step step(double y, double a, double weight, const Row&) const {
    const LossAt at = loss_at(loss, y, a);
    return {at.value, at.slope * weight};
  }

  INDUCER_INLINE double moved(double g, double before, double* m, double threshold,
                              double ridge) const {
    const double q = std::sqrt(m[1] * m[1] + g * g);
    const double z = m[0] + (g - (q - m[1]) * steepness * before);
    m[0] = z, m[1] = q;
    const double rest = std::fabs(z) - threshold;
    // Without a branch on the sign, which nobody can predict.
    const double size = std::copysign(rest / ((beta + q) * steepness + ridge), -z);
    return rest > 0 ? size : 0.0;
  }

  template <class Row>
  INDUCER_INLINE void move(double r, const Row& x, double) {
    for_each(x, [&](std::int64_t j, auto value) {
      // A cell of zero has no gradient, and leaves the weight as it is.
      w[j] = static_cast<T>(
          moved(r * static_cast<double>(value), static_cast<double>(w[j]), memory + 2 * j, l1, l2));
    });
    if (offset) b = moved(r, b, b_memory, 0.0, 0.0);
  }
};

template <class T, class View>
__attribute__((noinline)) void visit_rows_of(const online::OnlineSlice<T>& s, const View& X,
                                             Monitor& monitor) {
  const online::Rule& rule = s.rule;
  Leader<T> policy{s.w,        s.memory,
                   s.b_memory, s.b,
                   rule.loss,  1 / rule.alpha,
                   rule.beta,  rule.l1,
                   rule.l2,    rule.offset != online::Offset::fixed};
  visit_examples(s, X, monitor, policy);
  s.b = policy.b;
}

}  // namespace

void visit_leader(const online::OnlineSlice<float>& slice, const Rows& rows, Monitor& monitor) {
  visit_layout<float>(rows, [&](const auto& X) { visit_rows_of(slice, X, monitor); });
}
void visit_leader(const online::OnlineSlice<double>& slice, const Rows& rows, Monitor& monitor) {
  visit_layout<double>(rows, [&](const auto& X) { visit_rows_of(slice, X, monitor); });
}

}  // namespace inducer::INDUCER_ISA
