#include "inducer/linear/perceptron.h"

#include "inducer/base/rows.h"

namespace inducer::INDUCER_ISA {
namespace {

/// Rows ahead to ask for: in shuffled order nothing else hides the latency of memory.
constexpr std::int64_t ahead = 16;

template <bool averaged, class T, class View>
void visit_rows_of(linear::PerceptronPass<T>& pass, const View& X, const Monitor& monitor) {
  const std::int64_t poll_rows = 1 + Monitor::poll_work / (X.cols < 64 ? 64 : X.cols);
  linear::PerceptronPass<T> s = pass;  // in registers
  std::int64_t poll_at = s.position + poll_rows;
  for (; s.position < s.count; ++s.position) {
    if (s.position == poll_at) {
      if (monitor.should_stop()) break;
      poll_at += poll_rows;
    }
    if (s.position + ahead < s.count) prefetch(X, s.order[s.position + ahead]);
    const std::int64_t i = s.order[s.position];
    const auto x = X.row(i);
    const double a = static_cast<double>(dot(x, s.w)) + s.b;
    const double y = s.codes[i] == s.positive ? 1.0 : -1.0;
    if (!(y * a > 0)) {
      const double weight = s.weights ? s.weights[i] : 1.0;
      const double r = s.rate * weight * y;
      s.loss -= weight * y * a;
      ++s.mistakes;
      axpy(static_cast<T>(r), x, s.w);
      if (s.fit_intercept) s.b += r;
      if constexpr (averaged) {
        axpy(r * s.c, x, s.u);
        if (s.fit_intercept) s.beta += r * s.c;
      }
    }
    s.c += 1;
  }
  pass = s;
}

template <class T>
void visit_any(linear::PerceptronPass<T>& pass, const Rows& rows, const Monitor& monitor) {
  visit_layout<T>(rows, [&](const auto& X) {
    if (pass.u)
      visit_rows_of<true>(pass, X, monitor);
    else
      visit_rows_of<false>(pass, X, monitor);
  });
}

}  // namespace

void visit_rows(linear::PerceptronPass<float>& pass, const Rows& X, const Monitor& monitor) {
  visit_any(pass, X, monitor);
}
void visit_rows(linear::PerceptronPass<double>& pass, const Rows& X, const Monitor& monitor) {
  visit_any(pass, X, monitor);
}

}  // namespace inducer::INDUCER_ISA
