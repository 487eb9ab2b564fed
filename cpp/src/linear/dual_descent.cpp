#include "inducer/linear/dual_descent.h"

#include <algorithm>
#include <limits>

#include "inducer/base/parallel.h"
#include "inducer/base/random.h"
#include "inducer/base/rows.h"

namespace inducer::linear {
namespace {

void visit_here(const DualSlice& slice, Monitor& monitor) {
  INDUCER_DISPATCH(visit_dual_rows(slice, monitor))
}

}  // namespace

DualDescentFit::DualDescentFit(const Rows& X, const double* targets, const double* low,
                               const double* high, double epsilon, double stiffness,
                               const double* centre, std::uint64_t seed)
    : X_(X),
      epsilon_(epsilon),
      stiffness_(stiffness),
      seed_(seed),
      rows_(static_cast<std::size_t>(X.rows)),
      w_(static_cast<std::size_t>(X.cols), 0.0),
      centre_(w_.size(), 0.0),
      limit_(std::numeric_limits<double>::infinity()) {
  if (centre) centre_.assign(centre, centre + X.cols);
  for (double c : centre_) centre_square_ += c * c;
  visit(X, [&](const auto& view) {
    for (std::int64_t i = 0; i < X.rows; ++i) {
      const auto x = view.row(i);
      double at_centre = 0;
      INDUCER_ISA::for_each(x, [&](std::int64_t j, auto value) {
        at_centre += static_cast<double>(value) * centre_[static_cast<std::size_t>(j)];
      });
      const double square = INDUCER_ISA::norm2(x) - 2 * at_centre + centre_square_;
      const double curvature = (square > 0 ? square : 0) + stiffness;
      DualRow& row = rows_[static_cast<std::size_t>(i)];
      // A row of zeros without a bias pulls with a constant: any long step takes it to its bound.
      row = {0,        1 / (curvature > 1e-12 ? curvature : 1e-12), targets[i], low[i], high[i],
             at_centre};
      if (low[i] < high[i]) order_.push_back(static_cast<std::uint32_t>(i));
    }
  });
  active_ = static_cast<std::int64_t>(order_.size());
}

void DualDescentFit::restore() {
  active_ = static_cast<std::int64_t>(order_.size());
  limit_ = std::numeric_limits<double>::infinity();
}

void DualDescentFit::advance(Monitor& monitor, std::int64_t passes) {
  while (!reached(passes)) {
    if (!under_way_) {
      Stream stream(seed_, 0, static_cast<std::uint64_t>(passes_));
      shuffle(order_.data(), active_, stream);
      position_ = 0;
      worst_ = 0;
      w_centre_ = 0;  // summed again, so that rounding does not pile up
      for (std::size_t j = 0; j < w_.size(); ++j) w_centre_ += w_[j] * centre_[j];
      under_way_ = true;
    }
    visit_here({X_, rows_.data(), order_.data(), active_, position_, w_.data(), sum_, w_centre_,
                bias_, stiffness_, epsilon_, centre_square_, limit_, worst_},
               monitor);
    if (position_ < active_) return;
    under_way_ = false;
    ++passes_;
    bias_ += stiffness_ * sum_;
    last_worst_ = worst_;
    limit_ = worst_ > 0 ? worst_ : std::numeric_limits<double>::infinity();
    if (monitor.should_stop()) return;
  }
}

double DualDescentFit::work() const noexcept {
  const double rows = static_cast<double>(active_);
  return visit(X_, [&](const auto& view) {
    return rows * static_cast<double>(16 + INDUCER_ISA::mean_cells(view));
  });
}

void advance_together(const std::vector<DualDescentFit*>& fits, Monitor& monitor,
                      std::int64_t passes, int threads) {
  double work = 0;
  for (const DualDescentFit* fit : fits) work = std::max(work, fit->work());
  parallel_for(threads, static_cast<std::int64_t>(fits.size()), work,
               [&](std::int64_t begin, std::int64_t end) {
                 for (std::int64_t k = begin; k < end; ++k)
                   fits[static_cast<std::size_t>(k)]->advance(monitor, passes);
               });
}

std::vector<double> DualDescentFit::beta() const {
  std::vector<double> found;
  found.reserve(rows_.size());
  for (const DualRow& row : rows_) found.push_back(row.beta);
  return found;
}

}  // namespace inducer::linear
