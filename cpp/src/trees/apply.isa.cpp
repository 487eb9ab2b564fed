#include "inducer/trees/tree.h"

namespace inducer::INDUCER_ISA {
namespace {

using namespace trees;

/// Whether a cell goes left. A category beyond those that were seen goes as a missing cell does.
INDUCER_INLINE bool goes_left(const TreeView& t, std::int32_t node, double x) {
  const std::int64_t begin = t.set_begin[node], words = t.set_begin[node + 1] - begin;
  if (words == 0) return x != x ? t.missing_left[node] != 0 : x <= t.threshold[node];
  if (!(x >= 0 && x < static_cast<double>(words * 64))) return t.missing_left[node] != 0;
  const auto level = static_cast<std::uint64_t>(x);
  return t.set_words[begin + static_cast<std::int64_t>(level >> 6)] >> (level & 63) & 1;
}

/// Rows go down side by side: each waits for memory while the others go on.
template <class T>
void apply_view(const TreeView& t, const T* values, const Rows& X, std::int64_t begin,
                std::int64_t end, std::int32_t* leaves) {
  constexpr std::int64_t abreast = 16;
  for (std::int64_t i = begin; i < end; i += abreast) {
    const std::int64_t count = end - i < abreast ? end - i : abreast;
    std::int32_t at[abreast] = {};
    bool moved = true;
    while (moved) {
      moved = false;
      for (std::int64_t k = 0; k < count; ++k) {
        const std::int32_t feature = t.feature[at[k]];
        if (feature < 0) continue;
        const auto x = static_cast<double>(values[(i + k) * X.row_stride + feature * X.col_stride]);
        at[k] = goes_left(t, at[k], x) ? t.left[at[k]] : t.right[at[k]];
        moved = true;
      }
    }
    for (std::int64_t k = 0; k < count; ++k) leaves[i + k] = at[k];
  }
}

}  // namespace

void apply_rows(const TreeView& tree, const Rows& X, std::int64_t begin, std::int64_t end,
                std::int32_t* leaves) {
  if (X.single)
    apply_view(tree, static_cast<const float*>(X.values), X, begin, end, leaves);
  else
    apply_view(tree, static_cast<const double*>(X.values), X, begin, end, leaves);
}

}  // namespace inducer::INDUCER_ISA
