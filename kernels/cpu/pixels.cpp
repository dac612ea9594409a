// SPDX-License-Identifier: Apache-2.0
#include "kernels/pixels.h"

#include "kernels/cpu/cpu_device.h"
#include "kernels/cpu/rows.h"

namespace shardlab::kernels {

void CpuDevice::scalePixels(std::int64_t count, const std::int32_t* pixels, Array images) {
    cpu::byElements(
        count,
        [pixels](std::int64_t first, std::int64_t some, float* values) {
            for (std::int64_t i = 0; i < some; ++i)
                values[i] = static_cast<float>(pixels[first + i]) * (2.0f / 255.0f) - 1.0f;
        },
        cpu::writes(images));
}

}  // namespace shardlab::kernels
