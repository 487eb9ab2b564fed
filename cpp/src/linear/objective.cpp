#include "inducer/linear/objective.h"

#include <algorithm>
#include <vector>

#include "inducer/base/parallel.h"
#include "inducer/linear/gram.h"
#include "inducer/linear/gram_tile.h"

namespace inducer::linear {

std::int64_t block_rows(std::int64_t cols) noexcept {
  constexpr std::int64_t cells = 1 << 15;  // 256 KiB
  return std::clamp<std::int64_t>(cells / copied_stride(cols) / 4 * 4, 16, 256);
}

namespace {

double cells_per_row(const Rows& X) {
  if (X.layout != Rows::Layout::sparse) return static_cast<double>(X.cols);
  return X.rows > 0 ? static_cast<double>(X.starts[X.rows]) / static_cast<double>(X.rows) : 0.0;
}

/// Pieces that each add into memory of their own: no more than are worth making it zero, adding it
/// up, and holding it.
Split split_of(const Rows& X, std::int64_t count, double factor, std::int64_t sums) {
  const double work = (2 * cells_per_row(X) + 16) * factor;
  const double worth = work * static_cast<double>(count) / (4.0 * static_cast<double>(sums));
  const auto held = std::int64_t{1} << 24;  // 128 MiB of sums
  const auto most = std::min<std::int64_t>({16, static_cast<std::int64_t>(std::min(worth, 1e6)),
                                            std::max<std::int64_t>(held / sums, 2)});
  return Split(count, work, std::max<std::int64_t>(most, 1));
}

/// The sums of the pieces, and memory to make them in.
class Sums {
 public:
  Sums(const Split& split, std::int64_t sums, std::int64_t memory)
      : sums_(sums), memory_(memory), values_(static_cast<std::size_t>(split.count * sums)) {
    memories_.resize(static_cast<std::size_t>(split.count * memory));
  }
  double* of(std::int64_t piece) { return values_.data() + piece * sums_; }
  double* memory(std::int64_t piece) { return memories_.data() + piece * memory_; }

 private:
  std::int64_t sums_, memory_;
  std::vector<double> values_, memories_;
};

double evaluate_here(const ObjectivePiece& piece) {
  INDUCER_DISPATCH(evaluate_piece(piece))
}
void multiply_here(const ProductPiece& piece) {
  INDUCER_DISPATCH(product_piece(piece))
}
double soften_here(const SoftmaxPiece& piece){INDUCER_DISPATCH(softmax_piece(piece))} Along
    along_here(const Objective& objective, const double* scores, const double* changes, double t,
               std::int64_t begin, std::int64_t end){
        INDUCER_DISPATCH(along_piece(objective, scores, changes, t, begin, end))}

/// Sparse rows are not copied: memory for that would be most of what a call on wide ones costs.
std::int64_t memory_for(const Rows& X) {
  const std::int64_t copied = X.layout == Rows::Layout::sparse ? 0 : copied_stride(X.cols);
  return block_rows(X.cols) * (copied + 6);
}

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
  const std::int64_t sums = gradient ? width * lanes : 1;
  const Split split = split_of(X, end - begin, static_cast<double>(lanes), sums);
  const std::vector<double> turned_W = turned(W, softmax.outputs, width);
  Sums parts(split, sums, block_rows(X.cols) * (copied_stride(X.cols) + lanes));
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
        gradient[k * width + j] += parts.of(c)[j * lanes + k];
  }
  return total;
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
  const Split split = split_of(X, end - begin, fused ? 1 + static_cast<double>(width) / 4 : 1,
                               gradient + side * side + 1);
  Sums parts(split, gradient + side * side, memory_for(X) + 2 * panel);
  std::vector<double> values(static_cast<std::size_t>(split.count), 0.0);
  parallel_chunks(threads, split.count, [&](std::int64_t c) {
    Wanted part = found;
    if (wanted.gradient) part.gradient = parts.of(c);
    double* const panels = parts.memory(c) + memory_for(X);
    values[static_cast<std::size_t>(c)] =
        evaluate_here({objective, w, part, begin + split.begin(c), begin + split.begin(c + 1),
                       parts.memory(c), fused ? panels : nullptr, fused ? panels + panel : nullptr,
                       fused ? parts.of(c) + gradient : nullptr});
  });
  double total = 0;
  for (std::int64_t c = 0; c < split.count; ++c) {
    total += values[static_cast<std::size_t>(c)];
    for (std::int64_t j = 0; j < gradient; ++j) wanted.gradient[j] += parts.of(c)[j];
    for (std::int64_t i = 0; fused && i < width; ++i)
      for (std::int64_t j = i; j < width; ++j)
        wanted.hessian[i * width + j] += parts.of(c)[gradient + i * side + j];
  }
  if (wanted.hessian && !fused) {
    GramTerms terms;
    terms.weights = found.curvatures;
    add_gram(X, terms, begin, end, wanted.hessian, threads);
  }
  return total;
}

void curvature_product(const Rows& X, const double* curvatures, const double* v, std::int64_t begin,
                       std::int64_t end, double* out, int threads) {
  const std::int64_t width = X.cols + 1;
  const Split split = split_of(X, end - begin, 1, width);
  Sums parts(split, width, memory_for(X));
  parallel_chunks(threads, split.count, [&](std::int64_t c) {
    multiply_here({X, curvatures, v, parts.of(c), begin + split.begin(c),
                   begin + split.begin(c + 1), parts.memory(c)});
  });
  for (std::int64_t c = 0; c < split.count; ++c)
    for (std::int64_t j = 0; j < width; ++j) out[j] += parts.of(c)[j];
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
