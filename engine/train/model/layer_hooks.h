// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/wings.h"

namespace shardlab::train {

/// Called around the work of a stage, layer by layer (Stage::layers; 0 is the lowest). ZeRO gathers weights here just
/// before they are read, and takes gradients as soon as they are final.
class LayerHooks {
public:
    virtual ~LayerHooks() = default;
    /// The layer's weights are read between these two: forward from the bottom, input gradients from the top. The
    /// embedding has no input gradient and is not called for it.
    virtual void beforeUse(int layer) = 0;
    virtual void afterUse(int layer) = 0;
    /// A layer of a segment is recomputed between these two, from the segment's bottom, before the input gradients of
    /// its layers.
    virtual void beforeRecompute(int layer) = 0;
    virtual void afterRecompute(int layer) = 0;
    /// The microbatch's weight gradient is added between these two, from the top.
    virtual void beforeGradient(int layer) = 0;
    virtual void afterGradient(int layer) = 0;
    /// Whether a layer's weight gradient has no place but between these two.
    virtual bool placesGradients() const { return false; }
};

}  // namespace shardlab::train
