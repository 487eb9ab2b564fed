#pragma once
/// @file  The cross entropy of the softmax of several outputs, summed over a block of rows, and its
/// derivatives. Offsets last, penalties, bits and threads: as in objective.h.
#include <cstdint>

#include "inducer/base/isa.h"
#include "inducer/base/views.h"
#include "inducer/linear/row_tiles.h"

namespace inducer::linear {

/// Rows, and the classes they should be in: cross entropy of the softmax of outputs scores.
struct Softmax {
  Rows X;
  std::int64_t outputs = 2;
  const std::int32_t* codes = nullptr;  ///< or null: shares
  const double* shares = nullptr;       ///< rows x outputs, each row summing to 1
  const double* weights = nullptr;      ///< or null: all one
};

/// The sum over rows [begin, end) at W (outputs x (cols + 1), offsets last).
/// @param gradient       outputs x (cols + 1), added to; or null
/// @param probabilities  outputs x rows, written at the rows of the block; or null
double evaluate(const Softmax& softmax, const double* W, std::int64_t begin, std::int64_t end,
                double* gradient, double* probabilities, int threads);

/// out (outputs x (cols + 1)) += the Hessian times V, given the probabilities.
void curvature_product(const Softmax& softmax, const double* probabilities, const double* V,
                       std::int64_t begin, std::int64_t end, double* out, int threads);

// ---- what the hot loops are called with
// ----------------------------------------------------------

constexpr std::int64_t padded_outputs(std::int64_t outputs) noexcept {
  return (outputs + 7) / 8 * 8;
}
constexpr std::int64_t softmax_block(std::int64_t cols, std::int64_t outputs) noexcept {
  return block_rows(cols + 2 * padded_outputs(outputs));
}
/// The rows of an output lie this far apart: an odd number of cache lines, or they would fall into
/// few sets of the first-level cache.
constexpr std::int64_t output_stride(std::int64_t block) noexcept {
  return (block + 7) / 8 * 8 | 8;
}

/// How a piece holds its gradient: by output where columns are added in vectors, by column where
/// they come one by one.
struct SoftmaxSums {
  std::int64_t size, output_step, column_step;

  SoftmaxSums(const Rows& X, std::int64_t outputs) noexcept
      : size((X.cols + 8) * padded_outputs(outputs)),
        output_step(X.layout == Rows::Layout::sparse ? 1 : copied_stride(X.cols)),
        column_step(X.layout == Rows::Layout::sparse ? padded_outputs(outputs) : 1) {}
};

struct SoftmaxPiece {
  const Softmax& softmax;
  const double* W;        ///< (cols + 1) x padded_outputs
  double* gradient;       ///< as SoftmaxSums says, or null
  double* probabilities;  ///< outputs x rows: written; for a product, read
  bool product;           ///< whether W is a direction, and `gradient` gets the product
  std::int64_t begin, end;
  double* memory;  ///< memory_for doubles

  static std::int64_t memory_for(std::int64_t cols, std::int64_t outputs) noexcept {
    const std::int64_t block = softmax_block(cols, outputs);
    return block * (copied_stride(cols) + padded_outputs(outputs) + 8 + 4) +
           outputs * output_stride(block);
  }
};

}  // namespace inducer::linear

namespace inducer {

INDUCER_PER_ISA(double softmax_piece(const linear::SoftmaxPiece& piece))

}  // namespace inducer
