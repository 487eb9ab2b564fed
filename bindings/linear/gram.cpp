// Gram matrices.
#include "inducer/linear/gram.h"

#include <nanobind/stl/optional.h>

#include "linear/fits.h"

namespace inducer::linear {

void bind_gram(nb::module_& m) {
  m.def(
      "add_gram",
      [](const HeldRows& X, OptionalWeights weights, Matrix<double> targets, OptionalWeights shift,
         State<double> out, std::int64_t begin, std::int64_t end, int threads) {
        const Rows& rows = X.view;
        GramTerms terms;
        if (weights) {
          require_length("weights", *weights, rows.rows);
          terms.weights = weights->data();
        }
        require_length("targets", targets, rows.rows);
        terms.targets = targets.data();
        terms.outputs = static_cast<std::int64_t>(targets.shape(1));
        if (shift) {
          require_length("shift", *shift, rows.cols);
          require(!by_cells(rows), "a matrix that is mostly empty cannot be shifted");
          terms.shift = shift->data();
        }
        const std::int64_t width = rows.cols + terms.outputs + 1;
        require_length("out", out, width);
        require(static_cast<std::int64_t>(out.shape(1)) == width, "out must be square");
        require_block(rows, begin, end);
        nb::gil_scoped_release release;
        add_gram(rows, terms, begin, end, out.data(), threads);
      },
      "X"_a, "weights"_a.none(), "targets"_a.noconvert(), "shift"_a.none(), "out"_a.noconvert(),
      "begin"_a, "end"_a, "threads"_a,
      "out += the weighted sum of z z' over rows begin to end, z = (x - shift, y, 1), where the "
      "column is not left of the row.");
  m.def(
      "gram_by_cells", [](const HeldRows& X) { return by_cells(X.view); }, "X"_a,
      "Whether X is so empty that its cells are added one by one, and no shift is allowed.");
}

}  // namespace inducer::linear
