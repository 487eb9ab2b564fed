// inducer._core.trees: tables as trees see them, the growing of a tree, and the way down it.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string_view.h>

#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "arrays.h"
#include "inducer/trees/fit.h"

namespace inducer {
namespace {

using namespace trees;

Criterion criterion_named(std::string_view name) {
  constexpr std::pair<std::string_view, Criterion> all[] = {
      {"gini", Criterion::gini},
      {"entropy", Criterion::entropy},
      {"error", Criterion::error},
      {"gain_ratio", Criterion::gain_ratio},
      {"squared_error", Criterion::squared_error},
      {"friedman_mse", Criterion::friedman_mse},
      {"poisson", Criterion::poisson},
      {"variance", Criterion::variance}};
  for (const auto& [known, criterion] : all)
    if (known == name) return criterion;
  throw std::invalid_argument("no such criterion: " + std::string(name));
}

template <class View>
void require_categories(const View& X, const std::vector<std::int32_t>& levels) {
  for (std::int64_t j = 0; j < X.cols; ++j) {
    const std::int32_t count = levels[static_cast<std::size_t>(j)];
    require(count >= 0, "categories must be 0 or more");
    for (std::int64_t i = 0; count > 0 && i < X.rows; ++i) {
      const auto x = static_cast<double>(X.values[i * X.row_stride + j * X.col_stride]);
      require(std::isnan(x) || (x >= 0 && x < count && x == std::floor(x)),
              "row " + std::to_string(i) + ", column " + std::to_string(j) + ": " +
                  std::to_string(x) + " is no category of 0 to " + std::to_string(count - 1));
    }
  }
}

void bind_table(nb::module_& m) {
  nb::class_<Table>(m, "TreeTable", "Of each cell only how it compares with others of its column.")
      .def(
          "__init__",
          [](Table* self, const HeldRows& X, Vector<std::int32_t> categories, std::int64_t max_bins,
             int threads) {
            const Rows& rows = X.view;
            require_length("categories", categories, rows.cols);
            require(rows.rows >= 1 && rows.cols >= 1, "a table has rows and columns");
            require(rows.rows < std::int64_t{1} << 31, "at most 2^31 - 1 rows");
            require(max_bins == 0 || (max_bins >= 2 && max_bins <= 65535),
                    "max_bins must be 0 or between 2 and 65535");
            require(rows.layout != Rows::Layout::sparse, "trees take dense tables");
            std::vector<std::int32_t> levels = to_vector(categories);
            nb::gil_scoped_release release;
            Rows strided = rows;
            strided.layout = Rows::Layout::strided;
            const auto check = [&](const auto& view) {
              if constexpr (requires { view.row_stride; }) require_categories(view, levels);
            };
            visit(strided, check);
            new (self) Table(rows, std::move(levels), max_bins, threads);
          },
          "X"_a, nb::kw_only(), "categories"_a.noconvert(), "max_bins"_a, "threads"_a)
      .def_prop_ro("rows", &Table::rows)
      .def_prop_ro("cols", &Table::cols)
      .def_prop_ro("method", [](const Table& t) { return t.exact() ? "exact" : "binned"; });
}

template <class T>
auto copied(const std::vector<T>& values) {
  return to_numpy(std::vector<T>(values));
}

nb::dict arrays_of(Tree tree) {
  nb::dict found;
  const auto nodes = static_cast<std::size_t>(tree.nodes());
  const std::size_t shape[2] = {nodes, static_cast<std::size_t>(tree.outputs)};
  found["feature"] = nb::cast(to_numpy(std::move(tree.feature)));
  found["threshold"] = nb::cast(to_numpy(std::move(tree.threshold)));
  found["left"] = nb::cast(to_numpy(std::move(tree.left)));
  found["right"] = nb::cast(to_numpy(std::move(tree.right)));
  auto* const sides = new bool[nodes];
  std::copy(tree.missing_left.begin(), tree.missing_left.end(), sides);
  nb::capsule owner(sides, [](void* p) noexcept { delete[] static_cast<bool*>(p); });
  found["missing_left"] =
      nb::cast(nb::ndarray<nb::numpy, bool, nb::ndim<1>>(sides, 1, shape, owner));
  found["set_begin"] = nb::cast(to_numpy(std::move(tree.set_begin)));
  found["set_words"] = nb::cast(to_numpy(std::move(tree.set_words)));
  found["value"] = nb::cast(to_numpy(std::move(tree.value), shape));
  found["impurity"] = nb::cast(to_numpy(std::move(tree.impurity)));
  found["samples"] = nb::cast(to_numpy(std::move(tree.samples)));
  found["weight"] = nb::cast(to_numpy(std::move(tree.weight)));
  found["gain"] = nb::cast(to_numpy(std::move(tree.gain)));
  return found;
}

void bind_fit(nb::module_& m) {
  using Codes = Vector<std::int32_t>;
  nb::class_<TreeFit>(m, "TreeFit", "A tree that grows in slices.")
      .def(
          "__init__",
          [](TreeFit* self, std::shared_ptr<Table> table, std::optional<Codes> codes,
             std::int64_t outputs, std::optional<Matrix<double>> targets,
             std::optional<Vector<double>> weights, std::string_view criterion,
             std::int64_t max_depth, std::int64_t max_leaves, double min_split, double min_leaf,
             double min_weight_leaf, double min_decrease, std::int64_t max_features,
             bool random_splits, std::optional<Vector<std::int8_t>> monotone, std::uint64_t seed) {
            const Criterion chosen = criterion_named(criterion);
            require(classifies(chosen) == codes.has_value() &&
                        classifies(chosen) != targets.has_value(),
                    "classes need codes and their criteria; numbers need targets and theirs");
            require(outputs >= 1 && outputs < (1 << 24), "outputs out of range");
            require(!random_splits, "random splits are not there yet");
            require(!monotone, "monotone constraints are not there yet");
            require(max_features >= 1, "max_features must be 1 or more");
            if (codes) {
              require_length("codes", *codes, table->rows());
              for (std::size_t i = 0; i < codes->shape(0); ++i)
                require((*codes)(i) >= 0 && (*codes)(i) < outputs,
                        "codes must lie between 0 and outputs - 1");
            }
            if (targets) {
              require_length("targets", *targets, table->rows());
              require(static_cast<std::int64_t>(targets->shape(1)) == outputs,
                      "targets has the wrong width");
            }
            if (weights) require_length("weights", *weights, table->rows());
            const Labels labels{codes ? codes->data() : nullptr, targets ? targets->data() : nullptr,
                                outputs, weights ? weights->data() : nullptr};
            const GrowOptions options{max_depth,
                                      max_leaves,
                                      std::max(2.0, min_split),
                                      min_decrease,
                                      {std::max(1.0, min_leaf), min_weight_leaf},
                                      max_features,
                                      seed};
            nb::gil_scoped_release release;
            new (self) TreeFit(std::move(table), chosen, labels, options, 1);
          },
          "table"_a, nb::kw_only(), "codes"_a.noconvert().none(), "outputs"_a,
          "targets"_a.noconvert().none(), "weights"_a.noconvert().none(), "criterion"_a,
          "max_depth"_a, "max_leaves"_a, "min_split"_a, "min_leaf"_a, "min_weight_leaf"_a,
          "min_decrease"_a, "max_features"_a, "random_splits"_a, "monotone"_a.noconvert().none(),
          "seed"_a)
      .def(
          "advance",
          [](TreeFit& fit, Monitor& monitor, std::int64_t, int threads) {
            nb::gil_scoped_release release;
            fit.advance(monitor, threads);
          },
          "monitor"_a, "passes"_a, "threads"_a, "Run until finished or the slice is over.")
      .def("reached", [](const TreeFit& fit, std::int64_t) { return fit.done(); }, "passes"_a)
      .def("tree", [](const TreeFit& fit) {
        require(fit.done(), "the tree is still growing");
        return arrays_of(fit.tree());
      });
}

}  // namespace

void bind_trees(nb::module_& m) {
  bind_table(m);
  bind_fit(m);
  m.def(
      "apply",
      [](Vector<std::int32_t> feature, Vector<double> threshold, Vector<std::int32_t> left,
         Vector<std::int32_t> right, Vector<bool> missing_left, Vector<std::int64_t> set_begin,
         Vector<std::uint64_t> set_words, const HeldRows& X, int threads) {
        const auto nodes = static_cast<std::int64_t>(feature.shape(0));
        require(nodes >= 1, "a tree has a node");
        require_length("threshold", threshold, nodes);
        require_length("left", left, nodes);
        require_length("right", right, nodes);
        require_length("missing_left", missing_left, nodes);
        require_length("set_begin", set_begin, nodes + 1);
        const auto words = static_cast<std::int64_t>(set_words.shape(0));
        for (std::size_t k = 0; k < feature.shape(0); ++k) {
          const auto node = static_cast<std::int32_t>(k);
          // Children come after their parent: no row goes in circles.
          require(feature(k) < 0 || (feature(k) < X.view.cols && left(k) > node &&
                                     left(k) < nodes && right(k) > node && right(k) < nodes),
                  "node " + std::to_string(k) + " is no node of a tree for this table");
          require(0 <= set_begin(k) && set_begin(k) <= set_begin(k + 1) && set_begin(k + 1) <= words,
                  "set_begin does not rise from 0 to the number of words");
        }
        require(X.view.layout != Rows::Layout::sparse, "trees take dense tables");
        std::vector<std::int32_t> leaves(static_cast<std::size_t>(X.view.rows));
        {
          nb::gil_scoped_release release;
          const TreeView view{feature.data(),
                              threshold.data(),
                              left.data(),
                              right.data(),
                              reinterpret_cast<const std::uint8_t*>(missing_left.data()),
                              set_begin.data(),
                              set_words.data()};
          apply(view, X.view, leaves.data(), threads);
        }
        return to_numpy(std::move(leaves));
      },
      "feature"_a.noconvert(), "threshold"_a.noconvert(), "left"_a.noconvert(),
      "right"_a.noconvert(), "missing_left"_a.noconvert(), "set_begin"_a.noconvert(),
      "set_words"_a.noconvert(), "X"_a, "threads"_a, "The leaf of each row.");
}

}  // namespace inducer
