// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/train/comm/communicator.h"

namespace shardlab::train {

/// Data parallelism: replicas hold the same stage and saw different samples. Each has scaled its gradients by
/// 1 ÷ (microbatches · replicas) already, so their sum over the data axis is the average over the global batch:
/// g = Σ_d Σ_j g_dj ÷ (m·D). Afterwards every replica has the same bits, so equal updates keep the replicas equal.
void averageGradients(ArraySpan gradients, Communicator& data);

/// The factor by which each microbatch's loss gradient is scaled so that averageGradients() gives an average.
inline float gradientScale(int microbatches, int replicas) {
    return 1.0f / (static_cast<float>(microbatches) * static_cast<float>(replicas));
}

}  // namespace shardlab::train
