#include "inducer/base/checks.h"

#include <cmath>
#include <limits>

#include "base/kernels.h"
#include "check.h"
#include "fenced.h"
#include "tables.h"

using namespace inducer;

namespace {

template <class T>
void every_place(std::int64_t rows, std::int64_t cols, Form form) {
  const T bad_values[] = {std::numeric_limits<T>::infinity(), -std::numeric_limits<T>::infinity(),
                          std::numeric_limits<T>::quiet_NaN()};
  Table<T> X{rows, cols, filled(rows * cols, std::numeric_limits<T>::max())};
  for (std::int64_t k = 0; k < rows * cols; k += 2) at(X.cells, k) = -X.cells[0];
  at(X.cells, 0) = std::numeric_limits<T>::denorm_min();
  CHECK(first_nonfinite(Stored<T>(X, form).view(), 2).row < 0);
  for (std::int64_t k = 0; k < rows * cols; ++k) {
    const T kept = at(X.cells, k);
    at(X.cells, k) = bad_values[k % 3];
    const Place found = first_nonfinite(Stored<T>(X, form).view(), 2);
    CHECK_EQUAL(found.row, k / cols);
    CHECK_EQUAL(found.col, k % cols);
    at(X.cells, k) = kept;
  }
}

struct Csr {
  std::vector<std::int64_t> starts;
  std::vector<std::int32_t> columns;
  std::int64_t cols;

  CsrReport report(int threads = 1) const {
    return check_csr(starts.data(), columns.data(), static_cast<std::int64_t>(starts.size()) - 1,
                     cols, static_cast<std::int64_t>(columns.size()), threads);
  }
};

/// Many rows, so that they are cut into chunks: row i has columns 0, 3, 6, ...
Csr large() {
  Csr made{{0}, {}, 100};
  for (int i = 0; i < 20000; ++i) {
    for (int j = 0; j < 100; j += 3) made.columns.push_back(j);
    made.starts.push_back(static_cast<std::int64_t>(made.columns.size()));
  }
  return made;
}

void check_report(const CsrReport& got, CsrFault fault, std::int64_t row, std::int64_t column) {
  CHECK_EQUAL(got.fault, fault);
  CHECK_EQUAL(got.row, row);
  CHECK_EQUAL(got.column, column);
}

}  // namespace

TEST(checks_find_the_place_of_every_bad_cell) {
  on_each_level([](Isa) {
    for (Form form : every_form) {
      every_place<double>(3, 37, form);
      every_place<float>(3, 37, form);
      every_place<double>(40, 1, form);
      every_place<float>(1, 70, form);
    }
  });
}

TEST(checks_name_the_first_bad_cell_by_rows) {
  // Large enough to be cut into chunks, and with bad cells before it in other columns.
  Table<float> X{30000, 20, filled(30000 * 20, 1.0f)};
  X(29999, 0) = NAN;
  X(20000, 1) = INFINITY;
  X(20000, 3) = NAN;
  X(12345, 17) = -INFINITY;
  X(12345, 18) = NAN;
  for (Form form : every_form) {
    const Stored<float> stored(X, form);
    for (int threads : {1, 2, 7}) {
      const Place found = first_nonfinite(stored.view(), threads);
      CHECK_EQUAL(found.row, std::int64_t{12345});
      CHECK_EQUAL(found.col, std::int64_t{17});
    }
  }
}

TEST(checks_of_nothing_find_nothing) {
  for (Form form : every_form) {
    CHECK(first_nonfinite(Stored<double>({0, 5, {}}, form).view(), 2).row < 0);
    CHECK(first_nonfinite(Stored<double>({5, 0, {}}, form).view(), 2).row < 0);
    CHECK(first_nonfinite(Stored<double>({0, 0, {}}, form).view(), 2).row < 0);
  }
  Rows nothing;
  CHECK(first_nonfinite(nothing, 1).row < 0);
}

TEST(checks_read_no_cell_outside) {
  on_each_level([](Isa) {
    for (Fence side : {Fence::before, Fence::after})
      for (std::size_t n = 1; n <= 70; ++n) {
        Fenced<double> values(std::vector<double>(n, 1.0), side);
        Rows X;
        X.values = values.data();
        X.rows = 1;
        X.cols = X.row_stride = static_cast<std::int64_t>(n);
        CHECK(first_nonfinite(X, 1).row < 0);
        values[n - 1] = NAN;
        CHECK_EQUAL(first_nonfinite(X, 1).col, X.cols - 1);
        Fenced<std::int32_t> columns(n, side);
        for (std::size_t k = 0; k < n; ++k) columns[k] = static_cast<std::int32_t>(k);
        Fenced<std::int64_t> starts({0, X.cols}, side);
        CHECK_EQUAL(check_csr(starts.data(), columns.data(), 1, X.cols, X.cols, 1).fault,
                    CsrFault::none);
        check_report(check_csr(starts.data(), columns.data(), 1, X.cols - 1, X.cols, 1),
                     CsrFault::range, 0, X.cols - 1);
      }
  });
}

TEST(checks_pass_a_sound_csr) {
  on_each_level([](Isa) {
    CHECK_EQUAL((Csr{{0}, {}, 0}.report().fault), CsrFault::none);
    CHECK_EQUAL((Csr{{0, 0, 0}, {}, 0}.report().fault), CsrFault::none);
    CHECK_EQUAL((Csr{{0, 2, 2, 3}, {0, 4, 1}, 5}.report().fault), CsrFault::none);
    // Cells that no row holds, after the last, are nobody's business.
    CHECK_EQUAL((Csr{{0, 1}, {0, -9, 99}, 5}.report().fault), CsrFault::none);
    const auto last = std::numeric_limits<std::int32_t>::max();
    CHECK_EQUAL((Csr{{0, 1}, {last - 1}, last}.report().fault), CsrFault::none);
    for (int threads : {1, 2, 7}) CHECK_EQUAL(large().report(threads).fault, CsrFault::none);
  });
}

TEST(checks_name_every_fault_of_a_csr) {
  constexpr std::int64_t far = std::numeric_limits<std::int64_t>::max();
  on_each_level([](Isa) {
    check_report(Csr{{1, 2}, {0, 1}, 5}.report(), CsrFault::starts, 0, 0);
    check_report(Csr{{-1, 2}, {0, 1}, 5}.report(), CsrFault::starts, 0, 0);
    check_report(Csr{{0, 2, 1}, {0, 1}, 5}.report(), CsrFault::starts, 1, 0);
    check_report(Csr{{0, 1, 3}, {0, 1}, 5}.report(), CsrFault::starts, 1, 0);
    check_report(Csr{{0, far, 2}, {0, 1}, 5}.report(), CsrFault::starts, 0, 0);
    check_report(Csr{{0, -far, 2}, {0, 1}, 5}.report(), CsrFault::starts, 0, 0);
    check_report(Csr{{0, 1, 2}, {0, 5}, 5}.report(), CsrFault::range, 1, 5);
    check_report(Csr{{0, 1, 2}, {0, -1}, 5}.report(), CsrFault::range, 1, -1);
    check_report(Csr{{0, 1}, {0}, 0}.report(), CsrFault::range, 0, 0);
    check_report(Csr{{0, 1}, {std::numeric_limits<std::int32_t>::min()}, 5}.report(),
                 CsrFault::range, 0, std::numeric_limits<std::int32_t>::min());
    check_report(Csr{{0, 1, 3}, {4, 2, 1}, 5}.report(), CsrFault::unordered, 1, 1);
    check_report(Csr{{0, 1, 3}, {4, 2, 2}, 5}.report(), CsrFault::unordered, 1, 2);
  });
}

TEST(checks_put_the_worse_fault_first) {
  check_report(Csr{{0, 2, 1}, {9, 9}, 5}.report(), CsrFault::starts, 1, 0);
  check_report(Csr{{0, 2, 3}, {2, 1, 9}, 5}.report(), CsrFault::range, 1, 9);
}

TEST(checks_name_the_first_bad_row_of_a_large_csr) {
  for (int threads : {1, 2, 7}) {
    Csr X = large();
    at(X.columns, X.starts[15000] + 1) = 0;
    at(X.columns, X.starts[12000] + 5) = at(X.columns, X.starts[12000] + 4);
    check_report(X.report(threads), CsrFault::unordered, 12000, 12);
    at(X.columns, X.starts[19000] + 2) = 100;
    at(X.columns, X.starts[19999]) = -7;
    check_report(X.report(threads), CsrFault::range, 19000, 100);
    X.starts[19990] = 0;
    check_report(X.report(threads), CsrFault::starts, 19989, 0);
  }
}
