#pragma once
/// @file  The multiclass perceptron (CIML algorithm 39), plain and averaged, in slices.
///
/// One weight vector w_k and offset b_k a class. For each row visited, with label y:
///
///     p = argmax_k  w_k.x + b_k  (the first of equals)
///     if p != y:  w_y += r x,  w_p -= r x,  b_y += r,  b_p -= r      r = rate times weight
///
/// and for the average, as in perceptron.h, u and beta gain the same times c. One pass costs
/// O(classes * stored cells).
#include <concepts>
#include <cstdint>
#include "inducer/base/isa.h"
#include "inducer/base/monitor.h"
#include "inducer/linear/passes.h"
#include "inducer/linear/perceptron.h"

namespace inducer::linear {

template <std::floating_point T>
class MulticlassPerceptronFit {
 public:
  /// @pre 0 <= code < classes for every code; options.remember is false
  /// @param state  one w, u, b and beta a class; a single c
  MulticlassPerceptronFit(Examples examples, std::int64_t classes, const PerceptronState<T>& state,
                          const PerceptronOptions& options, const PassOptions& passes);

  void advance(Monitor& monitor, std::int64_t passes);

  Passes passes;

 private:
  Examples examples_;
  std::int64_t classes_;
  PerceptronState<T> state_;
  PerceptronOptions options_;
};

extern template class MulticlassPerceptronFit<float>;
extern template class MulticlassPerceptronFit<double>;

template <std::floating_point T>
struct MulticlassSlice {
  const std::uint32_t* order;
  std::int64_t count;
  std::int64_t& position;
  Tally& tally;
  const std::int32_t* codes;
  const double* weights;  ///< or null
  std::int64_t classes;
  bool fit_intercept;
  double rate;
  T* w;
  double* u;  ///< or null
  double* b;
  double* beta;
  double& c;
};

}  // namespace inducer::linear

namespace inducer {

INDUCER_PER_ISA(void visit_rows(const linear::MulticlassSlice<float>& slice, const Rows& X,
                                Monitor& monitor);
                void visit_rows(const linear::MulticlassSlice<double>& slice, const Rows& X,
                                Monitor& monitor))

}  // namespace inducer
