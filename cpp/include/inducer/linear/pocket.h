#pragma once
/// @file  The pocket algorithm with costs (NTU lectures 2 and 8), in slices.
///
/// Starting from W, b: evaluate all rows; when they cost less than ever before, put W, b into the
/// pocket; pick a mistake with probability in proportion to its cost; correct it as the perceptron
/// does (with more than two classes, as the multiclass perceptron); repeat. An update costs a pass
/// over the data, O(outputs * stored cells), shared among the threads.
#include <concepts>
#include <cstdint>
#include <vector>

#include "inducer/base/monitor.h"
#include "inducer/base/random.h"
#include "inducer/linear/mistakes.h"
#include "inducer/linear/passes.h"

namespace inducer::linear {

struct PocketOptions {
  bool fit_intercept = true;
  double rate = 1.0;
  std::int64_t max_updates = 1000;
  std::uint64_t seed = 0;
};

/// The rule under way and the best one so far. The caller owns the memory.
template <std::floating_point T>
struct PocketState {
  T* w;       ///< outputs x cols: one output for two classes, else one a class
  double* b;  ///< outputs
  T* best_w;  ///< likewise
  double* best_b;
};

template <std::floating_point T>
class PocketFit {
 public:
  /// @param cost  classes x classes, not negative: what saying column for row costs
  PocketFit(Examples examples, std::int64_t classes, std::vector<double> cost,
            const PocketState<T>& state, const PocketOptions& options);

  /// Runs until finished, or `updates` updates are made, or the slice is over.
  void advance(Monitor& monitor, std::int64_t updates, int threads);

  /// Whether this many updates are made, and the rule they led to has been judged.
  bool reached(std::int64_t wanted) const noexcept {
    return finished || (updates >= wanted && evaluated_ == examples_.X.rows);
  }

  double best_cost;  ///< of the rule in the pocket; infinite before the first evaluation
  std::int64_t updates = 0;
  std::int64_t mistakes = 0;  ///< of the rule in the pocket
  bool finished = false;

 private:
  void evaluate(Monitor& monitor, int threads);
  void put_into_pocket();
  void correct();

  Examples examples_;
  std::int64_t outputs_;
  std::vector<double> cost_;
  PocketState<T> state_;
  PocketOptions options_;
  Stream stream_;
  std::vector<double> charge_;
  std::vector<std::int32_t> guess_;
  double total_ = 0;
  std::int64_t evaluated_ = 0;  ///< rows whose charge_ and guess_ are those of w, b
};

extern template class PocketFit<float>;
extern template class PocketFit<double>;

}  // namespace inducer::linear
