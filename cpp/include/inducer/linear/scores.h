#pragma once
/// @file  What every linear model predicts with: scores = X W' + b.
#include <concepts>
#include <cstdint>

#include "inducer/base/isa.h"
#include "inducer/base/views.h"

namespace inducer::linear {

/// @param W       outputs x cols, by rows, of X's precision
/// @param b       outputs
/// @param scores  rows x outputs; rows [begin, end) are written
template <std::floating_point T>
void scores(const Rows& X, const T* W, const T* b, std::int64_t outputs, std::int64_t begin,
            std::int64_t end, T* scores, int threads);

}  // namespace inducer::linear

namespace inducer {

INDUCER_PER_ISA(void scores_of(const Rows& X, const float* W, const float* b, std::int64_t outputs,
                               std::int64_t begin, std::int64_t end, float* scores);
                void scores_of(const Rows& X, const double* W, const double* b,
                               std::int64_t outputs, std::int64_t begin, std::int64_t end,
                               double* scores))

}  // namespace inducer
