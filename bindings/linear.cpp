// inducer._core.linear: one function a file of this folder's.
#include <nanobind/nanobind.h>

namespace inducer {
namespace linear {
void bind_dual_descent(nanobind::module_& m);
void bind_coordinate(nanobind::module_& m);
void bind_gram(nanobind::module_& m);
void bind_max_margin(nanobind::module_& m);
void bind_objective(nanobind::module_& m);
void bind_softmax(nanobind::module_& m);
void bind_passes(nanobind::module_& m);
void bind_perceptrons(nanobind::module_& m);
void bind_pocket(nanobind::module_& m);
void bind_scores(nanobind::module_& m);
void bind_sgd(nanobind::module_& m);
}  // namespace linear

void bind_linear(nanobind::module_& m) {
  linear::bind_scores(m);
  linear::bind_objective(m);
  linear::bind_softmax(m);
  linear::bind_passes(m);
  linear::bind_perceptrons(m);
  linear::bind_pocket(m);
  linear::bind_sgd(m);
  linear::bind_max_margin(m);
  linear::bind_gram(m);
  linear::bind_dual_descent(m);
  linear::bind_coordinate(m);
}

}  // namespace inducer
