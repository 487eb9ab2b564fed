#include "base/kernels.h"

#include "inducer/base/rows.h"

namespace inducer::INDUCER_ISA {

double row_dot(const Rows& rows, std::int64_t i, const double* w) {
  return visit_layout<double>(rows, [&](const auto& X) { return dot(X.row(i), w); });
}
float row_dot(const Rows& rows, std::int64_t i, const float* w) {
  return visit_layout<float>(rows, [&](const auto& X) { return dot(X.row(i), w); });
}

void row_axpy(double a, const Rows& rows, std::int64_t i, double* w) {
  visit(rows, [&](const auto& X) { axpy(a, X.row(i), w); });
}
void row_axpy(float a, const Rows& rows, std::int64_t i, float* w) {
  visit_layout<float>(rows, [&](const auto& X) { axpy(a, X.row(i), w); });
}

double row_norm2(const Rows& rows, std::int64_t i) {
  return visit(rows, [&](const auto& X) { return norm2(X.row(i)); });
}

std::int64_t row_cells(const Rows& rows, std::int64_t i, Cell* cells) {
  std::int64_t count = 0;
  visit(rows, [&](const auto& X) {
    prefetch(X, i);
    for_each(X.row(i), [&](std::int64_t j, auto value) {
      cells[count].column = j;
      cells[count].value = static_cast<double>(value);
      ++count;
    });
  });
  return count;
}

void vector_scale(double a, double* w, std::int64_t n) {
  scale(a, w, n);
}
void vector_scale(float a, float* w, std::int64_t n) {
  scale(a, w, n);
}

int vector_lanes(double) {
  return lanes<double>;
}
int vector_lanes(float) {
  return lanes<float>;
}

}  // namespace inducer::INDUCER_ISA
