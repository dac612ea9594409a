// SPDX-License-Identifier: GPL-3.0-or-later
// What a run file tells of its steps without their events: figures, and what each rank's step was made of.
#pragma once

#include "engine/trace/run_file.h"
#include "engine/trace/stragglers.h"
#include "engine/trace/summary.h"

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

namespace shardlab {

/// Kinds of which the share of a rank's step is kept, in the order in which they are stacked.
inline constexpr std::array shownKinds{EventKind::Forward,   EventKind::Backward,        EventKind::InputGrad, EventKind::WeightGrad,
                                       EventKind::Recompute, EventKind::ReduceGradients, EventKind::Optimizer};
/// Of each of shownKinds, in 255ths of the time from the step's begin to its end.
using StepShares = std::array<std::uint8_t, shownKinds.size()>;

struct StoredSteps {
    std::vector<StepSummary> steps;   ///< ascending; of a long run without their ranks
    std::vector<StepShares> shares;   ///< step by step, each of `ranks`
    std::vector<Straggler> stragglers;
    std::vector<std::int64_t> peaks;  ///< bytes, by rank
    Thinning thinning;
    int ranks = 0;
};

/// `wanted`, asked now and then, returns false to leave off; the result is then what was read so far.
Result<StoredSteps> readSteps(const RunReader& run, const std::function<bool()>& wanted);

}  // namespace shardlab
