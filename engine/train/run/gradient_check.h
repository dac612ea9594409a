// SPDX-License-Identifier: Apache-2.0
// Looks at a step's gradients before they are applied: their norm, whether all are finite, how large their numbers are.
#pragma once

#include "engine/train/comm/scalars.h"
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
    /// `atServer`: one replica has the sums of all gradients, and checks them for the others. `clip`: the largest norm;
    /// 0: none. Everything that is named outlives the check.
    GradientCheck(RankStages& stages, Arena& arena, const RankGroups& groups, RankTrace& trace, const LossScale& scale,
                  bool atServer, double clip);

    /// What holds where nobody looks at the gradients: they are finite, and not clipped.
    CheckedGradients unchecked() const { return {0, false, 1 / scale_.value()}; }
    /// Collective over the replica, the experts' group and the data group or those that share a copy, which all come to
    /// the same result.
    CheckedGradients check(int step);
    /// Where there is a server, for the other replicas while it checks: what it came to, without norm and factor.
    CheckedGradients learnOfCheck();

private:
    /// Sum over all stages of the model; not finite where a gradient is not.
    double squaredNorm();
    /// The mark of this rank's first gradient that is not finite, which is cleared; 0: there was none.
    std::int32_t takeMark();
    /// Whether any replica has a mark.
    bool anyMark(std::int32_t own) { return sum(groups_.data, own != 0 ? 1.0 : 0.0) > 0; }
    void recordOverflow(std::int32_t mark);
    void recordOverflowOfSum();
    void recordExponents();

    RankStages& stages_;
    Device& device_;
    const RankGroups groups_;
    RankTrace& trace_;
    const LossScale& scale_;
    bool atServer_;
    double clip_;
    Buffer overflow_;  ///< the mark of the first gradient that is not finite; empty where no loss is scaled
};

}  // namespace shardlab::train
