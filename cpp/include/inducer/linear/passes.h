#pragma once
/// @file  Passes over the rows: in which order, how far, and when they end.
///
/// Written once for every learner that visits rows one by one. A pass may be left at any row and
/// taken up again there: that is how a fit runs in slices.
#include <cstdint>
#include <limits>
#include <vector>

#include "inducer/base/monitor.h"
#include "inducer/base/views.h"

namespace inducer::linear {

enum class Shuffle : std::uint8_t { every, once, never };

struct PassOptions {
  Shuffle shuffle = Shuffle::every;
  std::int64_t max_passes = 1000;
  /// Stop after a clean pass, and when the mean loss of a pass did not fall by `tolerance` for
  /// `patience` passes. Negative: run exactly max_passes.
  double tolerance = 1e-3;
  std::int64_t patience = 5;
  std::uint64_t seed = 0;
  std::uint64_t first_part = 0;  ///< where in its random streams this fit begins
  /// Whether a pass without mistakes is the last: true where only mistakes change the weights.
  bool clean_ends = true;
};

/// What the visits of a pass add up to.
struct Tally {
  std::int64_t mistakes = 0;
  double loss = 0;
  double penalty = 0;  ///< of the weights when the pass was over, where there is one
};

/// The passes so far.
struct PassCount {
  std::int64_t made = 0;      ///< whole passes
  std::int64_t mistakes = 0;  ///< of all whole passes
  Tally last;                 ///< of the last whole pass; its loss is the mean
  bool finished = false;      ///< there is nothing left to do

  /// Whether there is nothing to do before `passes` passes are made.
  bool reached(std::int64_t passes) const noexcept { return finished || made >= passes; }
};

/// The rows of positive weight, which alone are visited, and the labels that go with them.
struct Examples {
  Rows X;
  std::vector<std::int32_t> codes;  ///< of classes; or empty
  std::vector<double> numbers;      ///< targets of a regression; or empty
  std::vector<double> weights;      ///< or empty: all one
  std::vector<std::uint32_t> visited;
  double total_weight = 0;

  /// Throws unless 0 <= code < classes for every code.
  Examples(const Rows& X, std::vector<std::int32_t> codes, std::vector<double> weights,
           std::int64_t classes);
  Examples(const Rows& X, std::vector<double> numbers, std::vector<double> weights);
  const double* weights_or_null() const noexcept {
    return weights.empty() ? nullptr : weights.data();
  }

 private:
  void find_visited();
};

/// The passes of one problem.
class Passes {
 public:
  Passes() = default;
  Passes(const Examples& examples, const PassOptions& options, std::uint64_t stream);

  /// visit_rows(order, count, position, tally) moves `position` on, up to count; called until it
  /// stops short, or `passes` passes are made, or the monitor says stop.
  template <class VisitRows>
  void advance(const Examples& examples, const Monitor& monitor, std::int64_t passes,
               VisitRows&& visit_rows) {
    advance(examples, monitor, passes, visit_rows, [](Tally&) {}, [] { return false; });
  }

  /// The same; conclude(tally) is called when a pass is over, and try_again() when there was no
  /// progress for `patience` passes: true if there will be some now.
  template <class VisitRows, class Conclude, class TryAgain>
  void advance(const Examples& examples, const Monitor& monitor, std::int64_t passes,
               VisitRows&& visit_rows, Conclude&& conclude, TryAgain&& try_again) {
    while (!count_.reached(passes)) {
      if (!under_way_) begin(examples);
      visit_rows(order_.data(), static_cast<std::int64_t>(order_.size()), position_, tally_);
      if (position_ < static_cast<std::int64_t>(order_.size())) return;
      conclude(tally_);
      if (end(examples) && !try_again()) finish();
      if (monitor.should_stop()) return;
    }
  }

  /// There is nothing left to do, for whatever reason.
  void finish();

  const PassCount& count() const noexcept { return count_; }

 private:
  void begin(const Examples& examples);
  bool end(const Examples& examples);  // whether patience is over, which then begins anew

  PassOptions options_;
  PassCount count_;
  std::uint64_t stream_ = 0;
  std::vector<std::uint32_t> order_;  // empty until the first pass and after the last
  std::int64_t position_ = 0;
  bool under_way_ = false;
  Tally tally_;
  double best_ = std::numeric_limits<double>::infinity();
  std::int64_t stale_ = 0;
};

}  // namespace inducer::linear
