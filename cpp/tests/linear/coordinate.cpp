#include "inducer/linear/coordinate.h"

#include "base/kernels.h"
#include "check.h"
#include "inducer/linear/products.h"
#include "linear/problem.h"

using namespace inducer;
using namespace inducer::linear;

namespace {

/// A table's Gram matrix, and the products with its last column.
struct Made {
  std::vector<double> Q, q;
  double yy = 0;
  std::int64_t cols;

  Made(std::int64_t rows, std::int64_t width) : cols(width) {
    const Table<double> X = table<double>(rows, cols + 1, 3, [](Stream& s) { return s.uniform(); });
    Q = filled(cols * cols, 0.0);
    q = filled(cols, 0.0);
    for (std::int64_t i = 0; i < rows; ++i) {
      for (std::int64_t r = 0; r < cols; ++r) {
        for (std::int64_t c = 0; c < cols; ++c) at(Q, r * cols + c) += X(i, r) * X(i, c);
        at(q, r) += X(i, r) * X(i, cols);
      }
      yy += X(i, cols) * X(i, cols);
    }
  }
  Quadratic quadratic(double l1, double l2, bool positive) const {
    return {Q.data(), q.data(), yy, cols, cols, l1, l2, positive};
  }
};

double objective(const Quadratic& p, const std::vector<double>& w) {
  double value = p.yy / 2;
  for (std::int64_t r = 0; r < p.cols; ++r) {
    for (std::int64_t c = 0; c < p.cols; ++c)
      value += at(w, r) * p.Q[r * p.stride + c] * at(w, c) / 2;
    value += -p.q[r] * at(w, r) + p.l1 * std::abs(at(w, r)) + p.l2 / 2 * at(w, r) * at(w, r);
  }
  return value;
}

}  // namespace

TEST(coordinate_of_one_column_is_the_shrunk_quotient) {
  const double Q[] = {4}, q[] = {10};
  Monitor monitor;
  for (const double l1 : {2.0, 12.0}) {
    double w[] = {0}, g[] = {10};
    const Descent made = descend({Q, q, 30, 1, 1, l1, 1, false}, 0, 5, w, g, monitor);
    CHECK_EQUAL(w[0], l1 < 10 ? 8.0 / 5 : 0.0);
    CHECK_EQUAL(g[0], 10 - 4 * w[0]);
    CHECK(made.sweeps <= 2 && made.gap < 1e-12);
  }
}

TEST(coordinate_gap_bounds_what_is_left_and_falls_to_nothing) {
  const Made made(30, 6);
  for (const bool positive : {false, true})
    for (const double l2 : {0.0, 0.5})
      for (const double l1 : {0.1, 1.0, 1000.0}) {
        const Quadratic p = made.quadratic(l1, l2, positive);
        const auto after = [&](std::int64_t sweeps) {
          std::vector<double> w = filled(p.cols, 0.0), g = made.q;
          Monitor monitor;
          const Descent d = descend(p, 1e-11, sweeps, w.data(), g.data(), monitor);
          for (std::int64_t j = 0; j < p.cols; ++j) CHECK(!positive || at(w, j) >= 0);
          return std::pair(objective(p, w), d.gap);
        };
        const auto [best, least_gap] = after(100000);
        CHECK(least_gap <= 1e-11);
        for (std::int64_t sweeps : {1, 2, 5, 20}) {
          const auto [value, gap] = after(sweeps);
          CHECK(value - best <= gap + 1e-12);
          CHECK(value - best >= -1e-11);
        }
      }
}

TEST(coordinate_has_the_same_bits_on_every_level) {
  const Made made(30, 23);
  std::vector<double> first;
  on_each_level([&](Isa) {
    std::vector<double> w = filled(23, 0.0), g = made.q;
    Monitor monitor;
    descend(made.quadratic(0.3, 0.1, false), 1e-9, 50, w.data(), g.data(), monitor);
    if (first.empty()) first = w;
    CHECK(bits(w) == bits(first));
  });
}

TEST(column_products_match_plain_loops_whatever_the_form_the_level_and_the_threads) {
  const Table<float> X = table<float>(3001, 41, 4, rough);
  const std::vector<double> r = table<double>(1, 3001, 5, rough).cells;
  std::vector<double> expected = filled(41, 0.0), size = filled(41, 0.0), first;
  for (std::int64_t i = 0; i < X.rows; ++i)
    for (std::int64_t j = 0; j < 41; ++j) {
      at(expected, j) += at(r, i) * static_cast<double>(X(i, j));
      at(size, j) += std::abs(at(r, i) * static_cast<double>(X(i, j)));
    }
  for (Form form : every_form) {
    const Stored<float> stored(X, form);
    on_each_level([&](Isa) {
      for (int threads : thread_counts) {
        std::vector<double> out = filled(41, static_cast<double>(NAN));
        column_products(stored.view(), r.data(), 1, out.data(), threads);
        if (first.empty()) first = out;
        CHECK(bits(out) == bits(first));
        std::vector<double> twice = r, both = filled(82, 0.0);
        twice.insert(twice.end(), r.begin(), r.end());
        column_products(stored.view(), twice.data(), 2, both.data(), threads);
        CHECK(bits(std::vector<double>(both.begin() + 41, both.end())) == bits(first));
        for (std::int64_t j = 0; j < 41; ++j)
          CHECK(std::abs(at(out, j) - at(expected, j)) <= 3003 * 0x1p-52 * at(size, j));
      }
    });
  }
}
