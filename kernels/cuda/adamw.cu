// SPDX-License-Identifier: Apache-2.0
// All parts of the same types go in one launch, because one bias at a time would not keep a GPU busy.
#include "kernels/adamw.h"

#include "kernels/cuda/cuda_device.cuh"
#include "kernels/cuda/grid.cuh"

#include <cmath>

namespace shardlab::kernels::cuda {

namespace {

constexpr int updateThreads = 256;
constexpr int packSize = 8;
constexpr std::int64_t chunkElements = updateThreads * packSize * 4;

struct UpdatePart {
    const void* gradient = nullptr;
    void* value = nullptr;
    float* master = nullptr;
    float* first = nullptr;
    float* second = nullptr;
    std::int64_t count = 0;
    float keep = 1;  ///< 1 − rate · weight decay
    bool aligned = false;
};

struct Update {
    float beta1;
    float beta2;
    float rest1;
    float rest2;
    float rate;       ///< learning rate ÷ (1 − beta1^step)
    float rootShare;  ///< 1 ÷ √(1 − beta2^step)
    float epsilon;
    float gradientScale;
};

template <int N, class G, class P>
__device__ void updateElements(const Update& u, const UpdatePart& part, std::int64_t at) {
    const auto gradient = loadPack<N>(static_cast<const G*>(part.gradient) + at);
    P* const value = static_cast<P*>(part.value) + at;
    auto first = loadPack<N>(part.first + at);
    auto second = loadPack<N>(part.second + at);
    Pack<float, N> master;
    Pack<P, N> rounded;
    if (part.master) {
        master = loadPack<N>(part.master + at);
    } else {
        rounded = loadPack<N>(value);
#pragma unroll
        for (int i = 0; i < N; ++i) master.set(i, rounded[i]);
    }
#pragma unroll
    for (int i = 0; i < N; ++i) {
        const float g = gradient[i] * u.gradientScale;
        const float m = u.beta1 * first[i] + u.rest1 * g;
        const float v = u.beta2 * second[i] + u.rest2 * g * g;
        const float w = part.keep * master[i] - u.rate * m / (sqrtf(v) * u.rootShare + u.epsilon);
        first.set(i, m);
        second.set(i, v);
        master.set(i, w);
        rounded.set(i, w);
    }
    storePack(part.first + at, first);
    storePack(part.second + at, second);
    if (part.master) storePack(part.master + at, master);
    storePack(value, rounded);
}

template <class G, class P>
__global__ void __launch_bounds__(updateThreads)
    adamwKernel(const __grid_constant__ Update update, const __grid_constant__ PartTable<UpdatePart> table) {
    const int chunk = static_cast<int>(blockIdx.x);
    const int index = table.partOf(chunk);
    const UpdatePart part = table.parts[index];
    const std::int64_t begin = (chunk - table.firstChunk[index]) * chunkElements;
    const std::int64_t end = part.count - begin < chunkElements ? part.count : begin + chunkElements;
    std::int64_t scalar = begin;
    if (part.aligned) {
        scalar = begin + (end - begin) / packSize * packSize;
        for (std::int64_t at = begin + threadIdx.x * packSize; at < scalar; at += updateThreads * packSize)
            updateElements<packSize, G, P>(update, part, at);
    }
    for (std::int64_t at = scalar + threadIdx.x; at < end; at += updateThreads)
        updateElements<1, G, P>(update, part, at);
}

}  // namespace

void CudaDevice::adamw(const AdamWUpdate& update, std::span<const AdamWPart> parts) {
    const Update u{update.beta1,
                   update.beta2,
                   1.0f - update.beta1,
                   1.0f - update.beta2,
                   update.learningRate / update.correction1,
                   1.0f / std::sqrt(update.correction2),
                   update.epsilon,
                   update.gradientScale};
    constexpr DType types[] = {DType::F32, DType::BF16, DType::F16};
    std::vector<UpdatePart> alike;
    for (const DType gradients : types) {
        for (const DType values : types) {
            alike.clear();
            for (const AdamWPart& part : parts) {
                if (part.gradient.type != gradients || part.value.type != values) continue;
                const bool packs = aligned(part.gradient.data) && aligned(part.value.data) && aligned(part.master) &&
                                   aligned(part.first) && aligned(part.second);
                alike.push_back({part.gradient.data, part.value.data, part.master, part.first, part.second, part.count,
                                 1.0f - update.learningRate * part.weightDecay, packs});
            }
            if (alike.empty()) continue;
            withStateTypes(gradients, values, [&](auto g, auto p) {
                using G = typename decltype(g)::Type;
                using P = typename decltype(p)::Type;
                withTables<UpdatePart>(alike, chunkElements, [&](const PartTable<UpdatePart>& table, unsigned chunks) {
                    launch("adamw", adamwKernel<G, P>, chunks, updateThreads, *queue_, u, table);
                });
            });
        }
    }
}

}  // namespace shardlab::kernels::cuda
