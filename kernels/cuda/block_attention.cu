// SPDX-License-Identifier: Apache-2.0
// A warp holds one row, of queries or of keys, and each lane every 32nd column of it; the rows of the other side come
// one by one. Sums are taken in fp32 and in a fixed order, without shared memory, so that every call gives the same
// bits.
#include "kernels/block_attention.h"

#include "kernels/cuda/copy_columns.cuh"
#include "kernels/cuda/cuda_device.cuh"
#include "kernels/cuda/dropout_mask.cuh"
#include "kernels/cuda/grid.cuh"
#include "kernels/cuda/head_rule.cuh"
#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/reduce.cuh"
#include "kernels/cuda/types.cuh"

#include <cmath>
#include <string>

namespace shardlab::kernels::cuda {

namespace {

constexpr int widestBlockHead = 256;
constexpr int columnsOfLane = widestBlockHead / warpSize_;
constexpr int warpsOfBlock = 4;

struct BlockArguments {
    AttentionBlock block;
    float scale = 1;
    bool first = false;
    DropoutKeep keep;
    const void* qkv = nullptr;
    const void* keysValues = nullptr;
    const float* sinks = nullptr;  ///< [heads], read with `first`; null: none
    const void* output = nullptr;
    const void* outputGradient = nullptr;
    float* sums = nullptr;  ///< forward's output
    float* logSums = nullptr;
    float* queryGradient = nullptr;
    float* keysValuesGradient = nullptr;
};

/// The row of this warp: which of `rows` in which head of which sample; none beyond the last.
struct RowOfHead {
    __device__ RowOfHead(const AttentionBlock& block, int rows) {
        const std::int64_t number = static_cast<std::int64_t>(blockIdx.x) * warpsOfBlock + threadIdx.x / warpSize_;
        row = static_cast<int>(number % rows);
        const std::int64_t sequence = number / rows;
        head = static_cast<int>(sequence % block.heads);
        sample = sequence / block.heads;
        valid = sample < block.samples;
    }
    std::int64_t sample;
    int head, row;
    bool valid;
};

__device__ inline int lane() { return static_cast<int>(threadIdx.x) % warpSize_; }

/// Positions from a key of the block to a query of it.
__device__ inline int distanceOf(const AttentionBlock& block, int query, int key) {
    return block.queryPosition(query) - block.keyPosition(key);
}

__device__ inline int keysSeen(const AttentionBlock& block, int query) {
    return block.causal && query < block.keys ? query + 1 : block.keys;
}

/// Which probabilities of a query are dropped.
class DroppedKeys {
public:
    __device__ DroppedKeys(const BlockArguments& a, const RowOfHead& own, int query)
        : block_(a.block), row_(a.keep, a.block.maskRow(own.sample, own.head, query)) {}
    /// The factor of a key's probability: 1 where nothing is dropped.
    __device__ float operator()(int key) const {
        if (block_.dropout.mask.share == 0) return 1;
        return row_(static_cast<std::uint32_t>(block_.keyPosition(key)));
    }

private:
    const AttentionBlock& block_;
    DropoutRow row_;
};

/// This lane's columns of a row of a head, in registers; zeros beyond the width.
struct Columns {
    float values[columnsOfLane] = {};

    template <class T>
    __device__ void load(const T* row, int width) {
#pragma unroll
        for (int i = 0; i < columnsOfLane; ++i) {
            const int column = lane() + warpSize_ * i;
            values[i] = column < width ? toFloat(row[column]) : 0.0f;
        }
    }
    __device__ float dot(const Columns& other) const {
        float sum = 0;
#pragma unroll
        for (int i = 0; i < columnsOfLane; ++i) sum += values[i] * other.values[i];
        return warpSum(sum);
    }
    __device__ void add(float factor, const Columns& other) {
#pragma unroll
        for (int i = 0; i < columnsOfLane; ++i) values[i] += factor * other.values[i];
    }
    __device__ void multiply(float factor) {
#pragma unroll
        for (int i = 0; i < columnsOfLane; ++i) values[i] *= factor;
    }
    /// row := keep · row + these columns
    __device__ void merge(float keep, float* row, int width) const {
#pragma unroll
        for (int i = 0; i < columnsOfLane; ++i) {
            const int column = lane() + warpSize_ * i;
            if (column < width) row[column] = (keep != 0 ? keep * row[column] : 0.0f) + values[i];
        }
    }
};

/// Where the rows of one head of one sample lie.
struct Places {
    __device__ Places(const AttentionBlock& block, const RowOfHead& own)
        : hidden(block.heads * block.width), column(own.head * block.width),
          query(own.sample * block.rows + block.firstQuery), key(own.sample * block.rows + block.firstKey),
          number((own.sample * block.heads + own.head) * block.rows + block.firstQuery) {}
    __device__ std::int64_t ofQuery(int row) const { return (query + row) * 3 * hidden + column; }
    __device__ std::int64_t ofKey(int row) const { return (key + row) * 2 * hidden + column; }
    __device__ std::int64_t ofValue(int row) const { return ofKey(row) + hidden; }
    __device__ std::int64_t ofOutput(int row) const { return (query + row) * hidden + column; }
    int hidden, column;
    std::int64_t query, key, number;
};

template <class T>
__global__ void attendBlockKernel(BlockArguments a) {
    const RowOfHead own(a.block, a.block.queries);
    if (!own.valid) return;
    const Places places(a.block, own);
    const int width = a.block.width;
    const T* const keysValues = static_cast<const T*>(a.keysValues);
    Columns query, output;
    query.load(static_cast<const T*>(a.qkv) + places.ofQuery(own.row), width);
    const HeadRule<true> rule(a.block.rule, own.head);
    float highest = -INFINITY, sum = 0;
    const DroppedKeys kept(a, own, own.row);
    const int keys = keysSeen(a.block, own.row), least = a.block.firstSeen(own.row);
    if (least >= keys) return;
    for (int key = least; key < keys; ++key) {
        Columns other;
        other.load(keysValues + places.ofKey(key), width);
        const float score = rule(a.scale * query.dot(other), distanceOf(a.block, own.row, key));
        const float top = fmaxf(highest, score), before = expf(highest - top), weight = expf(score - top);
        highest = top;
        sum = sum * before + weight;
        other.load(keysValues + places.ofValue(key), width);
        output.multiply(before);
        output.add(weight * kept(key), other);
    }
    float& logSum = a.logSums[places.number + own.row];
    const float added = highest + logf(sum);
    float whole = added, keep = 0;
    if (a.first) {
        if (a.sinks) whole = withSink(added, a.sinks[own.head]);
    } else {
        const float before = logSum, larger = fmaxf(before, added);
        whole = larger + logf(expf(before - larger) + expf(added - larger));
        keep = expf(before - whole);
    }
    output.multiply(expf(highest - whole));
    output.merge(keep, a.sums + places.ofOutput(own.row), width);
    __syncwarp();
    if (lane() == 0) logSum = whole;
}

template <class T>
__global__ void queryGradientOfBlockKernel(BlockArguments a) {
    const RowOfHead own(a.block, a.block.queries);
    if (!own.valid) return;
    const Places places(a.block, own);
    const int width = a.block.width;
    const T* const keysValues = static_cast<const T*>(a.keysValues);
    Columns query, gradient, other, sums;
    query.load(static_cast<const T*>(a.qkv) + places.ofQuery(own.row), width);
    gradient.load(static_cast<const T*>(a.outputGradient) + places.ofOutput(own.row), width);
    other.load(static_cast<const T*>(a.output) + places.ofOutput(own.row), width);
    const float product = gradient.dot(other);
    const HeadRule<true> rule(a.block.rule, own.head);
    const float logSum = a.logSums[places.number + own.row];
    const DroppedKeys kept(a, own, own.row);
    const int keys = keysSeen(a.block, own.row);
    for (int key = a.block.firstSeen(own.row); key < keys; ++key) {
        other.load(keysValues + places.ofValue(key), width);
        const float ofProbability = kept(key) * gradient.dot(other);
        other.load(keysValues + places.ofKey(key), width);
        const int distance = distanceOf(a.block, own.row, key);
        const float score = rule(a.scale * query.dot(other), distance);
        const float slope = a.scale * expf(score - logSum) * rule.derivative(score, distance);
        sums.add(slope * (ofProbability - product), other);
    }
    sums.merge(1, a.queryGradient + places.ofOutput(own.row), width);
}

template <class T>
__global__ void keyValueGradientOfBlockKernel(BlockArguments a) {
    const RowOfHead own(a.block, a.block.keys);
    if (!own.valid) return;
    const Places places(a.block, own);
    const int width = a.block.width;
    const T* const keysValues = static_cast<const T*>(a.keysValues);
    Columns key, value, query, gradient, output, keySums, valueSums;
    key.load(keysValues + places.ofKey(own.row), width);
    value.load(keysValues + places.ofValue(own.row), width);
    const HeadRule<true> rule(a.block.rule, own.head);
    for (int row = a.block.causal ? own.row : 0; row < a.block.queries; ++row) {
        if (a.block.firstSeen(row) > own.row) break;  // nor do later queries see it
        query.load(static_cast<const T*>(a.qkv) + places.ofQuery(row), width);
        gradient.load(static_cast<const T*>(a.outputGradient) + places.ofOutput(row), width);
        output.load(static_cast<const T*>(a.output) + places.ofOutput(row), width);
        const int distance = distanceOf(a.block, row, own.row);
        const float score = rule(a.scale * key.dot(query), distance);
        const float probability = expf(score - a.logSums[places.number + row]);
        const float kept = DroppedKeys(a, own, row)(own.row);
        const float d =
            probability * rule.derivative(score, distance) * (kept * value.dot(gradient) - gradient.dot(output));
        keySums.add(a.scale * d, query);
        valueSums.add(kept * probability, gradient);
    }
    keySums.merge(1, a.keysValuesGradient + places.ofKey(own.row), width);
    valueSums.merge(1, a.keysValuesGradient + places.ofValue(own.row), width);
}

constexpr int sinkThreads = 512;

/// A block takes a head, and each of its warps every 16th row.
template <class T>
__global__ void __launch_bounds__(sinkThreads) sinkGradientKernel(BlockArguments a, float* gradient) {
    const AttentionBlock& block = a.block;
    const int head = static_cast<int>(blockIdx.x), hidden = block.heads * block.width;
    const float sink = a.sinks[head];
    float sum = 0;
    const std::int64_t tokens = std::int64_t{block.samples} * block.rows;
    for (std::int64_t token = threadIdx.x / warpSize_; token < tokens; token += sinkThreads / warpSize_) {
        const std::int64_t at = token * hidden + head * block.width;
        Columns output, ofOutput;
        output.load(static_cast<const T*>(a.output) + at, block.width);
        ofOutput.load(static_cast<const T*>(a.outputGradient) + at, block.width);
        const std::int64_t row = (token / block.rows * block.heads + head) * block.rows + token % block.rows;
        sum += expf(sink - a.logSums[row]) * output.dot(ofOutput);
    }
    sum = blockSum<sinkThreads>(lane() == 0 ? sum : 0.0f);
    if (threadIdx.x == 0) gradient[head] = -sum;
}

BlockArguments argumentsOf(const AttentionBlock& block, ConstArray qkv, ConstArray keysValues) {
    if (block.width > widestBlockHead)
        throw std::runtime_error("CUDA: attention heads are " + std::to_string(block.width) +
                                 " wide; kernels are made for up to " + std::to_string(widestBlockHead));
    BlockArguments a;
    a.block = block;
    a.scale = 1 / std::sqrt(static_cast<float>(block.width));
    a.keep = DropoutKeep(block.dropout.mask);
    a.qkv = qkv.data;
    a.keysValues = keysValues.data;
    return a;
}

unsigned blocksOf(const AttentionBlock& block, int rows) {
    return static_cast<unsigned>(ceilDiv(std::int64_t{block.samples} * block.heads * rows, warpsOfBlock));
}

}  // namespace

std::size_t CudaDevice::attentionBlockScratch(int, int) const { return 0; }

const float* CudaDevice::sinkScores(int heads, const HeadSinks& sinks) {
    if (sinks.scores.type == DType::F32) return sinks.scores.floats();
    auto* const scores = scratch<float>(static_cast<std::size_t>(heads));
    convert(heads, sinks.scores, scores);
    return scores;
}

void CudaDevice::attentionBlock(const AttentionBlock& block, ConstArray qkv, ConstArray keysValues,
                                const HeadSinks& sinks, bool first, float* output, float* logSums, float*) {
    BlockArguments a = argumentsOf(block, qkv, keysValues);
    a.first = first;
    if (sinks && first) a.sinks = sinkScores(block.heads, sinks);
    a.sums = output;
    a.logSums = logSums;
    withType(qkv.type, [&](auto t) {
        using T = typename decltype(t)::Type;
        launch("attentionBlock", attendBlockKernel<T>, blocksOf(block, block.queries), warpsOfBlock * warpSize_,
               *queue_, a);
    });
}

void CudaDevice::attentionBlockGrad(const AttentionBlock& block, ConstArray qkv, ConstArray keysValues,
                                    ConstArray output, ConstArray outputGradient, const float* logSums,
                                    float* queryGradient, float* keysValuesGradient, float*) {
    BlockArguments a = argumentsOf(block, qkv, keysValues);
    a.output = output.data;
    a.outputGradient = outputGradient.data;
    a.logSums = const_cast<float*>(logSums);  // backward only reads it
    a.queryGradient = queryGradient;
    a.keysValuesGradient = keysValuesGradient;
    withType(qkv.type, [&](auto t) {
        using T = typename decltype(t)::Type;
        launch("attentionBlockGrad", queryGradientOfBlockKernel<T>, blocksOf(block, block.queries),
               warpsOfBlock * warpSize_, *queue_, a);
        launch("attentionBlockGrad", keyValueGradientOfBlockKernel<T>, blocksOf(block, block.keys),
               warpsOfBlock * warpSize_, *queue_, a);
    });
}

void CudaDevice::sinkGrad(const AttentionBlock& block, ConstArray output, ConstArray outputGradient,
                          const float* logSums, const HeadSinks& sinks) {
    BlockArguments a = argumentsOf(block, {}, {});
    a.sinks = sinkScores(block.heads, sinks);
    a.output = output.data;
    a.outputGradient = outputGradient.data;
    a.logSums = const_cast<float*>(logSums);  // it is only read
    withType(output.type, [&](auto t) {
        using T = typename decltype(t)::Type;
        launch("sinkGrad", sinkGradientKernel<T>, static_cast<unsigned>(block.heads), sinkThreads, *queue_, a,
               sinks.gradient);
    });
}

void CudaDevice::takeKeysValues(int rows, int hidden, ConstArray qkv, Array keysValues) {
    const std::int64_t count = std::int64_t{rows} * 2 * hidden;
    withType(qkv.type, [&](auto t) {
        using T = typename decltype(t)::Type;
        launch("takeKeysValues", copyColumnsKernel<T, T>, elementBlocks(count, 1), elementThreads, *queue_, count,
               2 * hidden, as<T>(qkv) + hidden, 3 * hidden, as<T>(keysValues), 2 * hidden);
    });
}

void CudaDevice::joinGradients(int rows, int hidden, const float* queryGradient, const float* keysValuesGradient,
                               Array qkvGradient) {
    const std::int64_t count = std::int64_t{rows} * hidden;
    withType(qkvGradient.type, [&](auto t) {
        using T = typename decltype(t)::Type;
        launch("joinGradients", copyColumnsKernel<float, T>, elementBlocks(count, 1), elementThreads, *queue_, count,
               hidden, queryGradient, hidden, as<T>(qkvGradient), 3 * hidden);
        launch("joinGradients", copyColumnsKernel<float, T>, elementBlocks(2 * count, 1), elementThreads, *queue_,
               2 * count, 2 * hidden, keysValuesGradient, 2 * hidden, as<T>(qkvGradient) + hidden, 3 * hidden);
    });
}

}  // namespace shardlab::kernels::cuda
