// Examples, and the options and counts of passes over them.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>

#include "linear/fits.h"

namespace inducer::linear {

/// @param classes  codes lie in 0 .. classes - 1
Examples examples_of(const Rows& X, const Codes& codes, const OptionalWeights& weights,
                     std::int64_t classes) {
  require(classes >= 2 && classes <= most_classes, "classes must be between 2 and 2^24");
  require_length("codes", codes, X.rows);
  std::vector<double> weight_vector;
  if (weights) {
    require_length("weights", *weights, X.rows);
    weight_vector = to_vector(*weights);
  }
  return Examples(X, to_vector(codes), std::move(weight_vector), classes);
}

namespace {

Shuffle shuffle_named(std::string_view name) {
  if (name == "every") return Shuffle::every;
  if (name == "once") return Shuffle::once;
  require(name == "never", "shuffle must be every, once or never");
  return Shuffle::never;
}
}  // namespace

void bind_passes(nb::module_& m) {
  nb::class_<PassOptions>(m, "PassOptions", "The order of the rows, and when to stop.")
      .def(
          "__init__",
          [](PassOptions* self, std::string_view shuffle, std::int64_t max_passes, double tolerance,
             std::int64_t patience, std::uint64_t seed, std::uint64_t first_part) {
            new (self) PassOptions{
                shuffle_named(shuffle), max_passes, tolerance, patience, seed, first_part};
          },
          nb::kw_only(), "shuffle"_a, "max_passes"_a, "tolerance"_a, "patience"_a, "seed"_a,
          "first_part"_a);
  nb::class_<PassCount>(m, "PassCount", "The passes of one problem so far.")
      .def_ro("made", &PassCount::made)
      .def_ro("mistakes", &PassCount::mistakes)
      .def_prop_ro("last_mistakes", [](const PassCount& c) { return c.last.mistakes; })
      .def_prop_ro("last_loss", [](const PassCount& c) { return c.last.loss; })
      .def_prop_ro("last_penalty", [](const PassCount& c) { return c.last.penalty; });
}

}  // namespace inducer::linear
