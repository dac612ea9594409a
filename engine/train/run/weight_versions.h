// SPDX-License-Identifier: Apache-2.0
// Copies of a rank's weights that backwards still need after the weights were updated (StashWeights, FreeWeights).
#pragma once

#include "engine/predict/plan/costs.h"
#include "engine/train/run/rank_stage.h"
#include "engine/train/run/rank_trace.h"
#include "engine/train/run/step_clock.h"

#include <map>
#include <utility>

namespace shardlab::train {

class WeightVersions {
public:
    /// Everything that is named outlives the versions.
    WeightVersions(RankStages& stages, Arena& arena, RankTrace& trace, StepClock& clock, const StepCosts& costs)
        : stages_(stages), arena_(arena), trace_(trace), clock_(clock), costs_(costs) {}

    void stash(const Action& action);
    void free(const Action& action);
    /// The stashed weights that `action` computes with; empty where it computes with the current ones.
    ConstArraySpan of(const Action& action) const;
    void clear() { copies_.clear(); }
    /// From now on each version has its number plus `by`.
    void renumber(int by);

private:
    /// Records how many versions there are, the current one of each stage included.
    void recordCount();

    RankStages& stages_;
    Arena& arena_;
    RankTrace& trace_;
    StepClock& clock_;
    const StepCosts& costs_;
    std::map<std::pair<int, int>, Buffer> copies_;  ///< by stage and version
};

}  // namespace shardlab::train
