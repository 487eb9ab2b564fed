#include <stdexcept>

#include "inducer/base/parallel.h"
#include "inducer/trees/tree.h"

namespace inducer::trees {
namespace {

void apply_rows_here(const TreeView& tree, const Rows& X, std::int64_t begin, std::int64_t end,
                     std::int32_t* leaves) {
  INDUCER_DISPATCH(apply_rows(tree, X, begin, end, leaves))
}

}  // namespace

void apply(const TreeView& tree, const Rows& X, std::int32_t* leaves, int threads) {
  if (X.layout == Rows::Layout::sparse) throw std::invalid_argument("trees take dense tables");
  constexpr double work = 100;  // a row goes down some ten nodes
  parallel_for(threads, X.rows, work, [&](std::int64_t begin, std::int64_t end) {
    apply_rows_here(tree, X, begin, end, leaves);
  });
}

}  // namespace inducer::trees
