// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/train/model/layer.h"
#include "kernels/dropout.h"

#include <string>

namespace shardlab {

/// One place of a model where activations are dropped. Its masks follow from the run's seed, the place's name, and the
/// number of the sample in the run, which tells the step too: not from who computes the sample, nor with which others.
class DropoutSite {
public:
    /// share = 0: nothing is dropped.
    DropoutSite(double share, std::int64_t seed, const std::string& name);

    /// Where a mask of `rowsOfSample` rows a sample begins at row `row` of the state's first sample. Drops nothing
    /// where the state belongs to no sample of the training (validation).
    DropoutMask mask(const LayerState& state, std::int64_t rowsOfSample, std::int64_t row) const;

private:
    float share_;
    std::uint64_t key_;
};

}  // namespace shardlab
