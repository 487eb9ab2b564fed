#include "inducer/linear/max_margin.h"

#include <cmath>
#include <cstring>

#include "check.h"
#include "fenced.h"
#include "inducer/base/random.h"

namespace {

using namespace inducer;
using linear::GrowingCholesky;
using linear::MaxMarginFit;
using linear::MaxMarginOptions;

Rows rows_of(const double* values, std::int64_t rows, std::int64_t cols) {
  Rows X;
  X.values = values;
  X.rows = rows;
  X.cols = cols;
  X.row_stride = cols;
  return X;
}

MaxMarginFit fitted(const Rows& X, const std::vector<std::int8_t>& sign,
                    const MaxMarginOptions& options, int threads = 1, double slice = 1e9) {
  MaxMarginFit fit(X, sign, options);
  Monitor monitor;
  for (int slices = 0; !fit.finished && slices < 100'000; ++slices) {
    monitor.begin_slice(slice);
    fit.advance(monitor, threads);
  }
  return fit;
}

bool near(double a, double b, double tolerance) {
  return std::fabs(a - b) <= tolerance;
}

/// Two clouds along the first axis, `gap` on either side of zero.
struct Clouds {
  Clouds(std::int64_t rows, std::int64_t cols, double gap) : values(rows * cols), sign(rows) {
    Stream stream(7, 0);
    for (double& value : values) value = 2 * stream.uniform() - 1;
    for (std::int64_t i = 0; i < rows; ++i) {
      sign[i] = i % 2 ? 1 : -1;
      double& first = values[i * cols];
      first = sign[i] * (std::fabs(first) + gap);
    }
    X = rows_of(values.data(), rows, cols);
  }
  std::vector<double> values;
  std::vector<std::int8_t> sign;
  Rows X;
};

}  // namespace

TEST(max_margin_of_two_points) {
  const double values[] = {0, 0, 3, 4};
  const auto fit = fitted(rows_of(values, 2, 2), {-1, 1}, {});
  CHECK(fit.finished);
  CHECK(near(fit.lower, 2.5, 1e-15));
  CHECK(near(fit.upper, 2.5, 1e-15));
  CHECK(near(fit.coef[0], 0.6, 1e-15));
  CHECK(near(fit.coef[1], 0.8, 1e-15));
  CHECK(near(fit.offset, -2.5, 1e-15));
  CHECK(near(fit.radius, 5, 1e-15));
}

TEST(max_margin_through_the_origin_of_augmented_rows) {
  // (3, 1) and -(1, 1): the line through them is 1 / sqrt(5) from the origin.
  const double values[] = {1, 3};
  const auto fit =
      fitted(rows_of(values, 2, 1), {-1, 1}, {.two_hulls = false, .constant = 1, .scale = 1});
  CHECK(near(fit.lower, 1 / std::sqrt(5.0), 1e-15));
  CHECK(near(fit.coef[0], 1 / std::sqrt(5.0), 1e-15));
  CHECK(near(fit.offset, -2 / std::sqrt(5.0), 1e-15));
}

TEST(max_margin_of_hulls_that_overlap_ends_at_zero) {
  const double values[] = {-1, 1, 0};
  const auto fit = fitted(rows_of(values, 3, 1), {-1, -1, 1}, {});
  CHECK(fit.finished);
  CHECK(fit.lower <= 0);
  CHECK(fit.upper <= 1e-15);
  double sums[2] = {0, 0};
  for (std::size_t k = 0; k < fit.held.size(); ++k) sums[fit.held[k] == 2] += fit.weight[k];
  CHECK(near(sums[0], 1, 1e-15));
  CHECK(near(sums[1], 1, 1e-15));
}

TEST(max_margin_bounds_meet_and_scale) {
  const Clouds clouds(4000, 8, 0.05);
  const auto fit = fitted(clouds.X, clouds.sign, {});
  CHECK(fit.lower >= 0.05);
  CHECK(fit.lower <= fit.upper * (1 + 1e-15));
  CHECK(fit.upper - fit.lower <= 1e-9 * fit.upper);
  const auto scaled = fitted(clouds.X, clouds.sign, {.scale = 0x1p-40});
  CHECK_EQUAL(scaled.lower, fit.lower);
  CHECK_EQUAL(scaled.upper, fit.upper);
}

TEST(max_margin_is_the_same_in_slices_and_threads) {
  const Clouds clouds(20'000, 6, 0.01);
  const auto whole = fitted(clouds.X, clouds.sign, {});
  for (const int threads : {1, 2, 7}) {
    const auto fit = fitted(clouds.X, clouds.sign, {}, threads, 1e-9);
    CHECK_EQUAL(fit.lower, whole.lower);
    CHECK_EQUAL(fit.steps, whole.steps);
    CHECK(fit.held == whole.held);
    CHECK(fit.weight == whole.weight);
  }
}

TEST(max_margin_layouts_agree_and_stay_within_bounds) {
  const Clouds clouds(300, 5, 0.1);
  const auto expected = fitted(clouds.X, clouds.sign, {});
  // Dense at the edge of memory; by columns; sparse; float32 of values that fit.
  for (const Fence side : {Fence::before, Fence::after}) {
    const Fenced<double> values(clouds.values, side);
    CHECK_EQUAL(fitted(rows_of(values.data(), 300, 5), clouds.sign, {}).lower, expected.lower);
    std::vector<double> by_columns(1500);
    std::vector<std::int32_t> columns(1500);
    std::vector<std::int64_t> starts(301);
    for (std::int64_t i = 0; i < 300; ++i) {
      starts[i + 1] = 5 * (i + 1);
      for (std::int64_t j = 0; j < 5; ++j) {
        by_columns[j * 300 + i] = clouds.values[i * 5 + j];
        columns[i * 5 + j] = static_cast<std::int32_t>(j);
      }
    }
    const Fenced<double> fortran(by_columns, side);
    Rows strided = rows_of(fortran.data(), 300, 5);
    strided.layout = Rows::Layout::strided;
    strided.row_stride = 1;
    strided.col_stride = 300;
    CHECK(near(fitted(strided, clouds.sign, {}).lower, expected.lower, 1e-14));
    const Fenced<std::int32_t> fenced_columns(columns, side);
    Rows sparse = rows_of(values.data(), 300, 5);
    sparse.layout = Rows::Layout::sparse;
    sparse.columns = fenced_columns.data();
    sparse.starts = starts.data();
    CHECK(near(fitted(sparse, clouds.sign, {}).lower, expected.lower, 1e-14));
  }
}

TEST(max_margin_of_float32_is_that_of_the_same_values) {
  Clouds clouds(500, 37, 0.1);
  std::vector<float> single(clouds.values.size());
  for (std::size_t k = 0; k < single.size(); ++k) {
    single[k] = static_cast<float>(clouds.values[k]);
    clouds.values[k] = single[k];
  }
  const auto expected = fitted(clouds.X, clouds.sign, {});
  Rows X = clouds.X;
  X.single = true;
  X.values = single.data();
  CHECK(near(fitted(X, clouds.sign, {}).lower, expected.lower, 1e-13));
}

TEST(growing_cholesky_solves_what_is_left) {
  // M = B B' of a random B; rows enter, two leave, one enters again.
  constexpr std::size_t size = 9;
  Stream stream(3, 1);
  double B[size][size], M[size][size];
  for (auto& row : B)
    for (double& value : row) value = stream.uniform();
  for (std::size_t i = 0; i < size; ++i)
    for (std::size_t j = 0; j < size; ++j) {
      M[i][j] = i == j ? 1.0 : 0.0;
      for (std::size_t k = 0; k < size; ++k) M[i][j] += B[i][k] * B[j][k];
    }
  GrowingCholesky factor;
  std::vector<std::size_t> inside;
  const auto enter = [&](std::size_t i) {
    std::vector<double> cross;
    for (const std::size_t k : inside) cross.push_back(M[i][k]);
    factor.append(cross, M[i][i]);
    inside.push_back(i);
  };
  for (std::size_t i = 0; i < size; ++i) enter(i);
  for (const std::size_t place : {std::size_t{2}, std::size_t{0}}) {
    factor.remove(place);
    inside.erase(inside.begin() + static_cast<std::ptrdiff_t>(place));
  }
  enter(2);
  std::vector<double> x(inside.size(), 1.0), z(inside.size(), 0.0);
  z[3] = 1;
  factor.solve({&x, &z});
  for (std::size_t r = 0; r < inside.size(); ++r) {
    double first = 0, second = 0;
    for (std::size_t c = 0; c < inside.size(); ++c) {
      first += M[inside[r]][inside[c]] * x[c];
      second += M[inside[r]][inside[c]] * z[c];
    }
    CHECK(near(first, 1, 1e-12));
    CHECK(near(second, r == 3, 1e-12));
  }
}
