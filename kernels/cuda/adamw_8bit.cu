// SPDX-License-Identifier: Apache-2.0
// A warp takes a block of moments, which stay in registers between reading and writing their codes; its lanes agree on
// the largest. All parts of the same types go in one launch.
#include "kernels/adamw_8bit.h"

#include "kernels/cuda/cuda_device.cuh"
#include "kernels/cuda/grid.cuh"
#include "kernels/cuda/reduce.cuh"

#include <cmath>

namespace shardlab::kernels::cuda {

namespace {

constexpr int codeThreads = 256;
constexpr int warps = codeThreads / warpSize_;
constexpr int ownElements = momentBlock / warpSize_;
constexpr std::int64_t codeChunkElements = std::int64_t{warps} * momentBlock;

struct CodedPart {
    const void* gradient = nullptr;
    void* value = nullptr;
    float* master = nullptr;
    std::uint8_t* first = nullptr;
    std::uint8_t* second = nullptr;
    float* firstScales = nullptr;
    float* secondScales = nullptr;
    std::int64_t count = 0;  ///< counted from the start of its first block
    int before = 0;          ///< how many of those lie before the part
    float keep = 1;          ///< 1 − rate · weight decay
};

struct CodedUpdate {
    float beta1;
    float beta2;
    float rest1;
    float rest2;
    float rate;       ///< learning rate ÷ (1 − beta1^step)
    float rootShare;  ///< 1 ÷ √(1 − beta2^step)
    float epsilon;
    float gradientScale;
};

struct CodeTables {
    MomentCodes ofFirst = signedMoments;
    MomentCodes ofSecond = unsignedMoments;
};

template <class G, class P>
__global__ void __launch_bounds__(codeThreads)
    adamw8BitKernel(const __grid_constant__ CodedUpdate u, const __grid_constant__ CodeTables tables,
                    const __grid_constant__ PartTable<CodedPart> table) {
    __shared__ MomentCodes ofFirst, ofSecond;
    for (int i = static_cast<int>(threadIdx.x); i <= MomentCodes::most; i += codeThreads) {
        ofFirst.values[i] = tables.ofFirst.values[i];
        ofFirst.middles[i] = tables.ofFirst.middles[i];
        ofSecond.values[i] = tables.ofSecond.values[i];
        ofSecond.middles[i] = tables.ofSecond.middles[i];
    }
    __syncthreads();
    const int chunk = static_cast<int>(blockIdx.x);
    const int index = table.partOf(chunk);
    const CodedPart& part = table.parts[index];
    const int warp = static_cast<int>(threadIdx.x) / warpSize_, lane = static_cast<int>(threadIdx.x) % warpSize_;
    const std::int64_t block = std::int64_t{chunk - table.firstChunk[index]} * warps + warp;
    if (block * momentBlock >= part.count) return;  // the whole warp returns
    const G* const gradient = static_cast<const G*>(part.gradient);
    P* const value = static_cast<P*>(part.value);
    const float oldFirst = part.firstScales[block], oldSecond = part.secondScales[block];
    float m[ownElements], v[ownElements];
    float largestFirst = 0, largestSecond = 0;
#pragma unroll
    for (int k = 0; k < ownElements; ++k) {
        m[k] = v[k] = 0;
        const std::int64_t place = block * momentBlock + k * warpSize_ + lane, at = place - part.before;
        if (at < 0 || place >= part.count) continue;
        const float g = toFloat(gradient[at]) * u.gradientScale;
        m[k] = u.beta1 * (ofFirst.values[part.first[at]] * oldFirst) + u.rest1 * g;
        v[k] = u.beta2 * (ofSecond.values[part.second[at]] * oldSecond) + u.rest2 * g * g;
        const float w = part.keep * (part.master ? part.master[at] : toFloat(value[at])) -
                        u.rate * m[k] / (sqrtf(v[k]) * u.rootShare + u.epsilon);
        if (part.master) part.master[at] = w;
        value[at] = fromFloat<P>(w);
        largestFirst = Largest{}(fabsf(m[k]), largestFirst);
        largestSecond = Largest{}(v[k], largestSecond);
    }
    largestFirst = warpMax(largestFirst);
    largestSecond = warpMax(largestSecond);
    const float firstShare = shareOfScale(largestFirst), secondShare = shareOfScale(largestSecond);
#pragma unroll
    for (int k = 0; k < ownElements; ++k) {
        const std::int64_t place = block * momentBlock + k * warpSize_ + lane, at = place - part.before;
        if (at < 0 || place >= part.count) continue;
        part.first[at] = ofFirst.nearest(m[k] * firstShare);
        const float x = v[k] * secondShare;
        const std::uint8_t code = ofSecond.nearest(x);
        part.second[at] = code == 0 && x > 0 ? 1 : code;
    }
    if (lane > 0) return;
    part.firstScales[block] = firstShare > 0 ? largestFirst : 0.0f;
    part.secondScales[block] = secondShare > 0 ? largestSecond : 0.0f;
}

}  // namespace

void CudaDevice::adamw8Bit(const AdamWUpdate& update, std::span<const AdamW8BitPart> parts) {
    const CodedUpdate u{update.beta1,
                        update.beta2,
                        1.0f - update.beta1,
                        1.0f - update.beta2,
                        update.learningRate / update.correction1,
                        1.0f / std::sqrt(update.correction2),
                        update.epsilon,
                        update.gradientScale};
    constexpr DType types[] = {DType::F32, DType::BF16, DType::F16};
    std::vector<CodedPart> alike;
    for (const DType gradients : types)
        for (const DType values : types) {
            alike.clear();
            for (const AdamW8BitPart& part : parts) {
                if (part.count == 0 || part.gradient.type != gradients || part.value.type != values) continue;
                const int before = static_cast<int>(part.begin % momentBlock);
                alike.push_back({part.gradient.data, part.value.data, part.master, part.first, part.second,
                                 part.firstScales, part.secondScales, before + part.count, before,
                                 1.0f - update.learningRate * part.weightDecay});
            }
            if (alike.empty()) continue;
            withStateTypes(gradients, values, [&](auto g, auto p) {
                using G = typename decltype(g)::Type;
                using P = typename decltype(p)::Type;
                withTables<CodedPart>(alike, codeChunkElements,
                                      [&](const PartTable<CodedPart>& table, unsigned chunks) {
                                          launch("adamw8Bit", adamw8BitKernel<G, P>, chunks, codeThreads, *queue_, u,
                                                 CodeTables{}, table);
                                      });
            });
        }
}

}  // namespace shardlab::kernels::cuda
