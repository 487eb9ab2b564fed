// inducer._core.losses: the losses of the kernels, for tests to hold inducer.losses against.
#include "inducer/losses/losses.h"

#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>

#include "arrays.h"
#include "inducer/losses/evaluate.h"

namespace inducer {

void bind_losses(nb::module_& m) {
  m.def(
      "evaluate",
      [](std::string_view name, double parameter, Vector<double> y, Vector<double> z) {
        const std::optional<losses::Kind> kind = losses::kind_named(name);
        require(kind.has_value(), "no such loss");
        const auto count = static_cast<std::int64_t>(z.shape(0));
        require_length("y", y, count);
        const auto size = static_cast<std::size_t>(count);
        std::vector<double> value(size), slope(size), curvature(size);
        {
          nb::gil_scoped_release release;
          losses::evaluate({*kind, parameter}, y.data(), z.data(), count, value.data(),
                           slope.data(), curvature.data());
        }
        return nb::make_tuple(to_numpy(std::move(value)), to_numpy(std::move(slope)),
                              to_numpy(std::move(curvature)));
      },
      "kind"_a, "parameter"_a, "y"_a.noconvert(), "z"_a.noconvert(),
      "Value, slope and curvature of a loss at targets and scores.");
}

}  // namespace inducer
