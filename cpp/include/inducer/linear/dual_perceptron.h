#pragma once
/// @file  The dual perceptron (MIT 3.5.12, CIML algorithm 30): a count of mistakes a row, in
/// slices.
///
///     a = sum_m alpha_m y_m K(x_m, x_n) + b;   if y_n a <= 0:  alpha_n += r,  b += r y_n
///
/// r is the weight of the row. All activations are kept, so a visit costs O(1) and a mistake
/// O(rows), given its row of the kernel matrix. Which kernel, and where its rows come from, is the
/// caller's business: `advance` returns when it needs a row, and `correct` takes it.
#include <cstdint>
#include <vector>

#include "inducer/base/monitor.h"
#include "inducer/linear/passes.h"

namespace inducer::linear {

class DualPerceptronFit {
 public:
  /// @param positive  the code that counts as +1
  /// @param stream    of random numbers, for the order of the rows
  DualPerceptronFit(Examples examples, std::int32_t positive, std::uint64_t stream,
                    bool fit_intercept, const PassOptions& options);

  /// Runs until finished, or `passes` passes are made, or the slice is over: then -1; or until a
  /// mistake: then its row, for which `correct` must be called next.
  std::int64_t advance(Monitor& monitor, std::int64_t wanted);

  /// @param kernel_row  K(x_row, x_n) for every n
  void correct(const double* kernel_row);

  bool waits() const noexcept { return mistaken_ >= 0; }
  std::int64_t rows() const noexcept { return examples_.X.rows; }

  std::vector<double> alpha;  ///< mistakes by row, each counted with the weight of the row
  double b = 0;
  Passes passes;

 private:
  double sign(std::size_t i) const noexcept { return examples_.codes[i] == positive_ ? 1.0 : -1.0; }

  Examples examples_;
  std::int32_t positive_;
  bool fit_intercept_;
  std::vector<double> activation_;
  std::int64_t mistaken_ = -1;  ///< waits for its kernel row
  bool corrected_ = false;      ///< the row at the position has been dealt with
};

}  // namespace inducer::linear
