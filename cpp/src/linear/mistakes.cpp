#include "inducer/linear/mistakes.h"

#include "inducer/base/parallel.h"

namespace inducer::linear {
namespace {

template <class T>
void charge_here(const Rows& X, const std::int32_t* codes, const double* weights,
                 const Rule<T>& rule, const double* cost, double* charge, std::int32_t* guess,
                 std::int64_t begin, std::int64_t end) {
  INDUCER_DISPATCH(charge_rows(X, codes, weights, rule, cost, charge, guess, begin, end))
}

}  // namespace

template <std::floating_point T>
void charge_mistakes(const Rows& X, const std::int32_t* codes, const double* weights,
                     const Rule<T>& rule, const double* cost, double* charge, std::int32_t* guess,
                     std::int64_t begin, std::int64_t end, int threads) {
  const auto work = static_cast<double>(X.cols * rule.outputs + 8);
  parallel_for(threads, end - begin, work, [&](std::int64_t from, std::int64_t to) {
    charge_here(X, codes, weights, rule, cost, charge, guess, begin + from, begin + to);
  });
}

template <std::floating_point T>
BlockMistakes sum_mistakes(const Rows& X, const std::int32_t* codes, std::int32_t positive,
                           const double* weights, const T* w, double b, std::int64_t begin,
                           std::int64_t end, double* sum) {
  INDUCER_DISPATCH(sum_rows(X, codes, positive, weights, w, b, begin, end, sum))
}

template void charge_mistakes(const Rows&, const std::int32_t*, const double*, const Rule<float>&,
                              const double*, double*, std::int32_t*, std::int64_t, std::int64_t,
                              int);
template void charge_mistakes(const Rows&, const std::int32_t*, const double*, const Rule<double>&,
                              const double*, double*, std::int32_t*, std::int64_t, std::int64_t,
                              int);
template BlockMistakes sum_mistakes(const Rows&, const std::int32_t*, std::int32_t, const double*,
                                    const float*, double, std::int64_t, std::int64_t, double*);
template BlockMistakes sum_mistakes(const Rows&, const std::int32_t*, std::int32_t, const double*,
                                    const double*, double, std::int64_t, std::int64_t, double*);

}  // namespace inducer::linear
