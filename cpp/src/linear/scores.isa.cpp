#include "inducer/linear/scores.h"

#include "inducer/base/rows.h"

namespace inducer::INDUCER_ISA {
namespace {

template <class T>
void scores_impl(const Rows& rows, const T* W, const T* b, std::int64_t outputs, std::int64_t begin,
                 std::int64_t end, T* scores) {
  visit_layout<T>(rows, [&](const auto& X) {
    for (std::int64_t i = begin; i < end; ++i)
      for (std::int64_t k = 0; k < outputs; ++k)
        scores[i * outputs + k] = dot(X.row(i), W + k * X.cols) + b[k];
  });
}

}  // namespace

void scores_of(const Rows& X, const float* W, const float* b, std::int64_t outputs,
               std::int64_t begin, std::int64_t end, float* scores) {
  scores_impl(X, W, b, outputs, begin, end, scores);
}
void scores_of(const Rows& X, const double* W, const double* b, std::int64_t outputs,
               std::int64_t begin, std::int64_t end, double* scores) {
  scores_impl(X, W, b, outputs, begin, end, scores);
}

}  // namespace inducer::INDUCER_ISA
