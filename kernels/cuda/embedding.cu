// SPDX-License-Identifier: Apache-2.0
// Backward adds the gradients of one token in the order of their positions, whatever other tokens there are: positions
// are sorted by token, and the positions of each token are cut into chunks. The sum of a token with one chunk is added
// to its row at once; the sums of several chunks are kept and added up afterwards.
#include "kernels/embedding.h"

#include "kernels/cuda/cuda_device.cuh"
#include "kernels/cuda/grid.cuh"
#include "kernels/cuda/sort.cuh"

namespace shardlab::kernels::cuda {

namespace {

constexpr int gradThreads = 128;
constexpr int chunkPositions = 32;

template <class T, class P>
struct Embed {
    EmbeddingShape shape;
    const std::int32_t* tokens;
    const P* tokenTable;
    const P* positionTable;  ///< null: none
    T* output;

    template <int N>
    __device__ void at(int row, int column, std::int64_t index) const {
        const int token = tokens[row] - shape.firstToken;
        float sums[N] = {};
        if (token >= 0 && token < shape.tokens) {
            const auto values = loadPack<N>(tokenTable + static_cast<std::int64_t>(token) * shape.hidden + column);
#pragma unroll
            for (int i = 0; i < N; ++i) sums[i] = values[i];
        }
        if (positionTable) {
            const std::int64_t position = row % shape.sequence;
            const auto values = loadPack<N>(positionTable + position * shape.hidden + column);
#pragma unroll
            for (int i = 0; i < N; ++i) sums[i] += values[i];
        }
        Pack<T, N> out;
#pragma unroll
        for (int i = 0; i < N; ++i) out.set(i, sums[i]);
        storePack(output + index, out);
    }
};

/// Tokens beyond the table get the key after the table's last one.
__global__ void keysKernel(int count, EmbeddingShape shape, const std::int32_t* tokens, KeyedNumbers keyed) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i >= count) return;
    const int token = tokens[i] - shape.firstToken;
    keyed.keys[i] = static_cast<std::uint32_t>(token >= 0 && token < shape.tokens ? token : shape.tokens);
    keyed.numbers[i] = i;
}

template <int N, class G>
__device__ void addTo(G* target, const float (&sums)[N]) {
    auto values = loadPack<N>(target);
#pragma unroll
    for (int i = 0; i < N; ++i) values.set(i, values[i] + sums[i]);
    storePack(target, values);
}

/// Where the positions of sorted.keys[i] begin.
__device__ int firstOfKey(KeyedNumbers sorted, int i) {
    const std::uint32_t key = sorted.keys[i];
    int below = -1;
    int at = i;
    while (at - below > 1) {
        const int middle = below + (at - below) / 2;
        (sorted.keys[middle] < key ? below : at) = middle;
    }
    return at;
}

__device__ bool sameKey(int count, KeyedNumbers sorted, int i, int other) {
    return other >= 0 && other < count && sorted.keys[other] == sorted.keys[i];
}

/// Where the sum of a chunk that begins at `i` is kept. Among chunkPositions neighbours at most one token of several
/// chunks begins, and at most one continues.
__device__ std::int64_t partialOf(int i, bool first) { return 2 * (i / chunkPositions) + (first ? 1 : 0); }

/// Block i takes the chunk that begins at i in the sorted list, where one does.
template <int N, class T, class G>
__global__ void __launch_bounds__(gradThreads) tokenGradKernel(int count, EmbeddingShape shape, KeyedNumbers sorted,
                                                               const T* outputGradient, G* table, float* partial) {
    const int hidden = shape.hidden;
    const int begin = static_cast<int>(blockIdx.x);
    const std::uint32_t key = sorted.keys[begin];
    if (key >= static_cast<std::uint32_t>(shape.tokens)) return;
    const bool first = !sameKey(count, sorted, begin, begin - 1);
    if (!first) {
        if (!sameKey(count, sorted, begin, begin - chunkPositions)) return;  // only later chunks begin within a token
        if ((begin - firstOfKey(sorted, begin)) % chunkPositions != 0) return;
    }
    const bool only = first && !sameKey(count, sorted, begin, begin + chunkPositions);
    int end = begin + 1;
    while (end < begin + chunkPositions && sameKey(count, sorted, begin, end)) ++end;
    for (int column = static_cast<int>(threadIdx.x) * N; column < hidden; column += gradThreads * N) {
        float sums[N] = {};
#pragma unroll 8
        for (int i = begin; i < end; ++i) {
            const auto values =
                loadPack<N>(outputGradient + static_cast<std::int64_t>(sorted.numbers[i]) * hidden + column);
#pragma unroll
            for (int j = 0; j < N; ++j) sums[j] += values[j];
        }
        if (only) {
            addTo<N>(table + static_cast<std::int64_t>(key) * hidden + column, sums);
        } else {
            Pack<float, N> out;
#pragma unroll
            for (int j = 0; j < N; ++j) out.set(j, sums[j]);
            storePack(partial + partialOf(begin, first) * hidden + column, out);
        }
    }
}

/// Block i adds up the token of several chunks that begins among positions i·chunkPositions and on.
template <int N, class G>
__global__ void __launch_bounds__(gradThreads)
    longTokenGradKernel(int count, EmbeddingShape shape, KeyedNumbers sorted, const float* partial, G* table) {
    const int hidden = shape.hidden;
    int begin = static_cast<int>(blockIdx.x) * chunkPositions;
    const int next = begin + chunkPositions;
    const auto isLong = [&](int i) {
        return !sameKey(count, sorted, i, i - 1) && sameKey(count, sorted, i, i + chunkPositions);
    };
    while (begin < next && begin < count && !isLong(begin)) ++begin;
    if (begin == next || begin >= count) return;
    const std::uint32_t key = sorted.keys[begin];
    if (key >= static_cast<std::uint32_t>(shape.tokens)) return;
    int chunks = 2;
    while (sameKey(count, sorted, begin, begin + chunks * chunkPositions)) ++chunks;
    for (int column = static_cast<int>(threadIdx.x) * N; column < hidden; column += gradThreads * N) {
        float sums[N] = {};
#pragma unroll 8
        for (int chunk = 0; chunk < chunks; ++chunk) {
            const std::int64_t from = partialOf(begin + chunk * chunkPositions, chunk == 0);
            const auto values = loadPack<N>(partial + from * hidden + column);
#pragma unroll
            for (int j = 0; j < N; ++j) sums[j] += values[j];
        }
        addTo<N>(table + static_cast<std::int64_t>(key) * hidden + column, sums);
    }
}

template <int N, class T, class G>
__global__ void __launch_bounds__(gradThreads)
    positionGradKernel(EmbeddingShape shape, const T* outputGradient, G* table) {
    const std::int64_t position = blockIdx.x;
    const std::int64_t stride = static_cast<std::int64_t>(shape.sequence) * shape.hidden;
    for (int column = static_cast<int>(threadIdx.x) * N; column < shape.hidden; column += gradThreads * N) {
        const std::int64_t at = position * shape.hidden + column;
        float sums[N] = {};
#pragma unroll 8
        for (int sample = 0; sample < shape.samples; ++sample) {
            const auto values = loadPack<N>(outputGradient + sample * stride + at);
#pragma unroll
            for (int j = 0; j < N; ++j) sums[j] += values[j];
        }
        addTo<N>(table + at, sums);
    }
}

constexpr std::size_t roundedTo256(std::size_t bytes) { return (bytes + 255) / 256 * 256; }

}  // namespace

void CudaDevice::embed(const EmbeddingShape& shape, const std::int32_t* tokens, ConstArray tokenTable,
                       ConstArray positionTable, Array output) {
    const int rows = shape.samples * shape.sequence;
    withTypes(output.type, tokenTable ? tokenTable.type : positionTable.type, [&](auto t, auto p) {
        using T = typename decltype(t)::Type;
        using P = typename decltype(p)::Type;
        withPacks<T>(
            shape.hidden,
            [&](auto n) {
                launch("embed", mapMatrixKernel<n(), Embed<T, P>>, matrixBlocks(rows, shape.hidden, n()), tileThreads,
                       *queue_, rows, shape.hidden,
                       Embed<T, P>{shape, tokens, as<P>(tokenTable), as<P>(positionTable), as<T>(output)});
            },
            tokenTable.data, positionTable.data, static_cast<const void*>(output.data));
    });
}

void CudaDevice::embedGrad(const EmbeddingShape& shape, const std::int32_t* tokens, ConstArray outputGradient,
                           Array tokenGradient, Array positionGradient) {
    const int rows = shape.samples * shape.sequence;
    if (rows == 0) return;
    const Array any = tokenGradient ? tokenGradient : positionGradient;
    if (!any) return;
    const auto count = static_cast<std::size_t>(rows);
    const auto chunks = static_cast<unsigned>(ceilDiv(rows, chunkPositions));
    const auto end = static_cast<std::uint32_t>(shape.tokens);

    const std::size_t list = roundedTo256(count * sizeof(std::int32_t));
    const std::size_t partialBytes = roundedTo256(2 * chunks * static_cast<std::size_t>(shape.hidden) * sizeof(float));
    auto* memory = scratch<std::byte>(partialBytes + 4 * list + (tokenGradient ? sortScratch(rows, end) : 0));
    auto* partial = reinterpret_cast<float*>(memory);
    const auto listAt = [&](std::size_t i) { return memory + partialBytes + i * list; };
    const KeyedNumbers keyed{reinterpret_cast<std::uint32_t*>(listAt(0)), reinterpret_cast<std::int32_t*>(listAt(1))};
    const KeyedNumbers sorted{reinterpret_cast<std::uint32_t*>(listAt(2)), reinterpret_cast<std::int32_t*>(listAt(3))};
    if (tokenGradient) {
        launch("keys of tokens", keysKernel, static_cast<unsigned>(ceilDiv(rows, 256)), 256, *queue_, rows, shape,
               tokens, keyed);
        sortByKey(rows, end, keyed, sorted, listAt(4), queue_->stream());
    }
    withTypes(outputGradient.type, any.type, [&](auto t, auto g) {
        using T = typename decltype(t)::Type;
        using G = typename decltype(g)::Type;
        withPacks<T>(
            shape.hidden,
            [&](auto n) {
                constexpr int N = n();
                const T* gradient = as<T>(outputGradient);
                if (tokenGradient) {
                    launch("tokenGrad", tokenGradKernel<N, T, G>, static_cast<unsigned>(rows), gradThreads, *queue_,
                           rows, shape, sorted, gradient, as<G>(tokenGradient), partial);
                    launch("longTokenGrad", longTokenGradKernel<N, G>, chunks, gradThreads, *queue_, rows, shape,
                           sorted, static_cast<const float*>(partial), as<G>(tokenGradient));
                }
                if (positionGradient)
                    launch("positionGrad", positionGradKernel<N, T, G>, static_cast<unsigned>(shape.sequence),
                           gradThreads, *queue_, shape, gradient, as<G>(positionGradient));
            },
            outputGradient.data, static_cast<const void*>(tokenGradient.data),
            static_cast<const void*>(positionGradient.data));
    });
}

}  // namespace shardlab::kernels::cuda
