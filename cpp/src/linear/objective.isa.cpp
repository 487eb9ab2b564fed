#include "inducer/linear/objective.h"

#include "inducer/base/rows.h"
#include "inducer/linear/gram_tile.h"
#include "inducer/linear/row_tiles.h"
#include "inducer/losses/exponential.h"

namespace inducer::INDUCER_ISA {
namespace {

/// Asks for four rows of the next block: while it adds up one in the cache, no processor would.
INDUCER_INLINE void ask_for_next(const Tile& X, std::int64_t i) {
  if (i + 4 > X.behind) return;
  for (std::int64_t r = i; r < i + 4; ++r)
    prefetch_bytes<2>(X.row(X.count + r), X.cols * static_cast<std::int64_t>(sizeof(double)));
}

// ---- scores, and sums of rows
// --------------------------------------------------------------------

/// The same sums as `dot`, of several rows at once: their folds need not wait for each other.
template <int rows>
INDUCER_INLINE void score_together(const Tile& X, std::int64_t i, const double* w, double* z) {
  using P = Pack<double>;
  constexpr int registers = lanes<double> / P::width;
  P::Register lane[rows][registers]{};
  const double* x = X.row(i);
  std::int64_t j = 0;
  for (; j + lanes<double> <= X.cols; j += lanes<double>)
#pragma GCC unroll 8
    for (int r = 0; r < registers; ++r) {
      const P::Register of_w = P::load(w + j + r * P::width);
#pragma GCC unroll 4
      for (int k = 0; k < rows; ++k)
        lane[k][r] += P::load(x + k * X.stride + j + r * P::width) * of_w;
    }
#pragma GCC unroll 8
  for (int r = 0; r < registers; ++r, j += P::width) {
    const std::int64_t left = X.cols - j;
    if (left <= 0) break;
    const int n = left < P::width ? static_cast<int>(left) : P::width;
    const P::Register of_w = n == P::width ? P::load(w + j) : P::load_first(w + j, n);
#pragma GCC unroll 4
    for (int k = 0; k < rows; ++k) {
      const double* at = x + k * X.stride + j;
      lane[k][r] += (n == P::width ? P::load(at) : P::load_first(at, n)) * of_w;
    }
  }
#pragma GCC unroll 4
  for (int k = 0; k < rows; ++k) z[i + k] = fold<double, registers>(lane[k]) + w[X.cols];
}

void score(const Tile& X, const double* w, double* z) {
  constexpr int together = 4 * Pack<double>::width / lanes<double> * 2;  // what registers can hold
  std::int64_t i = 0;
  if constexpr (together > 1)
    for (; i + together <= X.count; i += together) score_together<together>(X, i, w, z);
  for (; i < X.count; ++i) z[i] = dot(X.row(i), w, X.cols) + w[X.cols];
}

template <class T>
void score(const SparseTile<T>& X, const double* w, double* z) {
  for (std::int64_t i = 0; i < X.count; ++i) z[i] = dot(X.X.row(X.begin + i), w) + w[X.cols];
}

/// g += sum_i r_i (x_i, 1), row after row; four rows at a time for the sake of memory only.
void add_rows(const Tile& X, const double* r, double* __restrict g) {
  std::int64_t i = 0;
  double offset = g[X.cols];
  for (; i + 4 <= X.count; i += 4) {
    ask_for_next(X, i);
    const double r0 = r[i], r1 = r[i + 1], r2 = r[i + 2], r3 = r[i + 3];
    offset = offset + r0 + r1 + r2 + r3;
    if (r0 == 0 && r1 == 0 && r2 == 0 && r3 == 0) continue;
    const double *x0 = X.row(i), *x1 = X.row(i + 1), *x2 = X.row(i + 2), *x3 = X.row(i + 3);
    for (std::int64_t j = 0; j < X.cols; ++j)
      g[j] = g[j] + r0 * x0[j] + r1 * x1[j] + r2 * x2[j] + r3 * x3[j];
  }
  for (; i < X.count; ++i) {
    offset += r[i];
    if (r[i] != 0) axpy(r[i], X.row(i), g, X.cols);
  }
  g[X.cols] = offset;
}

/// g += a x.
template <class T>
INDUCER_INLINE void add_cells(double a, SparseRow<T> x, double* __restrict g) {
  std::int64_t k = 0;
  for (; k + 8 <= x.size; k += 8) {
    double sum[8];  // the columns of a row differ: all may be read before any is written
    for (int c = 0; c < 8; ++c)
      sum[c] = g[x.columns[k + c]] + a * static_cast<double>(x.values[k + c]);
    for (int c = 0; c < 8; ++c) g[x.columns[k + c]] = sum[c];
  }
  for (; k < x.size; ++k) g[x.columns[k]] += a * static_cast<double>(x.values[k]);
}

template <class T>
void add_rows(const SparseTile<T>& X, const double* r, double* __restrict g) {
  double offset = g[X.cols];
  for (std::int64_t i = 0; i < X.count; ++i) {
    offset += r[i];
    if (r[i] != 0) add_cells(r[i], X.X.row(X.begin + i), g);
  }
  g[X.cols] = offset;
}

/// Two such sums of one read: the same bits as one after the other.
void add_rows_twice(const Tile& X, const double* r, double* __restrict g, const double* s,
                    double* __restrict h) {
  std::int64_t i = 0;
  for (; i + 4 <= X.count; i += 4) {
    ask_for_next(X, i);
    const double r0 = r[i], r1 = r[i + 1], r2 = r[i + 2], r3 = r[i + 3];
    const double s0 = s[i], s1 = s[i + 1], s2 = s[i + 2], s3 = s[i + 3];
    g[X.cols] = g[X.cols] + r0 + r1 + r2 + r3;
    h[X.cols] = h[X.cols] + s0 + s1 + s2 + s3;
    const double *x0 = X.row(i), *x1 = X.row(i + 1), *x2 = X.row(i + 2), *x3 = X.row(i + 3);
    for (std::int64_t j = 0; j < X.cols; ++j) {
      const double a0 = x0[j], a1 = x1[j], a2 = x2[j], a3 = x3[j];
      g[j] = g[j] + r0 * a0 + r1 * a1 + r2 * a2 + r3 * a3;
      h[j] = h[j] + s0 * a0 + s1 * a1 + s2 * a2 + s3 * a3;
    }
  }
  const Tile left{X.row(i), X.count - i, X.cols, X.stride};
  add_rows(left, r + i, g);
  add_rows(left, s + i, h);
}

template <class T>
void add_rows_twice(const SparseTile<T>& X, const double* r, double* g, const double* s,
                    double* h) {
  add_rows(X, r, g);
  add_rows(X, s, h);
}

void add_squares(const Tile& X, const double* centre, double* __restrict squares) {
  for (std::int64_t i = 0; i < X.count; ++i) {
    const double* x = X.row(i);
    for (std::int64_t j = 0; j < X.cols; ++j) squares[j] += (x[j] - centre[j]) * (x[j] - centre[j]);
  }
}

/// Cells that are not stored are as far from the centre as zero is.
template <class T>
void add_squares(const SparseTile<T>& X, const double* centre, double* __restrict squares) {
  for (std::int64_t j = 0; j < X.cols; ++j)
    squares[j] += static_cast<double>(X.count) * centre[j] * centre[j];
  for (std::int64_t i = 0; i < X.count; ++i)
    for_each(X.X.row(X.begin + i), [&](std::int64_t j, T value) {
      const double x = static_cast<double>(value);
      squares[j] += x * (x - 2 * centre[j]);
    });
}

// ---- losses
// --------------------------------------------------------------------------------------

struct Lost {
  double *value, *slope, *curvature;
};

template <class Loss>
INDUCER_INLINE void lose_all(const Loss& loss, const double* y, const double* z, std::int64_t n,
                             const Lost& lost) {
  double* __restrict value = lost.value, * __restrict slope = lost.slope, * __restrict curvature = lost.curvature;
  for (std::int64_t i = 0; i < n; ++i) {
    value[i] = loss.value(y[i], z[i]);
    slope[i] = loss.slope(y[i], z[i]);
    curvature[i] = loss.curvature(y[i], z[i]);
  }
}

INDUCER_INLINE void lose_all(const losses::Logistic&, const double* y, const double* z,
                             std::int64_t n, const Lost& lost) {
  double* __restrict value = lost.value, * __restrict slope = lost.slope, * __restrict curvature = lost.curvature;
  for (std::int64_t i = 0; i < n; ++i) {
    const double m = y[i] * z[i];
    const double e = losses::fast_exp(m < 0 ? m : -m);
    const double inverse = 1.0 / (1.0 + e);
    value[i] = (m < 0 ? -m : 0.0) + losses::log1p_unit(e);
    slope[i] = -y[i] * ((m > 0 ? e : 1.0) * inverse);
    curvature[i] = e * inverse * inverse;
  }
}

/// A kink bent to a parabola: the best slope s between `least` and `most` at a distance r past it.
struct Bent {
  double least, most, smoothing;

  INDUCER_INLINE double slope(double r) const {
    const double s = r / smoothing;
    return s < least ? least : s > most ? most : s;
  }
  INDUCER_INLINE double value(double r) const {
    const double s = slope(r);
    return s * r - smoothing * s * s / 2;
  }
  INDUCER_INLINE double curvature(double r) const {
    const double s = r / smoothing;
    return s > least && s < most ? 1 / smoothing : 0.0;
  }
};

/// Bent, of a margin: `knee` less y z.
struct BentMargin {
  Bent bent;
  double knee;
  INDUCER_INLINE double value(double y, double z) const { return bent.value(knee - y * z); }
  INDUCER_INLINE double slope(double y, double z) const { return -y * bent.slope(knee - y * z); }
  INDUCER_INLINE double curvature(double y, double z) const { return bent.curvature(knee - y * z); }
};

/// Bent, of a residual z - y, after `epsilon` on either side.
struct BentResidual {
  Bent bent;
  double epsilon;
  INDUCER_INLINE double past(double r) const {
    return r > epsilon ? r - epsilon : r < -epsilon ? r + epsilon : 0.0;
  }
  INDUCER_INLINE double value(double y, double z) const { return bent.value(past(z - y)); }
  INDUCER_INLINE double slope(double y, double z) const { return bent.slope(past(z - y)); }
  INDUCER_INLINE double curvature(double y, double z) const {
    return past(z - y) == 0 ? 0.0 : bent.curvature(past(z - y));
  }
};

void lose_bent(const inducer::losses::Loss& loss, double smoothing, const double* y,
               const double* z, std::int64_t n, const Lost& lost) {
  using inducer::losses::Kind;
  switch (loss.kind) {
    case Kind::perceptron:
      return lose_all(BentMargin{{0, 1, smoothing}, 0}, y, z, n, lost);
    case Kind::hinge:
      return lose_all(BentMargin{{0, 1, smoothing}, 1}, y, z, n, lost);
    case Kind::absolute:
      return lose_all(BentResidual{{-1, 1, smoothing}, 0}, y, z, n, lost);
    case Kind::epsilon_insensitive:
      return lose_all(BentResidual{{-1, 1, smoothing}, loss.parameter}, y, z, n, lost);
    default:  // quantile
      return lose_all(BentResidual{{-loss.parameter, 1 - loss.parameter, smoothing}, 0}, y, z, n,
                      lost);
  }
}

/// Whether a loss has one kink and is straight elsewhere.
bool bends(inducer::losses::Kind kind) {
  using inducer::losses::Kind;
  return kind == Kind::perceptron || kind == Kind::hinge || kind == Kind::absolute ||
         kind == Kind::epsilon_insensitive || kind == Kind::quantile;
}

void lose(const linear::Objective& objective, const double* y, const double* z, std::int64_t n,
          const Lost& lost) {
  if (objective.smoothing > 0 && bends(objective.loss.kind))
    return lose_bent(objective.loss, objective.smoothing, y, z, n, lost);
  losses::visit(objective.loss, [&](const auto& kind) { lose_all(kind, y, z, n, lost); });
}

void read_targets(const linear::Objective& objective, std::int64_t begin, std::int64_t count,
                  double* y) {
  if (objective.targets) {
    for (std::int64_t i = 0; i < count; ++i) y[i] = objective.targets[begin + i];
  } else {
    for (std::int64_t i = 0; i < count; ++i)
      y[i] = objective.codes[begin + i] == objective.positive ? 1.0 : -1.0;
  }
}

/// Multiplies by the weights; a row of no weight is out, whatever its loss.
void weigh(const double* weights, std::int64_t count, const Lost& lost) {
  if (!weights) return;
  for (std::int64_t i = 0; i < count; ++i) {
    const double weight = weights[i];
    lost.value[i] = weight == 0 ? 0.0 : weight * lost.value[i];
    lost.slope[i] = weight == 0 ? 0.0 : weight * lost.slope[i];
    lost.curvature[i] = weight == 0 ? 0.0 : weight * lost.curvature[i];
  }
}

double sum(const double* values, std::int64_t n) {
  double lane[8]{};
  std::int64_t i = 0;
  for (; i + 8 <= n; i += 8)
    for (int k = 0; k < 8; ++k) lane[k] += values[i + k];
  for (int k = 0; i < n; ++i, ++k) lane[k] += values[i];
  for (int half = 4; half > 0; half /= 2)
    for (int k = 0; k < half; ++k) lane[k] += lane[k + half];
  return lane[0];
}

/// sums += the Hessian of these rows, the empty column last. Rows that curve nothing are left out.
void add_curved(const Tile& X, const double* curvature, const linear::ObjectivePiece& piece) {
  const std::int64_t width = X.cols + 1, stride = linear::panel_stride(width);
  const auto add = [&](std::int64_t rows) {
    add_triangle(piece.Q, piece.P, width, stride, rows, piece.sums, linear::padded(width));
  };
  std::int64_t filled = 0;
  for (std::int64_t i = 0; i < X.count; ++i) {
    const double h = curvature[i];
    if (h == 0) continue;
    const double* x = X.row(i);
    double* __restrict p = piece.P + filled * stride, * __restrict q = piece.Q + filled * stride;
    for (std::int64_t j = 0; j < X.cols; ++j) p[j] = x[j], q[j] = h * x[j];
    p[X.cols] = 1.0;
    q[X.cols] = h;
    if (++filled == linear::panel_rows) add(filled), filled = 0;
  }
  if (filled > 0) add(filled);
}

template <class T>
void add_curved(const SparseTile<T>&, const double*, const linear::ObjectivePiece&) {}  // add_gram

template <class View>
double evaluate_rows(const linear::ObjectivePiece& piece, const View& X) {
  const linear::Objective& objective = piece.objective;
  const linear::Wanted& wanted = piece.wanted;
  const std::int64_t block = linear::block_rows(X.cols);
  double *y = piece.memory, *z = y + block, *tile = z + 4 * block;
  const Lost lost{z + block, z + 2 * block, z + 3 * block};
  double total = 0;
  for (std::int64_t begin = piece.begin; begin < piece.end; begin += block) {
    const std::int64_t count = piece.end - begin < block ? piece.end - begin : block;
    const auto rows = tile_of(X, begin, count, tile);
    score(rows, piece.w, z);
    read_targets(objective, begin, count, y);
    lose(objective, y, z, count, lost);
    weigh(objective.weights ? objective.weights + begin : nullptr, count, lost);
    total += sum(lost.value, count);
    if (wanted.gradient) add_rows(rows, lost.slope, wanted.gradient);
    if (wanted.squares) add_squares(rows, wanted.centre, wanted.squares);
    if (piece.sums) add_curved(rows, lost.curvature, piece);
    for (std::int64_t i = 0; wanted.scores && i < count; ++i) wanted.scores[begin + i] = z[i];
    for (std::int64_t i = 0; wanted.slopes && i < count; ++i)
      wanted.slopes[begin + i] = lost.slope[i];
    for (std::int64_t i = 0; wanted.curvatures && i < count; ++i)
      wanted.curvatures[begin + i] = lost.curvature[i];
  }
  return total;
}

/// Sparse rows that do not curve are not read: most rows of a machine are such. The processor does
/// not see which comes next, so they are asked for.
template <class T>
void multiply_curved(const linear::ProductPiece& piece, const SparseRows<T>& X) {
  constexpr std::int64_t block = 1024, ahead = rows_ahead<SparseRows<T>>;
  std::int64_t curved[block];
  double offset = piece.out[X.cols];
  for (std::int64_t begin = piece.begin; begin < piece.end; begin += block) {
    const std::int64_t end = piece.end - begin < block ? piece.end : begin + block;
    std::int64_t count = 0;
    for (std::int64_t i = begin; i < end; ++i) {
      curved[count] = i;
      count += piece.curvatures[i] != 0;
    }
    for (std::int64_t k = 0; k < count; ++k) {
      if (k + ahead < count) prefetch(X, curved[k + ahead]);
      const SparseRow<T> x = X.row(curved[k]);
      const double z = piece.curvatures[curved[k]] * (dot(x, piece.v) + piece.v[X.cols]);
      offset += z;
      add_cells(z, x, piece.out);
    }
  }
  piece.out[X.cols] = offset;
}

template <class View>
void multiply_rows(const linear::ProductPiece& piece, const View& X) {
  const std::int64_t block = linear::block_rows(X.cols);
  double *z = piece.memory, *tile = z + 5 * block;
  for (std::int64_t begin = piece.begin; begin < piece.end; begin += block) {
    const std::int64_t count = piece.end - begin < block ? piece.end - begin : block;
    const auto rows = tile_of(X, begin, count, tile);
    score(rows, piece.v, z);
    for (std::int64_t i = 0; piece.also.changes && i < count; ++i)
      piece.also.changes[begin + i] = z[i];
    for (std::int64_t i = 0; i < count; ++i) z[i] *= piece.curvatures[begin + i];
    if (piece.also.gradient)
      add_rows_twice(rows, z, piece.out, piece.also.slopes + begin, piece.also.gradient);
    else
      add_rows(rows, z, piece.out);
  }
}

}  // namespace

double evaluate_piece(const linear::ObjectivePiece& piece) {
  return visit(piece.objective.X, [&](const auto& X) { return evaluate_rows(piece, X); });
}

void product_piece(const linear::ProductPiece& piece) {
  visit(piece.X, [&](const auto& X) {
    if constexpr (requires { X.starts; })
      if (!piece.also.changes && !piece.also.gradient) return multiply_curved(piece, X);
    multiply_rows(piece, X);
  });
}

linear::Along along_piece(const linear::Objective& objective, const double* scores,
                          const double* changes, double t, std::int64_t begin, std::int64_t end) {
  constexpr std::int64_t block = 256;
  double y[block], z[block], value[block], slope[block], curvature[block];
  const Lost lost{value, slope, curvature};
  linear::Along total;
  for (; begin < end; begin += block) {
    const std::int64_t count = end - begin < block ? end - begin : block;
    for (std::int64_t i = 0; i < count; ++i) z[i] = scores[begin + i] + t * changes[begin + i];
    read_targets(objective, begin, count, y);
    lose(objective, y, z, count, lost);
    weigh(objective.weights ? objective.weights + begin : nullptr, count, lost);
    for (std::int64_t i = 0; i < count; ++i) {
      slope[i] *= changes[begin + i];
      curvature[i] *= changes[begin + i] * changes[begin + i];
    }
    total.value += sum(value, count);
    total.slope += sum(slope, count);
    total.curvature += sum(curvature, count);
  }
  return total;
}

}  // namespace inducer::INDUCER_ISA
