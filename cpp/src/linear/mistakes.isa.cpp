#include "inducer/linear/mistakes.h"

#include "inducer/base/rows.h"

namespace inducer::INDUCER_ISA {
namespace {

template <class T, class View>
void charge_rows_of(const View& X, const std::int32_t* codes, const double* weights,
                    const linear::Rule<T>& rule, const double* cost, double* charge,
                    std::int32_t* guess, std::int64_t begin, std::int64_t end) {
  const std::int64_t classes = rule.outputs < 2 ? 2 : rule.outputs;
  for (std::int64_t i = begin; i < end; ++i) {
    const auto x = X.row(i);
    const std::int64_t code = codes[i];
    std::int64_t said = 0;
    const double first = static_cast<double>(dot(x, rule.W)) + rule.b[0];
    if (rule.outputs == 1) {
      // A zero is a mistake whichever the label: it is counted as the other one.
      said = first > 0 ? 1 : first == 0 ? 1 - code : 0;
    } else {
      double best = first;
      for (std::int64_t k = 1; k < rule.outputs; ++k) {
        const double a = static_cast<double>(dot(x, rule.W + k * X.cols)) + rule.b[k];
        if (a > best) best = a, said = k;
      }
    }
    const double weight = weights ? weights[i] : 1.0;
    guess[i] = static_cast<std::int32_t>(said);
    charge[i] = said == code ? 0.0 : weight * cost[code * classes + said];
  }
}

template <class T, class View>
linear::BlockMistakes sum_rows_of(const View& X, const std::int32_t* codes, std::int32_t positive,
                                  const double* weights, const T* w, double b, std::int64_t begin,
                                  std::int64_t end, double* sum) {
  linear::BlockMistakes found;
  for (std::int64_t i = begin; i < end; ++i) {
    const auto x = X.row(i);
    const double weight = weights ? weights[i] : 1.0;
    const double y = codes[i] == positive ? 1.0 : -1.0;
    const double a = static_cast<double>(dot(x, w)) + b;
    if (y * a > 0 || weight == 0) continue;
    ++found.count;
    found.weight += weight;
    found.loss -= weight * y * a;
    found.offset_sum += weight * y;
    axpy(weight * y, x, sum);
  }
  return found;
}

}  // namespace

#define INDUCER_DEFINE_MISTAKES(T)                                                              \
  void charge_rows(const Rows& rows, const std::int32_t* codes, const double* weights,          \
                   const linear::Rule<T>& rule, const double* cost, double* charge,             \
                   std::int32_t* guess, std::int64_t begin, std::int64_t end) {                 \
    visit_layout<T>(rows, [&](const auto& X) {                                                  \
      charge_rows_of(X, codes, weights, rule, cost, charge, guess, begin, end);                 \
    });                                                                                         \
  }                                                                                             \
  linear::BlockMistakes sum_rows(const Rows& rows, const std::int32_t* codes,                   \
                                 std::int32_t positive, const double* weights, const T* w,      \
                                 double b, std::int64_t begin, std::int64_t end, double* sum) { \
    return visit_layout<T>(rows, [&](const auto& X) {                                           \
      return sum_rows_of(X, codes, positive, weights, w, b, begin, end, sum);                   \
    });                                                                                         \
  }
INDUCER_DEFINE_MISTAKES(float)
INDUCER_DEFINE_MISTAKES(double)

}  // namespace inducer::INDUCER_ISA
