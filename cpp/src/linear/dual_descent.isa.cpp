#include "inducer/linear/dual_descent.h"

#include "inducer/base/rows.h"

namespace inducer::INDUCER_ISA {
namespace {

/// The dot product in float64, whatever x is made of.
INDUCER_INLINE double wide_dot(DenseRow<double> x, const double* w) {
  return dot(x, w);
}

INDUCER_INLINE double wide_dot(DenseRow<float> x, const double* w) {
  double lane[16]{};
  std::int64_t j = 0;
  for (; j + 16 <= x.cols; j += 16)
    for (int k = 0; k < 16; ++k) lane[k] += static_cast<double>(x.values[j + k]) * w[j + k];
  for (int k = 0; j < x.cols; ++j, ++k) lane[k] += static_cast<double>(x.values[j]) * w[j];
  for (int half = 8; half > 0; half /= 2)
    for (int k = 0; k < half; ++k) lane[k] += lane[k + half];
  return lane[0];
}

template <class T>
INDUCER_INLINE double wide_dot(StridedRow<T> x, const double* w) {
  double lane[16]{};
  std::int64_t j = 0;
  for (; j + 16 <= x.cols; j += 16)
    for (int k = 0; k < 16; ++k)
      lane[k] += static_cast<double>(x.values[(j + k) * x.stride]) * w[j + k];
  for (int k = 0; j < x.cols; ++j, ++k)
    lane[k] += static_cast<double>(x.values[j * x.stride]) * w[j];
  for (int half = 8; half > 0; half /= 2)
    for (int k = 0; k < half; ++k) lane[k] += lane[k + half];
  return lane[0];
}

template <class T>
INDUCER_INLINE double wide_dot(SparseRow<T> x, const double* w) {
  return dot(x, w);
}

template <class View>
void visit_view(const linear::DualSlice& s, const View& X, Monitor& monitor) {
  constexpr std::int64_t ahead = rows_ahead<View>;
  const std::int64_t cells = mean_cells(X);
  const std::int64_t poll_rows = 1 + Monitor::poll_work / (cells < 64 ? 64 : cells);
  double* const w = s.w;
  double sum = s.sum, w_centre = s.w_centre, worst = s.worst;
  const double bias = s.bias, epsilon = s.epsilon, limit = s.limit;
  const double stiffness = s.stiffness + s.centre_square;  // what the sum of the betas costs here
  std::int64_t active = s.active, at = s.position, until_poll = poll_rows;
  while (at < active) {
    if (--until_poll == 0) {
      until_poll = poll_rows;
      if (monitor.should_stop()) break;
    }
    if (at + 2 * ahead < active) {
      prefetch_place(X, s.order[at + 2 * ahead]);
      __builtin_prefetch(s.rows + s.order[at + 2 * ahead], 1);
      prefetch(X, s.order[at + ahead]);
    }
    const std::int64_t i = s.order[at];
    linear::DualRow& row = s.rows[i];
    const auto x = X.row(i);
    const double slope =
        wide_dot(x, w) - sum * row.at_centre - w_centre + bias + stiffness * sum - row.target;
    // The slope to the right of beta, and to its left.
    const double up = slope + (row.beta >= 0 ? epsilon : -epsilon);
    const double down = slope + (row.beta > 0 ? epsilon : -epsilon);
    // At a bound only the way inside counts; away from zero `up` and `down` are the same.
    const bool may_rise = row.beta<row.high, may_fall = row.beta> row.low;
    const double rises = may_rise ? -up : -1e300, falls = may_fall ? down : -1e300;
    const double most = rises > falls ? rises : falls;
    const double pull = most > 0 ? most : 0.0, pressed = -most;
    if (pull == 0 && pressed > limit) {
      --active;
      s.order[at] = s.order[active];
      s.order[active] = static_cast<std::uint32_t>(i);
      continue;
    }
    ++at;
    if (pull == 0) continue;
    if (pull > worst) worst = pull;
    const double straight = row.beta - slope * row.inverse, bend = epsilon * row.inverse;
    double beta = straight > bend ? straight - bend : straight < -bend ? straight + bend : 0.0;
    beta = beta < row.low ? row.low : beta > row.high ? row.high : beta;
    const double change = beta - row.beta;
    if (change == 0) continue;
    row.beta = beta;
    sum += change;
    w_centre += change * row.at_centre;
    axpy(change, x, w);
  }
  s.sum = sum, s.w_centre = w_centre, s.worst = worst, s.active = active, s.position = at;
}

}  // namespace

void visit_dual_rows(const linear::DualSlice& slice, Monitor& monitor) {
  visit(slice.X, [&](const auto& X) { visit_view(slice, X, monitor); });
}

}  // namespace inducer::INDUCER_ISA
