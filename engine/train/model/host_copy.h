// SPDX-License-Identifier: Apache-2.0
// Values between the processor, which has them in fp32, and a device, in whatever type.
#pragma once

#include "kernels/device.h"

#include <span>
#include <vector>

namespace shardlab {

/// Rounded where `values` has fewer bits. As many on both sides.
void upload(Device& device, std::span<const float> from, ArraySpan to);
void download(Device& device, ConstArraySpan from, std::span<float> to);
std::vector<float> download(Device& device, ConstArraySpan from);

}  // namespace shardlab
