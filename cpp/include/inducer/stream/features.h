#pragma once
/// @file  From the words of a line to the cells of a table: hashes, n-grams, products.
///
/// A feature is a word (a column, an index) of a namespace, with a value. An n-gram stands for n
/// words in a row of one namespace, a product for one feature of each of several namespaces; their
/// value is the product of the values. All end in a table of 2^bits rows, one cell an output.
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "inducer/stream/bad_line.h"
#include "inducer/stream/block.h"
#include "inducer/stream/hash.h"
#include "inducer/stream/names.h"

namespace inducer::stream {

struct FeatureOptions {
  int bits = 18;
  int outputs = 1;
  int ngram = 1;
  bool quadratic = false;                              ///< all pairs of features, squares too
  std::vector<std::vector<std::string>> interactions;  ///< products of these namespaces
  bool named = false;
};

class Features {
 public:
  static constexpr std::size_t most = std::size_t{1} << 22;  ///< of one example

  explicit Features(FeatureOptions options);

  void clear() {
    words_.clear();
    spaces_.clear();
    chosen_.clear();
  }

  /// What is added from now on belongs to a namespace. `group` is what interactions call it.
  void begin(std::string_view name, std::string_view group);
  void begin(std::string_view name) { begin(name, name); }

  /// The views must hold until `finish`.
  void add(std::string_view word, double value) {
    if (std::fabs(value) > largest) refuse_value(word);
    if (std::fabs(value) < smallest) return;  // as good as nothing
    words_.push_back({hash(word, seed_), static_cast<float>(value), word});
  }

  /// The features that were added, those made of them, and the constant one.
  void finish(Block& block);

  const Names& names() const { return names_; }
  Names& names() { return names_; }

 private:
  /// So that neither squares nor quotients of values leave the range of a float.
  static constexpr double smallest = 1e-15, largest = 1e15;

  struct Word {
    Hash hash;
    float value;
    std::string_view text;
  };
  struct Space {
    std::string_view name, group;
    std::size_t begin;
  };

  [[noreturn]] static void refuse_value(std::string_view word);
  std::size_t end_of(std::size_t space) const {
    return space + 1 < spaces_.size() ? spaces_[space + 1].begin : words_.size();
  }
  void emit(Block& block, Hash hash, double value) const;
  void add_ngrams(Block& block);
  void add_products(Block& block, const std::vector<std::vector<std::size_t>>& terms,
                    const std::vector<bool>& as_before, std::size_t term, Hash sum, double value);
  void add_interactions(Block& block);
  std::string name_of(std::size_t word) const;

  FeatureOptions options_;
  Hash mask_;
  Hash seed_ = 0;
  std::vector<Word> words_;
  std::vector<Space> spaces_;
  std::vector<std::size_t> chosen_;
  Names names_;
};

}  // namespace inducer::stream
