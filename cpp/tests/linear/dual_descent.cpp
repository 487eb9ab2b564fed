#include "inducer/linear/dual_descent.h"

#include <algorithm>
#include <cmath>

#include "base/kernels.h"
#include "check.h"
#include "linear/problem.h"

using namespace inducer;
using namespace inducer::linear;

namespace {

struct Machine {
  std::vector<double> targets, low, high;
  double epsilon;
};

Machine machine(std::int64_t rows, bool hinge, double cost) {
  Machine made{{}, {}, {}, hinge ? 0.0 : 0.25};
  Stream stream(7, 7);
  for (std::int64_t i = 0; i < rows; ++i) {
    const double t = hinge ? (stream.below(2) ? 1.0 : -1.0) : small_whole(stream);
    made.targets.push_back(t);
    made.low.push_back(hinge ? std::min(0.0, t * cost) : -cost);
    made.high.push_back(hinge ? std::max(0.0, t * cost) : cost);
  }
  made.low[3] = made.high[3] = 0;  // a row of no weight
  return made;
}

struct Ended {
  std::vector<double> beta;
  double bias = 0;
};

Ended ended(const Rows& X, const Machine& m, double stiffness, const double* centre,
            double seconds) {
  DualDescentFit fit(X, m.targets.data(), m.low.data(), m.high.data(), m.epsilon, stiffness, centre,
                     3);
  Monitor monitor;
  for (std::int64_t look = 1; look <= 400; ++look) {
    while (!fit.reached(look * 20)) {
      monitor.begin_slice(seconds);
      fit.advance(monitor, look * 20);
    }
    fit.restore();
  }
  return {fit.beta(), fit.bias()};
}

/// @param away  what is added to every cell
void check_that_no_beta_can_gain(double away) {
  Table<double> X = table<double>(60, 3, 1, small_whole);
  for (double& cell : X.cells) cell += away;
  const Stored<double> stored(X, Form::c_order);
  const double centre[3] = {away, away, away};
  for (bool hinge : {true, false})
    for (double stiffness : {0.0, 4.0}) {
      if (stiffness == 0.0 && away != 0.0) continue;  // without a bias the rows are what they are
      const Machine m = machine(60, hinge, 0.125);
      const Ended end = ended(stored.view(), m, stiffness, away != 0.0 ? centre : nullptr, forever);
      double w[3] = {0, 0, 0}, sum = 0;
      for (std::int64_t i = 0; i < 60; ++i) {
        sum += at(end.beta, i);
        for (std::int64_t j = 0; j < 3; ++j) w[j] += at(end.beta, i) * (X(i, j) - away);
      }
      CHECK_EQUAL(at(end.beta, 3), 0.0);
      if (stiffness > 0) CHECK(std::fabs(sum) < 1e-6);  // the bias is free
      for (std::int64_t i = 0; i < 60; ++i) {
        const double beta = at(end.beta, i);
        CHECK(at(m.low, i) <= beta && beta <= at(m.high, i));
        double slope = end.bias - at(m.targets, i);
        for (std::int64_t j = 0; j < 3; ++j) slope += w[j] * X(i, j);
        if (beta < at(m.high, i)) CHECK(slope + (beta >= 0 ? m.epsilon : -m.epsilon) > -1e-5);
        if (beta > at(m.low, i)) CHECK(slope + (beta > 0 ? m.epsilon : -m.epsilon) < 1e-5);
      }
    }
}

}  // namespace

TEST(dual_descent_ends_where_no_beta_can_gain) {
  check_that_no_beta_can_gain(0.0);
}

TEST(dual_descent_sees_rows_from_their_centre) {
  check_that_no_beta_can_gain(4096.0);
}

TEST(dual_descents_together_are_each_alone_on_any_number_of_threads) {
  const Table<double> X = table<double>(3000, 20, 1, rough);
  const Stored<double> stored(X, Form::c_order);
  const Machine m = machine(3000, true, 1e-3);
  for (int threads : {1, 2, 5})
    for (double seconds : {0.0, forever}) {
      std::vector<DualDescentFit> together, alone;
      for (std::uint64_t seed = 0; seed < 7; ++seed)
        for (auto* fits : {&together, &alone})
          fits->emplace_back(stored.view(), m.targets.data(), m.low.data(), m.high.data(), 0, 1,
                             nullptr, seed);
      std::vector<DualDescentFit*> fits;
      for (DualDescentFit& fit : together) fits.push_back(&fit);
      Monitor monitor;
      while (!std::all_of(fits.begin(), fits.end(), [](auto* fit) { return fit->reached(3); })) {
        monitor.begin_slice(seconds);
        advance_together(fits, monitor, 3, threads);
      }
      monitor.begin_slice(forever);
      for (std::size_t k = 0; k < alone.size(); ++k) {
        alone[k].advance(monitor, 3);
        CHECK(alone[k].passes() == together[k].passes());
        CHECK(bits(alone[k].beta()) == bits(together[k].beta()));
      }
    }
}

TEST(dual_descent_in_slices_on_any_level_and_layout_is_the_same) {
  const Table<double> X = table<double>(300, 20, 1, rough);
  const Machine m = machine(300, true, 1e-3);
  std::vector<std::uint64_t> dense, sparse;
  for (Form form : every_form) {
    const Stored<double> stored(X, form);
    std::vector<std::uint64_t>& first = form == Form::sparse ? sparse : dense;
    on_each_level([&](Isa) {
      DualDescentFit whole(stored.view(), m.targets.data(), m.low.data(), m.high.data(), 0, 1,
                           nullptr, 3);
      DualDescentFit sliced(stored.view(), m.targets.data(), m.low.data(), m.high.data(), 0, 1,
                            nullptr, 3);
      Monitor monitor;
      monitor.begin_slice(forever);
      whole.advance(monitor, 5);
      while (!sliced.reached(5)) {
        monitor.begin_slice(0.0);
        sliced.advance(monitor, 5);
      }
      if (first.empty()) first = bits(whole.beta());
      CHECK(bits(whole.beta()) == first);
      CHECK(bits(sliced.beta()) == first);
    });
  }
}
