#include "inducer/stream/session.h"

#include "check.h"
#include "inducer/stream/bad_line.h"
#include "inducer/stream/cache.h"

using namespace inducer;
using namespace inducer::stream;

namespace {

struct Stream {
  explicit Stream(SessionOptions options = {}, Format format = Format::vw)
      : cells((std::size_t{1} << 10) + 1),
        session(parser(format), {}, features(), learner(), options, cells) {}

  static ParserOptions parser(Format format) {
    ParserOptions options;
    options.format = format;
    return options;
  }
  static FeatureOptions features() {
    FeatureOptions options;
    options.bits = 10;
    return options;
  }
  static LearnerOptions learner() {
    LearnerOptions options;
    options.bias = 1 << 10;
    return options;
  }
  std::vector<float> weights() const {
    std::vector<float> out;
    for (const Cell& cell : cells) out.push_back(cell.weight);
    return out;
  }

  std::vector<Cell> cells;
  Session session;
};

std::string lines(int n) {
  std::string out;
  for (int i = 0; i < n; ++i)
    out += (i % 3 ? "1 | a" : "-1 | b") + std::to_string(i % 17) + " c" + std::to_string(i % 5) +
           ":" + std::to_string(i) + (i % 4 ? "\n" : "\r\n");
  return out;
}

}  // namespace

TEST(stream_cut_of_the_bytes_does_not_matter) {
  const std::string text = "\xef\xbb\xbf" + lines(1000) + "\n\n1 | last";
  Stream whole;
  whole.session.feed(text);
  whole.session.end_input();
  CHECK_EQUAL(whole.session.learner().tally.examples, 1001.0);
  CHECK_EQUAL(whole.session.position().lines, 1003);
  for (const std::size_t size : {1, 2, 7, 100, 4097}) {
    Stream cut;
    for (std::size_t at = 0; at < text.size(); at += size)
      cut.session.feed(std::string_view(text).substr(at, size));
    cut.session.end_input();
    CHECK(cut.weights() == whole.weights());
    CHECK_EQUAL(cut.session.learner().tally.loss, whole.session.learner().tally.loss);
    CHECK_EQUAL(cut.session.position().lines, 1003);
  }
}

TEST(stream_bad_line_has_its_number) {
  Stream strict;
  CHECK_THROWS(BadLine, "line 3: it has no '|'", strict.session.feed("1 | a\n\nrubbish\n1 | b\n"));
  strict.session.drain();
  CHECK_EQUAL(strict.session.learner().tally.examples, 1.0);
  CHECK_EQUAL(strict.session.position().bytes, 7u);

  Stream lenient({.skip_bad = true});
  lenient.session.feed("1 | a\n\nrubbish\nrubbish\n1 | b\n");
  lenient.session.end_input();
  CHECK_EQUAL(lenient.session.learner().tally.examples, 2.0);
  CHECK_EQUAL(lenient.session.position().bad, 2);
  CHECK_EQUAL(lenient.session.first_bad(), std::string("line 3: it has no '|'"));
}

TEST(stream_line_without_end_is_bounded) {
  Stream lenient({.skip_bad = true});
  const std::string piece(1 << 22, 'x');
  lenient.session.feed("1 | a\n");
  for (int k = 0; k < 20; ++k) lenient.session.feed(piece);
  lenient.session.feed("\n1 | b\n");
  lenient.session.end_input();
  CHECK_EQUAL(lenient.session.position().bad, 1);
  CHECK_EQUAL(lenient.session.learner().tally.examples, 2.0);
  CHECK_EQUAL(lenient.session.position().bytes, 6u + 20u * piece.size() + 1 + 6);
  Stream strict;
  CHECK_THROWS(BadLine, "line 1: it is longer than 64 MiB", {
    for (int k = 0; k < 20; ++k) strict.session.feed(piece);
  });
}

TEST(stream_second_pass_from_the_cache_is_that_from_the_text) {
  const std::string text = lines(3000);
  Stream twice, cached({.caching = true});
  for (int pass = 0; pass < 2; ++pass) {
    twice.session.begin_pass();
    twice.session.feed(text);
    twice.session.end_input();
  }
  cached.session.feed(text);
  cached.session.end_input();
  const std::string cache = cached.session.take_cache();
  cached.session.begin_pass();
  for (std::size_t at = 0; at < cache.size(); at += 1000)
    cached.session.feed_cached(std::string_view(cache).substr(at, 1000));
  cached.session.end_input();
  CHECK(cached.weights() == twice.weights());
}

TEST(stream_cache_of_words_is_compact) {
  Stream cached({.caching = true});
  std::string text;
  for (int i = 0; i < 300; ++i) {
    text += "1 |";
    for (int j = 0; j < 50; ++j) text += " word" + std::to_string(i * j);
    text += '\n';
  }
  cached.session.feed(text);
  cached.session.end_input();
  CHECK(cached.session.take_cache().size() < text.size() * 6 / 10);
}

TEST(stream_damaged_cache_is_refused) {
  Block block;
  Stream source({.caching = true});
  source.session.feed("1 2 'tag| a b:3\n-1 | c\n");
  source.session.end_input();
  const std::string cache = source.session.take_cache();
  CHECK_EQUAL(record_length(cache), cache.size());
  CHECK(read_record(cache, (1 << 10) + 1, 1, block));
  CHECK_EQUAL(block.examples.size(), 2u);
  CHECK_EQUAL(block.tags, std::string("tag"));
  for (std::size_t at = 0; at < cache.size(); ++at)
    for (const int change : {1, 64, 255}) {  // must not read outside, nor let an index through
      std::string bad = cache;
      bad[at] = static_cast<char>(bad[at] ^ change);
      Block made;
      if (!read_record(bad, (1 << 10) + 1, 1, made)) continue;
      std::size_t total = 0;
      for (const Example& example : made.examples) total += example.features;
      CHECK_EQUAL(total, made.index.size());
      for (const std::uint32_t index : made.index) CHECK(index <= 1 << 10);
    }
}

TEST(stream_goes_on_where_another_was) {
  const std::string text = lines(2000);
  Stream whole;
  whole.session.feed(text);
  whole.session.end_input();
  Stream first;
  first.session.feed(std::string_view(text).substr(0, text.size() / 3));
  first.session.drain();
  Stream second;
  second.cells = first.cells;  // the same memory: the vector keeps its size
  second.session.learner().tally = first.session.learner().tally;
  second.session.learner().norms = first.session.learner().norms;
  second.session.resume(first.session.position(), false);
  second.session.feed(std::string_view(text).substr(first.session.position().bytes));
  second.session.end_input();
  CHECK(second.weights() == whole.weights());
  CHECK_EQUAL(second.session.learner().tally.loss, whole.session.learner().tally.loss);
}

TEST(stream_ends_with_work_in_the_ring) {
  for (int k = 0; k < 20; ++k) {
    Stream stream;
    stream.session.feed(lines(2000));
  }
}
