#include "inducer/linear/max_margin.h"

#include "inducer/base/rows.h"

namespace inducer::INDUCER_ISA {
namespace {

INDUCER_INLINE double wide_dot(DenseRow<double> x, const double* w) {
  return dot(x, w);
}
INDUCER_INLINE double wide_dot(StridedRow<double> x, const double* w) {
  return dot(x, w);
}
INDUCER_INLINE double wide_dot(SparseRow<double> x, const double* w) {
  return dot(x, w);
}

/// float32 cells, float64 products and sums, in as many lanes.
INDUCER_INLINE double fold_lanes(double (&lane)[lanes<double>]) {
  for (int half = lanes<double> / 2; half > 0; half /= 2)
    for (int k = 0; k < half; ++k) lane[k] += lane[k + half];
  return lane[0];
}

INDUCER_INLINE double wide_dot(DenseRow<float> x, const double* w) {
  constexpr int width = lanes<double>;
  double lane[width]{};
  std::int64_t j = 0;
  for (; j + width <= x.cols; j += width)
    for (int k = 0; k < width; ++k) lane[k] += static_cast<double>(x.values[j + k]) * w[j + k];
  for (int k = 0; j < x.cols; ++j, ++k) lane[k] += static_cast<double>(x.values[j]) * w[j];
  return fold_lanes(lane);
}

template <class Row>
INDUCER_INLINE double wide_dot(const Row& x, const double* w) {
  constexpr int width = lanes<double>;
  double lane[width]{};
  int k = 0;
  for_each(x, [&](std::int64_t j, float value) {
    lane[k] += static_cast<double>(value) * w[j];
    k = (k + 1) % width;
  });
  return fold_lanes(lane);
}

}  // namespace

void margin_scores_of(const Rows& rows, const std::int8_t* sign, const double* w,
                      const std::int64_t* list, std::int64_t begin, std::int64_t end, double* out) {
  visit(rows, [&](const auto& X) {
    for (std::int64_t k = begin; k < end; ++k) {
      const std::int64_t i = list ? list[k] : k;
      out[k] = sign[i] * (wide_dot(X.row(i), w) + w[X.cols]);
    }
  });
}

void norms_of(const Rows& rows, double scale, std::int64_t begin, std::int64_t end, double* out) {
  visit(rows, [&](const auto& X) {
    for (std::int64_t i = begin; i < end; ++i) {
      double sum = 0;
      for_each(X.row(i), [&](std::int64_t, auto value) {
        const double scaled = scale * static_cast<double>(value);
        sum += scaled * scaled;
      });
      out[i] = __builtin_sqrt(sum);
    }
  });
}

void solve_triangles(const std::vector<double>* L, std::int64_t size, double* const* sides,
                     int count, bool both) {
  for (std::int64_t r = 0; r < size; ++r) {
    const double* row = L[r].data();
    for (int k = 0; k < count; ++k) sides[k][r] = (sides[k][r] - dot(row, sides[k], r)) / row[r];
  }
  if (!both) return;
  for (std::int64_t r = size - 1; r >= 0; --r) {
    const double* row = L[r].data();
    for (int k = 0; k < count; ++k) {
      sides[k][r] /= row[r];
      axpy(-sides[k][r], row, sides[k], r);
    }
  }
}

}  // namespace inducer::INDUCER_ISA
