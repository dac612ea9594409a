// SPDX-License-Identifier: Apache-2.0
// Copies values between the processor, which has them in fp32, and a device, which may have another type.
#pragma once

#include "engine/base/wings.h"

#include "kernels/device.h"

#include <span>
#include <vector>

namespace shardlab::train {

/// Both sides have equally many values, which are rounded where `values` has fewer bits.
void upload(Device& device, std::span<const float> from, ArraySpan to);
void download(Device& device, ConstArraySpan from, std::span<float> to);
std::vector<float> download(Device& device, ConstArraySpan from);

}  // namespace shardlab::train
