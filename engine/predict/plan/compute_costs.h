// SPDX-License-Identifier: Apache-2.0
// Seconds of what one member of a tensor group computes for a stage, without its collectives, on the modelled device.
#pragma once

#include "engine/layout/devices.h"
#include "engine/layout/layout.h"
#include "engine/layout/model_shape.h"

namespace shardlab {

/// Of one microbatch. A product takes the device's rate for the format of activations; where weights are kept in
/// another, each pass first rounds the weight of each product.
double forwardSeconds(const Layout& layout, const StageShape& stage, const TensorShare& share,
                      const DevicePreset& device);
/// Of keeping activations in codes or fewer bits, in a forward; as long again to have them back in the input gradient.
double packingSeconds(const Layout& layout, const StageShape& stage, const DevicePreset& device);
/// Of what the backward computes again.
double recomputeSeconds(const Layout& layout, const StageShape& stage, const TensorShare& share,
                        const DevicePreset& device);
/// Of one attention's core, forward.
double coreSeconds(const Layout& layout, const TensorShare& share, const DevicePreset& device);
/// Of looking for the first gradient that is not finite, where the loss is scaled; else 0: at what each layer hands
/// down, and at its weights' gradients.
struct OverflowSeconds {
    double inputGrad = 0;
    double weightGrad = 0;
};
OverflowSeconds overflowSeconds(const Layout& layout, const StageShape& stage, const TensorShare& share,
                                const DevicePreset& device);

/// Bytes that one update reads and writes for each parameter: gradient, weight, fp32 copy of it, moments.
double updateBytes(const Layout& layout);

}  // namespace shardlab
