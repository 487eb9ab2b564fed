#include "inducer/linear/scores.h"

#include "inducer/base/parallel.h"

namespace inducer::linear {
namespace {

template <class T>
void scores_on_this_machine(const Rows& X, const T* W, const T* b, std::int64_t outputs,
                            std::int64_t begin, std::int64_t end, T* scores) {
  INDUCER_DISPATCH(scores_of(X, W, b, outputs, begin, end, scores))
}

}  // namespace

template <std::floating_point T>
void scores(const Rows& X, const T* W, const T* b, std::int64_t outputs, std::int64_t begin,
            std::int64_t end, T* scores, int threads) {
  const double work = static_cast<double>(X.cols * outputs);
  parallel_for(threads, end - begin, work, [&](std::int64_t from, std::int64_t to) {
    scores_on_this_machine(X, W, b, outputs, begin + from, begin + to, scores);
  });
}

template void scores(const Rows&, const float*, const float*, std::int64_t, std::int64_t,
                     std::int64_t, float*, int);
template void scores(const Rows&, const double*, const double*, std::int64_t, std::int64_t,
                     std::int64_t, double*, int);

}  // namespace inducer::linear
