// SPDX-License-Identifier: Apache-2.0
// Times the stages of one rank part by part and kernel by kernel, under the layout's own schedule without its messages.
#pragma once

#include "engine/train/comm/communicator.h"
#include "engine/train/model/arena.h"
#include "engine/train/optim/optimizer.h"
#include "engine/predict/plan/step_plan.h"
#include "engine/predict/plan/profile.h"
#include "engine/train/run/placement.h"
#include "engine/train/run/stage_probe.h"
#include "kernels/metered_device.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace shardlab::train {

/// The layers of the model's stages that count as one part.
struct PartPlace;

/// All calls are collective over `world`, which outlives the probe as the plan does.
class RankProbe {
public:
    RankProbe(const StepPlan& plan, Communicator& world, Device& device, ProbeTime time);

    /// Run steps for about a second, with whole backwards, or with input and weight gradients apart.
    void computeWhole() { compute(true); }
    void computeSplit() { compute(false); }
    /// Fills in the parts of `profile` from the times of these steps.
    Profile result(Profile profile);
    /// Times kernels for about another second. To be called last, since it spoils the times of the parts.
    KernelAccount kernels(int threads);
    /// Gradients of the stage that has most.
    std::size_t gradientFloats() const;
    const Placement& placement() const { return place_; }
    Arena& arena() { return arena_; }

private:
    void compute(bool whole);
    void pass(bool whole);
    void update();
    PartProfile combined(std::string name, const PartPlace& place);
    std::vector<Spread> spreads();

    const StepPlan& plan_;
    Communicator& world_;
    ProbeTime time_;
    MeteredDevice meter_;
    Arena arena_;
    Placement place_;
    std::map<int, std::unique_ptr<StageProbe>> stages_;
    std::map<int, std::unique_ptr<Optimizer>> optimizers_;
    int updates_ = 0;
    std::vector<double> updatePerByte_;  ///< seconds
    double optimizerPerByte_ = 0;        ///< seconds, typical of all ranks
};

}  // namespace shardlab::train
