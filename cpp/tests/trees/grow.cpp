#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include "check.h"
#include "inducer/base/monitor.h"
#include "inducer/base/random.h"
#include "inducer/trees/fit.h"

using namespace inducer;
using namespace inducer::trees;

namespace {

constexpr std::int64_t rows = 3000, cols = 7;

/// Numbers, some missing; the last column holds categories.
std::vector<double> table() {
  std::vector<double> X;
  Stream stream(1, 2);
  for (std::int64_t i = 0; i < rows; ++i)
    for (std::int64_t j = 0; j < cols; ++j) {
      const double x = j + 1 < cols ? stream.uniform() : stream.below(11);
      X.push_back(stream.below(9) ? x : std::numeric_limits<double>::quiet_NaN());
    }
  return X;
}

Tree grown(const std::vector<double>& X, Criterion criterion, std::int64_t outputs,
           std::int64_t max_bins, int threads) {
  const Rows view{.values = X.data(), .rows = rows, .cols = cols, .row_stride = cols};
  std::vector<std::int32_t> levels(cols);
  levels.back() = 11;
  std::vector<std::int32_t> codes;
  std::vector<double> targets;
  Stream stream(3, 4);
  for (std::int64_t i = 0; i < rows; ++i) {
    const double x = X[static_cast<std::size_t>(i * cols)];
    const bool second = x > 0.5 || stream.below(4) == 0;
    codes.push_back(second ? static_cast<std::int32_t>(outputs - 1) : 0);
    for (std::int64_t k = 0; k < outputs; ++k) targets.push_back(second + stream.uniform());
  }
  const auto made = std::make_shared<const Table>(view, levels, max_bins, threads);
  GrowOptions options;
  options.max_features = cols;
  TreeFit fit(made, criterion, {codes.data(), targets.data(), outputs, nullptr}, options, threads);
  Monitor monitor;
  while (!fit.done()) {
    monitor.begin_slice(threads > 1 ? 1e-4 : 1e9);
    fit.advance(monitor, threads);
  }
  return fit.tree();
}

}  // namespace

TEST(a_tree_is_the_same_for_any_number_of_threads_and_slices) {
  const std::vector<double> X = table();
  for (const std::int64_t max_bins : {0, 20, 300})
    for (const std::int64_t outputs : {2, 3})
      for (const Criterion criterion : {Criterion::gini, Criterion::gain_ratio,
                                        Criterion::squared_error, Criterion::variance}) {
        const Tree one = grown(X, criterion, outputs, max_bins, 1);
        const Tree three = grown(X, criterion, outputs, max_bins, 3);
        CHECK(one.nodes() > 10);
        CHECK(one.feature == three.feature);
        CHECK(one.threshold == three.threshold);
        CHECK(one.set_words == three.set_words);
        CHECK(one.value == three.value);
        // Every row arrives at a leaf, and each leaf has as many as it had when it grew.
        const Rows view{.values = X.data(), .rows = rows, .cols = cols, .row_stride = cols};
        std::vector<std::int32_t> leaves(rows);
        apply({one.feature.data(), one.threshold.data(), one.left.data(), one.right.data(),
               one.missing_left.data(), one.set_begin.data(), one.set_words.data()},
              view, leaves.data(), 2);
        std::vector<std::int64_t> counts(one.feature.size());
        for (const std::int32_t leaf : leaves) ++counts[static_cast<std::size_t>(leaf)];
        bool agree = true;
        for (std::size_t k = 0; k < counts.size(); ++k)
          agree = agree && counts[k] == (one.feature[k] < 0 ? one.samples[k] : 0);
        CHECK(agree);
      }
}
