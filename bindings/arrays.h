#pragma once
// Between Python's arrays and the core's views. Nothing here copies a matrix.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "inducer/base/views.h"

namespace inducer {

namespace nb = nanobind;
using namespace nb::literals;

/// An array whose numbers lie at multiples of their size, as the kernels need them. NumPy knows
/// others, too (a view into bytes): they are refused like any array of the wrong kind.
template <class... Kind>
struct Array : nb::ndarray<Kind...> {
  Array() = default;
  explicit Array(const nb::ndarray<Kind...>& array) : nb::ndarray<Kind...>(array) {}

  bool aligned() const {
    using Number = typename nb::ndarray<Kind...>::Scalar;
    return reinterpret_cast<std::uintptr_t>(this->data()) % alignof(Number) == 0;
  }
};

template <class T>
using Vector = Array<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Matrix = Array<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

inline void require(bool holds, const std::string& message) {
  if (!holds) throw std::invalid_argument(message);
}

template <class Array>
void require_length(const char* name, const Array& array, std::int64_t expected) {
  const auto length = static_cast<std::int64_t>(array.shape(0));
  require(length == expected, std::string(name) + " has length " + std::to_string(length) +
                                  ", expected " + std::to_string(expected));
}

template <class T>
std::vector<T> to_vector(const Vector<T>& array) {
  return std::vector<T>(array.data(), array.data() + array.shape(0));
}

/// A vector handed to Python, which then owns it.
template <class T, std::size_t dims>
nb::ndarray<nb::numpy, T, nb::ndim<dims>> to_numpy(std::vector<T>&& values,
                                                   const std::size_t (&shape)[dims]) {
  auto* kept = new std::vector<T>(std::move(values));
  nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return nb::ndarray<nb::numpy, T, nb::ndim<dims>>(kept->data(), dims, shape, owner);
}

template <class T>
nb::ndarray<nb::numpy, T, nb::ndim<1>> to_numpy(std::vector<T>&& values) {
  const std::size_t shape[1] = {values.size()};
  return to_numpy(std::move(values), shape);
}

/// A matrix given to the core: the view, and the Python arrays that it looks into.
struct HeldRows {
  Rows view;
  nb::ndarray<> values, columns, starts;
};

}  // namespace inducer

template <class... Kind>
struct nanobind::detail::type_caster<inducer::Array<Kind...>> {
  NB_TYPE_CASTER(inducer::Array<Kind...>, make_caster<ndarray<Kind...>>::Name)

  bool from_python(handle source, std::uint32_t flags, cleanup_list* cleanup) noexcept {
    make_caster<ndarray<Kind...>> caster;
    if (!caster.from_python(source, flags, cleanup)) return false;
    value = inducer::Array<Kind...>(caster.value);
    return value.aligned();
  }
};
