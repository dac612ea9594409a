// SPDX-License-Identifier: Apache-2.0
// What products in 8 bits take where Shardlab's own engine trains (layout/fp8.h): bytes, seconds, and what a plan says
// of them.
#pragma once

#include "engine/base/sentence.h"
#include "engine/layout/devices.h"
#include "engine/layout/fp8.h"
#include "engine/layout/layout.h"
#include "engine/layout/model_shape.h"

#include <cstdint>
#include <string>
#include <vector>

namespace shardlab::predict {

/// The linear layers of a stage's blocks as one member of a tensor group has them; without `attentions` those of
/// feed-forward blocks and experts alone.
std::vector<LinearShape> linearShapes(const Layout& layout, const StageShape& stage, const TensorShare& share,
                                      bool attentions = true);

/// Bytes that a stage holds for codes, scales, counts and histories; 0 where products are not rounded.
std::int64_t fp8Bytes(const Layout& layout, const StageShape& stage, const TensorShare& share);
/// Numbers of scales and histories that a checkpoint keeps of a stage.
std::int64_t fp8StateNumbers(const Layout& layout, const StageShape& stage, const TensorShare& share);

/// Seconds that a microbatch's products take beyond those in the format of activations: each factor is read for its
/// largest magnitude, read and written to be rounded, and read as codes. Negative where the device's products of 8 bits
/// are quicker by more than that. Where a device has none, as a processor, products are computed in fp32.
struct Fp8Seconds {
    double forward = 0;
    double inputGrad = 0;
    double weightGrad = 0;
};
Fp8Seconds fp8Seconds(const Layout& layout, const StageShape& stage, const TensorShare& share,
                      const DevicePreset& device, bool attentions = true);

/// Empty where products are not rounded by this engine.
std::vector<Sentence> fp8Notes(const Layout& layout);

}  // namespace shardlab::predict
