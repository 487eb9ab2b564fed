#pragma once
/// @file  A loss that is told apart at run time, at many targets and scores.
#include <cstdint>
#include <optional>
#include <string_view>

#include "inducer/base/isa.h"
#include "inducer/losses/losses.h"

namespace inducer::losses {

/// The kind of a name as inducer.losses has it, "squared_hinge" for one.
std::optional<Kind> kind_named(std::string_view name);

/// Value, slope and curvature, cell by cell.
void evaluate(const Loss& loss, const double* y, const double* z, std::int64_t count, double* value,
              double* slope, double* curvature);

}  // namespace inducer::losses

namespace inducer {

INDUCER_PER_ISA(void evaluate_loss(const inducer::losses::Loss& loss, const double* y,
                                   const double* z, std::int64_t count, double* value,
                                   double* slope, double* curvature))

}  // namespace inducer
