#include "inducer/stream/parser.h"

#include <algorithm>
#include <memory>

#include "check.h"
#include "inducer/stream/bad_line.h"
#include "inducer/stream/number.h"

using namespace inducer::stream;

namespace {

ParserOptions reading(Format format) {
  ParserOptions options;
  options.format = format;
  return options;
}

Parser parser_of(Format format, LabelOptions labels = {}, FeatureOptions features = {}) {
  return Parser(reading(format), std::move(labels), std::move(features));
}

/// The cell of a word of a namespace.
std::uint32_t cell(std::string_view word, std::string_view space = "") {
  const Hash seed = space.empty() ? 0 : hash(space, 1);
  return static_cast<std::uint32_t>(hash(word, seed) & ((1u << 18) - 1));
}

constexpr std::uint32_t bias = 1u << 18;

}  // namespace

TEST(stream_number_is_strict) {
  CHECK_EQUAL(*number("12"), 12.0);
  CHECK_EQUAL(*number("-0.125"), -0.125);
  CHECK_EQUAL(*number("+3."), 3.0);
  CHECK_EQUAL(*number(".5"), 0.5);
  CHECK_EQUAL(*number("1e-3"), 1e-3);
  CHECK_EQUAL(*number("0.1"), 0.1);
  CHECK_EQUAL(*number("12345678901234567890"), 12345678901234567890.0);
  CHECK_EQUAL(*number("0.3333333333333333333333"), 1.0 / 3);
  for (const char* word : {"", "-", "+", ".", "1x", "x", "--1", "+-1", "1e", "nan", "inf", "1e999",
                           "0x10", "1 ", " 1", "1,5"})
    CHECK(!number(word));
  CHECK(!number(std::string_view("1\0", 2)));
}

TEST(stream_hash_tells_words_apart) {
  CHECK(hash("abc", 0) != hash("abd", 0));
  CHECK(hash("abc", 0) != hash("abc", 1));
  CHECK(hash("", 0) != hash(std::string_view("\0", 1), 0));
  CHECK(hash("ab", 0) != hash("ba", 0));
  CHECK(chained(1, 2) != chained(2, 1));
  const std::string text(40, 'x');  // each length has its own tail
  for (std::size_t n = 0; n < 40; ++n) {
    const std::unique_ptr<char[]> exact(new char[n]);  // a read beyond it is seen by the sanitizer
    std::copy_n(text.data(), n, exact.get());
    CHECK_EQUAL(hash({exact.get(), n}, 3), hash(std::string_view(text).substr(0, n), 3));
    CHECK(hash(std::string_view(text).substr(0, n), 3) !=
          hash(std::string_view(text).substr(0, n + 1), 3));
  }
}

TEST(stream_vw_line) {
  Parser parser = parser_of(Format::vw);
  Block block;
  parser.parse("1 2.5 'first|user:2 age:0.5 tall |item red red", block);
  CHECK_EQUAL(block.examples.size(), 1u);
  const Example& example = block.examples[0];
  CHECK_EQUAL(example.label, 1.0);
  CHECK_EQUAL(example.weight, 2.5);
  CHECK_EQUAL(block.tags, std::string("first"));
  CHECK_EQUAL(example.features, 5u);
  CHECK(block.index ==
        std::vector<std::uint32_t>({cell("age", "user"), cell("tall", "user"), cell("red", "item"),
                                    cell("red", "item"), bias}));
  CHECK(block.value == std::vector<float>({1, 2, 1, 1, 1}));
}

TEST(stream_vw_label_may_be_missing) {
  Parser parser = parser_of(Format::vw);
  Block block;
  parser.parse("| a", block);
  parser.parse("tag| a", block);
  parser.parse(" 'other | a", block);
  for (const Example& example : block.examples) CHECK(example.label != example.label);
  CHECK_EQUAL(block.tags, std::string("tagother"));
}

TEST(stream_bad_line_leaves_the_block) {
  Parser parser = parser_of(Format::vw);
  Block block;
  parser.parse("-1 'x| a b", block);
  const auto refuses = [&](const char* line, const char* why) {
    CHECK_THROWS(BadLine, why, parser.parse(line, block));
    CHECK_EQUAL(block.examples.size(), 1u);
    CHECK_EQUAL(block.index.size(), 3u);
    CHECK_EQUAL(block.value.size(), 3u);
    CHECK_EQUAL(block.tags, std::string("x"));
  };
  refuses("1 a b", "it has no '|'");
  refuses("7 | a", "its label '7' is none of -1, 0 and 1 (name other classes)");
  refuses("1 -1 | a", "its weight '-1' is not a number from 0 on");
  refuses("1 1 1 | a", "'1' before the '|' is neither label, weight nor tag");
  refuses("1 'y| a b:c", "the value of 'b:c' is not a finite number");
  refuses("1 |n:x a", "the factor of 'n:x' is not a finite number");
  refuses("1 | a:1e30", "the value of 'a' is beyond 1e15");
}

TEST(stream_svmlight_line) {
  Parser parser = parser_of(Format::svmlight);
  Block block;
  parser.parse("-1 qid:3 1:0.5 7:0 9:-2 # why not", block);
  CHECK_EQUAL(block.examples[0].label, -1.0);
  CHECK(block.index == std::vector<std::uint32_t>({cell("1"), cell("9"), bias}));
  CHECK(block.value == std::vector<float>({0.5, -2, 1}));
  parser.parse("# only words", block);
  CHECK_EQUAL(block.examples.size(), 1u);
  CHECK_THROWS(BadLine, "it has no label", parser.parse("1:2 3:4", block));
  CHECK_THROWS(BadLine, "'3' is not index:value", parser.parse("1 3", block));
  CHECK_THROWS(BadLine, "':3' is not index:value", parser.parse("1 :3", block));
}

TEST(stream_text_line) {
  LabelOptions labels{LabelKind::classes, {}, 3, false, {}};
  FeatureOptions features;
  features.outputs = 3;
  Parser parser = parser_of(Format::text, labels, features);
  Block block;
  parser.parse("very good\tfine  words", block);
  parser.parse("bad other words", block);
  parser.parse("very good\tagain", block);
  CHECK_EQUAL(block.examples[0].label, 0.0);
  CHECK_EQUAL(block.examples[1].label, 1.0);
  CHECK_EQUAL(block.examples[2].label, 0.0);
  CHECK(parser.labels().classes() == std::vector<std::string>({"very good", "bad"}));
  CHECK_EQUAL(block.index[0], 3 * cell("fine"));
  CHECK_EQUAL(block.index[2], 3 * bias);
  CHECK_THROWS(BadLine, "it has no label", parser.parse("\twords", block));
  parser.parse("third", block);
  CHECK_EQUAL(block.examples[3].features, 1u);
  CHECK_THROWS(BadLine, "its label 'fourth' is none of the 3 classes very good, bad, third",
               parser.parse("fourth x", block));
}

TEST(stream_bad_line_brings_no_class) {
  const LabelOptions two{LabelKind::classes, {}, 2, false, {}};
  Block block;
  Parser vw = parser_of(Format::vw, two);
  vw.parse("a | x:1", block);
  CHECK_THROWS(BadLine, "the value of 'y:bad' is not a finite number",
               vw.parse("zzz | y:bad", block));
  vw.parse("b | x:2", block);
  CHECK(vw.labels().classes() == std::vector<std::string>({"a", "b"}));
  CHECK_EQUAL(block.examples[1].label, 1.0);
  Parser svmlight = parser_of(Format::svmlight, two);
  CHECK_THROWS(BadLine, "'x' is not index:value", svmlight.parse("zzz x", block));
  CHECK_THROWS(BadLine, "'x' is not index:value", svmlight.parse("zzz x", block));
  svmlight.parse("a 1:1", block);
  CHECK_EQUAL(block.examples[2].label, -1.0);
  FeatureOptions features;
  features.outputs = 2;
  Parser listed = parser_of(Format::vw, {LabelKind::classes, {}, 2, true, {}}, features);
  CHECK_THROWS(BadLine, "its label 'c' is not class:cost", listed.parse("a:1 b:2 c | x", block));
  CHECK(listed.labels().classes().empty());
}

TEST(stream_signs_are_numbers_or_truth) {
  Parser parser = parser_of(Format::text);
  Block block;
  for (const char* line : {"1 x", "true x", "True x", "-1 x", "0 x", "false x", "False x"})
    parser.parse(line, block);
  for (std::size_t k = 0; k < 7; ++k) CHECK_EQUAL(block.examples[k].label, k < 3 ? 1.0 : -1.0);
}

TEST(stream_csv_lines) {
  ParserOptions options = reading(Format::csv);
  options.columns.target = "y";
  options.columns.weight = "w";
  options.columns.categories = {"zip"};
  Parser parser(options, {LabelKind::any, {}, 0, false, {}}, {});
  Block block;
  parser.parse("a,\"the \"\"b\",y,zip,w,c", block);
  CHECK(block.examples.empty());
  parser.parse("1.5,NA,-3,0123,2,\"red, or \"\"blue\"\"\"", block);
  CHECK_EQUAL(block.examples[0].label, -3.0);
  CHECK_EQUAL(block.examples[0].weight, 2.0);
  CHECK(block.index == std::vector<std::uint32_t>(
                           {cell("a"), cell("zip=0123"), cell("c=red, or \"blue\""), bias}));
  CHECK(block.value == std::vector<float>({1.5, 1, 1, 1}));
  CHECK_THROWS(BadLine, "it has 2 cells, and the header 6", parser.parse("1,2", block));
  CHECK_THROWS(BadLine, "it has no label", parser.parse("1,2,,4,5,6", block));
  CHECK_THROWS(BadLine, "a quotation mark is not closed in its line", parser.parse("\"1,2", block));
  CHECK_THROWS(BadLine, "a quoted cell goes on after its quotation mark",
               parser.parse("\"1\"2,2", block));
  parser.parse("\"\",7,1,1,1,\"\"", block);  // empty cells are missing, also after quoted ones
  CHECK_EQUAL(block.examples[1].features, 3u);
  Parser other(options, {}, {});
  CHECK_THROWS(BadLine, "there is no column 'y' in the header", other.parse("a,b", block));
}

TEST(stream_csv_keeps_what_was_quoted) {
  // In the first record, and not in its last column; so short that it lies within its string.
  FeatureOptions features;
  features.named = true;
  ParserOptions options = reading(Format::csv);
  options.columns.target = "y";
  Parser parser(options, {LabelKind::any, {}, 0, false, {}}, features);
  Block block;
  parser.parse("year,city,price,y", block);
  parser.parse("2020,\"Ulm\",5,1", block);
  CHECK(block.index ==
        std::vector<std::uint32_t>({cell("year"), cell("city=Ulm"), cell("price"), bias}));
  CHECK(parser.features().names().listed().find("\tcity=Ulm\n") != std::string::npos);
  options.columns.categories = {"year"};
  Parser label(options, {LabelKind::any, {}, 0, false, {}}, {});
  label.parse("y,year,c", block);
  label.parse("\"-2.5\",\"1\",3", block);
  CHECK_EQUAL(block.examples[1].label, -2.5);
}

TEST(stream_costs) {
  FeatureOptions features;
  features.outputs = 2;
  Parser listed = parser_of(Format::vw, {LabelKind::classes, {}, 2, true, {}}, features);
  Block block;
  listed.parse("a:0 b:1.5 | x", block);
  listed.parse("b:2 | x", block);
  CHECK_EQUAL(block.examples[0].costs, 2u);
  CHECK_EQUAL(block.costs[1].code, 1);
  CHECK_EQUAL(block.costs[1].cost, 1.5);
  CHECK_EQUAL(block.costs[2].code, 1);
  CHECK_THROWS(BadLine, "its label 'a' is not class:cost", listed.parse("a | x", block));
  CHECK_EQUAL(block.costs.size(), 3u);
  block.clear();
  Parser matrix =
      parser_of(Format::text, {LabelKind::classes, {"a", "b"}, 2, false, {0, 5, 1, 0}}, features);
  matrix.parse("b x", block);
  CHECK_EQUAL(block.costs[0].cost, 1.0);
  CHECK_EQUAL(block.costs[1].cost, 0.0);
}

TEST(stream_ngrams_and_products) {
  FeatureOptions features;
  features.ngram = 3;
  features.named = true;
  features.bits = 18;
  Parser grams = parser_of(Format::vw, {}, features);
  Block block;
  grams.parse("1 |t a b c |u d", block);
  CHECK_EQUAL(block.index.size(), 4u + 3u + 1u);  // words; ab, abc, bc; bias
  CHECK(grams.features().names().listed().find("\tt^a b c\n") != std::string::npos);

  FeatureOptions products;
  products.interactions = {{"u", "i"}, {"u", "u"}};
  products.named = true;
  Parser crossed = parser_of(Format::vw, {}, products);
  block.clear();
  crossed.parse("1 |u a:2 b |i x:3 y |z q", block);
  // 5 words; a*x a*y b*x b*y; a*a a*b b*b; bias
  CHECK_EQUAL(block.index.size(), 5u + 4u + 3u + 1u);
  CHECK_EQUAL(block.value[5], 6.0f);
  CHECK_EQUAL(block.value[9], 4.0f);
  const std::uint32_t ax = block.index[5];
  block.clear();
  crossed.parse("1 |i x |u a", block);  // the order of namespaces does not matter
  CHECK_EQUAL(block.index[2], ax);

  FeatureOptions quadratic;
  quadratic.quadratic = true;
  Parser squares = parser_of(Format::svmlight, {}, quadratic);
  block.clear();
  squares.parse("1 1:2 2:3", block);
  CHECK(block.value == std::vector<float>({2, 3, 4, 6, 9, 1}));
}

TEST(stream_parser_takes_any_bytes) {
  // Words that are likely to hit something, in any order; the sanitizers look on.
  const std::string_view pieces[] = {
      "1", "-1", " ",   "\t",    "|",  ":",    "'",   "\"", ",", "a",     "b:2",          "1:3",
      "#", "e9", "nan", "1e400", "\r", "\xff", "qid", ".",  "-", "label", "\xef\xbb\xbf", "="};
  std::uint64_t state = 1;
  const auto random = [&state](std::uint64_t n) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (state >> 33) % n;
  };
  FeatureOptions features;
  features.bits = 6;
  features.ngram = 2;
  features.quadratic = true;
  features.named = true;
  for (const Format format : {Format::text, Format::svmlight, Format::vw, Format::csv}) {
    for (const bool learning : {true, false}) {
      ParserOptions options = reading(format);
      options.learning = learning;
      Parser parser(options, {}, features);
      if (format == Format::csv) {
        Block none;
        parser.parse("y,a,b", none);
      }
      Block block;
      std::size_t good = 0;
      for (int trial = 0; trial < 4000; ++trial) {
        std::string line(random(4) == 0 ? "1" : "");
        for (std::uint64_t n = random(12); n > 0; --n) {
          if (random(8) == 0)
            line += static_cast<char>(random(256));
          else
            line += pieces[random(std::size(pieces))];
        }
        line.erase(std::remove(line.begin(), line.end(), '\n'), line.end());
        if (line.empty()) continue;
        const std::unique_ptr<char[]> exact(new char[line.size()]);
        std::copy(line.begin(), line.end(), exact.get());
        const std::size_t before = block.examples.size();
        try {
          parser.parse({exact.get(), line.size()}, block);
          good += block.examples.size() - before;
        } catch (const BadLine&) {
          CHECK_EQUAL(block.examples.size(), before);
        }
        std::size_t total = 0;
        for (const Example& example : block.examples) total += example.features;
        CHECK_EQUAL(total, block.index.size());
        CHECK_EQUAL(total, block.value.size());
        for (const std::uint32_t index : block.index) CHECK(index <= 64);
        if (block.full()) block.clear();
      }
      CHECK(good > 0);
    }
  }
}
