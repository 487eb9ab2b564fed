#include "inducer/stream/labels.h"

#include "inducer/stream/bad_line.h"
#include "inducer/stream/number.h"

namespace inducer::stream {

Labels::Labels(LabelOptions options) : options_(std::move(options)) {
  for (const std::string& name : options_.classes)
    codes_.emplace(name, static_cast<std::int32_t>(codes_.size()));
}

std::int32_t Labels::code(std::string_view word) {
  if (last_code_ >= 0 && word == last_word_) return last_code_;
  last_word_ = word;
  const auto found = codes_.find(last_word_);
  if (found != codes_.end()) return last_code_ = found->second;
  last_code_ = -1;
  if (codes_.size() >= options_.most) {
    std::string known;
    for (std::size_t k = 0; k < options_.classes.size() && k < 10; ++k)
      known += (k > 0 ? ", " : "") + options_.classes[k];
    if (options_.classes.size() > 10) known += ", ...";
    throw BadLine("its label " + quoted(word) + " is none of the " + std::to_string(codes_.size()) +
                  " classes " + known);
  }
  last_code_ = static_cast<std::int32_t>(codes_.size());
  codes_.emplace(last_word_, last_code_);
  options_.classes.push_back(last_word_);
  return last_code_;
}

void Labels::forget_from(std::size_t n) {
  while (options_.classes.size() > n) {
    codes_.erase(options_.classes.back());
    options_.classes.pop_back();
    last_code_ = -1;  // it may be one of them
  }
}

double Labels::label(std::string_view word) {
  if (options_.kind == LabelKind::classes) {
    const std::int32_t k = code(word);
    return options_.most == 2 && options_.costs.empty() ? 2.0 * k - 1 : k;
  }
  const std::optional<double> value = number(word);
  if (options_.kind == LabelKind::signs) {
    if (value == 1.0 || word == "true" || word == "True") return 1;
    if (value == 0.0 || value == -1.0 || word == "false" || word == "False") return -1;
    throw BadLine("its label " + quoted(word) + " is none of -1, 0 and 1 (name other classes)");
  }
  if (!value) throw BadLine("its label " + quoted(word) + " is not a finite number");
  if (options_.kind == LabelKind::counts && *value < 0)
    throw BadLine("its label " + quoted(word) + " is below 0, and the loss is one of counts");
  if (options_.kind == LabelKind::amounts && *value <= 0)
    throw BadLine("its label " + quoted(word) + " is not above 0, and the loss is one of amounts");
  return *value;
}

void Labels::set(std::string_view word, Example& example, Block& block) {
  if (options_.listed_costs) {
    for (std::size_t begin = 0; begin < word.size();) {
      std::size_t end = word.find_first_of(", \t", begin);
      if (end == std::string_view::npos) end = word.size();
      const std::string_view item = word.substr(begin, end - begin);
      begin = end + 1;
      if (item.empty()) continue;
      const std::size_t colon = item.rfind(':');
      const auto cost =
          colon == std::string_view::npos ? std::nullopt : number(item.substr(colon + 1));
      if (!cost) throw BadLine("its label " + quoted(item) + " is not class:cost");
      block.costs.push_back({code(item.substr(0, colon)), *cost});
      ++example.costs;
    }
    return;
  }
  example.label = label(word);
  if (options_.costs.empty()) return;
  const std::int32_t k = code(word);
  for (std::size_t j = 0; j < options_.most; ++j)
    block.costs.push_back({static_cast<std::int32_t>(j),
                           options_.costs[static_cast<std::size_t>(k) * options_.most + j]});
  example.costs = static_cast<std::uint32_t>(options_.most);
}

}  // namespace inducer::stream
