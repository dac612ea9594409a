// SPDX-License-Identifier: Apache-2.0
// Seconds of what one member of a tensor group computes for a stage, without its collectives, on the modelled device.
#pragma once

#include "engine/layout/devices.h"
#include "engine/layout/layout.h"
#include "engine/layout/model_shape.h"

namespace shardlab::predict {

/// What a stage computes for one microbatch, without collectives.
struct ComputeTimes {
    double forward = 0;
    double inputGrad = 0;  ///< with what is computed again
    double weightGrad = 0;
    double recompute = 0;  ///< of the input gradient, what computes activations again
    /// What makes the logits of pieces again (loss_pieces), in the input gradient and in the weight gradient. A whole
    /// backward takes it once where makesLogitsOnce().
    double logitsAgain = 0;
};
/// With the layout's software stack: Shardlab's own as the functions below say, any other as stack_times.h says.
ComputeTimes computeTimes(const Layout& layout, const StageShape& stage, const TensorShare& share,
                          const DevicePreset& device);

/// The time of the forward of one microbatch. A product runs at the device's rate for the format of activations; where
/// weights are kept in another format, each pass first rounds the weight of each product.
double forwardSeconds(const Layout& layout, const StageShape& stage, const TensorShare& share,
                      const DevicePreset& device);
/// The time of what the backward of one layer of the model computes again. `ofSegment`: a segment covers the layer, or
/// its second half (layout/recompute.h).
double recomputeSeconds(const Layout& layout, int layer, bool ofSegment, const TensorShare& share,
                        const DevicePreset& device);
/// The time of what the backward of a whole stage computes again.
double recomputeSeconds(const Layout& layout, const StageShape& stage, const TensorShare& share,
                        const DevicePreset& device);
/// The time of one attention's core in the forward.
double coreSeconds(const Layout& layout, const TensorShare& share, const DevicePreset& device);
/// The time of looking for the first gradient that is not finite, in what each layer hands down and in the gradients of
/// its weights; 0 where the loss is not scaled.
struct OverflowSeconds {
    double inputGrad = 0;
    double weightGrad = 0;
};
OverflowSeconds overflowSeconds(const Layout& layout, const StageShape& stage, const TensorShare& share,
                                const DevicePreset& device);

/// Bytes that one update reads and writes for each parameter: gradient, weight, fp32 copy of it, moments.
double updateBytes(const Layout& layout);

}  // namespace shardlab::predict
