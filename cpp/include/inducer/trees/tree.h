#pragma once
/// @file  A tree as flat arrays: what a fit leaves behind, and what prediction reads.
#include <cstdint>
#include <vector>

#include "inducer/base/isa.h"
#include "inducer/base/views.h"

namespace inducer::trees {

/// Nodes in preorder; node 0 is the root.
struct Tree {
  std::int64_t outputs = 1;
  std::vector<std::int32_t> feature;   ///< -1: a leaf
  std::vector<double> threshold;       ///< x <= threshold goes left
  std::vector<std::int32_t> left, right;
  std::vector<std::uint8_t> missing_left;
  std::vector<std::int64_t> set_begin;   ///< nodes + 1 places in set_words
  std::vector<std::uint64_t> set_words;  ///< the categories that go left, a bit each
  std::vector<double> value;             ///< nodes x outputs
  std::vector<double> impurity, weight, gain;
  std::vector<std::int64_t> samples;

  std::int64_t nodes() const noexcept { return static_cast<std::int64_t>(feature.size()); }
};

/// What of a tree is needed to send a row to its leaf.
struct TreeView {
  const std::int32_t* feature;
  const double* threshold;
  const std::int32_t *left, *right;
  const std::uint8_t* missing_left;
  const std::int64_t* set_begin;
  const std::uint64_t* set_words;
};

/// leaves[i] = the leaf of row i.
void apply(const TreeView& tree, const Rows& X, std::int32_t* leaves, int threads);

}  // namespace inducer::trees

namespace inducer {

INDUCER_PER_ISA(void apply_rows(const trees::TreeView& tree, const Rows& X, std::int64_t begin,
                                std::int64_t end, std::int32_t* leaves))

}  // namespace inducer
