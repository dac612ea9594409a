// SPDX-License-Identifier: Apache-2.0
// A warp takes a block of gradients, a lane 8 neighbours of it, whose codes are whole bytes. Products are rounded
// before they are added, as on a processor.
#include "kernels/gradient_codes.h"

#include "kernels/cuda/cuda_device.cuh"
#include "kernels/cuda/grid.cuh"
#include "kernels/cuda/math.cuh"
#include "kernels/cuda/reduce.cuh"

#include <cfloat>
#include <cmath>

namespace shardlab::kernels::cuda {

namespace {

constexpr int gradientWarps = 8;
constexpr int laneElements = static_cast<int>(gradientCodeBlock) / warpSize_;

struct CodedSources {
    int count = 0;
    std::int64_t stride = 0;
    const float* from = nullptr;
};

/// The place of a lane among `count` elements.
struct CodedPlace {
    std::int64_t block;
    std::int64_t first;  ///< the lane's first element
    int own;             ///< how many it has
    std::int64_t codes;  ///< where their codes begin, in bytes

    __device__ CodedPlace(std::int64_t of, int lane, int bits, std::int64_t count)
        : block(of), first(of * gradientCodeBlock + lane * laneElements),
          own(count <= first                  ? 0
              : count - first >= laneElements ? laneElements
                                              : static_cast<int>(count - first)),
          codes(static_cast<std::int64_t>(sizeof(float)) * ((count + gradientCodeBlock - 1) / gradientCodeBlock) +
                first * bits / 8) {}
};

/// Calls function(CodedPlace) for each block that this warp has; all its lanes come together.
template <class Function>
__device__ void overCodedBlocks(int bits, std::int64_t count, Function&& function) {
    const int warp = static_cast<int>(threadIdx.x) / warpSize_, lane = static_cast<int>(threadIdx.x) % warpSize_;
    const std::int64_t blocks = (count + gradientCodeBlock - 1) / gradientCodeBlock;
    for (std::int64_t block = std::int64_t{blockIdx.x} * gradientWarps + warp; block < blocks;
         block += std::int64_t{gridDim.x} * gradientWarps)
        function(CodedPlace(block, lane, bits, count));
}

__device__ float normalOrZero(float scale) { return scale >= FLT_MIN ? scale : 0.0f; }

template <int bits>
__device__ float scaleOfCodes(const float (&a)[laneElements], int blockSize) {
    if constexpr (bits == 1) {
        double sum = 0;
        for (const float each : a) sum += fabsf(each);
        return normalOrZero(static_cast<float>(warpSum(sum) / blockSize));
    }
    float largest = 0;
    for (const float each : a) largest = Largest{}(fabsf(each), largest);
    return normalOrZero(warpMax(largest) / (bits == 8 ? 127.0f : 7.0f));
}

template <int bits>
__device__ int codeOfGradient(float a, float share) {
    if constexpr (bits == 1) return a < 0 ? -1 : 1;
    return static_cast<int>(rintf(a * share));
}

template <int bits>
__device__ void storeCodes(const int (&made)[laneElements], const CodedPlace& place, std::uint8_t* codes) {
    constexpr int each = 8 / bits;
    constexpr unsigned mask = (1u << bits) - 1;
#pragma unroll
    for (int i = 0; i < laneElements; i += each) {
        if (i >= place.own) break;
        unsigned byte = 0;
#pragma unroll
        for (int k = 0; k < each; ++k)
            if (i + k < place.own)
                byte |= (bits == 1 ? static_cast<unsigned>(made[i + k] < 0) : static_cast<unsigned>(made[i + k]) & mask)
                        << (bits * k);
        codes[place.codes + i / each] = static_cast<std::uint8_t>(byte);
    }
}

template <int bits>
__device__ int loadCode(const std::uint8_t* codes, const CodedPlace& place, int i) {
    const int byte = codes[place.codes + i * bits / 8];
    if constexpr (bits == 8) return static_cast<std::int8_t>(byte);
    if constexpr (bits == 4) return ((byte >> (4 * (i % 2)) & 15) ^ 8) - 8;
    return (byte >> (i % 8) & 1) != 0 ? -1 : 1;
}

template <int bits>
__device__ void sumCodes(const CodedSources& sources, const CodedPlace& place, float (&sums)[laneElements]) {
    for (float& each : sums) each = 0;
    for (int source = 0; source < sources.count; ++source) {
        const float* const words = sources.from + source * sources.stride;
        const auto* const codes = reinterpret_cast<const std::uint8_t*>(words);
        const float scale = words[place.block];
#pragma unroll
        for (int i = 0; i < laneElements; ++i)
            if (i < place.own) sums[i] += productAlone(static_cast<float>(loadCode<bits>(codes, place, i)), scale);
    }
}

/// Codes of what the lanes have in `a`, which becomes its sum with the remainder; elements that are not there are 0.
template <int bits>
__device__ void encodeLanes(float (&a)[laneElements], const CodedPlace& place, std::int64_t count, float* remainder,
                            float* codes) {
    bool finite = true;
#pragma unroll
    for (int i = 0; i < laneElements; ++i) {
        if (i < place.own) a[i] += remainder[place.first + i];
        finite = finite && fabsf(a[i]) <= FLT_MAX;
    }
    const bool all = warpMax(finite ? 0 : 1) == 0;
    const std::int64_t left = count - place.block * gradientCodeBlock;
    const int blockSize = static_cast<int>(left < gradientCodeBlock ? left : gradientCodeBlock);
    const float scale = all ? scaleOfCodes<bits>(a, blockSize) : NAN;
    const float share = scale > 0 ? 1.0f / scale : 0.0f;
    int made[laneElements];
#pragma unroll
    for (int i = 0; i < laneElements; ++i) made[i] = all ? codeOfGradient<bits>(a[i], share) : 0;
    storeCodes<bits>(made, place, reinterpret_cast<std::uint8_t*>(codes));
    if (threadIdx.x % warpSize_ == 0) codes[place.block] = scale;
    if (!all) return;
#pragma unroll
    for (int i = 0; i < laneElements; ++i)
        if (i < place.own) remainder[place.first + i] = a[i] - productAlone(static_cast<float>(made[i]), scale);
}

template <int bits, class G>
__global__ void encodeGradientKernel(std::int64_t count, const G* gradient, float* remainder, float* codes) {
    overCodedBlocks(bits, count, [=](const CodedPlace& place) {
        float a[laneElements];
#pragma unroll
        for (int i = 0; i < laneElements; ++i) a[i] = i < place.own ? toFloat(gradient[place.first + i]) : 0.0f;
        encodeLanes<bits>(a, place, count, remainder, codes);
    });
}

template <int bits>
__global__ void encodeCodedSumKernel(std::int64_t count, CodedSources sources, float* remainder, float* codes) {
    overCodedBlocks(bits, count, [=](const CodedPlace& place) {
        float a[laneElements];
        sumCodes<bits>(sources, place, a);
        encodeLanes<bits>(a, place, count, remainder, codes);
    });
}

template <int bits, class G>
__global__ void decodeCodedSumKernel(std::int64_t count, CodedSources sources, G* sum) {
    overCodedBlocks(bits, count, [=](const CodedPlace& place) {
        float sums[laneElements];
        sumCodes<bits>(sources, place, sums);
#pragma unroll
        for (int i = 0; i < laneElements; ++i)
            if (i < place.own) sum[place.first + i] = fromFloat<G>(sums[i]);
    });
}

unsigned codedGrid(std::int64_t count) {
    return static_cast<unsigned>(std::min<std::int64_t>(ceilDiv(count, gradientCodeBlock * gradientWarps), 1 << 16));
}

/// Calls function(Constant<bits>{}).
template <class Function>
void withCodeBits(int bits, Function&& function) {
    if (bits == 8) return function(Constant<8>{});
    if (bits == 4) return function(Constant<4>{});
    function(Constant<1>{});
}

}  // namespace

void CudaDevice::encodeGradient(int bits, std::int64_t count, ConstArray gradient, float* remainder, float* codes) {
    withType(gradient.type, [&](auto g) {
        using G = typename decltype(g)::Type;
        withCodeBits(bits, [&](auto b) {
            launch("encodeGradient", encodeGradientKernel<decltype(b)::value, G>, codedGrid(count),
                   gradientWarps * warpSize_, *queue_, count, as<G>(gradient), remainder, codes);
        });
    });
}

void CudaDevice::encodeCodedSum(int bits, std::int64_t count, int sources, std::int64_t stride, const float* from,
                                float* remainder, float* codes) {
    withCodeBits(bits, [&](auto b) {
        launch("encodeCodedSum", encodeCodedSumKernel<decltype(b)::value>, codedGrid(count), gradientWarps * warpSize_,
               *queue_, count, CodedSources{sources, stride, from}, remainder, codes);
    });
}

void CudaDevice::decodeCodedSum(int bits, std::int64_t count, int sources, std::int64_t stride, const float* from,
                                Array sum) {
    withType(sum.type, [&](auto g) {
        using G = typename decltype(g)::Type;
        withCodeBits(bits, [&](auto b) {
            launch("decodeCodedSum", decodeCodedSumKernel<decltype(b)::value, G>, codedGrid(count),
                   gradientWarps * warpSize_, *queue_, count, CodedSources{sources, stride, from}, as<G>(sum));
        });
    });
}

}  // namespace shardlab::kernels::cuda
