// SPDX-License-Identifier: Apache-2.0
// What a stage's compute takes its time for.
#pragma once

#include "engine/layout/devices.h"
#include "engine/layout/layout.h"
#include "engine/layout/model_shape.h"

namespace shardlab::predict {

/// Seconds of a microbatch's forward and backward on a stage, without collectives and without what is computed again:
/// computeTimes() taken apart.
struct ComputeSplit {
    double peak = 0;     ///< products and attention at the device's peak for their formats
    double shape = 0;    ///< what they take longer: tiles, waves, heads and the share of the peak that kernels reach
    double passes = 0;   ///< bytes through memory that no product hides
    double kernels = 0;  ///< from one kernel to the next
    double factor = 0;   ///< what a software stack takes longer for all of it (SoftwareStack::overhead)
    double total() const { return peak + shape + passes + kernels + factor; }
};

/// `device`: what one rank computes on (rankDevice() in costs.h).
ComputeSplit computeSplit(const Layout& layout, const StageShape& stage, const TensorShare& share,
                          const DevicePreset& device);

}  // namespace shardlab::predict
