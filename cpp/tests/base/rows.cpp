// dot, axpy, scale, norm2 and for_each: the same bits on every level, as plain loops have them.
#include "inducer/base/rows.h"

#include <algorithm>
#include <string>

#include "base/kernels.h"
#include "check.h"
#include "fenced.h"
#include "tables.h"

using namespace inducer;

namespace {

constexpr std::int64_t longest = 70;  // more than two rounds of the lanes of either precision

/// Product k goes to lane k mod `lanes`; the lanes are folded in halves.
template <class T>
T folded_sum(const std::vector<T>& products, std::size_t lanes) {
  std::vector<T> lane(lanes, T(0));
  for (std::size_t k = 0; k < products.size(); ++k) lane[k % lanes] += products[k];
  for (std::size_t half = lanes / 2; half > 0; half /= 2)
    for (std::size_t k = 0; k < half; ++k) lane[k] += lane[k + half];
  return lane[0];
}

template <class T>
T plain_dot(const Table<T>& X, std::int64_t i, const std::vector<T>& w, bool sparse) {
  std::vector<T> products;
  for (std::int64_t j = 0; j < X.cols; ++j)
    if (!sparse || X(i, j) != 0) products.push_back(X(i, j) * at(w, j));
  return folded_sum(products, sparse ? 8 : 128 / sizeof(T));
}

template <class T>
std::vector<T> draw(std::int64_t n, std::uint64_t seed) {
  return table<T>(1, n, seed, rough).cells;
}

/// Rough numbers, some of them zero so that the sparse form differs.
template <class T>
Table<T> gappy(std::int64_t rows, std::int64_t cols, std::uint64_t seed) {
  return table<T>(rows, cols, seed,
                  [](Stream& stream) { return stream.below(3) == 0 ? 0.0 : rough(stream); });
}

template <class T>
void rows_as_plain_loops() {
  for (std::int64_t cols = 0; cols <= longest; ++cols) {
    const Table<T> X = gappy<T>(3, cols, static_cast<std::uint64_t>(cols));
    const std::vector<T> w = draw<T>(cols, 1000);
    for (Form form : every_form) {
      const Stored<T> stored(X, form);
      const bool sparse = form == Form::sparse;
      for (std::int64_t i = 0; i < X.rows; ++i) {
        double norm2 = 0;
        std::vector<Cell> cells;
        std::vector<T> moved = w;
        for (std::int64_t j = 0; j < cols; ++j) {
          const T x = X(i, j);
          norm2 += static_cast<double>(x) * static_cast<double>(x);
          at(moved, j) += T(0.7) * x;
          if (!sparse || x != 0) cells.push_back({j, static_cast<double>(x)});
        }
        on_each_level([&](Isa) {
          CHECK_EQUAL(bits(dispatched::row_dot(stored.view(), i, w.data())),
                      bits(plain_dot(X, i, w, sparse)));
          CHECK_EQUAL(bits(dispatched::row_norm2(stored.view(), i)), bits(norm2));
          std::vector<T> out = w;
          dispatched::row_axpy(T(0.7), stored.view(), i, out.data());
          CHECK(bits(out) == bits(moved));
          std::vector<Cell> seen(static_cast<std::size_t>(cols));
          const std::int64_t count = dispatched::row_cells(stored.view(), i, seen.data());
          seen.resize(static_cast<std::size_t>(count));
          CHECK(seen == cells);
        });
      }
    }
  }
}

template <class T>
void fenced_rows() {
  for (Fence side : {Fence::before, Fence::after})
    for (std::int64_t cols = 0; cols <= longest; ++cols) {
      const auto n = static_cast<std::size_t>(cols);
      const Table<T> X{1, cols, draw<T>(cols, 3)};
      const std::vector<T> drawn = draw<T>(cols, 4);
      const Fenced<T> x(X.cells, side);
      const Fenced<T> w(drawn, side);
      Rows view;
      view.single = sizeof(T) == 4;
      view.values = x.data();
      view.rows = 1;
      view.cols = cols;
      view.row_stride = cols;
      Rows sparse = view;
      Fenced<std::int32_t> columns(n, side);
      for (std::size_t j = 0; j < n; ++j) columns[j] = static_cast<std::int32_t>(j);
      Fenced<std::int64_t> starts({0, cols}, side);
      sparse.layout = Rows::Layout::sparse;
      sparse.columns = columns.data();
      sparse.starts = starts.data();
      on_each_level([&](Isa) {
        CHECK_EQUAL(bits(dispatched::row_dot(view, 0, w.data())),
                    bits(plain_dot(X, 0, drawn, false)));
        CHECK_EQUAL(bits(dispatched::row_dot(sparse, 0, w.data())),
                    bits(folded_sum(
                        [&] {
                          std::vector<T> products;
                          for (std::size_t j = 0; j < n; ++j) products.push_back(x[j] * w[j]);
                          return products;
                        }(),
                        8)));
        for (const Rows& rows : {view, sparse}) {
          Fenced<T> out(drawn, side);
          dispatched::row_axpy(T(-3), rows, 0, out.data());
          dispatched::vector_scale(T(2), out.data(), cols);
          for (std::size_t j = 0; j < n; ++j)
            CHECK_EQUAL(bits(out[j]), bits((drawn[j] + T(-3) * x[j]) * T(2)));
          Fenced<Cell> cells(n, side);
          CHECK_EQUAL(dispatched::row_cells(rows, 0, cells.data()), cols);
          dispatched::row_norm2(rows, 0);
        }
      });
    }
}

}  // namespace

TEST(rows_match_plain_loops_on_every_level_and_layout) {
  rows_as_plain_loops<double>();
  rows_as_plain_loops<float>();
}

TEST(rows_stay_within_their_arrays) {
  fenced_rows<double>();
  fenced_rows<float>();
}

TEST(rows_lanes_are_the_same_on_every_level) {
  on_each_level([](Isa) {
    CHECK_EQUAL(dispatched::vector_lanes<double>(), 16);
    CHECK_EQUAL(dispatched::vector_lanes<float>(), 32);
  });
}

TEST(rows_of_any_layout_but_sparse_give_the_same_bits) {
  const Table<double> X = gappy<double>(1, 1001, 8);
  const std::vector<double> w = draw<double>(1001, 9);
  std::vector<std::uint64_t> seen;
  on_each_level([&](Isa) {
    for (Form form : every_form)
      if (form != Form::sparse)
        seen.push_back(bits(dispatched::row_dot(Stored<double>(X, form).view(), 0, w.data())));
  });
  CHECK(std::all_of(seen.begin(), seen.end(), [&](auto other) { return other == seen.front(); }));
}

TEST(rows_order_of_additions_shows_in_the_bits) {
  // The numbers of these tests must round, or the tests above would prove nothing.
  int in_order = 0, in_eight_lanes = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const std::vector<double> products = draw<double>(longest, seed);
    const auto expected = bits(folded_sum(products, 16));
    in_order += bits(folded_sum(products, 1)) != expected;
    in_eight_lanes += bits(folded_sum(products, 8)) != expected;
  }
  CHECK(in_order > 5);
  CHECK(in_eight_lanes > 5);
}

TEST(rows_single_precision_may_be_added_to_double_weights) {
  const Table<float> X = gappy<float>(2, 37, 12);
  for (Form form : every_form) {
    const Stored<float> stored(X, form);
    on_each_level([&](Isa) {
      std::vector<double> w = draw<double>(37, 13), expected = w;
      dispatched::row_axpy(1.1, stored.view(), 1, w.data());
      for (std::int64_t j = 0; j < 37; ++j) at(expected, j) += 1.1 * static_cast<double>(X(1, j));
      CHECK(bits(w) == bits(expected));
    });
  }
}

TEST(rows_keep_infinities_and_nan_where_they_are) {
  for (std::int64_t bad = 0; bad < 37; ++bad) {
    Table<double> X{1, 37, filled(37, 1.0)};
    std::vector<double> w = filled(37, 1.0);
    X(0, bad) = INFINITY;
    const Stored<double> dense(X, Form::c_order);
    on_each_level([&](Isa) {
      // A cell beyond the end would be an infinity times zero.
      CHECK_EQUAL(dispatched::row_dot(dense.view(), 0, w.data()), INFINITY);
      at(w, bad) = 0;
      CHECK(std::isnan(dispatched::row_dot(dense.view(), 0, w.data())));
      at(w, bad) = 1;
    });
  }
}

TEST(views_tell_the_precision_and_the_layout) {
  const Table<float> X = gappy<float>(2, 3, 1);
  for (Form form : every_form) {
    const Stored<float> stored(X, form);
    const std::string seen = visit(stored.view(), [](const auto& view) -> std::string {
      using View = std::remove_cvref_t<decltype(view)>;
      static_assert(RowView<View>);
      const std::string layout = std::is_same_v<View, DenseRows<float>>     ? "dense"
                                 : std::is_same_v<View, StridedRows<float>> ? "strided"
                                 : std::is_same_v<View, SparseRows<float>>  ? "sparse"
                                                                            : "of doubles";
      return layout + " " + std::to_string(view.rows) + " x " + std::to_string(view.cols);
    });
    const bool dense = form == Form::c_order || form == Form::slice;
    CHECK_EQUAL(seen, std::string(form == Form::sparse ? "sparse"
                                  : dense              ? "dense"
                                                       : "strided") +
                          " 2 x 3");
  }
}
