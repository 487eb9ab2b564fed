// The module inducer._core: one submodule a package of the core.
#include <nanobind/nanobind.h>

#include "inducer/version.h"

namespace inducer {
void bind_base(nanobind::module_& m);
void bind_linear(nanobind::module_& m);
void bind_losses(nanobind::module_& m);
void bind_online(nanobind::module_& m);
void bind_stream(nanobind::module_& m);
void bind_trees(nanobind::module_& m);
}  // namespace inducer

NB_MODULE(_core, m) {
  m.doc() = "The kernels of inducer. They know views and numbers, and no Python.";
  m.attr("__version__") = inducer::version();
  auto base = m.def_submodule("base", "Matrices, checks, random words, the monitor.");
  inducer::bind_base(base);
  auto linear = m.def_submodule("linear", "Linear models.");
  inducer::bind_linear(linear);
  auto losses = m.def_submodule("losses", "Losses.");
  inducer::bind_losses(losses);
  auto online = m.def_submodule("online", "Learning row by row.");
  inducer::bind_online(online);
  auto stream = m.def_submodule("stream", "Learning from streams.");
  inducer::bind_stream(stream);
  auto trees = m.def_submodule("trees", "Decision trees.");
  inducer::bind_trees(trees);
}
