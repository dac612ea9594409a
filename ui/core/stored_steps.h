// SPDX-License-Identifier: GPL-3.0-or-later
// What a run file tells of its steps without their events: figures, and what each rank's step was made of.
#pragma once

#include "engine/trace/analysis/stragglers.h"
#include "engine/trace/metrics/summary.h"
#include "engine/trace/run_file/run_file.h"

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

namespace shardlab::ui {

/// Kinds of which the share of a rank's step is kept, in the order in which they are stacked.
inline constexpr std::array shownKinds{EventKind::Forward,    EventKind::Backward,  EventKind::InputGrad,
                                       EventKind::WeightGrad, EventKind::Recompute, EventKind::ReduceGradients,
                                       EventKind::Optimizer};
/// The share of each of shownKinds, in 255ths of the time from the step's start to its end.
using StepShares = std::array<std::uint8_t, shownKinds.size()>;

struct StoredSteps {
    std::vector<StepSummary> steps;  ///< ascending; without their ranks
    std::vector<StepShares> shares;  ///< step by step, each of `ranks`; none until the details come
    Thinning thinning;
    int ranks = 0;
};

/// What is known of some steps by rank.
struct StepDetails {
    std::vector<StepSummary> steps;  ///< ascending
    std::vector<StepShares> shares;  ///< step by step, each of all ranks
};

/// What is known once all steps were looked at.
struct StepEnds {
    std::vector<Straggler> stragglers;
    std::vector<std::int64_t> peaks;  ///< bytes, by rank
};

/// The steps over all ranks: quick, however many.
Result<StoredSteps> readSteps(const RunReader& run);
/// Whether they are so few that their details are read at once, and whether so many that none are held.
bool hasFewDetails(const StoredSteps& steps);
bool hasTooManyDetails(const StoredSteps& steps);
/// Part after part; `sink` returns false to leave off, and the result is then what was read so far.
Result<StepEnds> readDetails(const RunReader& run, const std::function<bool(StepDetails)>& sink);

}  // namespace shardlab::ui
