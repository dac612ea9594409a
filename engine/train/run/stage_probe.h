// SPDX-License-Identifier: Apache-2.0
// A stage whose layers are timed one by one while it does what a schedule asks of it.
#pragma once

#include "engine/train/model/layer_hooks.h"
#include "engine/train/model/stage.h"
#include "engine/layout/schedule/action.h"

#include <cstdint>
#include <vector>

namespace shardlab {

/// What a probe's seconds are of. A rank with a core of its own takes the clock's, with all that the machine does
/// beside it, as a step has; one that shares its core with other ranks takes its processor time, as the plan shares the
/// cores out.
enum class ProbeTime : std::uint8_t { Clock, Processor };
double secondsOf(ProbeTime time);

/// What was seen of one layer of a stage.
struct LayerSamples {
    std::vector<double> forward, backward, inputGrad, weightGrad;  ///< seconds, one a call
    std::int64_t activationBytes = 0;
    std::int64_t weightBytes = 0;  ///< a copy of the embedding that the last stage holds is not counted
};

class StageProbe final : LayerHooks {
public:
    /// Random weights of `spec`; inputs and gradients from other stages are random too.
    StageProbe(const StageSpec& spec, Arena& arena, ProbeTime time);

    /// F, B, I or W of one microbatch, in an order that Stage accepts.
    void run(ActionKind kind, int microbatch);
    /// By Stage::layers.
    std::vector<LayerSamples>& layers() { return layers_; }
    Stage& stage() { return stage_; }
    const StageSpec& spec() const { return spec_; }
    /// Layers below the blocks: 1 where the stage embeds.
    std::size_t layersBelow() const;
    /// Layers of each block: 2 of a gpt.
    std::size_t layersOfBlock() const;

private:
    void beforeUse(int layer) override { start(layer); }
    void afterUse(int layer) override;
    void beforeRecompute(int) override {}  // nothing is computed again
    void afterAgain(int) override {}
    void beforeGradient(int layer) override { start(layer); }
    void afterGradient(int layer) override;
    void start(int layer);
    std::size_t boundarySize(int above) const;
    /// What block `above` of the model takes, or its gradient.
    Buffer boundary(int above);
    std::int64_t activations() const;

    StageSpec spec_;
    Arena& arena_;
    ProbeTime time_;
    Stage stage_;
    std::vector<std::int32_t> tokens_, targets_;
    std::vector<float> values_;  ///< of a boundary, or more
    std::vector<LayerSamples> layers_;
    ActionKind running_ = ActionKind::None;
    double begun_ = 0;
    std::int64_t heldBefore_ = 0;
    double inputSeconds_ = 0;  ///< of the layer whose weight gradient follows
};

}  // namespace shardlab
