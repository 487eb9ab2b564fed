#include "inducer/linear/mistakes.h"

#include "base/kernels.h"
#include "check.h"
#include "linear/problem.h"

using namespace inducer;
using namespace inducer::linear;

namespace {

struct Charged {
  std::vector<double> charge;
  std::vector<std::int32_t> guess;
};

/// w.x + b of a rule's output.
template <class T>
double activation(const Table<T>& X, std::int64_t i, const std::vector<T>& W,
                  const std::vector<double>& b, std::int64_t k) {
  double a = at(b, k);
  for (std::int64_t j = 0; j < X.cols; ++j)
    a += static_cast<double>(X(i, j)) * static_cast<double>(at(W, k * X.cols + j));
  return a;
}

template <class T>
Charged plain_charges(const Problem<T>& p, const std::vector<T>& W, const std::vector<double>& b,
                      const std::vector<double>& cost) {
  const auto outputs = static_cast<std::int64_t>(b.size());
  const std::int64_t classes = std::max<std::int64_t>(2, outputs);
  Charged out;
  for (std::int64_t i = 0; i < p.X.rows; ++i) {
    std::int64_t said = 0;
    const std::int64_t code = at(p.codes, i);
    if (outputs == 1) {
      const double y = code == 1 ? 1 : -1;
      said = y * activation(p.X, i, W, b, 0) > 0 ? code : 1 - code;
    } else {
      for (std::int64_t k = 1; k < outputs; ++k)
        if (activation(p.X, i, W, b, k) > activation(p.X, i, W, b, said)) said = k;
    }
    out.guess.push_back(static_cast<std::int32_t>(said));
    out.charge.push_back(said == code ? 0 : p.weight(i) * at(cost, code * classes + said));
  }
  return out;
}

template <class T>
void charges_match_plain_loops() {
  for (bool weighted : {false, true})
    for (std::int64_t outputs : {1, 3}) {
      const std::int64_t classes = std::max<std::int64_t>(2, outputs);
      const Problem<T> p = problem<T>(50, 7, static_cast<int>(classes), weighted);
      const std::vector<T> W = table<T>(outputs, 7, 20, small_whole).cells;
      const std::vector<double> b = table<double>(1, outputs, 21, small_whole).cells;
      std::vector<double> cost;
      for (std::int64_t k = 0; k < classes * classes; ++k)
        cost.push_back(static_cast<double>(k) + 0.5);
      const Charged expected = plain_charges(p, W, b, cost);
      for (Form form : every_form) {
        const Stored<T> stored(p.X, form);
        on_each_level([&](Isa) {
          for (const Block block : {Block{0, 50}, Block{7, 23}, Block{9, 9}}) {
            Charged got{filled(50, -1.0), filled(50, std::int32_t{-1})};
            charge_mistakes<T>(stored.view(), p.codes.data(),
                               p.weights.empty() ? nullptr : p.weights.data(),
                               {W.data(), b.data(), outputs}, cost.data(), got.charge.data(),
                               got.guess.data(), block.begin, block.end, 2);
            for (std::int64_t i = 0; i < 50; ++i) {
              const bool inside = block.begin <= i && i < block.end;
              CHECK_EQUAL(at(got.charge, i), inside ? at(expected.charge, i) : -1.0);
              CHECK_EQUAL(at(got.guess, i), inside ? at(expected.guess, i) : -1);
            }
          }
        });
      }
    }
}

template <class T>
void sums_match_plain_loops() {
  for (bool weighted : {false, true})
    for (std::int32_t positive : {0, 1, 7}) {
      const Problem<T> p = problem<T>(50, 7, 2, weighted);
      const std::vector<T> w = table<T>(1, 7, 20, small_whole).cells;
      for (const Block block : {Block{0, 50}, Block{7, 23}, Block{9, 9}}) {
        BlockMistakes expected;
        std::vector<double> sum = filled(7, 1.0);  // what is there is added to
        for (std::int64_t i = block.begin; i < block.end; ++i) {
          const double y = at(p.codes, i) == positive ? 1 : -1, weight = p.weight(i);
          const double a = activation<T>(p.X, i, w, {2.0}, 0);
          if (y * a > 0 || weight == 0) continue;
          ++expected.count;
          expected.weight += weight;
          expected.loss += weight * -y * a;
          expected.offset_sum += weight * y;
          for (std::int64_t j = 0; j < 7; ++j)
            at(sum, j) += weight * y * static_cast<double>(p.X(i, j));
        }
        for (Form form : every_form) {
          const Stored<T> stored(p.X, form);
          on_each_level([&](Isa) {
            std::vector<double> got_sum = filled(7, 1.0);
            const BlockMistakes got =
                sum_mistakes<T>(stored.view(), p.codes.data(), positive,
                                p.weights.empty() ? nullptr : p.weights.data(), w.data(), 2.0,
                                block.begin, block.end, got_sum.data());
            CHECK_EQUAL(got.count, expected.count);
            CHECK_EQUAL(got.weight, expected.weight);
            CHECK_EQUAL(got.loss, expected.loss);
            CHECK_EQUAL(got.offset_sum, expected.offset_sum);
            CHECK(bits(got_sum) == bits(sum));
          });
        }
      }
    }
}

}  // namespace

TEST(mistakes_charges_match_plain_loops) {
  charges_match_plain_loops<double>();
  charges_match_plain_loops<float>();
}

TEST(mistakes_sums_match_plain_loops) {
  sums_match_plain_loops<double>();
  sums_match_plain_loops<float>();
}

TEST(mistakes_count_a_zero_against_either_label) {
  const Table<double> X{2, 1, {0, 0}};
  const Stored<double> stored(X, Form::c_order);
  const std::int32_t codes[] = {0, 1};
  const double W[] = {1}, b[] = {0}, cost[] = {9, 2, 3, 9};
  on_each_level([&](Isa) {
    double charge[2], sum[1] = {};
    std::int32_t guess[2];
    charge_mistakes<double>(stored.view(), codes, nullptr, {W, b, 1}, cost, charge, guess, 0, 2, 1);
    CHECK_EQUAL(charge[0], 2.0);
    CHECK_EQUAL(charge[1], 3.0);
    CHECK_EQUAL(guess[0], 1);
    CHECK_EQUAL(guess[1], 0);
    const BlockMistakes found =
        sum_mistakes<double>(stored.view(), codes, 1, nullptr, W, 0.0, 0, 2, sum);
    CHECK_EQUAL(found.count, std::int64_t{2});
    CHECK_EQUAL(found.loss, 0.0);
    CHECK_EQUAL(found.offset_sum, 0.0);
  });
}

TEST(mistakes_charges_do_not_depend_on_threads_or_level) {
  Problem<float> p = problem<float>(20000, 9, 4, true);
  p.X = table<float>(20000, 9, 4, rough);
  const std::vector<float> W = table<float>(4, 9, 5, rough).cells;
  const std::vector<double> b = filled(4, 0.5), cost = filled(16, 1.5);
  const Stored<float> stored(p.X, Form::fortran);
  Charged first;
  on_each_level([&](Isa) {
    for (int threads : thread_counts) {
      Charged got{filled(20000, -1.0), filled(20000, std::int32_t{-1})};
      charge_mistakes<float>(stored.view(), p.codes.data(), p.weights.data(),
                             {W.data(), b.data(), 4}, cost.data(), got.charge.data(),
                             got.guess.data(), 0, 20000, threads);
      if (first.charge.empty()) first = got;
      CHECK(bits(got.charge) == bits(first.charge));
      CHECK(got.guess == first.guess);
    }
  });
}
