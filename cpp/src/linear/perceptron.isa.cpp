#include "inducer/linear/perceptron.h"

#include "inducer/base/rows.h"
#include "inducer/linear/visit.h"

namespace inducer::INDUCER_ISA {
namespace {

/// One function an instance: together they would run out of registers.
template <bool averaged, bool remembered, class T, class View>
__attribute__((noinline)) void visit_rows_of(const linear::PerceptronSlice<T>& s, const View& X,
                                             Monitor& monitor) {
  T* const w = s.w;
  double* const u = s.u;
  const std::int32_t* const codes = s.codes;
  const double* const weights = s.weights;
  const std::int32_t positive = s.positive;
  const bool fit_intercept = s.fit_intercept;
  const double rate = s.rate;
  double b = s.b, beta = s.beta, c = s.c, loss = s.tally.loss;
  std::int64_t mistakes = 0;
  s.position = visit_in_order(X, s.order, s.count, s.position, codes, mean_cells(X), monitor,
                              [&](std::int64_t i, const auto& x) {
                                const double a = static_cast<double>(dot(x, w)) + b;
                                const double agreement = codes[i] == positive ? a : -a;
                                if (!(agreement > 0)) {
                                  const double weight = weights ? weights[i] : 1.0;
                                  const double r = (codes[i] == positive ? rate : -rate) * weight;
                                  loss -= weight * agreement;
                                  axpy(static_cast<T>(r), x, w);
                                  if (fit_intercept) b += r;
                                  if constexpr (averaged) {
                                    axpy(r * c, x, u);
                                    if (fit_intercept) beta += r * c;
                                  }
                                  if constexpr (remembered) {
                                    s.mistaken_rows[mistakes] = static_cast<std::uint32_t>(i);
                                    s.mistake_times[mistakes] = c;
                                  }
                                  ++mistakes;
                                }
                                c += 1;
                              });
  s.b = b, s.beta = beta, s.c = c, s.tally.loss = loss;
  s.tally.mistakes += mistakes;
}

template <class T>
void visit_any(const linear::PerceptronSlice<T>& slice, const Rows& rows, Monitor& monitor) {
  visit_layout<T>(rows, [&](const auto& X) {
    if (slice.mistaken_rows)
      visit_rows_of<false, true>(slice, X, monitor);
    else if (slice.u)
      visit_rows_of<true, false>(slice, X, monitor);
    else
      visit_rows_of<false, false>(slice, X, monitor);
  });
}

}  // namespace

void visit_rows(const linear::PerceptronSlice<float>& slice, const Rows& X, Monitor& monitor) {
  visit_any(slice, X, monitor);
}
void visit_rows(const linear::PerceptronSlice<double>& slice, const Rows& X, Monitor& monitor) {
  visit_any(slice, X, monitor);
}

}  // namespace inducer::INDUCER_ISA
