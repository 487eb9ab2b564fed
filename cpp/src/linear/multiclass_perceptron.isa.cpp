#include "inducer/linear/multiclass_perceptron.h"

#include "inducer/base/rows.h"
#include "inducer/linear/visit.h"

namespace inducer::INDUCER_ISA {
namespace {

template <class T, class View>
__attribute__((noinline)) void visit_rows_of(const linear::MulticlassSlice<T>& slice, const View& X,
                                             Monitor& monitor) {
  const linear::MulticlassSlice<T> s = slice;
  const std::int64_t cols = X.cols;
  double c = s.c, loss = s.tally.loss;
  std::int64_t mistakes = 0;
  s.position = visit_in_order(X, s.order, s.count, s.position, s.codes, mean_cells(X) * s.classes,
                              monitor, [&](std::int64_t i, const auto& x) {
                                const std::int64_t label = s.codes[i];
                                std::int64_t guess = 0;
                                double best = 0, own = 0;
                                for (std::int64_t k = 0; k < s.classes; ++k) {
                                  const double a =
                                      static_cast<double>(dot(x, s.w + k * cols)) + s.b[k];
                                  if (k == 0 || a > best) best = a, guess = k;
                                  if (k == label) own = a;
                                }
                                if (guess != label) {
                                  const double weight = s.weights ? s.weights[i] : 1.0;
                                  loss += weight * (best - own);
                                  ++mistakes;
                                  const auto move = [&](std::int64_t k, double r) {
                                    axpy(static_cast<T>(r), x, s.w + k * cols);
                                    if (s.fit_intercept) s.b[k] += r;
                                    if (s.u) {
                                      axpy(r * c, x, s.u + k * cols);
                                      if (s.fit_intercept) s.beta[k] += r * c;
                                    }
                                  };
                                  move(label, s.rate * weight);
                                  move(guess, -s.rate * weight);
                                }
                                c += 1;
                              });
  s.c = c, s.tally.loss = loss;
  s.tally.mistakes += mistakes;
}

}  // namespace

void visit_rows(const linear::MulticlassSlice<float>& slice, const Rows& rows, Monitor& monitor) {
  visit_layout<float>(rows, [&](const auto& X) { visit_rows_of(slice, X, monitor); });
}
void visit_rows(const linear::MulticlassSlice<double>& slice, const Rows& rows, Monitor& monitor) {
  visit_layout<double>(rows, [&](const auto& X) { visit_rows_of(slice, X, monitor); });
}

}  // namespace inducer::INDUCER_ISA
