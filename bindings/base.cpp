// inducer._core.base: matrices, checks, instruction sets, random words, the monitor.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>

#include <limits>
#include <optional>

#include "arrays.h"
#include "inducer/base/checks.h"
#include "inducer/base/isa.h"
#include "inducer/base/monitor.h"
#include "inducer/base/parallel.h"
#include "inducer/base/random.h"

namespace inducer {
namespace {

template <class T>
using AnyMatrix = Array<const T, nb::ndim<2>, nb::device::cpu>;

// Row numbers travel as uint32 inside the kernels.
void require_rows_fit(std::int64_t rows) {
  require(rows < std::numeric_limits<std::uint32_t>::max(),
          "at most 2^32 - 2 rows, got " + std::to_string(rows));
}

template <class T>
HeldRows* dense_rows(const AnyMatrix<T>& X) {
  auto held = std::make_unique<HeldRows>();
  Rows& view = held->view;
  view.rows = static_cast<std::int64_t>(X.shape(0));
  view.cols = static_cast<std::int64_t>(X.shape(1));
  require_rows_fit(view.rows);
  view.single = sizeof(T) == 4;
  view.values = X.data();
  view.row_stride = X.stride(0);
  view.col_stride = X.stride(1);
  // The stride along an axis of length one or none is never used and may be anything.
  if (view.cols <= 1) view.col_stride = 1;
  view.layout = view.col_stride == 1 ? Rows::Layout::dense : Rows::Layout::strided;
  held->values = nb::ndarray<>(X);
  return held.release();
}

const char* describe(CsrFault fault) {
  switch (fault) {
    case CsrFault::starts:
      return "the row pointers do not rise from 0 to the number of cells";
    case CsrFault::range:
      return "a column index is outside the matrix";
    case CsrFault::unordered:
      return "column indices are unsorted or repeated";
    default:
      return "";
  }
}

CsrReport csr_report(const Vector<std::int32_t>& columns, const Vector<std::int64_t>& starts,
                     std::int64_t cols, int threads) {
  require(starts.shape(0) >= 1, "indptr is empty");
  require(cols >= 0 && cols <= std::numeric_limits<std::int32_t>::max(),
          "the number of columns must be between 0 and 2^31 - 1");
  const auto rows = static_cast<std::int64_t>(starts.shape(0)) - 1;
  require_rows_fit(rows);
  const auto stored = static_cast<std::int64_t>(columns.shape(0));
  nb::gil_scoped_release release;
  return check_csr(starts.data(), columns.data(), rows, cols, stored, threads);
}

template <class T>
HeldRows* sparse_rows(const Vector<T>& values, const Vector<std::int32_t>& columns,
                      const Vector<std::int64_t>& starts, std::int64_t cols, int threads) {
  require_length("indices", columns, static_cast<std::int64_t>(values.shape(0)));
  const CsrReport report = csr_report(columns, starts, cols, threads);
  require(report.fault == CsrFault::none,
          std::string(describe(report.fault)) + " (row " + std::to_string(report.row) + ")");
  auto held = std::make_unique<HeldRows>();
  Rows& view = held->view;
  view.layout = Rows::Layout::sparse;
  view.single = sizeof(T) == 4;
  view.values = values.data();
  view.columns = columns.data();
  view.starts = starts.data();
  view.rows = static_cast<std::int64_t>(starts.shape(0)) - 1;
  view.cols = cols;
  held->values = nb::ndarray<>(values);
  held->columns = nb::ndarray<>(columns);
  held->starts = nb::ndarray<>(starts);
  return held.release();
}

template <class T>
void bind_rows(nb::class_<HeldRows>& rows) {
  rows.def_static("dense", &dense_rows<T>, "X"_a.noconvert(),
                  "A dense matrix, any strides, seen by rows.", nb::rv_policy::take_ownership);
  rows.def_static("sparse", &sparse_rows<T>, "data"_a.noconvert(), "indices"_a.noconvert(),
                  "indptr"_a.noconvert(), "cols"_a, "threads"_a,
                  "A CSR matrix; its structure is checked here.", nb::rv_policy::take_ownership);
}

std::optional<Isa> level_named(std::string_view wanted) {
  for (Isa level : {Isa::plain, Isa::v2, Isa::v3, Isa::v4})
    if (name(level) == wanted) return level;
  return std::nullopt;
}

}  // namespace

void bind_base(nb::module_& m) {
  nb::class_<HeldRows> rows(m, "Rows", "A matrix as the kernels see it.");
  bind_rows<double>(rows);
  bind_rows<float>(rows);
  rows.def_prop_ro("shape",
                   [](const HeldRows& X) { return nb::make_tuple(X.view.rows, X.view.cols); });
  rows.def_prop_ro("single", [](const HeldRows& X) { return X.view.single; });
  rows.def(
      "first_nonfinite",
      [](const HeldRows& X, int threads) -> std::optional<std::tuple<std::int64_t, std::int64_t>> {
        Place place;
        {
          nb::gil_scoped_release release;
          place = first_nonfinite(X.view, threads);
        }
        if (place.row < 0) return std::nullopt;
        return std::tuple(place.row, place.col);
      },
      "threads"_a, "Row and column of the first NaN or infinity, or None.");

  m.def(
      "csr_fault",
      [](Vector<std::int32_t> indices, Vector<std::int64_t> indptr, std::int64_t cols,
         int threads) {
        const CsrReport report = csr_report(indices, indptr, cols, threads);
        static constexpr const char* words[] = {"none", "indptr", "range", "unordered"};
        return std::tuple(std::string(words[static_cast<int>(report.fault)]), report.row,
                          report.column);
      },
      "indices"_a.noconvert(), "indptr"_a.noconvert(), "cols"_a, "threads"_a,
      "(fault, row, column); fault is 'none', 'indptr', 'range' or 'unordered'.");

  nb::class_<Monitor>(m, "Monitor", "Watches a kernel, and stops it, from any thread.")
      .def(nb::init<>())
      .def("begin_slice", &Monitor::begin_slice, "seconds"_a)
      .def("stop", &Monitor::stop)
      .def_prop_ro("stopped", &Monitor::stopped)
      .def_prop_ro("done", &Monitor::done);

  m.def("isa", [] { return std::string(name(isa())); }, "The instruction-set level in use.");
  m.def(
      "use_isa",
      [](std::string_view wanted) {
        const std::optional<Isa> level = level_named(wanted);
        return level && use_isa(*level);
      },
      "level"_a, "Use this level; False when processor or build lack it.");

  m.def(
      "random_words",
      [](std::uint64_t seed, std::uint64_t stream, std::uint64_t part, std::int64_t count) {
        require(count >= 0 && count <= (1 << 24), "count must be between 0 and 2^24");
        std::vector<std::uint64_t> words(static_cast<std::size_t>(count));
        Stream s(seed, stream, part);
        for (auto& word : words) word = s.next();
        return to_numpy(std::move(words));
      },
      "seed"_a, "stream"_a, "part"_a, "count"_a, "The first words of a stream.");
  m.def(
      "permutation",
      [](std::uint64_t seed, std::uint64_t stream, std::uint64_t part, std::int64_t n) {
        require(n >= 0 && n <= (1 << 24), "n must be between 0 and 2^24");
        std::vector<std::uint32_t> items(static_cast<std::size_t>(n));
        for (std::size_t i = 0; i < items.size(); ++i) items[i] = static_cast<std::uint32_t>(i);
        Stream s(seed, stream, part);
        shuffle(items.data(), n, s);
        return to_numpy(std::move(items));
      },
      "seed"_a, "stream"_a, "part"_a, "n"_a, "0 .. n - 1, shuffled as the kernels shuffle.");
  m.def("pool_size", &pool_size, "Threads that the pool holds now.");
}

}  // namespace inducer
