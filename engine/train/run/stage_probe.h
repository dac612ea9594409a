// SPDX-License-Identifier: Apache-2.0
// Times the layers of a stage one by one while the stage carries out the actions of a schedule.
#pragma once

#include "engine/train/model/layer_hooks.h"
#include "engine/train/model/stage.h"
#include "engine/layout/schedule/action.h"

#include <cstdint>
#include <vector>

namespace shardlab::train {

/// The clock of a probe. A rank with a core of its own uses the wall clock, and so counts what the machine does
/// besides, as a step does. A rank that shares its core with others uses its processor time, since the plan divides the
/// cores.
enum class ProbeTime : std::uint8_t { Clock, Processor };
double secondsOf(ProbeTime time);

/// The measurements of one layer of a stage.
struct LayerSamples {
    std::vector<double> forward, backward, inputGrad, weightGrad;  ///< seconds of each call
    std::int64_t activationBytes = 0;
    std::int64_t weightBytes = 0;  ///< without a copy of the embedding on the last stage
};

class StageProbe final : LayerHooks {
public:
    /// Makes the stage of `spec`. Weights are random, and so are inputs and gradients from other stages.
    StageProbe(const StageSpec& spec, Arena& arena, ProbeTime time);

    /// Runs F, B, I or W of one microbatch; the order must be one that Stage accepts.
    void run(ActionKind kind, int microbatch);
    /// In the order of Stage::layers.
    std::vector<LayerSamples>& layers() { return layers_; }
    Stage& stage() { return stage_; }
    const StageSpec& spec() const { return spec_; }
    /// Number of layers below the blocks: 1 where the stage has the embedding, else 0.
    std::size_t layersBelow() const;
    /// Number of layers of each block: 2 for a gpt.
    std::size_t layersOfBlock() const;

private:
    void beforeUse(int layer) override { start(layer); }
    void afterUse(int layer) override;
    void beforeRecompute(int) override {}  // a probe recomputes nothing
    void afterRecompute(int) override {}
    void beforeGradient(int layer) override { start(layer); }
    void afterGradient(int layer) override;
    void start(int layer);
    std::size_t boundarySize(int above) const;
    /// The input of block `above` of the model, or the gradient of that input.
    Buffer boundary(int above);
    std::int64_t activations() const;

    StageSpec spec_;
    Arena& arena_;
    ProbeTime time_;
    Stage stage_;
    std::vector<std::int32_t> tokens_, targets_;
    std::vector<std::vector<std::int32_t>> further_;
    std::vector<float> values_;  ///< at least as many as a boundary has
    std::vector<LayerSamples> layers_;
    ActionKind running_ = ActionKind::None;
    double begun_ = 0;
    std::int64_t heldBefore_ = 0;
    double inputSeconds_ = 0;  ///< seconds of the input gradient of the layer whose weight gradient follows
};

}  // namespace shardlab::train
