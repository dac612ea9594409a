// SPDX-License-Identifier: Apache-2.0
// Measures what plan/profile.h holds, on the ranks of a run and under its conditions: all of them at once, each with
// the stages, the threads and the share of the machine that it has in the run.
#pragma once

#include "engine/train/comm/communicator.h"
#include "engine/predict/plan/plan.h"
#include "engine/predict/plan/profile.h"
#include "kernels/device.h"

#include <functional>
#include <string>

namespace shardlab {

struct ProfileConditions {
    int threads = 1;              ///< that a rank computes with
    bool oversubscribed = false;  ///< more ranks than cores
};

/// On `device`. Collective over `world`, a few seconds long; every rank gets the same answer. Steps are not measured
/// here: those figures of it are 0. `inform` (of rank 0; may be empty) hears what is being measured.
Profile measureProfile(const Plan& plan, Communicator& world, Device& device, const ProfileConditions& conditions,
                       const std::function<void(const std::string&)>& inform);

}  // namespace shardlab
