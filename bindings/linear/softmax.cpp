// The cross entropy of a softmax, and its derivatives.
#include <nanobind/stl/optional.h>

#include "inducer/linear/softmax.h"
#include "linear/fits.h"

namespace inducer::linear {
namespace {

using OptionalMatrix = std::optional<State<double>>;

struct HeldSoftmax {
  HeldRows rows;
  std::optional<Matrix<double>> shares;
  std::optional<Codes> codes;
  OptionalWeights weights;
  Softmax softmax;
};

void require_codes(const Codes& codes, const Rows& X, std::int64_t classes) {
  require_length("codes", codes, X.rows);
  for (std::size_t i = 0; i < codes.shape(0); ++i)
    require(codes(i) >= 0 && codes(i) < classes, "a code is outside the outputs");
}

}  // namespace

void bind_softmax(nb::module_& m) {
  using Held = HeldSoftmax;
  nb::class_<Held>(m, "Softmax", "Cross entropy of a softmax over rows, and its derivatives.")
      .def(
          "__init__",
          [](Held* self, const HeldRows& X, std::int64_t outputs,
             std::optional<Matrix<double>> shares, std::optional<Codes> codes,
             OptionalWeights weights) {
            require(outputs >= 1 && outputs <= most_classes, "outputs must be from 1 to 2^24");
            require(shares.has_value() != codes.has_value(), "give shares or codes");
            if (shares) require_shape("shares", *shares, X.view.rows, outputs);
            if (codes) require_codes(*codes, X.view, outputs);
            if (weights) require_length("weights", *weights, X.view.rows);
            const Softmax softmax{X.view, outputs, codes ? codes->data() : nullptr,
                                  shares ? shares->data() : nullptr,
                                  weights ? weights->data() : nullptr};
            new (self) Held{X, shares, codes, weights, softmax};
          },
          "X"_a, nb::kw_only(), "outputs"_a, "shares"_a.noconvert().none(),
          "codes"_a.noconvert().none(), "weights"_a.noconvert().none())
      .def(
          "evaluate",
          [](const Held& held, Matrix<double> W, std::int64_t begin, std::int64_t end, int threads,
             OptionalMatrix gradient, OptionalMatrix probabilities) {
            const Rows& X = held.rows.view;
            const std::int64_t outputs = held.softmax.outputs;
            require_shape("W", W, outputs, X.cols + 1);
            require_block(X, begin, end);
            if (gradient) require_shape("gradient", *gradient, outputs, X.cols + 1);
            if (probabilities) require_shape("probabilities", *probabilities, outputs, X.rows);
            nb::gil_scoped_release release;
            return evaluate(held.softmax, W.data(), begin, end,
                            gradient ? gradient->data() : nullptr,
                            probabilities ? probabilities->data() : nullptr, threads);
          },
          "W"_a.noconvert(), "begin"_a, "end"_a, "threads"_a, nb::kw_only(),
          "gradient"_a.noconvert().none() = nb::none(),
          "probabilities"_a.noconvert().none() = nb::none(),
          "The sum over rows begin to end at W (offsets last); adds to gradient, writes "
          "probabilities, by outputs.")
      .def(
          "product",
          [](const Held& held, Matrix<double> probabilities, Matrix<double> V, std::int64_t begin,
             std::int64_t end, State<double> out, int threads) {
            const Rows& X = held.rows.view;
            const std::int64_t outputs = held.softmax.outputs;
            require_shape("probabilities", probabilities, outputs, X.rows);
            require_shape("V", V, outputs, X.cols + 1);
            require_shape("out", out, outputs, X.cols + 1);
            require_block(X, begin, end);
            nb::gil_scoped_release release;
            curvature_product(held.softmax, probabilities.data(), V.data(), begin, end, out.data(),
                              threads);
          },
          "probabilities"_a.noconvert(), "V"_a.noconvert(), "begin"_a, "end"_a, "out"_a.noconvert(),
          "threads"_a, "Adds the Hessian of rows begin to end times V to out.");
}

}  // namespace inducer::linear
