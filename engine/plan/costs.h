// SPDX-License-Identifier: Apache-2.0
// The cost model: how long each action of a layout takes on its device.
#pragma once

#include "engine/layout/devices.h"
#include "engine/layout/layout.h"
#include "engine/layout/mesh.h"
#include "engine/schedule/action.h"

#include <vector>

namespace shardlab {

/// Seconds of one action of a stage, on the modelled device, before stretching.
struct StageCosts {
    double forward = 0;
    double backward = 0;     ///< = inputGrad + weightGrad
    double inputGrad = 0;
    double weightGrad = 0;
    double send = 0;         ///< output activation to the next stage (and its gradient back): latency + bytes ÷ bandwidth
    double reduce = 0;       ///< all-reduce of the stage's gradients over the data axis: 2(d−1)/d · bytes ÷ bandwidth + 2(d−1) · latency
    double tied = 0;         ///< the shared embedding's gradient, first and last stage
    double optimizer = 0;
    std::int64_t sendBytes = 0;
    std::int64_t reduceBytes = 0;
    std::int64_t tiedBytes = 0;
};

struct StepCosts {
    std::vector<StageCosts> stages;
    double stretch = 1;  ///< modelled time × stretch = the time shown and paced; 1 unless paced
    /// Stretched seconds of one action. Receives take no time of their own: the message's time is its send.
    double seconds(const Action& action) const;
    std::int64_t bytes(const Action& action) const;
};

/// The device whose time is modelled: cluster.pace.device where paced, else cluster.device.
const DevicePreset& modelledDevice(const Layout& layout);

/// stretch is 1; makePlan sets it from the simulated step.
StepCosts stepCosts(const Layout& layout, const Mesh& mesh, const DevicePreset& device);

}  // namespace shardlab
