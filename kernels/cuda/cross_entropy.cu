// SPDX-License-Identifier: Apache-2.0
// A block takes a row. It computes maximum and sum of exponentials in one pass, then the gradient, for which the row
// stays in shared memory where it is short enough.
#include "kernels/cross_entropy.h"

#include "kernels/cuda/cuda_device.cuh"
#include "kernels/cuda/grid.cuh"
#include "kernels/cuda/head_rule.cuh"
#include "kernels/cuda/math.cuh"
#include "kernels/cuda/reduce.cuh"

#include <limits>

namespace shardlab::kernels::cuda {

namespace {

constexpr float lowest = -3.402823466e38f;
constexpr float infinite = std::numeric_limits<float>::infinity();
constexpr std::size_t blockVariables = 1024;  ///< bytes of shared memory, more than the sums of a block need

__device__ float powerOf(float x, float largest) { return powerOfE(x - largest); }

/// Calls function(i, pack) for each pack of N of the thread, several of which are loaded at once. In the last pack,
/// what lies beyond the columns is the lowest number, whose power is 0.
template <int Threads, int N, class T, class Function>
__device__ void eachPack(int columns, const T* row, Function&& function) {
    constexpr int ahead = 4;
    const int packs = (columns + N - 1) / N;
    for (int first = static_cast<int>(threadIdx.x); first < packs; first += ahead * Threads) {
        Pack<T, N> held[ahead];
#pragma unroll
        for (int j = 0; j < ahead; ++j)
            if (const int i = first + j * Threads; i < packs) held[j] = loadPack<N>(row + i * N);
#pragma unroll
        for (int j = 0; j < ahead; ++j)
            if (const int i = first + j * Threads; i < packs) {
#pragma unroll
                for (int k = 1; k < N; ++k)
                    if (i * N + k >= columns) held[j].set(k, lowest);
                function(i, held[j]);
            }
    }
}

/// row := e^(row − largest) / sum − onehot(target); nothing is subtracted where the target is not among these columns.
/// `values` are those of the row, which may lie elsewhere. An infinite sum stands for a row without a target: zeros.
/// Where a cap has made them, the gradient goes on through it.
template <int Threads, int N, class T>
__device__ void writeGradient(int columns, const T* values, int target, float largest, float sum, float cap, T* row) {
    const float share = 1.0f / sum, inverse = cap > 0 ? 1.0f / cap : 0.0f;
    eachPack<Threads, N>(columns, values, [&](int i, Pack<T, N> pack) {
#pragma unroll
        for (int j = 0; j < N; ++j) {
            const float ofCap = pack[j] * inverse;
            const float gradient =
                (powerOf(pack[j], largest) * share - (i * N + j == target ? 1.0f : 0.0f)) * (1.0f - ofCap * ofCap);
            pack.set(j, i * N + j < columns ? gradient : 0.0f);
        }
        storePack(row + i * N, pack);
    });
}

/// Kept: the row stays in shared memory between the passes; each thread reads only what it put there itself.
template <int Threads, int N, bool Gradient, bool Kept, class T>
__global__ void __launch_bounds__(Threads)
    crossEntropyKernel(VocabularyPart whole, std::conditional_t<Gradient, T, const T>* logits,
                       const std::int32_t* targets, double* losses) {
    const int columns = whole.columns;
    auto* row = logits + static_cast<std::int64_t>(blockIdx.x) * whole.stride;
    T* kept = static_cast<T*>(sharedMemory());
    const int target = targets[blockIdx.x];
    const bool counts = target != noTarget;
    const float own =
        counts ? toFloat(row[target]) : 0;  // read before any thread overwrites it: the block's sums lie in between
    float largest = lowest;
    float sum = 0;
    eachPack<Threads, N, T>(columns, row, [&](int i, const Pack<T, N>& pack) {
        if constexpr (Kept) storePack(kept + i * N, pack);
        float highest = pack[0];
#pragma unroll
        for (int j = 1; j < N; ++j) highest = fmaxf(highest, pack[j]);
        if (highest > largest) {
            sum *= powerOf(largest, highest);
            largest = highest;
        }
#pragma unroll
        for (int j = 0; j < N; ++j) sum += powerOf(pack[j], largest);
    });
    const float highest = blockMax<Threads>(largest);
    sum = blockSum<Threads>(sum * powerOf(largest, highest));
    if (threadIdx.x == 0) losses[blockIdx.x] = counts ? log(static_cast<double>(sum)) + highest - own : 0;
    if constexpr (Gradient)
        writeGradient<Threads, N, T>(columns, Kept ? kept : row, target, highest, counts ? sum : infinite, whole.cap,
                                     row);
}

template <int N, class T>
__global__ void capKernel(std::int64_t count, float cap, T* logits) {
    overElements<N>(count, [=](std::int64_t at, auto n) {
        auto values = loadPack<n()>(logits + at);
#pragma unroll
        for (int i = 0; i < n(); ++i) values.set(i, cap * tanhOf(values[i] / cap));
        storePack(logits + at, values);
    });
}

template <int Threads, int N, class T>
__global__ void __launch_bounds__(Threads) largestLogitsKernel(VocabularyPart part, const T* logits, float* largest) {
    float own = lowest;
    eachPack<Threads, N>(part.columns, logits + static_cast<std::int64_t>(blockIdx.x) * part.stride,
                         [&](int, const Pack<T, N>& pack) {
#pragma unroll
                             for (int j = 0; j < N; ++j) own = fmaxf(own, pack[j]);
                         });
    own = blockMax<Threads>(own);
    if (threadIdx.x == 0) largest[blockIdx.x] = own;
}

template <int Threads, int N, class T>
__global__ void __launch_bounds__(Threads)
    sumExponentialsKernel(VocabularyPart part, const float* largest, const std::int32_t* targets, const T* logits,
                          float* sums, float* own) {
    const T* row = logits + static_cast<std::int64_t>(blockIdx.x) * part.stride;
    const float highest = largest[blockIdx.x];
    float sum = 0;
    eachPack<Threads, N>(part.columns, row, [&](int, const Pack<T, N>& pack) {
#pragma unroll
        for (int j = 0; j < N; ++j) sum += powerOf(pack[j], highest);
    });
    sum = blockSum<Threads>(sum);
    if (threadIdx.x != 0) return;
    const int target = targets[blockIdx.x] - part.first;
    sums[blockIdx.x] = targets[blockIdx.x] != noTarget ? sum : 0;
    own[blockIdx.x] = target >= 0 && target < part.columns ? toFloat(row[target]) : 0;
}

template <int Threads, int N, class T>
__global__ void __launch_bounds__(Threads)
    crossEntropyGradientKernel(VocabularyPart part, const float* largest, const float* sums,
                               const std::int32_t* targets, T* logits) {
    T* row = logits + static_cast<std::int64_t>(blockIdx.x) * part.stride;
    const bool counts = targets[blockIdx.x] != noTarget;
    writeGradient<Threads, N, T>(part.columns, row, targets[blockIdx.x] - part.first, largest[blockIdx.x],
                                 counts ? sums[blockIdx.x] : infinite, part.cap, row);
}

__global__ void sharedLossKernel(int rows, const float* largest, const float* sums, const float* own, double* losses) {
    const int row = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (row < rows) losses[row] = sums[row] > 0 ? log(static_cast<double>(sums[row])) + largest[row] - own[row] : 0;
}

/// Calls function(part, Constant<Threads>{}, Constant<N>{}) for rows of logits, whose stride the part has then.
template <class T, class Function>
void withLogitRows(VocabularyPart part, const void* logits, Function&& function) {
    part.stride = part.rowStride();
    withPacks<T>(
        part.stride,
        [&](auto n) {
            if (part.columns / n() <= 4 * 128) function(part, Constant<128>{}, n);
            else function(part, Constant<512>{}, n);
        },
        logits);
}

}  // namespace

void CudaDevice::crossEntropy(const VocabularyPart& whole, ConstArray logits, const std::int32_t* targets,
                              double* loss) {
    auto* losses = scratch<double>(static_cast<std::size_t>(whole.rows));
    withType(logits.type, [&](auto t) {
        using T = typename decltype(t)::Type;
        withLogitRows<T>(whole, logits.data, [&](const VocabularyPart& part, auto threads, auto n) {
            launch("crossEntropy", crossEntropyKernel<threads(), n(), false, false, T>,
                   static_cast<unsigned>(part.rows), threads(), *queue_, part, as<T>(logits), targets, losses);
        });
    });
    meanLater(whole.rows, losses, loss);
}

void CudaDevice::capLogits(std::int64_t count, float cap, Array logits) {
    withType(logits.type, [&](auto t) {
        using T = typename decltype(t)::Type;
        withElements(
            [&](auto n) {
                launch("capLogits", capKernel<n(), T>, elementBlocks(count, n()), elementThreads, *queue_, count, cap,
                       as<T>(logits));
            },
            static_cast<const void*>(logits.data));
    });
}

void CudaDevice::crossEntropyWithGradient(const VocabularyPart& whole, Array logits, const std::int32_t* targets,
                                          double* loss) {
    auto* losses = scratch<double>(static_cast<std::size_t>(whole.rows));
    withType(logits.type, [&](auto t) {
        using T = typename decltype(t)::Type;
        withLogitRows<T>(whole, logits.data, [&](const VocabularyPart& part, auto threads, auto n) {
            const std::size_t rowBytes = static_cast<std::size_t>(ceilDiv(part.columns, n()) * n()) * sizeof(T);
            const bool keeps = rowBytes <= properties_.sharedMemPerBlockOptin - blockVariables;
            const auto kernel = keeps ? crossEntropyKernel<threads(), n(), true, true, T>
                                      : crossEntropyKernel<threads(), n(), true, false, T>;
            launchShared("crossEntropyWithGradient", kernel, static_cast<unsigned>(part.rows), threads(),
                         keeps ? rowBytes : 0, *queue_, part, as<T>(logits), targets, losses);
        });
    });
    meanLater(whole.rows, losses, loss);
}

void CudaDevice::largestLogits(const VocabularyPart& part, ConstArray logits, float* largest) {
    withType(logits.type, [&](auto t) {
        using T = typename decltype(t)::Type;
        withLogitRows<T>(part, logits.data, [&](const VocabularyPart& own, auto threads, auto n) {
            launch("largestLogits", largestLogitsKernel<threads(), n(), T>, static_cast<unsigned>(own.rows), threads(),
                   *queue_, own, as<T>(logits), largest);
        });
    });
}

void CudaDevice::sumExponentials(const VocabularyPart& part, const float* largest, const std::int32_t* targets,
                                 ConstArray logits, float* sums, float* own) {
    withType(logits.type, [&](auto t) {
        using T = typename decltype(t)::Type;
        withLogitRows<T>(part, logits.data, [&](const VocabularyPart& ours, auto threads, auto n) {
            launch("sumExponentials", sumExponentialsKernel<threads(), n(), T>, static_cast<unsigned>(ours.rows),
                   threads(), *queue_, ours, largest, targets, as<T>(logits), sums, own);
        });
    });
}

void CudaDevice::crossEntropyGradient(const VocabularyPart& part, const float* largest, const float* sums,
                                      const std::int32_t* targets, Array logits) {
    withType(logits.type, [&](auto t) {
        using T = typename decltype(t)::Type;
        withLogitRows<T>(part, logits.data, [&](const VocabularyPart& ours, auto threads, auto n) {
            launch("crossEntropyGradient", crossEntropyGradientKernel<threads(), n(), T>,
                   static_cast<unsigned>(ours.rows), threads(), *queue_, ours, largest, sums, targets, as<T>(logits));
        });
    });
}

void CudaDevice::sharedLoss(int rows, const float* largest, const float* sums, const float* own, double* loss) {
    auto* losses = scratch<double>(static_cast<std::size_t>(rows));
    launch("sharedLoss", sharedLossKernel, static_cast<unsigned>(ceilDiv(rows, 256)), 256, *queue_, rows, largest, sums,
           own, losses);
    meanLater(rows, losses, loss);
}

}  // namespace shardlab::kernels::cuda
