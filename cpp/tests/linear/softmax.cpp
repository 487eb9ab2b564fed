#include "inducer/linear/softmax.h"

#include <cmath>

#include "base/kernels.h"
#include "check.h"
#include "linear/problem.h"

using namespace inducer;
using namespace inducer::linear;

namespace {

bool close(double a, double b) {
  return std::fabs(a - b) <= 1e-11 * (1 + std::fabs(b));  // sums of some hundred terms of size 100
}
void check_close(const std::vector<double>& a, const std::vector<double>& b) {
  for (std::size_t k = 0; k < a.size(); ++k) CHECK(close(a[k], b[k]));
}

/// Beside the formulas, row by row; and the same bits on any level, number of threads, and dense
/// layout.
void matches_plain_loops(std::int64_t rows, std::int64_t cols, std::int64_t outputs) {
  const std::int64_t width = cols + 1;
  const Table<double> X = table<double>(rows, cols, 1, small_whole);
  std::vector<double> W = table<double>(outputs, width, 2, small_whole).cells;
  for (double& value : W) value /= 4.0 * static_cast<double>(cols);
  const std::vector<double> V = table<double>(outputs, width, 3, small_whole).cells;
  std::vector<double> shares, weights, P = filled(rows * outputs, 0.0);
  std::vector<double> gradient = filled(outputs * width, 0.0), product = gradient;
  std::vector<std::int32_t> codes;
  double value = 0;
  for (std::int64_t i = 0; i < rows; ++i) {
    codes.push_back(static_cast<std::int32_t>(i % outputs));
    weights.push_back(static_cast<double>(i % 4) / 2);
    for (std::int64_t k = 0; k < outputs; ++k) shares.push_back(k == i % outputs ? 1.0 : 0.0);
    std::vector<double> z = filled(outputs, 0.0), s = z;
    double total = 0, mean = 0;
    const auto cell = [&](std::int64_t j) { return j < cols ? X(i, j) : 1.0; };
    for (std::int64_t k = 0; k < outputs; ++k) {
      for (std::int64_t j = 0; j < width; ++j) {
        at(z, k) += at(W, k * width + j) * cell(j);
        at(s, k) += at(V, k * width + j) * cell(j);
      }
      total += std::exp(at(z, k));
    }
    value += weights.back() * (std::log(total) - at(z, i % outputs));
    for (std::int64_t k = 0; k < outputs; ++k) {
      at(P, k * rows + i) = std::exp(at(z, k)) / total;
      mean += std::exp(at(z, k)) / total * at(s, k);
    }
    for (std::int64_t k = 0; k < outputs; ++k)
      for (std::int64_t j = 0; j < width; ++j) {
        const double p = at(P, k * rows + i);
        at(gradient, k * width + j) += weights.back() * (p - (k == i % outputs)) * cell(j);
        at(product, k * width + j) += weights.back() * p * (at(s, k) - mean) * cell(j);
      }
  }
  for (bool coded : {false, true}) {
    std::vector<std::uint64_t> first;
    for (Form form : every_form) {
      if (form == Form::sparse) first.clear();  // cut into pieces by what it holds
      const Stored<double> stored(X, form);
      const Softmax softmax{stored.view(), outputs, coded ? codes.data() : nullptr,
                            coded ? nullptr : shares.data(), weights.data()};
      on_each_level([&](Isa) {
        for (int threads : thread_counts) {
          std::vector<double> G = filled(outputs * width, 0.0), H = G,
                              Q = filled(rows * outputs, 0.0);
          const double got = evaluate(softmax, W.data(), 0, rows, G.data(), Q.data(), threads);
          curvature_product(softmax, Q.data(), V.data(), 0, rows, H.data(), threads);
          CHECK(close(got, value));
          check_close(G, gradient);
          check_close(Q, P);
          check_close(H, product);
          G.insert(G.end(), H.begin(), H.end());
          G.push_back(got);
          if (first.empty()) first = bits(G);
          CHECK(bits(G) == first);
        }
      });
    }
  }
}

}  // namespace

TEST(softmax_matches_plain_loops_and_itself) {
  matches_plain_loops(700, 6, 3);
  matches_plain_loops(530, 17, 10);
  matches_plain_loops(299, 24, 21);
  matches_plain_loops(61, 1, 2);
}
