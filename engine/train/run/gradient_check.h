// SPDX-License-Identifier: Apache-2.0
// Looks at a step's gradients before they are applied: their norm, whether all are finite, how large their numbers are.
#pragma once

#include "engine/train/run/loss_scale.h"
#include "engine/train/run/rank_groups.h"
#include "engine/train/run/rank_stage.h"
#include "engine/train/run/rank_trace.h"

namespace shardlab::train {

struct CheckedGradients {
    double norm = 0;        ///< before clipping, of the whole model
    bool overflow = false;  ///< a gradient is not finite: nothing may be updated
    float factor = 1;       ///< what an update multiplies each gradient by: undoes the loss scale, and clips
};

class GradientCheck {
public:
    /// `clip`: the largest norm; 0: none. Everything that is named outlives the check.
    GradientCheck(RankStages& stages, Arena& arena, const RankGroups& groups, RankTrace& trace, const LossScale& scale,
                  double clip);

    /// What holds where nobody looks at the gradients: they are finite, and not clipped.
    CheckedGradients unchecked() const { return {0, false, 1 / scale_.value()}; }
    /// Collective over the replica, the experts' group and the data group or those that share a copy, which all come to
    /// the same result.
    CheckedGradients check(int step);

private:
    /// Sum over all stages of the model; not finite where a gradient is not.
    double squaredNorm();
    void recordOverflow();
    void recordOverflowOfSum();
    void recordExponents();

    RankStages& stages_;
    Device& device_;
    const RankGroups groups_;
    RankTrace& trace_;
    const LossScale& scale_;
    double clip_;
    Buffer overflow_;  ///< the mark of the first gradient that is not finite; empty where no loss is scaled
};

}  // namespace shardlab::train
