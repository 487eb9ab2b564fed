#include "inducer/stream/features.h"

#include <algorithm>
#include <cmath>

namespace inducer::stream {

Features::Features(FeatureOptions options)
    : options_(std::move(options)),
      mask_((Hash{1} << options_.bits) - 1),
      names_(options_.named ? std::size_t{1} << options_.bits : 0) {}

void Features::begin(std::string_view name, std::string_view group) {
  if (!spaces_.empty() && spaces_.back().begin == words_.size()) spaces_.pop_back();  // was empty
  seed_ = name.empty() ? 0 : hash(name, 1);
  spaces_.push_back({name, group, words_.size()});
}

void Features::refuse_value(std::string_view word) {
  throw BadLine("the value of " + quoted(word) + " is beyond 1e15");
}

INDUCER_INLINE void Features::emit(Block& block, Hash hash, double value) const {
  block.index.push_back(static_cast<std::uint32_t>((hash & mask_) * options_.outputs));
  block.value.push_back(static_cast<float>(value));
}

void Features::finish(Block& block) {
  const std::size_t before = block.index.size(), n = words_.size();
  if (n >= most) throw BadLine("it has more than 4,194,304 features");
  block.index.resize(before + n);
  block.value.resize(before + n);
  std::uint32_t* index = block.index.data() + before;
  float* value = block.value.data() + before;
  for (std::size_t j = 0; j < n; ++j) {
    index[j] = static_cast<std::uint32_t>((words_[j].hash & mask_) * options_.outputs);
    value[j] = words_[j].value;
  }
  if (names_.wanted())
    for (std::size_t j = 0; j < n; ++j)
      if (const Hash slot = words_[j].hash & mask_; names_.unknown(slot))
        names_.remember(slot, name_of(j));
  if (options_.ngram > 1) add_ngrams(block);
  if (options_.quadratic || !options_.interactions.empty()) add_interactions(block);
  block.index.push_back(static_cast<std::uint32_t>((mask_ + 1) * options_.outputs));  // the bias
  block.value.push_back(1);
}

void Features::add_ngrams(Block& block) {
  for (std::size_t space = 0; space < spaces_.size(); ++space) {
    const std::size_t end = end_of(space);
    for (std::size_t first = spaces_[space].begin; first < end; ++first) {
      Hash h = words_[first].hash;
      double value = words_[first].value;
      const std::size_t last = std::min(end, first + static_cast<std::size_t>(options_.ngram));
      for (std::size_t j = first + 1; j < last; ++j) {
        h = chained(h, words_[j].hash);
        value *= words_[j].value;
        emit(block, h, value);
        if (names_.wanted() && names_.unknown(h & mask_)) {
          std::string name = name_of(first);
          for (std::size_t k = first + 1; k <= j; ++k) name.append(" ").append(words_[k].text);
          names_.remember(h & mask_, name);
        }
      }
    }
  }
}

void Features::add_interactions(Block& block) {
  std::vector<std::vector<std::size_t>> terms;
  std::vector<bool> as_before;
  if (options_.quadratic) {
    std::vector<std::size_t> all(words_.size());
    for (std::size_t j = 0; j < all.size(); ++j) all[j] = j;
    terms = {all, all};
    as_before = {false, true};
    add_products(block, terms, as_before, 0, 0, 1);
  }
  for (const auto& groups : options_.interactions) {
    terms.clear();
    as_before.clear();
    for (const std::string& group : groups) {
      as_before.push_back(!terms.empty() && group == groups[terms.size() - 1]);
      auto& members = terms.emplace_back();
      for (std::size_t space = 0; space < spaces_.size(); ++space)
        if (spaces_[space].group == group)
          for (std::size_t j = spaces_[space].begin; j < end_of(space); ++j) members.push_back(j);
    }
    add_products(block, terms, as_before, 0, 0, 1);
  }
}

/// One feature of each term; of terms that are the same, each combination once.
void Features::add_products(Block& block, const std::vector<std::vector<std::size_t>>& terms,
                            const std::vector<bool>& as_before, std::size_t term, Hash sum,
                            double value) {
  if (term == terms.size()) {
    if (block.index.size() >= most + Block::most_features)
      throw BadLine("its products are more than 4,194,304 features");
    const Hash h = finished(sum);
    if (std::fabs(value) > largest) refuse_value("a product");
    if (std::fabs(value) < smallest) return;
    emit(block, h, value);
    if (names_.wanted() && names_.unknown(h & mask_)) {
      std::string name = name_of(chosen_[0]);
      for (std::size_t k = 1; k < chosen_.size(); ++k) name.append("*").append(name_of(chosen_[k]));
      names_.remember(h & mask_, name);
    }
    return;
  }
  for (const std::size_t j : terms[term]) {
    if (as_before[term] && j < chosen_.back()) continue;
    chosen_.push_back(j);
    add_products(block, terms, as_before, term + 1, sum + summand(words_[j].hash),
                 value * words_[j].value);
    chosen_.pop_back();
  }
}

std::string Features::name_of(std::size_t word) const {
  std::size_t space = spaces_.size();
  while (space > 0 && spaces_[space - 1].begin > word) --space;
  std::string name;
  if (space > 0 && !spaces_[space - 1].name.empty())
    name.append(spaces_[space - 1].name).append("^");
  return name.append(words_[word].text);
}

}  // namespace inducer::stream
