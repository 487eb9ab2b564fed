// Coordinate descent on a quadratic, and the products that it starts from.
#include "inducer/linear/coordinate.h"

#include <nanobind/stl/tuple.h>

#include "inducer/linear/products.h"
#include "linear/fits.h"

namespace inducer::linear {
namespace {

Quadratic quadratic(const Matrix<double>& Q, const Vector<double>& q, double yy, double l1,
                    double l2, bool positive, const States& w, const States& g) {
  const auto cols = static_cast<std::int64_t>(q.shape(0));
  require_length("Q", Q, cols);
  require(static_cast<std::int64_t>(Q.shape(1)) == cols, "Q must be square");
  require_length("w", w, cols);
  require_length("g", g, cols);
  return {Q.data(), q.data(), yy, cols, cols, l1, l2, positive};
}

}  // namespace

void bind_coordinate(nb::module_& m) {
  m.def(
      "descend",
      [](Matrix<double> Q, Vector<double> q, double yy, States w, States g, double l1, double l2,
         bool positive, double tolerance, std::int64_t sweeps, Monitor& monitor) {
        const Quadratic problem = quadratic(Q, q, yy, l1, l2, positive, w, g);
        nb::gil_scoped_release release;
        const Descent made = descend(problem, tolerance, sweeps, w.data(), g.data(), monitor);
        return std::tuple(made.sweeps, made.gap, made.still);
      },
      "Q"_a.noconvert(), "q"_a.noconvert(), "yy"_a, "w"_a.noconvert(), "g"_a.noconvert(),
      nb::kw_only(), "l1"_a, "l2"_a, "positive"_a, "tolerance"_a, "sweeps"_a, "monitor"_a,
      "Coordinate descent on w, g = q - Qw kept up to date; the sweeps made, the duality gap, "
      "and whether the last sweep moved nothing.");
  m.def(
      "duality_gap",
      [](Matrix<double> Q, Vector<double> q, double yy, States w, States g, double l1, double l2,
         bool positive) {
        return duality_gap(quadratic(Q, q, yy, l1, l2, positive, w, g), w.data(), g.data());
      },
      "Q"_a.noconvert(), "q"_a.noconvert(), "yy"_a, "w"_a.noconvert(), "g"_a.noconvert(),
      nb::kw_only(), "l1"_a, "l2"_a, "positive"_a);
  m.def(
      "column_products",
      [](const HeldRows& X, Matrix<double> r, int threads) {
        require(static_cast<std::int64_t>(r.shape(1)) == X.view.rows, "r has the wrong width");
        const std::size_t shape[2] = {r.shape(0), static_cast<std::size_t>(X.view.cols)};
        std::vector<double> out(shape[0] * shape[1]);
        {
          nb::gil_scoped_release release;
          column_products(X.view, r.data(), static_cast<std::int64_t>(shape[0]), out.data(),
                          threads);
        }
        return to_numpy(std::move(out), shape);
      },
      "X"_a, "r"_a.noconvert(), "threads"_a, "r X, in float64, for the rows of r.");
  m.def(
      "column_sizes",
      [](const HeldRows& X, Vector<double> weights, int threads) {
        require_length("weights", weights, X.view.rows);
        const std::size_t shape[2] = {2, static_cast<std::size_t>(X.view.cols)};
        std::vector<double> out(shape[0] * shape[1]);
        {
          nb::gil_scoped_release release;
          column_sizes(X.view, weights.data(), out.data(), threads);
        }
        return to_numpy(std::move(out), shape);
      },
      "X"_a, "weights"_a.noconvert(), "threads"_a,
      "The weighted sums of |x| and of x^2 in each column.");
}

}  // namespace inducer::linear
