#include "inducer/linear/softmax.h"

#include "inducer/base/rows.h"
#include "inducer/base/vector.h"
#include "inducer/linear/row_tiles.h"
#include "inducer/losses/exponential.h"

namespace inducer::INDUCER_ISA {
namespace {

using linear::padded_outputs;
using Doubles = Pack<double>::Register;

// Eight numbers, in as many registers as they take. What is held in registers by the tiles below
// leaves room for what is loaded. Products are rounded before they are added, and each sum goes by
// the order of columns or of rows: the same bits whatever the tile.
constexpr int eight = 8 / Pack<double>::width;
constexpr int score_rows = eight == 4 ? 2 : 4;
constexpr int most_eights = eight == 1 ? 2 : 1;
constexpr int most_outputs = 8 / eight;
constexpr int rows_before_use = 16;  // that they are asked for

INDUCER_INLINE Doubles spread(double x) {
  return x - Doubles{};
}

INDUCER_INLINE void store(double* to, Doubles value) {
  std::memcpy(to, &value, sizeof value);
}

// ---- scores
// --------------------------------------------------------------------------------------

/// z (count x lanes): some rows and `eights` times eight outputs at once.
template <int rows, int eights>
INDUCER_INLINE void score_tile(const Tile& X, std::int64_t i, const double* W, std::int64_t lanes_,
                               double* z) {
  constexpr int width = Pack<double>::width, registers = eights * eight;
  Doubles sum[rows][registers];
#pragma GCC unroll 4
  for (int r = 0; r < rows; ++r)
#pragma GCC unroll 4
    for (int c = 0; c < registers; ++c)
      sum[r][c] = Pack<double>::load(W + X.cols * lanes_ + c * width);
  const double* x = X.row(i);
  for (std::int64_t j = 0; j < X.cols; ++j) {
    Doubles w[registers];
#pragma GCC unroll 4
    for (int c = 0; c < registers; ++c) w[c] = Pack<double>::load(W + j * lanes_ + c * width);
#pragma GCC unroll 4
    for (int r = 0; r < rows; ++r) {
      const Doubles cell = spread(x[r * X.stride + j]);
#pragma GCC unroll 4
      for (int c = 0; c < registers; ++c) sum[r][c] += cell * w[c];
    }
  }
#pragma GCC unroll 4
  for (int r = 0; r < rows; ++r)
#pragma GCC unroll 4
    for (int c = 0; c < registers; ++c) store(z + (i + r) * lanes_ + c * width, sum[r][c]);
}

template <int eights>
void score_all(const Tile& X, const double* W, std::int64_t lanes_, double* z) {
  std::int64_t i = 0;
  for (; i + score_rows <= X.count; i += score_rows) {
    // Several rows side by side are more than the processor foresees: 1.8 times the time without.
    for (std::int64_t r = 0; r < score_rows; ++r)
      prefetch_bytes<3>(X.row(i + rows_before_use + r), X.cols * sizeof(double));
    score_tile<score_rows, eights>(X, i, W, lanes_, z);
  }
  for (; i < X.count; ++i) score_tile<1, eights>(X, i, W, lanes_, z);
}

void score(const Tile& X, const double* W, std::int64_t lanes_, double* z) {
  std::int64_t k = 0;
  for (; k + 8 * most_eights <= lanes_; k += 8 * most_eights)
    score_all<most_eights>(X, W + k, lanes_, z + k);
  for (; k < lanes_; k += 8) score_all<1>(X, W + k, lanes_, z + k);
}

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

// ---- sums of rows
// --------------------------------------------------------------------------------

/// G (outputs x g_stride) += r' of a panel: eights of columns, at least as many rows.
template <int outputs, int eights>
void add_tile(const double* panel, std::int64_t stride, std::int64_t count, const double* r,
              std::int64_t r_stride, double* G, std::int64_t g_stride) {
  constexpr int width = Pack<double>::width, registers = eights * eight;
  Doubles sum[outputs][registers];
#pragma GCC unroll 8
  for (int k = 0; k < outputs; ++k)
#pragma GCC unroll 4
    for (int c = 0; c < registers; ++c)
      sum[k][c] = Pack<double>::load(G + k * g_stride + c * width);
  for (std::int64_t i = 0; i < count; ++i) {
    Doubles x[registers];
#pragma GCC unroll 4
    for (int c = 0; c < registers; ++c) x[c] = Pack<double>::load(panel + i * stride + c * width);
#pragma GCC unroll 8
    for (int k = 0; k < outputs; ++k) {
      const Doubles share = spread(r[k * r_stride + i]);
#pragma GCC unroll 4
      for (int c = 0; c < registers; ++c) sum[k][c] += share * x[c];
    }
  }
#pragma GCC unroll 8
  for (int k = 0; k < outputs; ++k)
#pragma GCC unroll 4
    for (int c = 0; c < registers; ++c) store(G + k * g_stride + c * width, sum[k][c]);
}

/// The tile of `outputs` <= most, which the compiler must know.
template <int most, int eights, class... Arguments>
INDUCER_INLINE void add_tile_of(std::int64_t outputs, Arguments... arguments) {
  if (outputs == most)
    add_tile<most, eights>(arguments...);
  else if constexpr (most > 1)
    add_tile_of<most - 1, eights>(outputs, arguments...);
}

/// The last columns, fewer than eight, and a one for the offset.
void fill_end(const Tile& X, double* end) {
  const std::int64_t first = X.cols / 8 * 8, left = X.cols - first;
  for (std::int64_t i = 0; i < X.count; ++i) {
    const double* x = X.row(i) + first;
    double* to = end + i * 8;
    for (std::int64_t j = 0; j < 8; ++j) to[j] = j < left ? x[j] : j == left ? 1.0 : 0.0;
  }
}

/// G += sum_i r_i (x_i, 1)', r by outputs.
/// @param end  memory for eight columns
void add_rows(const Tile& X, const double* r, std::int64_t r_stride, std::int64_t outputs,
              double* end, double* G) {
  const std::int64_t stride = linear::copied_stride(X.cols), whole = X.cols / 8 * 8;
  fill_end(X, end);
  const std::int64_t tiles = (outputs + most_outputs - 1) / most_outputs;
  for (std::int64_t tile = 0, k = 0; tile < tiles; ++tile) {
    const std::int64_t some = outputs / tiles + (tile < outputs % tiles);
    const double* rk = r + k * r_stride;
    double* Gk = G + k * stride;
    std::int64_t j = 0;
    for (; j + 8 * most_eights <= whole; j += 8 * most_eights)
      add_tile_of<most_outputs, most_eights>(some, X.values + j, X.stride, X.count, rk, r_stride,
                                             Gk + j, stride);
    for (; j < whole; j += 8)
      add_tile_of<most_outputs, 1>(some, X.values + j, X.stride, X.count, rk, r_stride, Gk + j,
                                   stride);
    add_tile_of<most_outputs, 1>(some, end, std::int64_t{8}, X.count, rk, r_stride, Gk + whole,
                                 stride);
    k += some;
  }
}

/// G ((cols + 1) x lanes) += sum_i (x_i, 1) r_i', r by rows.
template <class T>
void add_rows(const SparseTile<T>& X, const double* r, std::int64_t lanes_, double* __restrict G) {
  for (std::int64_t i = 0; i < X.count; ++i) {
    const double* ri = r + i * lanes_;
    for_each(X.X.row(X.begin + i), [&](std::int64_t j, T x) {
      double* g = G + j * lanes_;
      for (std::int64_t k = 0; k < lanes_; k += 8)
        for (int c = 0; c < 8; ++c) g[k + c] += static_cast<double>(x) * ri[k + c];
    });
    double* g = G + X.cols * lanes_;
    for (std::int64_t k = 0; k < lanes_; ++k) g[k] += ri[k];
  }
}

// ---- the softmax
// ---------------------------------------------------------------------------------

/// A block of rows, one output after the other: loops over rows are vectors, however few outputs.
struct Outputs {
  double* values;
  std::int64_t outputs, count, stride;

  INDUCER_INLINE double* of(std::int64_t k) const { return values + k * stride; }
};

void turn(const double* z, std::int64_t lanes_, const Outputs& to) {
  for (std::int64_t i = 0; i < to.count; ++i)
    for (std::int64_t k = 0; k < to.outputs; ++k) to.of(k)[i] = z[i * lanes_ + k];
}

void turn_back(const Outputs& from, std::int64_t lanes_, double* r) {
  for (std::int64_t i = 0; i < from.count; ++i)
    for (std::int64_t k = 0; k < lanes_; ++k)
      r[i * lanes_ + k] = k < from.outputs ? from.of(k)[i] : 0.0;
}

/// lost = what each row's target was said to be, taken from its scores.
void read_said(const linear::Softmax& softmax, std::int64_t begin, const Outputs& z, double* said) {
  for (std::int64_t i = 0; i < z.count; ++i) {
    const std::int64_t row = begin + i;
    if (softmax.codes) {
      said[i] = z.of(softmax.codes[row])[i];
    } else {
      double sum = 0;
      for (std::int64_t k = 0; k < z.outputs; ++k)
        sum += softmax.shares[row * z.outputs + k] * z.of(k)[i];
      said[i] = sum;
    }
  }
}

/// From scores to probabilities. lost, which holds what was said, becomes the cross entropy.
/// Near a sure answer the sum of exp is one and a little: that is what is kept, not one less it.
/// @param top, total, rest  memory for a number a row
void soften(const Outputs& z, double* __restrict lost, double* __restrict top,
            double* __restrict total, double* __restrict rest) {
  for (std::int64_t i = 0; i < z.count; ++i) top[i] = z.of(0)[i], total[i] = rest[i] = 0.0;
  for (std::int64_t k = 1; k < z.outputs; ++k) {
    const double* __restrict zk = z.of(k);
    for (std::int64_t i = 0; i < z.count; ++i) top[i] = zk[i] > top[i] ? zk[i] : top[i];
  }
  for (std::int64_t k = 0; k < z.outputs; ++k) {
    double* __restrict zk = z.of(k);
    for (std::int64_t i = 0; i < z.count; ++i) {
      const double below = zk[i] - top[i];
      zk[i] = losses::fast_exp(below);
      total[i] += zk[i];
      rest[i] += below < 0 ? zk[i] : 0.0;
    }
  }
  for (std::int64_t i = 0; i < z.count; ++i) {
    const double log_total =
        total[i] < 2 ? losses::log1p_unit(rest[i]) : losses::log_from_one(total[i]);
    lost[i] = log_total + (top[i] - lost[i]);
  }
  for (std::int64_t k = 0; k < z.outputs; ++k) {
    double* __restrict zk = z.of(k);
    for (std::int64_t i = 0; i < z.count; ++i) zk[i] /= total[i];
  }
}

/// Subtracts the targets, and multiplies by the weights.
void finish_slopes(const linear::Softmax& softmax, std::int64_t begin, const Outputs& p) {
  for (std::int64_t i = 0; i < p.count; ++i) {
    if (softmax.codes)
      p.of(softmax.codes[begin + i])[i] -= 1.0;
    else
      for (std::int64_t k = 0; k < p.outputs; ++k)
        p.of(k)[i] -= softmax.shares[(begin + i) * p.outputs + k];
  }
  if (!softmax.weights) return;
  const double* weight = softmax.weights + begin;
  for (std::int64_t k = 0; k < p.outputs; ++k) {
    double* __restrict pk = p.of(k);
    for (std::int64_t i = 0; i < p.count; ++i) pk[i] *= weight[i];
  }
}

/// z becomes weight p (z - p'z), of each row.
/// @param p  by outputs, `p_stride` apart
void curve(const Outputs& z, const double* p, std::int64_t p_stride, const double* weight,
           double* __restrict mean) {
  for (std::int64_t i = 0; i < z.count; ++i) mean[i] = 0.0;
  for (std::int64_t k = 0; k < z.outputs; ++k) {
    const double* __restrict zk = z.of(k);
    const double* __restrict pk = p + k * p_stride;
    for (std::int64_t i = 0; i < z.count; ++i) mean[i] += pk[i] * zk[i];
  }
  for (std::int64_t k = 0; k < z.outputs; ++k) {
    double* __restrict zk = z.of(k);
    const double* __restrict pk = p + k * p_stride;
    if (weight)
      for (std::int64_t i = 0; i < z.count; ++i) zk[i] = weight[i] * pk[i] * (zk[i] - mean[i]);
    else
      for (std::int64_t i = 0; i < z.count; ++i) zk[i] = pk[i] * (zk[i] - mean[i]);
  }
}

template <class View>
double soften_rows(const linear::SoftmaxPiece& piece, const View& X) {
  const linear::Softmax& softmax = piece.softmax;
  const std::int64_t outputs = softmax.outputs, lanes_ = padded_outputs(outputs);
  const std::int64_t block = linear::softmax_block(X.cols, outputs);
  const std::int64_t stride = linear::output_stride(block);
  double *const z = piece.memory, *const by_output = z + block * lanes_;
  double *const end = by_output + outputs * stride, *const lost = end + 8 * block;
  double *const top = lost + block, *const sums = top + block;
  double *const rest = sums + block, *const copy = rest + block;
  double total = 0;
  for (std::int64_t begin = piece.begin; begin < piece.end; begin += block) {
    const std::int64_t count = piece.end - begin < block ? piece.end - begin : block;
    const auto rows = tile_of(X, begin, count, copy);
    const double* weight = softmax.weights ? softmax.weights + begin : nullptr;
    double* const P = piece.probabilities ? piece.probabilities + begin : nullptr;
    const Outputs scores{by_output, outputs, count, stride};
    score(rows, piece.W, lanes_, z);
    turn(z, lanes_, scores);
    if (piece.product) {
      curve(scores, P, softmax.X.rows, weight, sums);
    } else {
      read_said(softmax, begin, scores, lost);
      soften(scores, lost, top, sums, rest);
      for (std::int64_t i = 0; i < count; ++i)
        if (!weight || weight[i] != 0) total += weight ? weight[i] * lost[i] : lost[i];
      for (std::int64_t k = 0; P && k < outputs; ++k)
        std::memcpy(P + k * softmax.X.rows, scores.of(k), sizeof(double) * count);
      if (piece.gradient) finish_slopes(softmax, begin, scores);
    }
    if (!piece.gradient) continue;
    if constexpr (requires { rows.values; }) {
      add_rows(rows, by_output, stride, outputs, end, piece.gradient);
    } else {
      turn_back(scores, lanes_, z);
      add_rows(rows, z, lanes_, piece.gradient);
    }
  }
  return total;
}

}  // namespace

double softmax_piece(const linear::SoftmaxPiece& piece) {
  return visit(piece.softmax.X, [&](const auto& X) { return soften_rows(piece, X); });
}

}  // namespace inducer::INDUCER_ISA
