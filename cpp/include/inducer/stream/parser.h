#pragma once
/// @file  One line of text, in one of four formats, becomes one example of a block.
///
///     text      label<TAB>words, or label words
///     svmlight  label index:value ... # comment
///     vw        [label] [weight] ['tag]|namespace[:factor] name[:value] ... |...
///     csv       cells, under a line of column names; a record is a line
///
/// Bytes are taken as they are: a word is what lies between blanks, in whatever encoding.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "inducer/stream/block.h"
#include "inducer/stream/features.h"
#include "inducer/stream/labels.h"

namespace inducer::stream {

enum class Format : std::uint8_t { text, svmlight, vw, csv };

struct Columns {
  char separator = ',';
  std::string target;  ///< empty: the first column
  std::string weight, tag;
  std::vector<std::string> categories;  ///< columns that are no numbers, whatever they look like
  std::vector<std::string> names;       ///< as the header has them; empty until it is read
};

struct ParserOptions {
  Format format = Format::text;
  bool labelled = true;  ///< false: text holds words only, and csv needs no target
  bool learning = true;  ///< then a line without a label is a bad one, but in vw
  Columns columns;
};

class Parser {
 public:
  Parser(ParserOptions options, LabelOptions labels, FeatureOptions features);

  /// Adds the example of a line, which is not empty. Throws BadLine and leaves the block as it was.
  void parse(std::string_view line, Block& block);

  /// At the start of each pass a table has its header again.
  void begin_pass() { header_due_ = options_.format == Format::csv; }
  bool header_due() const { return header_due_; }
  void skip_header() { header_due_ = false; }

  const Features& features() const { return features_; }
  Features& features() { return features_; }
  const Labels& labels() const { return labels_; }
  const std::vector<std::string>& columns() const { return options_.columns.names; }

 private:
  enum class Role : std::uint8_t { number, category, target, weight, tag };

  void text(std::string_view line);
  void svmlight(std::string_view line);
  void vw(std::string_view line);
  void csv(std::string_view line);
  void header(std::string_view line);
  void assign_roles();
  void cells(std::string_view line);
  void labelled(std::string_view word);
  void weighted(std::string_view word);
  void tagged(std::string_view word);

  ParserOptions options_;
  Labels labels_;
  Features features_;
  bool header_due_ = false;
  std::vector<Role> roles_;
  std::vector<std::string_view> cells_;
  std::vector<std::string> kept_;  ///< of cells that are not in the line as such
  Example example_;
  Block* block_ = nullptr;
};

}  // namespace inducer::stream
