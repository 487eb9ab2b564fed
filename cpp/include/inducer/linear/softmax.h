#pragma once
/// @file  The cross entropy of the softmax of several outputs, summed over a block of rows, and its
/// derivatives. Offsets last, penalties, bits and threads: as in objective.h.
#include <cstdint>

#include "inducer/base/isa.h"
#include "inducer/base/views.h"

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
/// @param probabilities  rows x outputs, written at the rows of the block; or null
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

struct SoftmaxPiece {
  const Softmax& softmax;
  const double* W;        ///< (cols + 1) x padded_outputs
  double* gradient;       ///< likewise, or null
  double* probabilities;  ///< rows x outputs: written; for a product, read
  bool product;           ///< whether W is a direction, and `gradient` gets the product
  std::int64_t begin, end;
  double* memory;  ///< block_rows x (copied_stride + padded_outputs)
};

}  // namespace inducer::linear

namespace inducer {

INDUCER_PER_ISA(double softmax_piece(const linear::SoftmaxPiece& piece))

}  // namespace inducer
