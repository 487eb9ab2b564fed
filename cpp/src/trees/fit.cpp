#include "inducer/trees/fit.h"

#include <algorithm>
#include <utility>

#include "inducer/base/parallel.h"

namespace inducer::trees {
namespace {

/// Cells of a small node: with their rows' targets they stay in the second-level cache.
constexpr std::int64_t small_cells = 1 << 17;

std::int64_t small_rows(const Table& table) {
  return std::max<std::int64_t>(64, small_cells / std::max<std::int64_t>(1, table.cols()));
}

/// Writes nodes in preorder.
class Writer {
 public:
  Writer(const Table& table, const RowData& data, const std::vector<Nodes>& subtrees)
      : table_(table), data_(data), subtrees_(subtrees) {
    tree.outputs = data.outputs;
  }

  Tree tree;

  void write(const Nodes& whole) {
    struct Place {
      const Nodes* nodes;
      std::int32_t node;
      std::int32_t parent;  // whose right child this is; or -1
    };
    std::vector<Place> stack{{&whole, 0, -1}};
    while (!stack.empty()) {
      Place at = stack.back();
      stack.pop_back();
      const auto index = static_cast<std::int32_t>(tree.feature.size());
      if (at.parent >= 0) tree.right[static_cast<std::size_t>(at.parent)] = index;
      const Node* node = &at.nodes->list[static_cast<std::size_t>(at.node)];
      if (node->subtree >= 0) {
        at.nodes = &subtrees_[static_cast<std::size_t>(node->subtree)];
        at.node = 0;
        node = &at.nodes->list[0];
      }
      add(*node, at.nodes->sums.data() + at.node * data_.stride());
      if (node->left < 0) continue;
      tree.left[static_cast<std::size_t>(index)] = index + 1;
      stack.push_back({at.nodes, node->right, index});
      stack.push_back({at.nodes, node->left, -1});
    }
    tree.set_begin.push_back(static_cast<std::int64_t>(tree.set_words.size()));
  }

 private:
  void add(const Node& node, const double* sums) {
    const Split& split = node.cut.split;
    const bool leaf = node.left < 0;
    tree.feature.push_back(leaf ? -1 : split.column);
    const bool number = !leaf && !table_.column(split.column).categorical();
    tree.threshold.push_back(number ? table_.threshold(split.column, split.below, split.above)
                                    : 0.0);
    tree.left.push_back(-1);
    tree.right.push_back(-1);
    tree.missing_left.push_back(!leaf && split.missing_left);
    tree.set_begin.push_back(static_cast<std::int64_t>(tree.set_words.size()));
    if (!leaf)
      tree.set_words.insert(tree.set_words.end(), node.cut.set.begin(), node.cut.set.end());
    tree.value.resize(tree.value.size() + static_cast<std::size_t>(data_.outputs));
    data_.value(sums, tree.value.data() + tree.value.size() - data_.outputs);
    tree.impurity.push_back(data_.impurity(sums));
    tree.weight.push_back(sums[0]);
    tree.gain.push_back(node.gain);
    tree.samples.push_back(node.rows);
  }

  const Table& table_;
  const RowData& data_;
  const std::vector<Nodes>& subtrees_;
};

}  // namespace

TreeFit::TreeFit(std::shared_ptr<const Table> table, Criterion criterion, const Labels& labels,
                 const GrowOptions& options, int threads)
    : table_(std::move(table)),
      options_(options),
      grower_(SortedSpace(*table_, RowData(criterion, labels, table_->rows()), threads), options,
              small_rows(*table_)) {
  std::vector<double> sums(static_cast<std::size_t>(grower_.space().data().stride()));
  grower_.space().sum({0, grower_.space().rows()}, sums.data());
  whole_ = sums[0];
  grower_.begin(0, 1, sums.data(), whole_);
}

void TreeFit::advance(Monitor& monitor, int threads) {
  grower_.advance(&monitor, threads);
  if (!grower_.done()) return;
  const auto count = grower_.put_aside().size();
  subtrees_.resize(count);
  parallel_chunks(threads, static_cast<std::int64_t>(count), [&](std::int64_t k) {
    const auto which = static_cast<std::size_t>(k);
    if (subtrees_[which].list.empty() && !monitor.should_stop()) grow_small(which);
  });
  grown_ = static_cast<std::size_t>(std::count_if(
      subtrees_.begin(), subtrees_.end(), [](const Nodes& nodes) { return !nodes.list.empty(); }));
}

void TreeFit::grow_small(std::size_t which) {
  const Open& open = grower_.put_aside()[which];
  Grower<SortedSpace> small(grower_.space().of(open.range), options_, 0);
  const double* const sums =
      grower_.nodes().sums.data() + open.node * grower_.space().data().stride();
  small.begin(open.depth, open.key, sums, whole_);
  small.advance(nullptr, 1);
  subtrees_[which] = small.take();
}

Tree TreeFit::tree() const {
  Writer writer(*table_, grower_.space().data(), subtrees_);
  writer.write(grower_.nodes());
  return std::move(writer.tree);
}

}  // namespace inducer::trees
