// SPDX-License-Identifier: Apache-2.0
// Pixels to activations: below the lowest block of a model that reads images. Has no weights.
#pragma once

#include "engine/train/model/layer_context.h"

#include <span>

namespace shardlab {

/// Memory: the output (Activations) belongs to the first block; the pixels, of 32 bits (Temporary), in passing.
class ImageInput {
public:
    explicit ImageInput(const LayerContext& context) : context_(context) {}

    /// `pixels`: bytes, as kernels/image_shape.h orders them. Returns as many numbers in −1 … 1.
    Buffer forward(std::span<const std::int32_t> pixels) const;

private:
    LayerContext context_;
};

}  // namespace shardlab
