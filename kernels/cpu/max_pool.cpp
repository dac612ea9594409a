// SPDX-License-Identifier: Apache-2.0
#include "kernels/max_pool.h"

#include "kernels/cpu/cpu_device.h"
#include "kernels/cpu/rows.h"

#include <algorithm>

namespace shardlab::kernels {

namespace {

constexpr int above = 4;  ///< the bit of a code that says that the largest is above 0

/// The place of the largest in one window: `upper` and `lower` are its two rows, the next pixel lies `channels`
/// further.
int placeOf(const float* upper, const float* lower, std::int64_t channels) {
    const float values[] = {upper[0], upper[channels], lower[0], lower[channels]};
    int best = 0;
    for (int i = 1; i < 4; ++i)
        if (values[i] > values[best]) best = i;
    return best;
}

float at(const float* upper, const float* lower, std::int64_t channels, int place) {
    return (place < 2 ? upper : lower)[place % 2 * channels];
}

/// The gradient goes to `place`; the other three elements get 0.
void give(float* upper, float* lower, std::int64_t channels, int place, float gradient) {
    upper[0] = place == 0 ? gradient : 0.0f;
    upper[channels] = place == 1 ? gradient : 0.0f;
    lower[0] = place == 2 ? gradient : 0.0f;
    lower[channels] = place == 3 ? gradient : 0.0f;
}

/// Calls ofRow(row) for each pooled row, over all samples.
template <class OfRow>
void byPooledRows(const ImageShape& shape, const OfRow& ofRow) {
    cpu::shareOut(std::int64_t{shape.samples} * (shape.height / 2), shape.elements(),
                  [&](std::int64_t begin, std::int64_t end) {
                      for (std::int64_t row = begin; row < end; ++row) ofRow(row);
                  });
}

/// Calls work(element of a pooled row, where its window begins in a row of images).
template <class Work>
void overWindows(const ImageShape& shape, const Work& work) {
    std::int64_t i = 0;
    for (int x = 0; x < shape.width / 2; ++x)
        for (int c = 0; c < shape.channels; ++c) work(i++, std::int64_t{2} * x * shape.channels + c);
}

}  // namespace

void CpuDevice::maxPool(const ImageShape& shape, ConstArray images, Array pooled, std::uint8_t* codes) {
    const std::int64_t channels = shape.channels, row = shape.width * channels;
    byPooledRows(shape, [&](std::int64_t pooledRow) {
        const cpu::ConstFloats in(images + 2 * pooledRow * row, 2 * row);
        const cpu::Floats out(pooled + pooledRow * row / 2, cpu::Floats::Access::Write, row / 2);
        std::uint8_t* const code = codes ? codes + pooledRow * poolCodesOfRow(shape) : nullptr;
        if (code) std::fill_n(code, poolCodesOfRow(shape), std::uint8_t{0});
        overWindows(shape, [&](std::int64_t i, std::int64_t begin) {
            const float *const upper = in.data() + begin, *const lower = upper + row;
            const int place = placeOf(upper, lower, channels);
            const float largest = at(upper, lower, channels, place);
            out.data()[i] = largest;
            if (code) code[i / 2] |= static_cast<std::uint8_t>((place | (largest > 0 ? above : 0)) << i % 2 * 4);
        });
    });
}

void CpuDevice::maxPoolGrad(const ImageShape& shape, ConstArray pooledGradient, Array images) {
    const std::int64_t channels = shape.channels, row = shape.width * channels;
    byPooledRows(shape, [&](std::int64_t pooledRow) {
        const cpu::Floats in(images + 2 * pooledRow * row, cpu::Floats::Access::Update, 2 * row);
        const cpu::ConstFloats gradient(pooledGradient + pooledRow * row / 2, row / 2);
        overWindows(shape, [&](std::int64_t i, std::int64_t begin) {
            float *const upper = in.data() + begin, *const lower = upper + row;
            const int place = placeOf(upper, lower, channels);
            give(upper, lower, channels, place, at(upper, lower, channels, place) > 0 ? gradient.data()[i] : 0.0f);
        });
    });
}

void CpuDevice::maxPoolCodedGrad(const ImageShape& shape, const std::uint8_t* codes, ConstArray pooledGradient,
                                 Array images) {
    const std::int64_t channels = shape.channels, row = shape.width * channels;
    byPooledRows(shape, [&](std::int64_t pooledRow) {
        const cpu::Floats out(images + 2 * pooledRow * row, cpu::Floats::Access::Write, 2 * row);
        const cpu::ConstFloats gradient(pooledGradient + pooledRow * row / 2, row / 2);
        const std::uint8_t* const code = codes + pooledRow * poolCodesOfRow(shape);
        overWindows(shape, [&](std::int64_t i, std::int64_t begin) {
            float *const upper = out.data() + begin, *const lower = upper + row;
            const int own = code[i / 2] >> i % 2 * 4;
            give(upper, lower, channels, own & 3, own & above ? gradient.data()[i] : 0.0f);
        });
    });
}

}  // namespace shardlab::kernels
