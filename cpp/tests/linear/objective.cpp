#include "inducer/linear/objective.h"

#include <cmath>

#include "base/kernels.h"
#include "check.h"
#include "inducer/linear/gram.h"
#include "linear/problem.h"

using namespace inducer;
using namespace inducer::linear;

namespace {

constexpr losses::Kind every_kind[] = {losses::Kind::zero_one,
                                       losses::Kind::perceptron,
                                       losses::Kind::hinge,
                                       losses::Kind::squared_hinge,
                                       losses::Kind::logistic,
                                       losses::Kind::exponential,
                                       losses::Kind::modified_huber,
                                       losses::Kind::squared,
                                       losses::Kind::absolute,
                                       losses::Kind::huber,
                                       losses::Kind::epsilon_insensitive,
                                       losses::Kind::squared_epsilon_insensitive,
                                       losses::Kind::quantile,
                                       losses::Kind::poisson,
                                       losses::Kind::gamma,
                                       losses::Kind::tweedie};

/// What one evaluation leaves behind.
struct Found {
  double value = 0;
  std::vector<double> gradient, hessian, scores, curvatures, product;
};

Found found(const Objective& o, const std::vector<double>& w, Block block, int threads) {
  const std::int64_t width = o.X.cols + 1;
  Found f{0,
          filled(width, 0.0),
          filled(width * width, 0.0),
          filled(o.X.rows, 0.0),
          filled(o.X.rows, 0.0),
          filled(width, 0.0)};
  f.value =
      evaluate(o, w.data(), block.begin, block.end,
               {f.gradient.data(), f.hessian.data(), f.scores.data(), nullptr, f.curvatures.data()},
               threads);
  curvature_product(o.X, f.curvatures.data(), w.data(), block.begin, block.end, f.product.data(),
                    threads);
  return f;
}

/// The formulas of the header, row by row.
template <class T>
Found plain(const Table<T>& X, const Objective& o, const std::vector<double>& w, Block block) {
  const std::int64_t width = X.cols + 1;
  Found f{0,
          filled(width, 0.0),
          filled(width * width, 0.0),
          filled(X.rows, 0.0),
          filled(X.rows, 0.0),
          filled(width, 0.0)};
  const auto cell = [&](std::int64_t i, std::int64_t j) {
    return j < X.cols ? static_cast<double>(X(i, j)) : 1.0;
  };
  for (std::int64_t i = block.begin; i < block.end; ++i) {
    double z = 0;
    for (std::int64_t j = 0; j < width; ++j) z += cell(i, j) * at(w, j);
    const double weight = o.weights ? o.weights[i] : 1.0;
    const double y = o.targets ? o.targets[i] : o.codes[i] == o.positive ? 1.0 : -1.0;
    INDUCER_ISA::losses::visit(o.loss, [&](const auto& loss) {
      f.value += weight * loss.value(y, z);
      at(f.scores, i) = z;
      at(f.curvatures, i) = weight * loss.curvature(y, z);
      for (std::int64_t r = 0; r < width; ++r) {
        at(f.gradient, r) += weight * loss.slope(y, z) * cell(i, r);
        at(f.product, r) += weight * loss.curvature(y, z) * z * cell(i, r);
        for (std::int64_t c = r; c < width; ++c)
          at(f.hessian, r * width + c) += weight * loss.curvature(y, z) * cell(i, r) * cell(i, c);
      }
    });
  }
  return f;
}

bool close(double a, double b) {
  return std::fabs(a - b) <= 1e-11 * (1 + std::fabs(b));  // sums of some hundred terms of size 100
}
void check_close(const std::vector<double>& a, const std::vector<double>& b) {
  for (std::size_t k = 0; k < a.size(); ++k) CHECK(close(a[k], b[k]));
}

template <class T>
void matches_plain_loops(std::int64_t rows, std::int64_t cols) {
  const Table<T> X = table<T>(rows, cols, 3, small_whole);
  std::vector<double> w = table<double>(1, cols + 1, 4, rough).cells;
  for (double& value : w) value = std::tanh(value) / static_cast<double>(cols);
  std::vector<double> weights = table<double>(1, rows, 5, small_whole).cells;
  for (double& value : weights) value = std::fabs(value) / 2;
  const std::vector<double> numbers = table<double>(1, rows, 6, small_whole).cells;
  std::vector<std::int32_t> codes;
  for (double value : numbers) codes.push_back(value > 0 ? 2 : value < 0 ? 1 : 0);
  for (Form form : every_form) {
    const Stored<T> stored(X, form);
    for (losses::Kind kind : every_kind)
      for (bool coded : {false, true})
        for (bool weighted : {false, true}) {
          const Objective o{stored.view(),
                            {kind, kind == losses::Kind::tweedie ? 1.5 : 0.3},
                            coded ? nullptr : numbers.data(),
                            coded ? codes.data() : nullptr,
                            2,
                            weighted ? weights.data() : nullptr};
          for (const Block block : {Block{0, rows}, Block{7, 23}, Block{9, 9}}) {
            const Found a = found(o, w, block, 2), b = plain(X, o, w, block);
            CHECK(close(a.value, b.value));
            check_close(a.gradient, b.gradient);
            check_close(a.scores, b.scores);
            check_close(a.curvatures, b.curvatures);
            check_close(a.product, b.product);
            for (std::int64_t r = 0; r <= cols; ++r)
              for (std::int64_t c = r; c <= cols; ++c)
                CHECK(close(at(a.hessian, r * (cols + 1) + c), at(b.hessian, r * (cols + 1) + c)));
          }
        }
  }
}

}  // namespace

TEST(objective_matches_plain_loops) {
  on_each_level([](Isa) {
    matches_plain_loops<double>(61, 5);
    matches_plain_loops<float>(300, 9);
  });
  matches_plain_loops<double>(40, linear::narrow + 3);  // its Hessian is not fused
}

TEST(objective_has_the_same_bits_on_any_number_of_threads_and_layout) {
  const Table<double> X = table<double>(3000, 37, 1, rough);
  const std::vector<double> w = table<double>(1, 38, 2, small_whole).cells;
  std::vector<std::int32_t> codes;
  for (std::int64_t i = 0; i < 3000; ++i) codes.push_back(static_cast<std::int32_t>(i % 3 == 0));
  std::vector<std::uint64_t> first, hessian;
  for (Form form : every_form) {
    if (form == Form::sparse) first.clear(), hessian.clear();  // its lanes are others
    const Stored<double> stored(X, form);
    const Objective o{stored.view(), {losses::Kind::logistic, 0}, nullptr, codes.data(), 1, {}};
    on_each_level([&](Isa level) {
      hessian.clear();  // fused multiply-adds
      for (int threads : thread_counts) {
        const Found f = found(o, w, {0, 3000}, threads);
        std::vector<double> all = f.gradient;
        all.insert(all.end(), f.scores.begin(), f.scores.end());
        all.insert(all.end(), f.curvatures.begin(), f.curvatures.end());
        all.insert(all.end(), f.product.begin(), f.product.end());
        all.push_back(f.value);
        if (first.empty()) first = bits(all);
        if (hessian.empty()) hessian = bits(f.hessian);
        CHECK(bits(all) == first);
        CHECK(bits(f.hessian) == hessian);
        CHECK(level == isa());
      }
    });
  }
}

TEST(objective_along_a_line_has_its_derivatives) {
  const Table<double> X = table<double>(500, 4, 1, small_whole);
  const Stored<double> stored(X, Form::c_order);
  const std::vector<double> z = table<double>(1, 500, 2, small_whole).cells;
  const std::vector<double> dz = table<double>(1, 500, 3, small_whole).cells;
  const std::vector<double> y = table<double>(1, 500, 4, small_whole).cells;
  const Objective o{stored.view(), {losses::Kind::poisson, 0}, y.data(), nullptr, 1, nullptr};
  const auto along = [&](double t) { return evaluate_along(o, z.data(), dz.data(), t, 3, 499, 2); };
  const double h = 1e-4;
  const Along at_half = along(0.5), before = along(0.5 - h), after = along(0.5 + h);
  CHECK(std::fabs((after.value - before.value) / (2 * h) / at_half.slope - 1) < 1e-5);
  CHECK(std::fabs((after.slope - before.slope) / (2 * h) / at_half.curvature - 1) < 1e-5);
}
