// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/cpu_device.h"
#include "kernels/cpu/rows.h"
#include "kernels/cpu/vector.h"

#include <algorithm>
#include <cmath>

namespace shardlab::kernels {

namespace {

/// The codes of a block, and their scales.
struct CodedBlock {
    std::uint8_t* first;
    std::uint8_t* second;
    float* firstScale;
    float* secondScale;
};

/// Updates one block of at most momentBlock elements, which all fit into the first cache.
SHARDLAB_HOT void updateBlock(std::int64_t count, const AdamWUpdate& update, float weightDecay,
                              const float* __restrict gradient, float* __restrict value, const CodedBlock& block) {
    const float beta1 = update.beta1, rest1 = 1.0f - update.beta1;
    const float beta2 = update.beta2, rest2 = 1.0f - update.beta2;
    const float keep = 1.0f - update.learningRate * weightDecay;
    const float rate = update.learningRate / update.correction1;
    const float rootShare = 1.0f / std::sqrt(update.correction2);
    const float epsilon = update.epsilon, factor = update.gradientScale;
    const float oldFirst = *block.firstScale, oldSecond = *block.secondScale;
    std::uint8_t* __restrict firstCodes = block.first;
    std::uint8_t* __restrict secondCodes = block.second;
    float m[momentBlock], v[momentBlock];
    float largestFirst = 0, largestSecond = 0;
#pragma omp simd reduction(max : largestFirst, largestSecond)
    for (std::int64_t i = 0; i < count; ++i) {
        const float g = gradient[i] * factor;
        m[i] = beta1 * (signedMoments.values[firstCodes[i]] * oldFirst) + rest1 * g;
        v[i] = beta2 * (unsignedMoments.values[secondCodes[i]] * oldSecond) + rest2 * g * g;
        value[i] = keep * value[i] - rate * m[i] / (std::sqrt(v[i]) * rootShare + epsilon);
        const float magnitude = std::fabs(m[i]);
        largestFirst = magnitude > largestFirst ? magnitude : largestFirst;
        largestSecond = v[i] > largestSecond ? v[i] : largestSecond;
    }
    const float firstShare = shareOfScale(largestFirst), secondShare = shareOfScale(largestSecond);
#pragma omp simd
    for (std::int64_t i = 0; i < count; ++i) firstCodes[i] = codeOfFirst(m[i], firstShare);
#pragma omp simd
    for (std::int64_t i = 0; i < count; ++i) secondCodes[i] = codeOfSecond(v[i], secondShare);
    *block.firstScale = firstShare > 0 ? largestFirst : 0.0f;
    *block.secondScale = secondShare > 0 ? largestSecond : 0.0f;
}

}  // namespace

void CpuDevice::adamw8Bit(const AdamWUpdate& update, std::span<const AdamW8BitPart> parts) {
    for (const AdamW8BitPart& part : parts) {
        const Array updated = part.master ? Array(part.master) : part.value;
        const std::int64_t before = part.begin % momentBlock;  // elements of the first block that are not the part's
        cpu::shareOut(momentBlocks(part.begin, part.count), part.count, [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t block = begin; block < end; ++block) {
                const std::int64_t first = std::max<std::int64_t>(block * momentBlock - before, 0);
                const std::int64_t count = std::min((block + 1) * momentBlock - before, part.count) - first;
                const cpu::ConstFloats gradient = cpu::reads(part.gradient).open(first, count);
                const cpu::Floats value = cpu::updates(updated).open(first, count);
                updateBlock(
                    count, update, part.weightDecay, gradient.data(), value.data(),
                    {part.first + first, part.second + first, part.firstScales + block, part.secondScales + block});
                if (part.master) cpu::fromFloats(1, count, value.data(), count, part.value + first, count);
            }
        });
    }
}

}  // namespace shardlab::kernels
