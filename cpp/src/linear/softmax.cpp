#include "inducer/linear/softmax.h"

#include <vector>

#include "inducer/base/parallel.h"
#include "inducer/linear/row_sums.h"
#include "inducer/linear/row_tiles.h"

namespace inducer::linear {
namespace {

double soften_here(const SoftmaxPiece& piece){INDUCER_DISPATCH(softmax_piece(piece))}

/// W by outputs (outputs x width) to W by columns (width x lanes), zeros where there is no output.
std::vector<double> turned(const double* W, std::int64_t outputs, std::int64_t width) {
  const std::int64_t lanes = padded_outputs(outputs);
  std::vector<double> by_column(static_cast<std::size_t>(width * lanes), 0.0);
  for (std::int64_t k = 0; k < outputs; ++k)
    for (std::int64_t j = 0; j < width; ++j)
      by_column[static_cast<std::size_t>(j * lanes + k)] = W[k * width + j];
  return by_column;
}

double soften(const Softmax& softmax, const double* W, std::int64_t begin, std::int64_t end,
              double* gradient, double* probabilities, bool product, int threads) {
  const Rows& X = softmax.X;
  const std::int64_t width = X.cols + 1, lanes = padded_outputs(softmax.outputs);
  const SoftmaxSums held(X, softmax.outputs);
  const Split split =
      split_of(X, end - begin, static_cast<double>(lanes), gradient ? held.size : 1);
  const std::vector<double> turned_W = turned(W, softmax.outputs, width);
  Sums parts(split, gradient ? held.size : 1, SoftmaxPiece::memory_for(X.cols, softmax.outputs));
  std::vector<double> values(static_cast<std::size_t>(split.count), 0.0);
  parallel_chunks(threads, split.count, [&](std::int64_t c) {
    values[static_cast<std::size_t>(c)] =
        soften_here({softmax, turned_W.data(), gradient ? parts.of(c) : nullptr, probabilities,
                     product, begin + split.begin(c), begin + split.begin(c + 1), parts.memory(c)});
  });
  double total = 0;
  for (std::int64_t c = 0; c < split.count; ++c) {
    total += values[static_cast<std::size_t>(c)];
    for (std::int64_t k = 0; gradient && k < softmax.outputs; ++k)
      for (std::int64_t j = 0; j < width; ++j)
        gradient[k * width + j] += parts.of(c)[k * held.output_step + j * held.column_step];
  }
  return total;
}

}  // namespace

double evaluate(const Softmax& softmax, const double* W, std::int64_t begin, std::int64_t end,
                double* gradient, double* probabilities, int threads) {
  return soften(softmax, W, begin, end, gradient, probabilities, false, threads);
}

void curvature_product(const Softmax& softmax, const double* probabilities, const double* V,
                       std::int64_t begin, std::int64_t end, double* out, int threads) {
  // Only read: a product writes no probabilities.
  soften(softmax, V, begin, end, out, const_cast<double*>(probabilities), true, threads);
}

}  // namespace inducer::linear
