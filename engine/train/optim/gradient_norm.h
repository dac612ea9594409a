// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/train/model/parameter.h"
#include "kernels/device.h"

#include <cstdint>
#include <span>

namespace shardlab::train {

/// Which gradients count: Dense are those of weights that all data ranks hold, Experts those of experts that only some
/// ranks hold.
enum class GradientPart : std::uint8_t { All, Dense, Experts };

/// The stage's part of the squared global norm: Σ gradient² over the parameters that it owns (a tied pair counts at its
/// owner only). The sum is not finite where a gradient is not.
double squaredGradientNorm(std::span<const Parameter> parameters, Device& device,
                           GradientPart part = GradientPart::All);

/// The factor by which every gradient is multiplied so that the global norm is at most `clip`; 1 where clip is 0.
float clipScale(double squaredNorm, double clip);

}  // namespace shardlab::train
