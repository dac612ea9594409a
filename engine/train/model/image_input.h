// SPDX-License-Identifier: Apache-2.0
// Turns pixels into activations, below the lowest block of a model that reads images. It has no weights.
#pragma once

#include "engine/train/model/layer_context.h"

#include <span>

namespace shardlab::train {

/// Memory: the output (Activations) belongs to the first block; forward needs the pixels in 32 bits (Temporary).
class ImageInput {
public:
    explicit ImageInput(const LayerContext& context) : context_(context) {}

    /// `pixels` are bytes in the order of kernels/image_shape.h. Returns as many numbers in −1 … 1.
    Buffer forward(std::span<const std::int32_t> pixels) const;

private:
    LayerContext context_;
};

}  // namespace shardlab::train
