#pragma once
/// @file  Learning row by row, one update after another: what all online linear learners share.
///
/// For each row visited, with target y and weight v:
///
///     a = score of x;   (loss, r) = what the rule makes of y, a and v;   r != 0: the rule moves by
///     r
///
/// A rule is what happens at a move, and what it remembers of the moves before:
///
///     passive_aggressive   w += r x                        r just large enough, at most C
///     multiplicative       s += r x,  w = exp(s), or exp(s) - exp(-s)    Winnow, EG
///     leader               per weight: sum of gradients, their root sum of squares   FTRL-proximal
///
/// All are told apart by what links the remembered sum to the weights: that is their geometry. One
/// problem a class, or one in all; a pass costs O(stored cells). A fit runs in slices.
#include <concepts>
#include <cstdint>
#include <vector>

#include "inducer/base/isa.h"
#include "inducer/base/monitor.h"
#include "inducer/linear/passes.h"
#include "inducer/losses/losses.h"

namespace inducer::online {

enum class Kind : std::uint8_t { passive_aggressive, multiplicative, leader };

/// How far a passive-aggressive step goes; l is the loss and n = |x|^2, with 1 for the offset.
enum class Caution : std::uint8_t {
  none,      ///< l / n: the row is right afterwards, whatever it costs
  capped,    ///< min(C, l / n)
  softened,  ///< l / (n + 1 / (2 C))
};

/// What the offset is.
enum class Offset : std::uint8_t {
  fixed,   ///< stays as it is
  weight,  ///< the weight of a feature that is one everywhere
  step,    ///< multiplicative rules only: moved by gradient steps, outside of the geometry
};

struct Rule {
  Kind kind = Kind::passive_aggressive;
  Offset offset = Offset::weight;
  bool numbers = false;  ///< targets are numbers, not classes

  // passive_aggressive
  Caution caution = Caution::capped;
  double C = 1;
  double epsilon = 0;  ///< of numbers: errors up to this cost nothing
  bool average = false;

  // multiplicative and leader
  losses::Loss loss;

  // multiplicative
  bool on_mistakes = false;  ///< Winnow: move by the rate at a mistake, whatever the loss
  bool balanced = true;      ///< weights of both signs
  double rate = 0.1;
  double radius = 0;  ///< positive: sum of |w| is kept at this (balanced: at most this)

  // leader
  double alpha = 0.1, beta = 1, l1 = 0, l2 = 0;
};

/// How many numbers a rule remembers of each weight, and of the offset.
inline std::int64_t memory_width(const Rule& rule) {
  if (rule.kind == Kind::passive_aggressive) return rule.average ? 1 : 0;
  return 2;
}

/// Of each problem: visits (rows, plus one), peak, total, touched (see multiplicative.isa.cpp).
inline constexpr std::int64_t scalar_count = 4;

/// Where a fit begins, and what it leaves behind. The caller owns the memory.
template <std::floating_point T>
struct State {
  T* w;              ///< problems x cols
  double* memory;    ///< problems x cols x memory_width
  double* b;         ///< problems
  double* b_memory;  ///< problems x memory_width
  double* scalars;   ///< problems x scalar_count
};

struct OnlineProblem {
  linear::Passes passes;
};

template <std::floating_point T>
class OnlineFit {
 public:
  /// @param targets   of numbers: one a row; of classes: empty
  /// @param problems  problem k holds code k for positive; a single problem, code 1
  OnlineFit(linear::Examples examples, std::vector<double> targets, std::int64_t problems,
            const State<T>& state, const Rule& rule, const linear::PassOptions& passes);

  /// Runs until all problems are finished, or have made `passes` passes, or the slice is over.
  void advance(Monitor& monitor, std::int64_t passes, int threads);

  const std::vector<OnlineProblem>& problems() const noexcept { return problems_; }

 private:
  void advance_one(std::size_t k, Monitor& monitor, std::int64_t passes);

  linear::Examples examples_;
  std::vector<double> targets_;
  State<T> state_;
  Rule rule_;
  std::vector<OnlineProblem> problems_;
};

extern template class OnlineFit<float>;
extern template class OnlineFit<double>;

/// What a slice of a pass reads and writes: the argument of the hot loops.
template <std::floating_point T>
struct OnlineSlice {
  const std::uint32_t* order;
  std::int64_t count;
  std::int64_t& position;
  linear::Tally& tally;
  const std::int32_t* codes;
  const double* targets;  ///< or null: +1 for code `positive`, -1 for the rest
  const double* weights;  ///< or null
  std::int32_t positive;
  const Rule& rule;
  T* w;
  double* memory;
  double& b;
  double* b_memory;
  double* scalars;
};

}  // namespace inducer::online

namespace inducer {

/// The hot loops: visit rows from `position` on until the order ends or the monitor says stop.
#define INDUCER_DECLARE_ONLINE(T)                                                                  \
  void visit_passive_aggressive(const online::OnlineSlice<T>& slice, const Rows& X,                \
                                Monitor& monitor);                                                 \
  void visit_multiplicative(const online::OnlineSlice<T>& slice, const Rows& X, Monitor& monitor); \
  void visit_leader(const online::OnlineSlice<T>& slice, const Rows& X, Monitor& monitor);
INDUCER_PER_ISA(INDUCER_DECLARE_ONLINE(float) INDUCER_DECLARE_ONLINE(double))
#undef INDUCER_DECLARE_ONLINE

}  // namespace inducer
