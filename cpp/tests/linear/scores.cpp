#include "inducer/linear/scores.h"

#include "base/kernels.h"
#include "check.h"
#include "linear/problem.h"

using namespace inducer;

namespace {

template <class T>
void match_plain_loops() {
  const Table<T> X = table<T>(40, 19, 1, small_whole);
  for (std::int64_t outputs : {1, 3}) {
    const std::vector<T> W = table<T>(outputs, 19, 2, small_whole).cells;
    const std::vector<T> b = table<T>(1, outputs, 3, small_whole).cells;
    for (Form form : every_form) {
      const Stored<T> stored(X, form);
      on_each_level([&](Isa) {
        for (const Block block : {Block{0, 40}, Block{7, 23}, Block{9, 9}}) {
          std::vector<T> out = filled(40 * outputs, T(99));
          linear::scores<T>(stored.view(), W.data(), b.data(), outputs, block.begin, block.end,
                            out.data(), 2);
          for (std::int64_t i = 0; i < 40; ++i)
            for (std::int64_t k = 0; k < outputs; ++k) {
              T expected = at(b, k);
              for (std::int64_t j = 0; j < 19; ++j) expected += X(i, j) * at(W, k * 19 + j);
              CHECK_EQUAL(at(out, i * outputs + k),
                          block.begin <= i && i < block.end ? expected : T(99));
            }
        }
      });
    }
  }
}

}  // namespace

TEST(scores_match_plain_loops) {
  match_plain_loops<double>();
  match_plain_loops<float>();
}

TEST(scores_have_the_same_bits_on_any_level_layout_block_and_number_of_threads) {
  const Table<double> X = table<double>(5000, 37, 1, rough);
  const std::vector<double> W = table<double>(2, 37, 2, rough).cells, b = {0.1, 0.2};
  std::vector<double> dense = filled(10000, 0.0), sparse = dense;
  linear::scores<double>(Stored<double>(X, Form::c_order).view(), W.data(), b.data(), 2, 0, 5000,
                         dense.data(), 1);
  linear::scores<double>(Stored<double>(X, Form::sparse).view(), W.data(), b.data(), 2, 0, 5000,
                         sparse.data(), 1);
  CHECK(bits(dense) != bits(sparse));
  for (Form form : every_form) {
    const Stored<double> stored(X, form);
    on_each_level([&](Isa) {
      for (int threads : thread_counts) {
        std::vector<double> out = filled(10000, 0.0);
        for (const Block block : {Block{0, 1234}, Block{1234, 5000}})
          linear::scores<double>(stored.view(), W.data(), b.data(), 2, block.begin, block.end,
                                 out.data(), threads);
        CHECK(bits(out) == bits(form == Form::sparse ? sparse : dense));
      }
    });
  }
}
