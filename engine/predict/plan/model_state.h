// SPDX-License-Identifier: Apache-2.0
// Weights, gradients, optimizer state and what else a stage holds from the first action of a step to the last, on the
// device and on the host.
#pragma once

#include "engine/base/memory_category.h"
#include "engine/layout/layout.h"
#include "engine/layout/model_shape.h"

#include <vector>

namespace shardlab::predict {

/// The replica that holds most.
int fullestReplica(const ParallelSpec& parallel);

/// What one stage holds throughout on data replica `replica`, a server among them: what ZeRO shares out, the others
/// have whole. Per parameter weight w, gradient g and optimizer state o bytes (fp32 AdamW 4, 4, 8; with 16-bit weights
/// and an fp32 master copy 2, 2, 12; with moments in 8 bits 2 + 8/256 instead of AdamW's 8; Adafactor's and SM3's rows
/// and columns are far fewer): (w+g)Ψ + oΨ/d with ZeRO 1, wΨ + (g+o)Ψ/d with 2, (w+g+o)Ψ/d with 3, d being the
/// replicas that share a copy. Where the optimizer lies on the host, o is 0 here, and w too where parameters do
/// (hostBytes).
MemoryBytes stateBytes(const Layout& layout, const StageShape& shape, const TensorShare& share, int replica);
/// stateBytes() where `updated`, the replica's updatedParameters(), is known.
MemoryBytes stateBytes(const Layout& layout, const StageShape& shape, const TensorShare& share, int replica,
                       std::int64_t updated);

/// ZeRO-Offload: of a rank with these stages, what lies on the host. Of Ψ parameters that it updates, weights on their
/// way to the device (Parameters) w, gradients g and state (Optimizer) o bytes each: fp32 AdamW 4, 4, 8, where the
/// weights are those that are updated; with 16-bit weights and an fp32 master copy 2, 2, 12. Nothing without.
/// `replica`: -1 the one that holds most.
MemoryBytes hostBytes(const Layout& layout, const std::vector<int>& stages, const TensorShare& share, int replica);

}  // namespace shardlab::predict
