#include "inducer/linear/sgd.h"

#include <cmath>

#include "inducer/base/rows.h"
#include "inducer/linear/sgd_steps.h"
#include "inducer/linear/visit.h"

namespace inducer::INDUCER_ISA {
namespace {

using linear::Schedule;
using linear::SgdSlice;
using linear::Sparsity;

constexpr double infinite = __builtin_huge_val();

// ---- the walk row by row, with the commonest options -------------------------------------------

enum class Kept : std::uint8_t { nothing, sums, debts };

/// One function an instance: together they would run out of registers.
/// @tparam kept  besides the weights: their sum for the average, or their debts of the l1 penalty
template <Kept kept_too, class Loss, class T, class View>
__attribute__((noinline)) void walk_plainly(const SgdSlice<T>& a, const View& X, Monitor& monitor,
                                            const Loss loss) {
  constexpr bool averaged = kept_too == Kept::sums, indebted = kept_too == Kept::debts;
  T* const v = a.v;
  double* const sum = a.sum;
  double* const paid = a.paid;
  const Targets target{a.codes, a.numbers, a.positive};
  const double* const weights = a.weights;
  const linear::SgdOptions options = a.options;
  const double rate = a.n.rate, l2 = options.l2, l1 = options.l1, from = options.average_from;
  const bool fit_intercept = options.fit_intercept;
  double b = a.b, b_sum = a.b_sum, t = a.t, s = a.n.s, kept = a.n.kept, due = a.n.due;
  Costs<Loss> costs(a.n);
  bool overflowed = a.n.overflowed;
  std::int64_t mistakes = 0;
  a.position = visit_in_order(X, a.order, a.count, a.position, target, mean_cells(X), monitor,
                              [&](std::int64_t i, const auto& x) __attribute__((always_inline)) {
                                const double z = s * static_cast<double>(dot(x, v)) + b;
                                const double y = target(i);
                                const double weight = weights ? weights[i] : 1.0;
                                const double eta = rate_at(options, rate, t);
                                overflowed |= !(std::fabs(z) < infinite);
                                costs.add(loss, y, z, weight);
                                if (l2 > 0) {
                                  const double decay = 1 - eta * l2;
                                  s *= decay > 0 ? decay : 0.0;
                                  if (s < least_scale<T>) {
                                    fold(v, averaged ? sum : nullptr, X.cols, s, kept);
                                    s = 1, kept = 0;
                                  }
                                }
                                const double unit = eta / s;  // known before the slope is
                                const double slope = clipped(loss.slope(y, z));
                                const double g = slope * weight;
                                if (slope != 0) {
                                  if constexpr (!indebted) axpy(static_cast<T>(-g * unit), x, v);
                                  if (fit_intercept) b -= eta * g;
                                  if constexpr (averaged) axpy(g * unit * kept, x, sum);
                                  ++mistakes;
                                }
                                if constexpr (averaged) {
                                  if (t >= from) {
                                    kept += s;
                                    b_sum += b;
                                  }
                                }
                                if constexpr (indebted) {
                                  due += l1 * eta;
                                  step_and_pay(static_cast<T>(-g * unit), x, v, paid,
                                               Cumulative{due, s, 1 / s});
                                }
                                t += 1;
                              });
  a.b = b, a.b_sum = b_sum, a.t = t, a.n.s = s, a.n.kept = kept, a.n.due = due;
  costs.keep(a.n);
  a.n.overflowed = overflowed;
  a.tally.mistakes += mistakes;
}

// ---- any walk ----------------------------------------------------------------------------------

/// Batches, the l1 penalty in each of its ways, any loss and schedule.
template <class T, class View>
struct AnyWalk {
  const SgdSlice<T>& a;
  const View& X;
  const AnyLoss loss;
  const Targets target;
  const linear::SgdOptions options;
  const bool is_truncated;
  std::int64_t left;  // rows of the pass not yet visited

  AnyWalk(const SgdSlice<T>& slice, const View& rows)
      : a(slice),
        X(rows),
        loss{slice.options.loss, slice.options.loss_factor},
        target{slice.codes, slice.numbers, slice.positive},
        options(slice.options),
        is_truncated(slice.options.sparsity == Sparsity::truncated ||
                     slice.options.sparsity == Sparsity::truncated_steps),
        left(slice.count - slice.position) {}

  /// Sets v_j and keeps the sum what it was.
  INDUCER_INLINE void set(std::int64_t j, double value) const {
    const T next = static_cast<T>(value);
    if (a.sum) a.sum[j] -= a.n.kept * (static_cast<double>(next) - static_cast<double>(a.v[j]));
    a.v[j] = next;
  }

  /// The truncated penalties that came due since feature j was last seen.
  INDUCER_INLINE void catch_up(std::int64_t j) const {
    if (a.n.due != a.paid[j]) set(j, shrunk(static_cast<double>(a.v[j]), a.n.due - a.paid[j]));
    a.paid[j] = a.n.due;
  }

  INDUCER_INLINE void pay_cumulative(std::int64_t j) const {
    const Cumulative l1{a.n.due, a.n.s, 1 / a.n.s};
    set(j, l1.pay(static_cast<double>(a.v[j]), a.paid[j]));
  }

  void visit(std::int64_t i, const auto& x) {
    auto& n = a.n;
    if (is_truncated) for_each(x, [&](std::int64_t j, auto) { catch_up(j); });
    const double z = n.s * static_cast<double>(dot(x, a.v)) + a.b;
    const double y = target(i);
    const double weight = a.weights ? a.weights[i] : 1.0;
    const double value = loss.value(y, z);
    n.overflowed |= !(std::fabs(z) < infinite);
    n.cost += weight * value;
    double slope = clipped(loss.slope(y, z));
    if (slope != 0) ++a.tally.mistakes;
    if (options.schedule == Schedule::pa1 || options.schedule == Schedule::pa2) {
      const double norm = norm2(x), most = n.rate;
      const double step = options.schedule == Schedule::pa1
                              ? (norm > 0 ? (value < most * norm ? value / norm : most) : 0.0)
                              : value / (norm + 0.5 / most);
      slope *= step / most;  // the decay's rate is eta0
    }
    a.batch_rows[n.pending] = static_cast<std::uint32_t>(i);
    a.batch_slopes[n.pending] = slope * weight;
    ++n.pending;
    --left;
    if (n.pending == options.batch || left == 0) step();
  }

  void step() const {
    auto& n = a.n;
    const double eta = rate_at(options, n.rate, a.t);
    const double decay = 1 - eta * options.l2;
    n.s *= decay > 0 ? decay : 0.0;
    if (n.s < least_scale<T>) fold_all();
    const double share = eta / static_cast<double>(n.pending);
    if (options.sparsity == Sparsity::truncated_steps)
      take_truncated_step(share, eta);
    else
      take_step(share, eta);
    if (options.fit_intercept)
      for (std::int64_t k = 0; k < n.pending; ++k) a.b -= share * a.batch_slopes[k];
    if (a.sum && a.t >= options.average_from) {
      n.kept += n.s;
      a.b_sum += a.b;
    }
    a.t += 1;
    n.pending = 0;
  }

  void take_step(double share, double eta) const {
    auto& n = a.n;
    for (std::int64_t k = 0; k < n.pending; ++k) {
      const double r = share / n.s * a.batch_slopes[k];
      if (r == 0) continue;
      const auto x = X.row(a.batch_rows[k]);
      axpy(static_cast<T>(-r), x, a.v);
      if (a.sum) axpy(r * n.kept, x, a.sum);
    }
    if (options.sparsity == Sparsity::none) return;
    n.due += options.l1 * eta / (is_truncated ? n.s : 1.0);
    for (std::int64_t k = 0; k < n.pending; ++k)
      for_each(X.row(a.batch_rows[k]), [&](std::int64_t j, auto) {
        if (is_truncated)
          catch_up(j);
        else
          pay_cumulative(j);
      });
  }

  void take_truncated_step(double share, double eta) const {
    auto& n = a.n;
    std::int64_t listed = 0;
    for (std::int64_t k = 0; k < n.pending; ++k) {
      const double r = share / n.s * a.batch_slopes[k];
      for_each(X.row(a.batch_rows[k]), [&](std::int64_t j, auto value) {
        if (!a.stepped[j]) a.stepped_list[listed++] = static_cast<std::uint32_t>(j);
        a.stepped[j] = 1;
        a.steps[j] -= r * static_cast<double>(value);
      });
    }
    const double penalty = options.l1 * eta / n.s;
    n.due += penalty;
    for (std::int64_t k = 0; k < listed; ++k) {
      const auto j = static_cast<std::int64_t>(a.stepped_list[k]);
      const double v = static_cast<double>(a.v[j]);
      const double next = v + a.steps[j] - (v > 0 ? penalty : v < 0 ? -penalty : 0.0);
      set(j, (v > 0 && next < 0) || (v < 0 && next > 0) ? 0.0 : next);
      a.paid[j] = n.due;
      a.stepped[j] = 0, a.steps[j] = 0;
    }
  }

  void fold_all() const {
    auto& n = a.n;
    if (is_truncated) {  // what is due is in units of v
      for (std::int64_t j = 0; j < a.cols; ++j) catch_up(j), a.paid[j] = 0;
      n.due = 0;
    }
    fold(a.v, a.sum, a.cols, n.s, n.kept);
    n.s = 1, n.kept = 0;
  }
};

template <class T, class View>
__attribute__((noinline)) void walk_anyhow(const SgdSlice<T>& a, const View& X, Monitor& monitor) {
  AnyWalk<T, View> walk(a, X);
  a.position = visit_in_order(X, a.order, a.count, a.position, walk.target, mean_cells(X) * 2,
                              monitor, [&](std::int64_t i, const auto& x) { walk.visit(i, x); });
}

template <class T, class View, class Loss>
void walk_with(const SgdSlice<T>& a, const View& X, Monitor& monitor, const Loss& loss) {
  if (a.paid)
    walk_plainly<Kept::debts>(a, X, monitor, loss);
  else if (a.sum)
    walk_plainly<Kept::sums>(a, X, monitor, loss);
  else
    walk_plainly<Kept::nothing>(a, X, monitor, loss);
}

template <class View>
inline constexpr bool is_strided = false;
template <class T>
inline constexpr bool is_strided<StridedRows<T>> = true;

/// The hot losses have loops of their own, for the layouts that such walks are made for.
template <class T, class View>
void walk(const SgdSlice<T>& a, const View& X, Monitor& monitor) {
  using inducer::losses::Kind;
  const linear::SgdOptions& options = a.options;
  const bool plain =
      options.batch == 1 && options.schedule != Schedule::pa1 &&
      options.schedule != Schedule::pa2 &&
      (options.sparsity == Sparsity::none || (options.sparsity == Sparsity::cumulative && !a.sum));
  if (!plain) return walk_anyhow(a, X, monitor);
  const AnyLoss any{options.loss, options.loss_factor};
  if (options.loss.kind == Kind::logistic &&
      options.loss_factor == 1)  // its costs add up otherwise
    return walk_with(a, X, monitor, losses::Logistic{});
  if constexpr (is_strided<View>) return walk_with(a, X, monitor, any);
  if (options.loss_factor == 1) {
    if (options.loss.kind == Kind::hinge) return walk_with(a, X, monitor, losses::Hinge{});
    if (options.loss.kind == Kind::perceptron)
      return walk_with(a, X, monitor, losses::Perceptron{});
    if (options.loss.kind == Kind::squared_hinge)
      return walk_with(a, X, monitor, losses::SquaredHinge{});
  }
  if (options.loss.kind == Kind::squared && options.loss_factor == 0.5)
    return walk_with(a, X, monitor, HalfSquared{});
  walk_with(a, X, monitor, any);
}

template <class T>
void visit_any(const SgdSlice<T>& a, const Rows& rows, Monitor& monitor) {
  visit_layout<T>(rows, [&](const auto& X) { walk(a, X, monitor); });
}

template <class T>
void conclude(const SgdSlice<T>& a) {
  using linear::SgdOptions;
  const SgdOptions& options = a.options;
  const DenseRows<T> none{nullptr, 0, a.cols, 0};
  const AnyWalk<T, DenseRows<T>> walk(a, none);
  if (options.sparsity == Sparsity::cumulative)
    for (std::int64_t j = 0; j < a.cols; ++j) walk.pay_cumulative(j);
  walk.fold_all();
  double squares = 0, sizes = 0;
  for (std::int64_t j = 0; j < a.cols; ++j) {
    const double w = static_cast<double>(a.v[j]);
    squares += w * w;
    sizes += std::fabs(w);
  }
  a.n.overflowed |= !(sizes + std::fabs(a.b) < infinite);
  a.tally.loss = a.n.cost + std::log(a.n.cost_product);
  a.n.cost = 0, a.n.cost_product = 1;
  a.tally.penalty = options.l2 / 2 * squares + options.l1 * sizes;
}

}  // namespace

void visit_sgd_rows(const SgdSlice<float>& slice, const Rows& X, Monitor& monitor) {
  visit_any(slice, X, monitor);
}
void visit_sgd_rows(const SgdSlice<double>& slice, const Rows& X, Monitor& monitor) {
  visit_any(slice, X, monitor);
}
void conclude_sgd_pass(const SgdSlice<float>& slice) {
  conclude(slice);
}
void conclude_sgd_pass(const SgdSlice<double>& slice) {
  conclude(slice);
}

}  // namespace inducer::INDUCER_ISA
