#include "inducer/linear/passes.h"

#include "check.h"
#include "linear/problem.h"

using namespace inducer;
using namespace inducer::linear;

namespace {

/// What a fit that visits all rows of a pass at once sees.
struct Seen {
  std::vector<std::vector<std::int64_t>> orders;
  PassCount count;
};

/// @param tallies  of the passes; the last one repeats
Seen see(const Examples& examples, const PassOptions& options, const std::vector<Tally>& tallies,
         std::uint64_t stream = 0) {
  Seen seen;
  Passes passes(examples, options, stream);
  const Monitor monitor;
  passes.advance(
      examples, monitor, std::numeric_limits<std::int64_t>::max(),
      [&](const std::uint32_t* order, std::int64_t count, std::int64_t& position, Tally& tally) {
        tally = tallies[std::min(seen.orders.size(), tallies.size() - 1)];
        seen.orders.emplace_back(order, order + count);
        position = count;
      });
  seen.count = passes.count();
  return seen;
}

Examples examples_of(std::int64_t rows, std::vector<double> weights = {}) {
  Rows none;
  none.rows = rows;
  return {none, filled(rows, std::int32_t{0}), std::move(weights), 2};
}

constexpr Tally mistaken{1, 1.0};

}  // namespace

TEST(a_code_outside_the_classes_is_refused) {
  Rows none;
  none.rows = 2;
  for (const std::int32_t wrong : {-1, 2})
    CHECK_THROWS(std::invalid_argument, "a code is not one of the classes",
                 Examples(none, {0, wrong}, {}, 2));
}

TEST(passes_visit_rows_of_positive_weight) {
  const Examples all = examples_of(3);
  CHECK((all.visited == std::vector<std::uint32_t>{0, 1, 2}));
  CHECK_EQUAL(all.total_weight, 3.0);
  CHECK(all.weights_or_null() == nullptr);
  const Examples some = examples_of(4, {0.5, 0.0, 2.0, -1.0});
  CHECK((some.visited == std::vector<std::uint32_t>{0, 2}));
  CHECK_EQUAL(some.weights_or_null()[2], 2.0);
}

TEST(passes_keep_or_shuffle_the_order) {
  const std::vector<double> weights = {1, 1, 0, 1, 1, 1, 1, 1, 0, 1};
  for (Shuffle shuffle : {Shuffle::every, Shuffle::once, Shuffle::never})
    for (std::uint64_t first_part : {0, 3}) {
      PassOptions options = exactly(4);
      options.shuffle = shuffle;
      options.first_part = first_part;
      const Seen seen = see(examples_of(10, weights), options, {mistaken}, 6);
      CHECK(seen.orders == orders(weights, 10, options, 6));
      CHECK_EQUAL(seen.orders[1] == seen.orders[2], shuffle != Shuffle::every);
      const std::vector<std::int64_t> rising = {0, 1, 3, 4, 5, 6, 7, 9};
      CHECK_EQUAL(seen.orders[0] == rising, shuffle == Shuffle::never);
    }
}

TEST(passes_differ_by_seed_stream_and_part) {
  const PassOptions options = exactly(1, 0);
  const auto first = see(examples_of(50), options, {mistaken}, 0).orders;
  PassOptions other_seed = options, other_part = options;
  other_seed.seed = 1;
  other_part.first_part = 1;
  CHECK(first != see(examples_of(50), other_seed, {mistaken}, 0).orders);
  CHECK(first != see(examples_of(50), other_part, {mistaken}, 0).orders);
  CHECK(first != see(examples_of(50), options, {mistaken}, 1).orders);
  CHECK(first == see(examples_of(50), options, {mistaken}, 0).orders);
}

TEST(passes_without_tolerance_run_to_the_end) {
  const Seen seen = see(examples_of(5), exactly(7), {{0, 0.0}});
  CHECK_EQUAL(seen.count.made, std::int64_t{7});
  CHECK(seen.count.finished);
}

TEST(passes_end_with_a_clean_one) {
  PassOptions options;
  options.patience = 100;
  const Seen seen = see(examples_of(5), options, {{4, 8.0}, {2, 6.0}, {0, 0.0}});
  CHECK_EQUAL(seen.count.made, std::int64_t{3});
  CHECK_EQUAL(seen.count.mistakes, std::int64_t{6});
  CHECK_EQUAL(seen.count.last.mistakes, std::int64_t{0});
}

TEST(passes_end_when_the_mean_loss_no_longer_falls) {
  PassOptions options;
  options.tolerance = 0.1;
  options.patience = 2;
  // Mean losses, for weights of 4 together: 2, 1.5, 1.45, 1.44 -- the last two fall too little.
  const Seen seen =
      see(examples_of(2, {1, 3}), options, {{1, 8.0}, {1, 6.0}, {1, 5.8}, {1, 5.76}, {1, 0.0}});
  CHECK_EQUAL(seen.count.made, std::int64_t{4});
  CHECK_EQUAL(seen.count.last.loss, 5.76 / 4);
  // One that falls enough begins the count anew; what is compared with is the best so far.
  const Seen longer =
      see(examples_of(2, {1, 3}), options, {{1, 8.0}, {1, 9.0}, {1, 7.0}, {1, 7.5}, {1, 7.0}});
  CHECK_EQUAL(longer.count.made, std::int64_t{5});
}

TEST(passes_over_nothing_are_finished_at_once) {
  CHECK_EQUAL(see(examples_of(0), exactly(5), {mistaken}).count.made, std::int64_t{0});
  CHECK(see(examples_of(3, {0, 0, 0}), exactly(5), {mistaken}).count.finished);
  CHECK(see(examples_of(3), exactly(0), {mistaken}).count.finished);
}

TEST(passes_are_left_and_taken_up_again_at_any_row) {
  const Examples examples = examples_of(5);
  Passes passes(examples, exactly(3), 0);
  const Monitor monitor;
  std::vector<std::int64_t> seen;
  int calls = 0;
  while (!passes.count().finished) {
    passes.advance(examples, monitor, 3,
                   [&](const std::uint32_t* order, std::int64_t, std::int64_t& position, Tally& t) {
                     seen.push_back(order[position++]);
                     ++t.mistakes;
                   });
    ++calls;
  }
  std::vector<std::int64_t> expected;
  for (const auto& pass : orders({}, 5, exactly(3), 0))
    expected.insert(expected.end(), pass.begin(), pass.end());
  CHECK(seen == expected);
  CHECK(calls >= 12);
  CHECK_EQUAL(passes.count().mistakes, std::int64_t{15});
}

TEST(passes_stop_where_they_are_told_to) {
  const Examples examples = examples_of(5);
  Passes passes(examples, exactly(10), 0);
  Monitor monitor;
  const auto visit = [](const std::uint32_t*, std::int64_t count, std::int64_t& position, Tally&) {
    position = count;
  };
  passes.advance(examples, monitor, 4, visit);
  CHECK_EQUAL(passes.count().made, std::int64_t{4});
  passes.advance(examples, monitor, 4, visit);
  CHECK_EQUAL(passes.count().made, std::int64_t{4});
  monitor.stop();
  passes.advance(examples, monitor, 10, visit);
  CHECK_EQUAL(passes.count().made, std::int64_t{5});
  CHECK(!passes.count().finished);
}
