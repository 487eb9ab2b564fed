#pragma once
/// @file  Several problems of one fit (one a class) advanced together.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "inducer/base/monitor.h"
#include "inducer/base/parallel.h"

namespace inducer::linear {

/// Whether no problem has more to do before it has made this many passes.
template <class Problem>
bool reached(const std::vector<Problem>& problems, std::int64_t passes) {
  return std::all_of(problems.begin(), problems.end(),
                     [=](const Problem& p) { return p.passes.count().reached(passes); });
}

/// advance_one(k) for the problems that have passes to make, as many at a time as there are
/// threads: only those hold an order of the rows.
template <class Problem, class AdvanceOne>
void advance_problems(const std::vector<Problem>& problems, const Monitor& monitor,
                      std::int64_t passes, int threads, AdvanceOne&& advance_one) {
  std::vector<std::size_t> batch;
  do {
    batch.clear();
    for (std::size_t k = 0; k < problems.size(); ++k)
      if (!problems[k].passes.count().reached(passes) &&
          static_cast<int>(batch.size()) < std::max(1, threads))
        batch.push_back(k);
    parallel_chunks(threads, static_cast<std::int64_t>(batch.size()), [&](std::int64_t chunk) {
      advance_one(batch[static_cast<std::size_t>(chunk)]);
    });
  } while (!batch.empty() && !monitor.should_stop());
}

}  // namespace inducer::linear
