// SPDX-License-Identifier: Apache-2.0
// The stages of one rank, under the layout's own schedule without its messages, timed part by part and kernel by
// kernel.
#pragma once

#include "engine/train/comm/communicator.h"
#include "engine/train/model/arena.h"
#include "engine/train/optim/optimizer.h"
#include "engine/predict/plan/plan.h"
#include "engine/predict/plan/profile.h"
#include "engine/train/run/placement.h"
#include "engine/train/run/stage_probe.h"
#include "kernels/metered_device.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace shardlab {

/// Which layers of the model's stages are counted together.
struct PartPlace;

/// Its calls are collective over `world`, which outlives it as the plan does.
class RankProbe {
public:
    RankProbe(const Plan& plan, Communicator& world, Device& device, ProbeTime time);

    /// About a second of steps; backwards made whole, or split into input and weight gradients.
    void computeWhole() { compute(true); }
    void computeSplit() { compute(false); }
    /// `profile` with its parts, from what was computed.
    Profile result(Profile profile);
    /// About another second. Spoils the times of the parts: to be asked for last.
    KernelAccount kernels(int threads);
    /// Of the stage that has most.
    std::size_t gradientFloats() const;
    const Placement& placement() const { return place_; }
    Arena& arena() { return arena_; }

private:
    void compute(bool whole);
    void pass(bool whole);
    void update();
    PartProfile combined(std::string name, const PartPlace& place);
    std::vector<Spread> spreads();

    const Plan& plan_;
    Communicator& world_;
    ProbeTime time_;
    MeteredDevice meter_;
    Arena arena_;
    Placement place_;
    std::map<int, std::unique_ptr<StageProbe>> stages_;
    std::map<int, std::unique_ptr<Optimizer>> optimizers_;
    int updates_ = 0;
    std::vector<double> updatePerByte_;  ///< seconds
    double optimizerPerByte_ = 0;        ///< typical of all ranks
};

}  // namespace shardlab
