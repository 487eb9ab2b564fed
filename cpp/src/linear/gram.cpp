#include "inducer/linear/gram.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "inducer/base/parallel.h"
#include "inducer/linear/gram_tile.h"

namespace inducer::linear {
namespace {

void add_packed_here(const Rows& X, const GramTerms& terms, std::int64_t begin, std::int64_t end,
                     ColumnBlock r, ColumnBlock c, const GramSpace& space) {
  INDUCER_DISPATCH(add_packed_gram(X, terms, begin, end, r, c, space))
}

void add_cells_here(const Rows& X, const GramTerms& terms, std::int64_t begin, std::int64_t end,
                    ColumnBlock r, double* A) {
  INDUCER_DISPATCH(add_gram_cells(X, terms, begin, end, r, A))
}

/// Zeroed panels and sums for one block of A, at the beginning of a cache line.
class Workspace {
 public:
  Workspace(std::int64_t r_cols, std::int64_t c_cols)
      : space_{nullptr, nullptr, panel_stride(std::max(r_cols, c_cols)), nullptr, padded(c_cols)} {
    const std::int64_t panel = panel_rows * space_.stride;
    const std::int64_t sums = padded(r_cols) * space_.a_stride;
    const auto size = static_cast<std::size_t>(2 * panel + sums);
    std::size_t room = (size + 8) * sizeof(double);
    memory_ = std::make_unique<double[]>(size + 8);
    void* begin = memory_.get();
    space_.P = static_cast<double*>(std::align(64, size * sizeof(double), begin, room));
    space_.Q = space_.P + panel;
    space_.A = space_.Q + panel;
  }
  const GramSpace& space() const { return space_; }

 private:
  GramSpace space_;
  std::unique_ptr<double[]> memory_;
};

/// The block (r, c) of A += what was summed.
void pour(const GramSpace& space, ColumnBlock r, ColumnBlock c, std::int64_t width, double* A) {
  for (std::int64_t i = 0; i < r.count; ++i) {
    const std::int64_t from = r.first == c.first ? i : 0;
    double* const to = A + (r.first + i) * width + c.first;
    for (std::int64_t j = from; j < c.count; ++j) to[j] += space.A[i * space.a_stride + j];
  }
}

void add_by_rows(const Rows& X, const GramTerms& terms, std::int64_t begin, std::int64_t end,
                 std::int64_t width, double* A, int threads) {
  const auto work = static_cast<double>(width * (width + 1) / 2);
  const Split split(end - begin, work, 32);
  std::vector<std::unique_ptr<Workspace>> spaces(static_cast<std::size_t>(split.count));
  const ColumnBlock all{0, width};
  parallel_chunks(threads, split.count, [&](std::int64_t chunk) {
    auto& made = spaces[static_cast<std::size_t>(chunk)];
    made = std::make_unique<Workspace>(width, width);
    add_packed_here(X, terms, begin + split.begin(chunk), begin + split.begin(chunk + 1), all, all,
                    made->space());
  });
  for (const auto& made : spaces) pour(made->space(), all, all, width, A);
}

void add_by_blocks(const Rows& X, const GramTerms& terms, std::int64_t begin, std::int64_t end,
                   std::int64_t width, double* A, int threads) {
  const std::int64_t count = (width + narrow - 1) / narrow;
  const std::int64_t size = padded((width + count - 1) / count);
  const auto block = [&](std::int64_t k) {
    return ColumnBlock{k * size, std::min(size, width - k * size)};
  };
  std::vector<std::pair<ColumnBlock, ColumnBlock>> tasks;
  for (std::int64_t r = 0; r * size < width; ++r)
    for (std::int64_t c = r; c * size < width; ++c) tasks.emplace_back(block(r), block(c));
  parallel_chunks(threads, static_cast<std::int64_t>(tasks.size()), [&](std::int64_t task) {
    const auto [r, c] = tasks[static_cast<std::size_t>(task)];
    const Workspace made(r.count, c.count);
    add_packed_here(X, terms, begin, end, r, c, made.space());
    pour(made.space(), r, c, width, A);
  });
}

/// The first rows of the triangle have the most cells: bands of about the same number.
void add_by_cells(const Rows& X, const GramTerms& terms, std::int64_t begin, std::int64_t end,
                  std::int64_t width, double* A, int threads) {
  const std::int64_t cells = X.starts[end] - X.starts[begin];
  const double mean =
      static_cast<double>(cells) / static_cast<double>(std::max<std::int64_t>(1, end - begin));
  const Split split(width, mean * static_cast<double>(cells) / static_cast<double>(width), 8);
  const auto edge = [&](std::int64_t chunk) {
    const double left = 1 - static_cast<double>(chunk) / static_cast<double>(split.count);
    return chunk == split.count
               ? width
               : static_cast<std::int64_t>(static_cast<double>(width) * (1 - std::sqrt(left)));
  };
  parallel_chunks(threads, split.count, [&](std::int64_t chunk) {
    const std::int64_t first = edge(chunk);
    add_cells_here(X, terms, begin, end, {first, edge(chunk + 1) - first}, A);
  });
}

}  // namespace

bool by_cells(const Rows& X) {
  if (X.layout != Rows::Layout::sparse || X.rows == 0) return false;
  // A product by a scattered cell costs about as much as eight of a tile, and there are cells^2.
  const double filled = static_cast<double>(X.starts[X.rows]) /
                        (static_cast<double>(X.rows) * static_cast<double>(X.cols + 1));
  return filled * filled < 0.1;
}

void add_gram(const Rows& X, const GramTerms& terms, std::int64_t begin, std::int64_t end,
              double* A, int threads) {
  const std::int64_t width = X.cols + terms.outputs + 1;
  if (begin >= end) return;
  if (by_cells(X))
    add_by_cells(X, terms, begin, end, width, A, threads);
  else if (width <= narrow)
    add_by_rows(X, terms, begin, end, width, A, threads);
  else
    add_by_blocks(X, terms, begin, end, width, A, threads);
}

}  // namespace inducer::linear
