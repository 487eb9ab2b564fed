#include "inducer/stream/parser.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "inducer/stream/number.h"

namespace inducer::stream {

namespace {

bool blank(char c) {
  return c == ' ' || c == '\t';
}

/// Where the first blank is, or the first colon if those are looked for; the end when there is
/// none. Eight bytes at a time: a byte equal to c is the lowest whose high bit comes up in
/// (x - 0x01...) & ~x, x = bytes ^ c....
template <bool or_colon>
const char* end_of_word(const char* p, const char* end) {
  constexpr std::uint64_t ones = 0x0101010101010101, highs = 0x8080808080808080;
  if constexpr (std::endian::native == std::endian::little) {
    for (; end - p >= 8; p += 8) {
      std::uint64_t bytes;
      std::memcpy(&bytes, p, sizeof bytes);
      const auto equal = [&](char c) {
        const std::uint64_t x = bytes ^ ones * static_cast<unsigned char>(c);
        return (x - ones) & ~x;
      };
      std::uint64_t found = equal(' ') | equal('\t');
      if constexpr (or_colon) found |= equal(':');
      if (found &= highs) return p + std::countr_zero(found) / 8;
    }
  }
  while (p < end && !blank(*p) && !(or_colon && *p == ':')) ++p;
  return p;
}

/// The next word between blanks, taken off the front; empty at the end. With a colon in it, the
/// word is what lies before, and `value` what lies behind.
struct Item {
  std::string_view word, value;
  bool valued = false;

  std::string_view whole() const {
    return {word.data(), word.size() + (valued ? value.size() + 1 : 0)};
  }
};

template <bool split>
Item next_item(std::string_view& rest) {
  const char *p = rest.data(), *const end = p + rest.size();
  while (p < end && blank(*p)) ++p;
  const char* stop = end_of_word<split>(p, end);
  Item item{{p, static_cast<std::size_t>(stop - p)}, {}, false};
  if (split && stop < end && *stop == ':') {
    const char* const value = stop + 1;
    stop = end_of_word<false>(value, end);
    item.value = {value, static_cast<std::size_t>(stop - value)};
    item.valued = true;
  }
  rest = {stop, static_cast<std::size_t>(end - stop)};
  return item;
}

std::string_view next_word(std::string_view& rest) {
  return next_item<false>(rest).word;
}

/// What a table leaves out.
bool missing(std::string_view cell) {
  return cell.empty() || cell == "NA" || cell == "NaN" || cell == "nan" || cell == "null";
}

}  // namespace

Parser::Parser(ParserOptions options, LabelOptions labels, FeatureOptions features)
    : options_(std::move(options)), labels_(std::move(labels)), features_(std::move(features)) {
  if (!options_.columns.names.empty()) assign_roles();
  begin_pass();
}

void Parser::parse(std::string_view line, Block& block) {
  if (header_due_) {
    header(line);
    return;
  }
  if (options_.format == Format::svmlight && line.front() == '#') return;
  const Mark mark(block);
  const std::size_t classes = labels_.classes().size();
  block_ = &block;
  example_ = Example();
  features_.clear();
  try {
    switch (options_.format) {
      case Format::text:
        text(line);
        break;
      case Format::svmlight:
        svmlight(line);
        break;
      case Format::vw:
        vw(line);
        break;
      case Format::csv:
        csv(line);
        break;
    }
    features_.finish(block);
  } catch (const BadLine&) {
    mark.restore(block);
    labels_.forget_from(classes);
    throw;
  }
  example_.features = static_cast<std::uint32_t>(block.index.size() - mark.features);
  block.examples.push_back(example_);
}

void Parser::labelled(std::string_view word) {
  if (!word.empty())
    labels_.set(word, example_, *block_);
  else if (options_.learning)
    throw BadLine("it has no label");
}

void Parser::weighted(std::string_view word) {
  const auto value = number(word);
  if (!value || *value < 0 || *value > 1e15)
    throw BadLine("its weight " + quoted(word) + " is not a number from 0 on");
  example_.weight = *value;
}

void Parser::tagged(std::string_view word) {
  block_->tags.append(word);
  example_.tag = static_cast<std::uint32_t>(word.size());
}

void Parser::text(std::string_view line) {
  if (options_.labelled) {
    std::size_t end = line.find('\t');
    if (end == std::string_view::npos) end = std::min(line.find(' '), line.size());
    labelled(line.substr(0, end));
    line.remove_prefix(std::min(end + 1, line.size()));
  }
  features_.begin("");
  for (auto word = next_word(line); !word.empty(); word = next_word(line)) features_.add(word, 1);
}

void Parser::svmlight(std::string_view line) {
  line = line.substr(0, line.find('#'));
  auto word = next_word(line);
  if (word.find(':') != std::string_view::npos && !labels_.listed_costs()) {
    labelled("");
  } else {
    labelled(word);
    word = next_word(line);
  }
  features_.begin("");
  line = {word.data(), static_cast<std::size_t>(line.data() + line.size() - word.data())};
  for (;;) {
    const Item item = next_item<true>(line);
    if (item.word.empty() && !item.valued) break;
    if (item.word.empty() || !item.valued)
      throw BadLine(quoted(item.whole()) + " is not index:value");
    if (item.word == "qid") continue;
    const auto value = number(item.value);
    if (!value) throw BadLine("the value of " + quoted(item.whole()) + " is not a finite number");
    features_.add(item.word, *value);
  }
}

void Parser::vw(std::string_view line) {
  std::size_t bar = line.find('|');
  if (bar == std::string_view::npos) throw BadLine("it has no '|'");
  std::string_view head = line.substr(0, bar);
  // The tag is the last word if it touches the bar, or begins with an apostrophe.
  while (!head.empty() && blank(head.back())) head.remove_suffix(1);
  const std::size_t before = head.find_last_of(" \t");
  const std::string_view last = before == std::string_view::npos ? head : head.substr(before + 1);
  if (!last.empty() && (last.front() == '\'' || head.size() == bar)) {
    tagged(last.front() == '\'' ? last.substr(1) : last);
    head.remove_suffix(last.size());
  }
  if (labels_.listed_costs()) {
    labels_.set(head, example_, *block_);
  } else {
    // No label here means: predict, do not learn.
    if (const auto word = next_word(head); !word.empty()) labels_.set(word, example_, *block_);
    if (const auto word = next_word(head); !word.empty()) weighted(word);
    if (const auto word = next_word(head); !word.empty())
      throw BadLine(quoted(word) + " before the '|' is neither label, weight nor tag");
  }
  while (bar != std::string_view::npos) {
    line.remove_prefix(bar + 1);
    bar = line.find('|');
    std::string_view rest = line.substr(0, bar);
    double factor = 1;
    std::string_view name;
    if (!rest.empty() && !blank(rest.front())) {
      name = next_word(rest);
      if (const std::size_t colon = name.find(':'); colon != std::string_view::npos) {
        const auto value = number(name.substr(colon + 1));
        if (!value) throw BadLine("the factor of " + quoted(name) + " is not a finite number");
        factor = *value;
        name = name.substr(0, colon);
      }
    }
    features_.begin(name);
    for (;;) {
      const Item item = next_item<true>(rest);
      if (item.word.empty() && !item.valued) break;
      double value = 1;
      if (item.valued) {
        const auto given = number(item.value);
        if (!given)
          throw BadLine("the value of " + quoted(item.whole()) + " is not a finite number");
        value = *given;
      }
      features_.add(item.word, value * factor);
    }
  }
}

/// Splits a line; what was quoted is kept without the quotes.
void Parser::cells(std::string_view line) {
  cells_.clear();
  const char separator = options_.columns.separator;
  for (std::size_t begin = 0;;) {
    std::size_t end;
    if (begin < line.size() && line[begin] == '"') {
      if (kept_.size() <= cells_.size()) kept_.resize(cells_.size() + 1);
      std::string& text = kept_[cells_.size()];
      text.clear();
      for (end = begin + 1;; ++end) {
        if (end >= line.size()) throw BadLine("a quotation mark is not closed in its line");
        if (line[end] == '"' && (++end >= line.size() || line[end] != '"')) break;
        text.push_back(line[end]);
      }
      if (end < line.size() && line[end] != separator)
        throw BadLine("a quoted cell goes on after its quotation mark");
      cells_.push_back({});  // found in kept_ once that has grown
    } else {
      end = std::min(line.find(separator, begin), line.size());
      if (kept_.size() > cells_.size()) kept_[cells_.size()].clear();
      cells_.push_back(line.substr(begin, end - begin));
    }
    if (end == line.size()) break;
    begin = end + 1;
  }
  // A string takes place for each cell now: one that moved later would leave a view behind.
  if (kept_.size() < cells_.size()) kept_.resize(cells_.size());
  for (std::size_t j = 0; j < cells_.size(); ++j)
    if (cells_[j].empty()) cells_[j] = kept_[j];
}

void Parser::header(std::string_view line) {
  cells(line);
  std::vector<std::string> names(cells_.begin(), cells_.end());
  auto& known = options_.columns.names;
  if (known.empty()) {
    known = std::move(names);
    assign_roles();
  } else if (known != names) {
    if (options_.learning)
      throw BadLine("its columns are not those of the table that was learned from");
    // A table to predict may lack the label, and have its columns in another order.
    for (std::size_t j = 0; j < known.size(); ++j)
      if ((roles_[j] == Role::number || roles_[j] == Role::category) &&
          std::find(names.begin(), names.end(), known[j]) == names.end())
        throw BadLine("there is no column " + quoted(known[j]) +
                      " in the header, and the model learned from it");
    known = std::move(names);
    assign_roles();
  }
  header_due_ = false;
}

void Parser::assign_roles() {
  const Columns& columns = options_.columns;
  const auto& names = columns.names;
  const auto has = [&](const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  for (const std::string* name : {&columns.target, &columns.weight, &columns.tag})
    if (!name->empty() && !has(*name) && options_.learning)
      throw BadLine("there is no column " + quoted(*name) + " in the header");
  for (const std::string& name : columns.categories)
    if (!has(name)) throw BadLine("there is no column " + quoted(name) + " in the header");
  roles_.assign(names.size(), Role::number);
  for (std::size_t j = 0; j < names.size(); ++j) {
    const std::string& name = names[j];
    const auto& words = columns.categories;
    if (std::find(words.begin(), words.end(), name) != words.end()) roles_[j] = Role::category;
    if (columns.target.empty() ? j == 0 : name == columns.target) roles_[j] = Role::target;
    if (!columns.weight.empty() && name == columns.weight) roles_[j] = Role::weight;
    if (!columns.tag.empty() && name == columns.tag) roles_[j] = Role::tag;
  }
}

void Parser::csv(std::string_view line) {
  cells(line);
  if (cells_.size() != roles_.size())
    throw BadLine("it has " + std::to_string(cells_.size()) + " cells, and the header " +
                  std::to_string(roles_.size()));
  const bool has_target = std::find(roles_.begin(), roles_.end(), Role::target) != roles_.end();
  if (!has_target) labelled("");
  for (std::size_t j = 0; j < cells_.size(); ++j) {
    const std::string_view cell = cells_[j];
    const std::string& name = options_.columns.names[j];
    if (roles_[j] == Role::target) {
      labelled(missing(cell) ? std::string_view() : cell);
    } else if (roles_[j] == Role::weight) {
      weighted(cell);
    } else if (roles_[j] == Role::tag) {
      tagged(cell);
    } else if (!missing(cell)) {
      features_.begin("", name);
      const auto value = roles_[j] == Role::number ? number(cell) : std::nullopt;
      if (value) {
        features_.add(name, *value);
      } else {
        kept_[j] = name + '=' + std::string(cell);
        features_.add(kept_[j], 1);
      }
    }
  }
}

}  // namespace inducer::stream
