#include "inducer/linear/gram.h"

#include "base/kernels.h"
#include "check.h"
#include "linear/problem.h"

using namespace inducer;
using namespace inducer::linear;

namespace {

struct Weighted {
  std::vector<double> weights, targets, shift;
  std::int64_t outputs = 0;

  GramTerms terms() const {
    return {weights.empty() ? nullptr : weights.data(), targets.data(), outputs,
            shift.empty() ? nullptr : shift.data()};
  }
};

/// Whole numbers: sums of their products are exact in any order, fused or not.
Weighted weighted(std::int64_t rows, std::int64_t cols, std::int64_t outputs, bool weights,
                  bool shift) {
  Weighted made;
  made.outputs = outputs;
  made.targets = table<double>(rows, outputs, 31, small_whole).cells;
  if (weights) made.weights = table<double>(rows, 1, 32, small_whole).cells;
  if (shift) made.shift = table<double>(1, cols, 33, small_whole).cells;
  return made;
}

/// The header's formula, loop by loop; below the triangle A stays as it is.
template <class T>
std::vector<double> plain_gram(const Table<T>& X, const Weighted& w, Block block, double start) {
  const std::int64_t width = X.cols + w.outputs + 1;
  std::vector<double> A = filled(width * width, start);
  for (std::int64_t i = block.begin; i < block.end; ++i) {
    std::vector<double> z;
    for (std::int64_t j = 0; j < X.cols; ++j)
      z.push_back(static_cast<double>(X(i, j)) - (w.shift.empty() ? 0.0 : at(w.shift, j)));
    for (std::int64_t j = 0; j < w.outputs; ++j) z.push_back(at(w.targets, i * w.outputs + j));
    z.push_back(1);
    for (std::int64_t r = 0; r < width; ++r)
      for (std::int64_t c = r; c < width; ++c)
        at(A, r * width + c) += (w.weights.empty() ? 1.0 : at(w.weights, i)) * at(z, r) * at(z, c);
  }
  return A;
}

template <class T>
void matches_plain_loops(std::int64_t rows, std::int64_t cols, T (*thin)(T, std::int64_t)) {
  Table<T> X = table<T>(rows, cols, 30, small_whole);
  for (std::int64_t k = 0; k < rows * cols; ++k) at(X.cells, k) = thin(at(X.cells, k), k);
  for (bool weights : {false, true})
    for (std::int64_t outputs : {0, 1, 3})
      for (bool shift : {false, true})
        for (const Block block : {Block{0, rows}, Block{7, 23}, Block{9, 9}}) {
          const Weighted w = weighted(rows, cols, outputs, weights, shift);
          const std::vector<double> expected = plain_gram(X, w, block, 2.0);
          for (Form form : every_form) {
            const Stored<T> stored(X, form);
            if (shift && by_cells(stored.view())) continue;
            on_each_level([&](Isa) {
              std::vector<double> A = filled(static_cast<std::int64_t>(expected.size()), 2.0);
              add_gram(stored.view(), w.terms(), block.begin, block.end, A.data(), 2);
              CHECK(A == expected);
            });
          }
        }
}

template <class T>
T all_of_it(T value, std::int64_t) {
  return value;
}
template <class T>
T one_in_seven(T value, std::int64_t k) {
  return k % 7 == 0 ? value : T(0);
}

}  // namespace

TEST(gram_matches_plain_loops) {
  for (std::int64_t cols : {0, 1, 7, 8, 17, 30}) {
    matches_plain_loops<double>(150, cols, all_of_it<double>);
    matches_plain_loops<float>(150, cols, all_of_it<float>);
  }
}

TEST(gram_of_mostly_empty_rows_matches_plain_loops) {
  matches_plain_loops<double>(150, 31, one_in_seven<double>);
  matches_plain_loops<float>(150, 31, one_in_seven<float>);
}

TEST(gram_of_many_columns_is_summed_by_blocks) {
  const Table<double> X = table<double>(140, 2 * narrow + 5, 30, small_whole);
  const Weighted w = weighted(X.rows, X.cols, 2, true, true);
  const std::vector<double> expected = plain_gram(X, w, {3, X.rows}, 0.0);
  for (Form form : {Form::c_order, Form::fortran}) {
    const Stored<double> stored(X, form);
    on_each_level([&](Isa) {
      std::vector<double> A = filled(static_cast<std::int64_t>(expected.size()), 0.0);
      add_gram(stored.view(), w.terms(), 3, X.rows, A.data(), 2);
      CHECK(A == expected);
    });
  }
}

TEST(gram_has_the_same_bits_on_any_number_of_threads) {
  for (std::int64_t cols : {9, 40, 250})
    for (Form form : {Form::c_order, Form::sparse}) {
      Table<double> X = table<double>(1500, cols, 4, rough);
      if (form == Form::sparse)
        for (std::int64_t k = 0; k < X.rows * X.cols; ++k)
          at(X.cells, k) = one_in_seven(at(X.cells, k), k);
      const Stored<double> stored(X, form);
      Weighted w = weighted(X.rows, cols, 1, true, false);
      w.targets = table<double>(X.rows, 1, 5, rough).cells;
      on_each_level([&](Isa) {
        std::vector<double> first;
        for (int threads : thread_counts) {
          std::vector<double> A = filled((cols + 2) * (cols + 2), 0.0);
          add_gram(stored.view(), w.terms(), 0, X.rows, A.data(), threads);
          if (first.empty()) first = A;
          CHECK(bits(A) == bits(first));
        }
      });
    }
}

TEST(gram_rounds_no_more_than_its_header_says) {
  const Table<float> X = table<float>(700, 20, 4, rough);
  Weighted w = weighted(700, 20, 0, true, false);
  for (double& weight : w.weights) weight = std::abs(weight);
  const Stored<float> stored(X, Form::c_order);
  on_each_level([&](Isa) {
    std::vector<double> A = filled(21 * 21, 0.0);
    add_gram(stored.view(), w.terms(), 0, 700, A.data(), 1);
    for (std::int64_t r = 0; r < 20; ++r)
      for (std::int64_t c = r; c < 20; ++c) {
        long double sum = 0, size = 0;
        for (std::int64_t i = 0; i < 700; ++i) {
          const long double term = static_cast<long double>(at(w.weights, i)) *
                                   static_cast<long double>(X(i, r)) *
                                   static_cast<long double>(X(i, c));
          sum += term;
          size += std::abs(term);
        }
        CHECK(std::abs(static_cast<long double>(at(A, r * 21 + c)) - sum) <= 702 * 0x1p-52L * size);
      }
  });
}
