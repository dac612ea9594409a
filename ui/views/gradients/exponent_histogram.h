// SPDX-License-Identifier: GPL-3.0-or-later
// Gradients of one step counted by their exponent, read out of a run's counters.
#pragma once

#include "engine/trace/event/exponents.h"
#include "ui/core/run_model.h"

#include <array>
#include <cstdint>
#include <vector>

namespace shardlab::ui {

struct ExponentCounts {
    int step = -1;           ///< -1: nothing was recorded
    std::int64_t begin = 0;  ///< when the last rank told of it
    std::array<double, exponentBins> bins{};
    double zeros = 0;
    double notFinite = 0;

    double all() const;
    /// How many have an exponent in [first, last].
    double within(int first, int last) const;
};

/// How many gradients fp16 keeps, of those that are not 0.
struct HalfFit {
    double vanish = 0;     ///< below 2^-24
    double subnormal = 0;  ///< 2^-24 … 2^-14: digits are lost
    double kept = 0;
    double infinite = 0;  ///< 2^16 and above
};
HalfFit halfFit(const ExponentCounts& counts);

/// The steps whose gradients were recorded, ascending.
std::vector<int> recordedSteps(const RunModel& model);
/// The counts of the last recorded step at or before `step`, or of the first recorded step where there is none. `rank`
/// -1: the sum over all ranks.
ExponentCounts exponentsAt(const RunModel& model, int step, int rank);

}  // namespace shardlab::ui
