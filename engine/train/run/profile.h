// SPDX-License-Identifier: Apache-2.0
// Measures a profile (engine/predict/plan/profile.h) on the ranks of a run under the run's conditions: all ranks at
// once, each with the stages, the threads and the share of the machine that it has in the run.
#pragma once

#include "engine/train/comm/communicator.h"
#include "engine/predict/plan/step_plan.h"
#include "engine/predict/plan/profile.h"
#include "kernels/device.h"

#include <functional>
#include <string>

namespace shardlab::train {

struct ProfileConditions {
    int threads = 1;              ///< with which a rank computes
    bool oversubscribed = false;  ///< more ranks than cores
};

/// Measures on `device`. Collective over `world`; takes a few seconds, and every rank gets the same result. Steps are
/// not measured here: their values are 0. `inform` (rank 0's; may be empty) is called with what is being measured.
Profile measureProfile(const StepPlan& plan, Communicator& world, Device& device, const ProfileConditions& conditions,
                       const std::function<void(const std::string&)>& inform);

}  // namespace shardlab::train
