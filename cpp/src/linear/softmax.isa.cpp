#include "inducer/linear/softmax.h"

#include <cmath>

#include "inducer/base/rows.h"
#include "inducer/linear/row_tiles.h"
#include "inducer/losses/exponential.h"

namespace inducer::INDUCER_ISA {
namespace {

using linear::padded_outputs;

/// z (count x lanes) = W' (x_i, 1): eight outputs at a time, each a sum in the order of columns.
template <class Cells>
INDUCER_INLINE void score_row(Cells&& cells, const double* W, std::int64_t cols,
                              std::int64_t lanes_, double* z) {
  for (std::int64_t k = 0; k < lanes_; k += 8) {
    double sum_[8];
    for (int c = 0; c < 8; ++c) sum_[c] = W[cols * lanes_ + k + c];
    cells([&](std::int64_t j, double x) {
      const double* w = W + j * lanes_ + k;
      for (int c = 0; c < 8; ++c) sum_[c] += x * w[c];
    });
    for (int c = 0; c < 8; ++c) z[k + c] = sum_[c];
  }
}

void score(const Tile& X, const double* W, std::int64_t outputs, double* z) {
  for (std::int64_t i = 0; i < X.count; ++i) {
    const double* x = X.row(i);
    score_row(
        [&](auto&& f) {
          for (std::int64_t j = 0; j < X.cols; ++j) f(j, x[j]);
        },
        W, X.cols, outputs, z + i * outputs);
  }
}

template <class T>
void score(const SparseTile<T>& X, const double* W, std::int64_t outputs, double* z) {
  for (std::int64_t i = 0; i < X.count; ++i) {
    const SparseRow<T> x = X.X.row(X.begin + i);
    score_row(
        [&](auto&& f) {
          for_each(x, [&](std::int64_t j, T value) { f(j, static_cast<double>(value)); });
        },
        W, X.cols, outputs, z + i * outputs);
  }
}

/// G ((cols + 1) x outputs) += sum_i (x_i, 1) r_i'.
void add_rows(const Tile& X, const double* r, std::int64_t outputs, double* __restrict G) {
  std::int64_t i = 0;
  for (; i + 4 <= X.count; i += 4) {
    const double *x0 = X.row(i), *x1 = X.row(i + 1), *x2 = X.row(i + 2), *x3 = X.row(i + 3);
    for (std::int64_t k = 0; k < outputs; k += 8) {
      const double *r0 = r + i * outputs + k, *r1 = r0 + outputs, *r2 = r1 + outputs,
                   *r3 = r2 + outputs;
      for (std::int64_t j = 0; j < X.cols; ++j) {
        double* g = G + j * outputs + k;
        const double a0 = x0[j], a1 = x1[j], a2 = x2[j], a3 = x3[j];
        for (int c = 0; c < 8; ++c) g[c] = g[c] + a0 * r0[c] + a1 * r1[c] + a2 * r2[c] + a3 * r3[c];
      }
      double* g = G + X.cols * outputs + k;
      for (int c = 0; c < 8; ++c) g[c] = g[c] + r0[c] + r1[c] + r2[c] + r3[c];
    }
  }
  for (; i < X.count; ++i) {
    for (std::int64_t j = 0; j <= X.cols; ++j)
      axpy(j < X.cols ? X.row(i)[j] : 1.0, r + i * outputs, G + j * outputs, outputs);
  }
}

template <class T>
void add_rows(const SparseTile<T>& X, const double* r, std::int64_t outputs, double* __restrict G) {
  for (std::int64_t i = 0; i < X.count; ++i) {
    const double* ri = r + i * outputs;
    for_each(X.X.row(X.begin + i), [&](std::int64_t j, T x) {
      double* g = G + j * outputs;
      for (std::int64_t k = 0; k < outputs; k += 8)
        for (int c = 0; c < 8; ++c) g[k + c] += static_cast<double>(x) * ri[k + c];
    });
    double* g = G + X.cols * outputs;
    for (std::int64_t k = 0; k < outputs; ++k) g[k] += ri[k];
  }
}

/// From scores to probabilities; log of the sum of exp(z), which is what the softmax leaves out.
double soften(double* z, std::int64_t outputs, std::int64_t lanes_) {
  double most = z[0];
  for (std::int64_t k = 1; k < outputs; ++k) most = z[k] > most ? z[k] : most;
  for (std::int64_t k = 0; k < lanes_; ++k) z[k] = losses::fast_exp(z[k] - most);
  double total = 0;
  for (std::int64_t k = 0; k < outputs; ++k) total += z[k];
  for (std::int64_t k = 0; k < lanes_; ++k) z[k] = k < outputs ? z[k] / total : 0.0;
  return most + std::log(total);
}

template <class View>
double soften_rows(const linear::SoftmaxPiece& piece, const View& X) {
  const linear::Softmax& softmax = piece.softmax;
  const std::int64_t outputs = softmax.outputs, lanes_ = padded_outputs(outputs);
  const std::int64_t block = linear::block_rows(X.cols);
  double *z = piece.memory, *tile = z + block * lanes_;
  double total = 0;
  for (std::int64_t begin = piece.begin; begin < piece.end; begin += block) {
    const std::int64_t count = piece.end - begin < block ? piece.end - begin : block;
    const auto rows = tile_of(X, begin, count, tile);
    score(rows, piece.W, lanes_, z);
    for (std::int64_t i = 0; i < count; ++i) {
      const std::int64_t row = begin + i;
      double* zi = z + i * lanes_;
      const double weight = softmax.weights ? softmax.weights[row] : 1.0;
      double* p = piece.probabilities ? piece.probabilities + row * outputs : nullptr;
      if (piece.product) {
        double mean = 0;
        for (std::int64_t k = 0; k < outputs; ++k) mean += p[k] * zi[k];
        for (std::int64_t k = 0; k < outputs; ++k) zi[k] = weight * p[k] * (zi[k] - mean);
        continue;
      }
      double said = 0;
      if (softmax.codes)
        said = zi[softmax.codes[row]];
      else
        for (std::int64_t k = 0; k < outputs; ++k)
          said += softmax.shares[row * outputs + k] * zi[k];
      const double lost = soften(zi, outputs, lanes_) - said;
      if (weight != 0) total += weight * lost;
      for (std::int64_t k = 0; p && k < outputs; ++k) p[k] = zi[k];
      if (softmax.codes)
        zi[softmax.codes[row]] -= 1.0;
      else
        for (std::int64_t k = 0; k < outputs; ++k) zi[k] -= softmax.shares[row * outputs + k];
      for (std::int64_t k = 0; softmax.weights && k < outputs; ++k) zi[k] *= weight;
    }
    if (piece.gradient) add_rows(rows, z, lanes_, piece.gradient);
  }
  return total;
}

}  // namespace

double softmax_piece(const linear::SoftmaxPiece& piece) {
  return visit(piece.softmax.X, [&](const auto& X) { return soften_rows(piece, X); });
}

}  // namespace inducer::INDUCER_ISA
