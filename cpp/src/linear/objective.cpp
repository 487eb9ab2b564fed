#include "inducer/linear/objective.h"

#include <vector>

#include "inducer/base/parallel.h"
#include "inducer/linear/gram.h"
#include "inducer/linear/gram_tile.h"
#include "inducer/linear/row_sums.h"

namespace inducer::linear {

namespace {

double evaluate_here(const ObjectivePiece& piece) {
  INDUCER_DISPATCH(evaluate_piece(piece))
}
void multiply_here(const ProductPiece& piece){INDUCER_DISPATCH(product_piece(piece))} Along
    along_here(const Objective& objective, const double* scores, const double* changes, double t,
               std::int64_t begin, std::int64_t end){
        INDUCER_DISPATCH(along_piece(objective, scores, changes, t, begin, end))}

/// Sparse rows are not copied: memory for that would be most of what a call on wide ones costs.
std::int64_t memory_for(const Rows& X) {
  const std::int64_t copied = X.layout == Rows::Layout::sparse ? 0 : copied_stride(X.cols);
  return block_rows(X.cols) * (copied + 6);
}

}  // namespace

double evaluate(const Objective& objective, const double* w, std::int64_t begin, std::int64_t end,
                const Wanted& wanted, int threads) {
  const Rows& X = objective.X;
  const std::int64_t width = X.cols + 1;
  // A Hessian of few columns is summed in the same pass; else its curvatures are kept for a second.
  const bool fused = wanted.hessian && X.layout != Rows::Layout::sparse && width <= linear::narrow;
  std::vector<double> kept;
  Wanted found = wanted;
  if (wanted.hessian && !fused && !wanted.curvatures) {
    kept.resize(static_cast<std::size_t>(X.rows));
    found.curvatures = kept.data();
  }
  const std::int64_t panel = fused ? panel_rows * panel_stride(width) : 0;
  const std::int64_t side = fused ? padded(width) : 0;
  const std::int64_t gradient = wanted.gradient ? width : 0;
  const std::int64_t squares = wanted.squares ? X.cols : 0;
  const std::int64_t sums = gradient + squares + side * side;
  const Split split =
      split_of(X, end - begin, fused ? 1 + static_cast<double>(width) / 4 : 1, sums + 1);
  Sums parts(split, sums, memory_for(X) + 2 * panel);
  std::vector<double> values(static_cast<std::size_t>(split.count), 0.0);
  parallel_chunks(threads, split.count, [&](std::int64_t c) {
    Wanted part = found;
    if (wanted.gradient) part.gradient = parts.of(c);
    if (wanted.squares) part.squares = parts.of(c) + gradient;
    double* const panels = parts.memory(c) + memory_for(X);
    values[static_cast<std::size_t>(c)] =
        evaluate_here({objective, w, part, begin + split.begin(c), begin + split.begin(c + 1),
                       parts.memory(c), fused ? panels : nullptr, fused ? panels + panel : nullptr,
                       fused ? parts.of(c) + gradient + squares : nullptr});
  });
  double total = 0;
  for (std::int64_t c = 0; c < split.count; ++c) {
    total += values[static_cast<std::size_t>(c)];
    for (std::int64_t j = 0; j < gradient; ++j) wanted.gradient[j] += parts.of(c)[j];
    for (std::int64_t j = 0; j < squares; ++j) wanted.squares[j] += parts.of(c)[gradient + j];
    for (std::int64_t i = 0; fused && i < width; ++i)
      for (std::int64_t j = i; j < width; ++j)
        wanted.hessian[i * width + j] += parts.of(c)[gradient + squares + i * side + j];
  }
  if (wanted.hessian && !fused) {
    GramTerms terms;
    terms.weights = found.curvatures;
    add_gram(X, terms, begin, end, wanted.hessian, threads);
  }
  return total;
}

void curvature_product(const Rows& X, const double* curvatures, const double* v, std::int64_t begin,
                       std::int64_t end, double* out, const AlsoWanted& also, int threads) {
  const std::int64_t width = X.cols + 1, gradient = also.gradient ? width : 0;
  const Split split = split_of(X, end - begin, also.gradient ? 2 : 1, width + gradient);
  Sums parts(split, width + gradient, memory_for(X));
  parallel_chunks(threads, split.count, [&](std::int64_t c) {
    const AlsoWanted part{also.slopes, also.gradient ? parts.of(c) + width : nullptr, also.changes};
    multiply_here({X, curvatures, v, parts.of(c), part, begin + split.begin(c),
                   begin + split.begin(c + 1), parts.memory(c)});
  });
  for (std::int64_t c = 0; c < split.count; ++c) {
    for (std::int64_t j = 0; j < width; ++j) out[j] += parts.of(c)[j];
    for (std::int64_t j = 0; j < gradient; ++j) also.gradient[j] += parts.of(c)[width + j];
  }
}

void curvature_product(const Rows& X, const double* curvatures, const double* v, std::int64_t begin,
                       std::int64_t end, double* out, int threads) {
  curvature_product(X, curvatures, v, begin, end, out, {}, threads);
}

Along evaluate_along(const Objective& objective, const double* scores, const double* changes,
                     double t, std::int64_t begin, std::int64_t end, int threads) {
  const Split split(end - begin, 32);
  std::vector<Along> parts(static_cast<std::size_t>(split.count));
  parallel_chunks(threads, split.count, [&](std::int64_t c) {
    parts[static_cast<std::size_t>(c)] = along_here(
        objective, scores, changes, t, begin + split.begin(c), begin + split.begin(c + 1));
  });
  Along total;
  for (const Along& part : parts) {
    total.value += part.value;
    total.slope += part.slope;
    total.curvature += part.curvature;
  }
  return total;
}

}  // namespace inducer::linear
