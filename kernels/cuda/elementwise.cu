// SPDX-License-Identifier: Apache-2.0
#include "kernels/elementwise.h"

#include "kernels/cuda/cuda_device.cuh"
#include "kernels/cuda/grid.cuh"
#include "kernels/cuda/late_results.cuh"
#include "kernels/cuda/reduce.cuh"

namespace shardlab::kernels::cuda {

namespace {

constexpr int sumThreads = 256;
constexpr std::int64_t sumChunk = 32768;

/// One part of a sum of squares; its type is known only at run time.
struct SquaresPart {
    const void* values = nullptr;
    std::int64_t count = 0;
    DType type = DType::F32;
};

template <class T>
__device__ double sumOfSquaresOf(const T* values, std::int64_t count) {
    constexpr int n = packOf<T>;
    double sum = 0;
    std::int64_t done = 0;
    if (reinterpret_cast<std::uintptr_t>(values) % 16 == 0) {
        const std::int64_t packs = count / n;
        for (std::int64_t i = threadIdx.x; i < packs; i += sumThreads) {
            const auto pack = loadPack<n>(values + i * n);
#pragma unroll
            for (int j = 0; j < n; ++j) sum += static_cast<double>(pack[j]) * static_cast<double>(pack[j]);
        }
        done = packs * n;
    }
    for (std::int64_t i = done + threadIdx.x; i < count; i += sumThreads) {
        const double value = toFloat(values[i]);
        sum += value * value;
    }
    return sum;
}

/// sums[chunk] = Σ values² of the chunk.
__global__ void __launch_bounds__(sumThreads)
    sumSquaresKernel(const __grid_constant__ PartTable<SquaresPart> table, double* sums) {
    const int chunk = static_cast<int>(blockIdx.x);
    const int index = table.partOf(chunk);
    const SquaresPart& part = table.parts[index];
    const std::int64_t begin = (chunk - table.firstChunk[index]) * sumChunk;
    const std::int64_t count = part.count - begin < sumChunk ? part.count - begin : sumChunk;
    double sum = 0;
    if (part.type == DType::F32) sum = sumOfSquaresOf(static_cast<const float*>(part.values) + begin, count);
    if (part.type == DType::BF16) sum = sumOfSquaresOf(static_cast<const bf16*>(part.values) + begin, count);
    if (part.type == DType::F16) sum = sumOfSquaresOf(static_cast<const fp16*>(part.values) + begin, count);
    sum = blockSum<sumThreads>(sum);
    if (threadIdx.x == 0) sums[chunk] = sum;
}

__global__ void __launch_bounds__(1024) sumKernel(std::int64_t count, const double* values, double* result) {
    double sum = 0;
    for (std::int64_t i = threadIdx.x; i < count; i += 1024) sum += values[i];
    sum = blockSum<1024>(sum);
    if (threadIdx.x == 0) *result = sum;
}

template <int N, class From, class To>
__global__ void convertKernel(std::int64_t count, const From* from, To* to) {
    overElements<N>(count, [=](std::int64_t at, auto n) {
        const auto in = loadPack<n()>(from + at);
        Pack<To, n()> out;
#pragma unroll
        for (int i = 0; i < n(); ++i) out.set(i, in[i]);
        storePack(to + at, out);
    });
}

template <int N, class From, class To>
__global__ void addKernel(std::int64_t count, const From* from, To* to) {
    overElements<N>(count, [=](std::int64_t at, auto n) {
        const auto in = loadPack<n()>(from + at);
        auto out = loadPack<n()>(to + at);
#pragma unroll
        for (int i = 0; i < n(); ++i) out.set(i, out[i] + in[i]);
        storePack(to + at, out);
    });
}

template <int N, class T>
__global__ void multiplyKernel(std::int64_t count, float factor, T* values) {
    overElements<N>(count, [=](std::int64_t at, auto n) {
        auto pack = loadPack<n()>(values + at);
#pragma unroll
        for (int i = 0; i < n(); ++i) pack.set(i, pack[i] * factor);
        storePack(values + at, pack);
    });
}

__device__ bool isFinite(float x) { return fabsf(x) <= 3.402823466e38f; }

template <int N, class T>
__global__ void noteNotFiniteKernel(std::int64_t count, const T* values, std::int32_t number, std::int32_t* first) {
    bool finite = true;
    overElements<N>(count, [&](std::int64_t at, auto n) {
        const auto pack = loadPack<n()>(values + at);
#pragma unroll
        for (int i = 0; i < n(); ++i) finite = finite && isFinite(pack[i]);
    });
    if (!finite) atomicCAS(first, 0, number);
}

constexpr int zeroBin = ExponentHistogram::bins;
constexpr int notFiniteBin = zeroBin + 1;
constexpr int allBins = notFiniteBin + 1;

__device__ int binOf(float x) {
    if (!isFinite(x)) return notFiniteBin;
    if (x == 0) return zeroBin;
    const int exponent = static_cast<int>((__float_as_uint(x) >> 23) & 0xFF) - 127;
    const int bin = exponent - ExponentHistogram::first;
    return bin < 0 ? 0 : bin >= ExponentHistogram::bins ? ExponentHistogram::bins - 1 : bin;
}

template <int N, class T>
__global__ void exponentsKernel(std::int64_t count, const T* values, unsigned long long* counts) {
    __shared__ unsigned own[allBins];
    for (int i = static_cast<int>(threadIdx.x); i < allBins; i += elementThreads) own[i] = 0;
    __syncthreads();
    overElements<N>(count, [&](std::int64_t at, auto n) {
        const auto pack = loadPack<n()>(values + at);
#pragma unroll
        for (int i = 0; i < n(); ++i) atomicAdd(&own[binOf(pack[i])], 1u);
    });
    __syncthreads();
    for (int i = static_cast<int>(threadIdx.x); i < allBins; i += elementThreads)
        if (own[i]) atomicAdd(&counts[i], static_cast<unsigned long long>(own[i]));
}

}  // namespace

double CudaDevice::sumOfSquares(std::span<const ArrayPart> parts) {
    std::vector<SquaresPart> table;
    std::int64_t chunks = 0;
    for (const ArrayPart& part : parts) {
        table.push_back({part.values.data, part.count, part.values.type});
        chunks += ceilDiv(part.count, sumChunk);
    }
    double* sums = scratch<double>(static_cast<std::size_t>(chunks));
    std::int64_t done = 0;
    withTables<SquaresPart>(table, sumChunk, [&](const PartTable<SquaresPart>& some, unsigned ownChunks) {
        launch("sumOfSquares", sumSquaresKernel, ownChunks, sumThreads, *queue_, some, sums + done);
        done += ownChunks;
    });
    return sumOnHost(chunks, sums);
}

double CudaDevice::sumOnHost(std::int64_t count, const double* values) {
    launch("sum", sumKernel, 1, 1024, *queue_, count, values, result_);
    synchronize();
    return *result_;
}

void CudaDevice::meanLater(std::int64_t count, const double* values, double* mean) {
    const double factor = 1.0 / static_cast<double>(count);
    const auto sum = [&](double* place) { launch("sum", sumKernel, 1, 1024, *queue_, count, values, place); };
    if (later_->ask(mean, factor, sum)) return;
    synchronize();
    later_->ask(mean, factor, sum);
}

void CudaDevice::convert(std::int64_t count, ConstArray from, Array to) {
    if (from.type == to.type) return copy(from.data, to.data, static_cast<std::size_t>(count) * sizeOf(from.type));
    withType(from.type, [&](auto f) {
        withType(to.type, [&](auto t) {
            using From = typename decltype(f)::Type;
            using To = typename decltype(t)::Type;
            withElements(
                [&](auto n) {
                    launch("convert", convertKernel<n(), From, To>, elementBlocks(count, n()), elementThreads, *queue_,
                           count, as<From>(from), as<To>(to));
                },
                from.data, to.data);
        });
    });
}

void CudaDevice::add(std::int64_t count, ConstArray from, Array to) {
    withType(from.type, [&](auto f) {
        withType(to.type, [&](auto t) {
            using From = typename decltype(f)::Type;
            using To = typename decltype(t)::Type;
            withElements(
                [&](auto n) {
                    launch("add", addKernel<n(), From, To>, elementBlocks(count, n()), elementThreads, *queue_, count,
                           as<From>(from), as<To>(to));
                },
                from.data, to.data);
        });
    });
}

void CudaDevice::multiply(std::int64_t count, float factor, Array values) {
    withType(values.type, [&](auto t) {
        using T = typename decltype(t)::Type;
        withElements(
            [&](auto n) {
                launch("multiply", multiplyKernel<n(), T>, elementBlocks(count, n()), elementThreads, *queue_, count,
                       factor, as<T>(values));
            },
            values.data);
    });
}

void CudaDevice::noteNotFinite(std::int64_t count, ConstArray values, std::int32_t number, std::int32_t* first) {
    withType(values.type, [&](auto t) {
        using T = typename decltype(t)::Type;
        withElements(
            [&](auto n) {
                launch("noteNotFinite", noteNotFiniteKernel<n(), T>, elementBlocks(count, n()), elementThreads, *queue_,
                       count, as<T>(values), number, first);
            },
            values.data);
    });
}

void CudaDevice::addExponents(std::int64_t count, ConstArray values, ExponentHistogram& histogram) {
    auto* counts = scratch<unsigned long long>(allBins);
    clear(counts, allBins * sizeof *counts);
    withType(values.type, [&](auto t) {
        using T = typename decltype(t)::Type;
        withElements(
            [&](auto n) {
                const auto most = 8 * static_cast<unsigned>(properties_.multiProcessorCount);
                const unsigned blocks = std::min(elementBlocks(count, n()), most);
                launch("addExponents", exponentsKernel<n(), T>, blocks, elementThreads, *queue_, count, as<T>(values),
                       counts);
            },
            values.data);
    });
    std::array<unsigned long long, allBins> got{};
    download(counts, got.data(), sizeof got);
    for (int i = 0; i < ExponentHistogram::bins; ++i) histogram.counts[i] += static_cast<std::int64_t>(got[i]);
    histogram.zeros += static_cast<std::int64_t>(got[zeroBin]);
    histogram.notFinite += static_cast<std::int64_t>(got[notFiniteBin]);
}

}  // namespace shardlab::kernels::cuda
