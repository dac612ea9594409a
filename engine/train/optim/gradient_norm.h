// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/train/model/parameter.h"
#include "kernels/device.h"

#include <cstdint>
#include <span>

namespace shardlab {

/// Of weights that all data ranks hold, or of experts of which other ranks hold others.
enum class GradientPart : std::uint8_t { All, Dense, Experts };

/// Σ gradient² over the parameters this stage owns (of a tied pair only the owner counts): the stage's part of the
/// squared global norm. Not finite where a gradient is not.
double squaredGradientNorm(std::span<const Parameter> parameters, Device& device,
                           GradientPart part = GradientPart::All);

/// What every gradient is multiplied by so that the global norm is at most `clip`; 1 where clip is 0.
float clipScale(double squaredNorm, double clip);

}  // namespace shardlab
