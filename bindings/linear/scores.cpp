// Scores of a linear rule, and sums over its mistakes.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>

#include "inducer/linear/mistakes.h"
#include "inducer/linear/scores.h"
#include "linear/fits.h"

namespace inducer::linear {
namespace {

template <class T>
void bind_scores_of(nb::module_& m) {
  m.def(
      "scores",
      [](const HeldRows& X, Matrix<T> coef, Vector<T> intercept, State<T> out, std::int64_t begin,
         std::int64_t end, int threads) {
        const Rows& rows = X.view;
        const auto outputs = static_cast<std::int64_t>(coef.shape(0));
        require_precision(rows, sizeof(T) == 4);
        require_block(rows, begin, end);
        require(static_cast<std::int64_t>(coef.shape(1)) == rows.cols,
                "coef has the wrong number of columns");
        require_length("intercept", intercept, outputs);
        require_length("out", out, rows.rows);
        require(static_cast<std::int64_t>(out.shape(1)) == outputs, "out has the wrong width");
        nb::gil_scoped_release release;
        scores<T>(rows, coef.data(), intercept.data(), outputs, begin, end, out.data(), threads);
      },
      "X"_a, "coef"_a.noconvert(), "intercept"_a.noconvert(), "out"_a.noconvert(), "begin"_a,
      "end"_a, "threads"_a, "Rows begin to end of out = X coef' + intercept.");
}
template <class T>
void bind_mistakes_of(nb::module_& m) {
  m.def(
      "sum_mistakes",
      [](const HeldRows& X, Codes codes, std::int32_t positive, OptionalWeights weights,
         Vector<T> w, double b, std::int64_t begin, std::int64_t end) {
        const Rows& rows = X.view;
        require_precision(rows, sizeof(T) == 4);
        require_length("codes", codes, rows.rows);
        if (weights) require_length("weights", *weights, rows.rows);
        require_length("coef", w, rows.cols);
        require_block(rows, begin, end);
        std::vector<double> sum(static_cast<std::size_t>(rows.cols), 0.0);
        BlockMistakes found;
        {
          nb::gil_scoped_release release;
          found = sum_mistakes<T>(rows, codes.data(), positive, weights ? weights->data() : nullptr,
                                  w.data(), b, begin, end, sum.data());
        }
        return nb::make_tuple(to_numpy(std::move(sum)), found.offset_sum, found.count, found.weight,
                              found.loss);
      },
      "X"_a, "codes"_a.noconvert(), "positive"_a, "weights"_a.none(), "coef"_a.noconvert(),
      "intercept"_a, "begin"_a, "end"_a,
      "Sum of weight y x over the mistakes of rows begin to end, the sum of weight y, and the "
      "mistakes' count, weight and loss.");
}
}  // namespace

void bind_scores(nb::module_& m) {
  bind_scores_of<double>(m);
  bind_scores_of<float>(m);
  bind_mistakes_of<double>(m);
  bind_mistakes_of<float>(m);
}

}  // namespace inducer::linear
