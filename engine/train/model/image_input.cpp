// SPDX-License-Identifier: Apache-2.0
#include "engine/train/model/image_input.h"

#include "engine/train/model/token_buffer.h"

namespace shardlab::train {

Buffer ImageInput::forward(std::span<const std::int32_t> pixels) const {
    Buffer images = context_.allocate(MemoryCategory::Activations, pixels.size());
    const Buffer bytes = onDevice(context_.arena, pixels, MemoryCategory::Temporary);
    context_.device().scalePixels(static_cast<std::int64_t>(pixels.size()), tokenNumbers(bytes), images.data());
    return images;
}

}  // namespace shardlab::train
