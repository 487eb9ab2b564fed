#include "inducer/base/random.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <set>
#include <vector>

#include "check.h"

using namespace inducer;

namespace {

using Block = std::array<std::uint64_t, 4>;

Block philox_of(Block counter, std::uint64_t k0, std::uint64_t k1) {
  std::uint64_t word[4];
  std::copy(counter.begin(), counter.end(), word);
  philox(word, k0, k1);
  return {word[0], word[1], word[2], word[3]};
}

std::vector<std::uint64_t> words(Stream stream, int count) {
  std::vector<std::uint64_t> drawn;
  for (int k = 0; k < count; ++k) drawn.push_back(stream.next());
  return drawn;
}

}  // namespace

TEST(random_known_answers_of_philox) {
  // The table of known answers that comes with Random123, philox4x64 of ten rounds.
  const std::uint64_t all = ~std::uint64_t{0};
  CHECK(philox_of({0, 0, 0, 0}, 0, 0) ==
        Block{0x16554d9eca36314c, 0xdb20fe9d672d0fdc, 0xd7e772cee186176b, 0x7e68b68aec7ba23b});
  CHECK(philox_of({all, all, all, all}, all, all) ==
        Block{0x87b092c3013fe90b, 0x438c3c67be8d0224, 0x9cc7d7c69cd777b6, 0xa09caebf594f0ba0});
  CHECK(philox_of({0x243f6a8885a308d3, 0x13198a2e03707344, 0xa4093822299f31d0, 0x082efa98ec4e6c89},
                  0x452821e638d01377, 0xbe5466cf34e90c6c) ==
        Block{0xa528f45403e61d95, 0x38c72dbd566e9788, 0xa5a1610e72fd18b5, 0x57bd43b5e52b7fe6});
}

TEST(random_stream_counts_from_one_and_keeps_its_parts_apart) {
  const std::vector<std::uint64_t> drawn = words(Stream(7, 8, 9), 10);
  for (std::uint64_t block = 0; block < 2; ++block) {
    const Block expected = philox_of({block + 1, 9, 0, 0}, 7, 8);
    CHECK(std::equal(expected.begin(), expected.end(), drawn.begin() + 4 * block));
  }
  std::set<std::uint64_t> all;
  for (std::uint64_t seed : {0, 1})
    for (std::uint64_t id : {0, 1})
      for (std::uint64_t part : {0, 1})
        for (std::uint64_t word : words(Stream(seed, id, part), 100)) all.insert(word);
  CHECK_EQUAL(all.size(), std::size_t{800});
}

TEST(random_below_takes_the_low_half_first_and_rejects_what_would_bias) {
  // Lemire's rule written out: with m = half * n, a low half of m under 2^32 mod n is drawn again.
  for (std::uint32_t n : {1u, 2u, 3u, 7u, 10u, 1000u, 0x55555556u, 0x80000000u, 0x80000001u,
                          0xC0000000u, 0xFFFFFFFEu, 0xFFFFFFFFu}) {
    const std::vector<std::uint64_t> source = words(Stream(1, n), 4000);
    std::vector<std::uint32_t> halves;
    for (std::uint64_t word : source) {
      halves.push_back(static_cast<std::uint32_t>(word));
      halves.push_back(static_cast<std::uint32_t>(word >> 32));
    }
    const std::uint64_t bias = (std::uint64_t{1} << 32) % n;
    Stream stream(1, n);
    std::size_t at = 0;
    int rejected = 0;
    for (int draw = 0; draw < 1000; ++draw) {
      std::uint64_t m = std::uint64_t{halves[at++]} * n;
      while (m % (std::uint64_t{1} << 32) < bias) {
        m = std::uint64_t{halves[at++]} * n;
        ++rejected;
      }
      const std::uint32_t got = stream.below(n);
      CHECK(got < n);
      CHECK_EQUAL(got, static_cast<std::uint32_t>(m >> 32));
    }
    // Just over half of 2^32 is where nearly every other draw is rejected.
    if (n == 0x80000001u) CHECK(rejected > 800 && rejected < 1200);
    if (n == 2u || n == 0x80000000u) CHECK_EQUAL(rejected, 0);
  }
}

TEST(random_below_keeps_exactly_as_many_halves_for_each_value) {
  // Uniform, proved by counting: on w bits in place of 32, each value keeps the same number of the
  // 2^w possible halves.
  constexpr std::uint32_t w = 8, all = 1u << w;
  for (std::uint32_t n = 1; n < all; ++n) {
    std::vector<std::uint32_t> kept(n, 0);
    for (std::uint32_t half = 0; half < all; ++half) {
      const std::uint32_t m = half * n, low = m % all;
      if (low >= all % n) ++kept[m >> w];
    }
    for (std::uint32_t count : kept) CHECK_EQUAL(count, all / n);
  }
}

TEST(random_uniform_is_a_multiple_of_two_to_minus_53_below_one) {
  Stream stream(3, 4), same(3, 4);
  double sum = 0;
  for (int draw = 0; draw < 10000; ++draw) {
    const double u = stream.uniform();
    CHECK(u >= 0 && u < 1);
    CHECK_EQUAL(u * 0x1p53, static_cast<double>(same.next() >> 11));
    sum += u;
  }
  // Four standard deviations of the mean of 10000.
  CHECK(sum / 10000 > 0.5 - 4 * 0.2887 / 100 && sum / 10000 < 0.5 + 4 * 0.2887 / 100);
}

TEST(random_halves_and_words_do_not_disturb_each_other) {
  const std::vector<std::uint64_t> source = words(Stream(5, 6), 3);
  Stream stream(5, 6);
  CHECK_EQUAL(stream.below(0xFFFFFFFFu),
              static_cast<std::uint32_t>(
                  std::uint64_t{static_cast<std::uint32_t>(source[0])} * 0xFFFFFFFFu >> 32));
  CHECK_EQUAL(stream.next(), source[1]);
  CHECK_EQUAL(stream.below(0xFFFFFFFFu),
              static_cast<std::uint32_t>((source[0] >> 32) * 0xFFFFFFFFu >> 32));
  CHECK_EQUAL(stream.next(), source[2]);
}

TEST(random_shuffle_swaps_from_the_last_place_down) {
  for (std::int64_t n : {0, 1, 2, 3, 10, 1000}) {
    std::vector<std::uint32_t> items(static_cast<std::size_t>(n)), expected;
    std::iota(items.begin(), items.end(), 0u);
    expected = items;
    Stream stream(11, 2, 3), same(11, 2, 3);
    shuffle(items.data(), n, stream);
    for (std::size_t i = expected.size(); i > 1; --i)
      std::swap(expected[i - 1], expected[same.below(static_cast<std::uint32_t>(i))]);
    CHECK(items == expected);
    std::sort(items.begin(), items.end());
    std::sort(expected.begin(), expected.end());
    CHECK(items == expected);
  }
}

TEST(random_every_order_of_four_is_as_likely) {
  std::vector<int> seen(256, 0);
  constexpr int draws = 24000;
  for (int part = 0; part < draws; ++part) {
    std::uint32_t items[4] = {0, 1, 2, 3};
    Stream stream(1, 1, static_cast<std::uint64_t>(part));
    shuffle(items, 4, stream);
    ++seen[items[0] * 64 + items[1] * 16 + items[2] * 4 + items[3]];
  }
  int orders = 0;
  double chi2 = 0;
  for (int count : seen) {
    if (count == 0) continue;
    ++orders;
    chi2 += (count - 1000.0) * (count - 1000.0) / 1000.0;
  }
  CHECK_EQUAL(orders, 24);
  CHECK(chi2 < 49.7);  // 23 degrees of freedom, one in a thousand
}
