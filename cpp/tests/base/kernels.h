#pragma once
/// @file  rows.h and vector.h as functions, once for each level: what the tests can call.
#include <cstdint>
#include <functional>
#include <vector>

#include "inducer/base/isa.h"
#include "inducer/base/views.h"

namespace inducer {

/// A stored cell as `for_each` hands it out.
struct Cell {
  std::int64_t column;
  double value;
  bool operator==(const Cell&) const = default;
};

INDUCER_PER_ISA(double row_dot(const Rows& X, std::int64_t i, const double* w);
                float row_dot(const Rows& X, std::int64_t i, const float* w);
                void row_axpy(double a, const Rows& X, std::int64_t i, double* w);
                void row_axpy(float a, const Rows& X, std::int64_t i, float* w);
                double row_norm2(const Rows& X, std::int64_t i);
                std::int64_t row_cells(const Rows& X, std::int64_t i, Cell* cells);
                void vector_scale(double a, double* w, std::int64_t n);
                void vector_scale(float a, float* w, std::int64_t n); int vector_lanes(double);
                int vector_lanes(float))

/// The levels that this build and this processor have.
std::vector<Isa> levels();

/// body(level) with each of them in use; the one that was in use is put back.
void on_each_level(const std::function<void(Isa)>& body);

namespace dispatched {

template <class T>
T row_dot(const Rows& X, std::int64_t i, const T* w) {
  INDUCER_DISPATCH(row_dot(X, i, w))
}
template <class U>
void row_axpy(U a, const Rows& X, std::int64_t i, U* w) {
  INDUCER_DISPATCH(row_axpy(a, X, i, w))
}
inline double row_norm2(const Rows& X, std::int64_t i) {
  INDUCER_DISPATCH(row_norm2(X, i))
}
inline std::int64_t row_cells(const Rows& X, std::int64_t i, Cell* cells) {
  INDUCER_DISPATCH(row_cells(X, i, cells))
}
template <class T>
void vector_scale(T a, T* w, std::int64_t n) {
  INDUCER_DISPATCH(vector_scale(a, w, n))
}
template <class T>
int vector_lanes() {
  INDUCER_DISPATCH(vector_lanes(T()))
}

}  // namespace dispatched
}  // namespace inducer
