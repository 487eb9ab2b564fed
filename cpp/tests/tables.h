#pragma once
/// @file  Test matrices: one table, and every way in which it can lie in memory.
#include <bit>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <vector>

#include "inducer/base/random.h"
#include "inducer/base/views.h"

/// The bits of a number: equal bits are a stronger claim than equal numbers.
inline std::uint64_t bits(double value) {
  return std::bit_cast<std::uint64_t>(value);
}
inline std::uint32_t bits(float value) {
  return std::bit_cast<std::uint32_t>(value);
}
template <class T>
auto bits(const std::vector<T>& values) {
  std::vector<decltype(bits(T()))> all;
  for (T value : values) all.push_back(bits(value));
  return all;
}

template <class T>
T& at(std::vector<T>& values, std::int64_t i) {
  return values[static_cast<std::size_t>(i)];
}
template <class T>
const T& at(const std::vector<T>& values, std::int64_t i) {
  return values[static_cast<std::size_t>(i)];
}
template <class T>
std::vector<T> filled(std::int64_t n, T value) {
  return std::vector<T>(static_cast<std::size_t>(n), value);
}

/// A small whole number, -4 .. 4, half of them zero. Sums and products of such are exact in either
/// precision, so any order of additions gives the same bits.
inline double small_whole(inducer::Stream& stream) {
  const int drawn = static_cast<int>(stream.below(18));
  return drawn < 9 ? drawn - 4 : 0;
}

/// A number whose sums do round, of either sign and of any size from 2^-10 to 2^10.
inline double rough(inducer::Stream& stream) {
  const double size = std::ldexp(1.0, static_cast<int>(stream.below(21)) - 10);
  return (2 * stream.uniform() - 1) * size;
}

template <class T>
struct Table {
  std::int64_t rows = 0, cols = 0;
  std::vector<T> cells;  ///< by rows

  T operator()(std::int64_t i, std::int64_t j) const { return at(cells, i * cols + j); }
  T& operator()(std::int64_t i, std::int64_t j) { return at(cells, i * cols + j); }
};

/// @param draw  one number from a stream
template <class T, class Draw>
Table<T> table(std::int64_t rows, std::int64_t cols, std::uint64_t seed, Draw draw) {
  inducer::Stream stream(seed, 99);
  Table<T> made{rows, cols, {}};
  for (std::int64_t k = 0; k < rows * cols; ++k) made.cells.push_back(static_cast<T>(draw(stream)));
  return made;
}

/// Ways for a table to lie in memory.
enum class Form : std::uint8_t {
  c_order,
  slice,  ///< some columns of a wider matrix
  fortran,
  scattered,  ///< every third column of every other row
  backward,   ///< rows from the last to the first, columns too
  sparse,     ///< zeros are not stored
};
inline constexpr std::initializer_list<Form> every_form = {
    Form::c_order, Form::slice, Form::fortran, Form::scattered, Form::backward, Form::sparse};

/// A table in a form. Owns what its view looks into; what lies between the cells is NaN.
template <class T>
class Stored {
 public:
  Stored(const Table<T>& X, Form form) {
    view_.single = sizeof(T) == 4;
    view_.rows = X.rows;
    view_.cols = X.cols;
    switch (form) {
      case Form::c_order:
        lay(X, 0, X.cols, 1);
        break;
      case Form::slice:
        lay(X, 2, X.cols + 5, 1);
        break;
      case Form::fortran:
        lay(X, 0, 1, X.rows);
        break;
      case Form::scattered:
        lay(X, 1, 2 * 3 * X.cols, 3);
        break;
      case Form::backward:
        lay(X, X.rows * X.cols - 1, -X.cols, -1);
        break;
      case Form::sparse:
        compress(X);
        break;
    }
  }
  Stored(const Stored&) = delete;
  Stored& operator=(const Stored&) = delete;

  const inducer::Rows& view() const { return view_; }

 private:
  void lay(const Table<T>& X, std::int64_t first, std::int64_t row_stride,
           std::int64_t col_stride) {
    std::int64_t least = 0, most = -1;
    for (std::int64_t i = 0; i < X.rows; ++i)
      for (std::int64_t j = 0; j < X.cols; ++j) {
        const std::int64_t place = first + i * row_stride + j * col_stride;
        least = place < least ? place : least;
        most = place > most ? place : most;
      }
    values_ = filled(most + 1, static_cast<T>(NAN));
    for (std::int64_t i = 0; i < X.rows; ++i)
      for (std::int64_t j = 0; j < X.cols; ++j)
        at(values_, first + i * row_stride + j * col_stride) = X(i, j);
    view_.layout = col_stride == 1 ? inducer::Rows::Layout::dense : inducer::Rows::Layout::strided;
    view_.values = X.rows * X.cols > 0 ? values_.data() + first : values_.data();
    view_.row_stride = row_stride;
    view_.col_stride = col_stride;
  }

  void compress(const Table<T>& X) {
    starts_.push_back(0);
    for (std::int64_t i = 0; i < X.rows; ++i) {
      for (std::int64_t j = 0; j < X.cols; ++j) {
        if (X(i, j) == 0) continue;
        values_.push_back(X(i, j));
        columns_.push_back(static_cast<std::int32_t>(j));
      }
      starts_.push_back(static_cast<std::int64_t>(values_.size()));
    }
    view_.layout = inducer::Rows::Layout::sparse;
    view_.values = values_.data();
    view_.columns = columns_.data();
    view_.starts = starts_.data();
  }

  std::vector<T> values_;
  std::vector<std::int32_t> columns_;
  std::vector<std::int64_t> starts_;
  inducer::Rows view_;
};
