// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/layout/layout.h"

#include <cstdint>
#include <vector>

namespace shardlab::layout {

/// The built-in images: `count` samples one after another, each model.image² · model.channels bytes (rows from the top,
/// channels of a pixel side by side) and its class; a function of seed and model.image, channels and classes alone.
/// Every class has a pattern of its own, three waves that cross. An image shows it shifted by any distance, weaker or
/// stronger, under noise. Single pixels do not give a class away: a model must learn directions and distances.
std::vector<std::uint32_t> generateImages(std::int64_t seed, const ModelSpec& model, std::int64_t count);

}  // namespace shardlab::layout
