// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/train/model/layer.h"
#include "engine/train/model/layer_context.h"
#include "kernels/dropout.h"

#include <string>

namespace shardlab::train {

/// One place of a model where activations are dropped. Its masks depend on the run's seed, the place's name, and the
/// number of the sample in the run (and so on the step), but not on which rank computes the sample with which others.
class DropoutSite {
public:
    /// Where `share` is 0, nothing is dropped.
    DropoutSite(double share, std::int64_t seed, const std::string& name);

    /// The mask that has `rowsOfSample` rows for each sample and begins at row `row` of the state's first sample. It
    /// drops nothing where the state belongs to no training sample (validation).
    DropoutMask mask(const LayerState& state, std::int64_t rowsOfSample, std::int64_t row) const;
    /// The mask of a matrix [own tokens, columns], which has a row for each token of a whole sample.
    DropoutMask ofOwnTokens(const LayerContext& context, const LayerState& state) const;

private:
    float share_;
    std::uint64_t key_;
};

}  // namespace shardlab::train
