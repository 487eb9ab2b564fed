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

}  // namespace

TEST(softmax_matches_plain_loops_on_any_number_of_threads_and_layout) {
  constexpr std::int64_t rows = 700, cols = 6, outputs = 3, width = cols + 1;
  const Table<double> X = table<double>(rows, cols, 1, small_whole);
  std::vector<double> W = table<double>(outputs, width, 2, small_whole).cells;
  for (double& value : W) value /= 8;
  const std::vector<double> V = table<double>(outputs, width, 3, small_whole).cells;
  std::vector<double> shares, weights, P = filled(rows * outputs, 0.0);
  std::vector<double> gradient = filled(outputs * width, 0.0), product = gradient;
  std::vector<std::int32_t> codes;
  double value = 0;
  for (std::int64_t i = 0; i < rows; ++i) {
    codes.push_back(static_cast<std::int32_t>(i % outputs));
    weights.push_back(static_cast<double>(i % 4) / 2);
    for (std::int64_t k = 0; k < outputs; ++k) shares.push_back(k == i % outputs ? 1.0 : 0.0);
    double z[outputs], s[outputs], total = 0, mean = 0;
    const auto cell = [&](std::int64_t j) { return j < cols ? X(i, j) : 1.0; };
    for (std::int64_t k = 0; k < outputs; ++k) {
      z[k] = s[k] = 0;
      for (std::int64_t j = 0; j < width; ++j) {
        z[k] += at(W, k * width + j) * cell(j);
        s[k] += at(V, k * width + j) * cell(j);
      }
      total += std::exp(z[k]);
    }
    value += weights.back() * (std::log(total) - z[i % outputs]);
    for (std::int64_t k = 0; k < outputs; ++k) {
      at(P, i * outputs + k) = std::exp(z[k]) / total;
      mean += std::exp(z[k]) / total * s[k];
    }
    for (std::int64_t k = 0; k < outputs; ++k)
      for (std::int64_t j = 0; j < width; ++j) {
        const double p = at(P, i * outputs + k);
        at(gradient, k * width + j) += weights.back() * (p - (k == i % outputs)) * cell(j);
        at(product, k * width + j) += weights.back() * p * (s[k] - mean) * cell(j);
      }
  }
  for (Form form : every_form) {
    const Stored<double> stored(X, form);
    on_each_level([&](Isa) {
      for (bool coded : {false, true}) {
        const Softmax softmax{stored.view(), outputs, coded ? codes.data() : nullptr,
                              coded ? nullptr : shares.data(), weights.data()};
        std::vector<std::uint64_t> first;
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
          if (first.empty()) first = bits(G);
          CHECK(bits(G) == first);
        }
      }
    });
  }
}
