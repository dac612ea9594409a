// SPDX-License-Identifier: Apache-2.0
// Works on one head of one sample at a time, its queries in blocks of rows, as attention.cpp does; only the sums of a
// block are kept.
#include "kernels/cpu/cpu_device.h"
#include "kernels/cpu/dropout_mask.h"
#include "kernels/cpu/products.h"
#include "kernels/cpu/rows.h"
#include "kernels/cpu/score_rows.h"
#include "kernels/cpu/vector.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace shardlab::kernels {

namespace {

constexpr int queriesAtOnce = 64;

/// Overwrites scores row[0 … last] with e^(score − highest), and the rest up to `columns` with zeros; returns the
/// highest and the sum.
struct RowSums {
    float highest;
    float sum;
};
SHARDLAB_HOT RowSums exponentials(float* row, int last, int columns) {
    float highest = row[0];
#pragma omp simd reduction(max : highest)
    for (int j = 0; j <= last; ++j) highest = row[j] > highest ? row[j] : highest;
    float sum = 0;
#pragma omp simd reduction(+ : sum)
    for (int j = 0; j <= last; ++j) {
        const float weight = cpu::expOf(row[j] - highest);
        row[j] = weight;
        sum += weight;
    }
    for (int j = last + 1; j < columns; ++j) row[j] = 0;
    return {highest, sum};
}

SHARDLAB_HOT void scaleRow(float* row, float factor, int columns) {
#pragma omp simd
    for (int j = 0; j < columns; ++j) row[j] *= factor;
}

/// Overwrites scores with probabilities, and gradients of probabilities with gradients of scores; zeros follow from
/// `last` on.
SHARDLAB_HOT void gradientRow(float* __restrict scores, float* __restrict gradient, float logSum, float product,
                              int last, int columns) {
#pragma omp simd
    for (int j = 0; j <= last; ++j) {
        const float probability = cpu::expOf(scores[j] - logSum);
        scores[j] = probability;
        gradient[j] = probability * (gradient[j] - product);
    }
    for (int j = last + 1; j < columns; ++j) scores[j] = gradient[j] = 0;
}

/// row[j] := masked row[j], of the mask's columns from `column` on.
SHARDLAB_HOT void maskKeys(const cpu::DropoutRow& keep, std::uint32_t column, int count, float* row) {
#pragma omp simd
    for (int j = 0; j < count; ++j) row[j] *= keep(column + static_cast<std::uint32_t>(j));
}

SHARDLAB_HOT float dot(const float* a, const float* b, int count) {
    float sum = 0;
#pragma omp simd reduction(+ : sum)
    for (int j = 0; j < count; ++j) sum += a[j] * b[j];
    return sum;
}

/// Where the matrices of one head of one sample begin in the matrices of all.
struct BlockHead {
    BlockHead(const AttentionBlock& block, std::int64_t which)
        : number(static_cast<int>(which % block.heads)), hidden(block.heads * block.width), rule(block.rule, number) {
        sample = which / block.heads;
        const std::int64_t head = number;
        const std::int64_t query = sample * block.rows + block.firstQuery, key = sample * block.rows + block.firstKey;
        queries = query * 3 * hidden + head * block.width;
        keys = key * 2 * hidden + head * block.width;
        values = keys + hidden;
        output = query * hidden + head * block.width;
        rows = which * block.rows + block.firstQuery;
    }
    std::int64_t sample;
    int number;  ///< of the heads of its sample
    int hidden;
    cpu::HeadRule rule;
    std::int64_t queries;       ///< its rows lie 3·hidden apart
    std::int64_t keys, values;  ///< their rows lie 2·hidden apart
    std::int64_t output;        ///< its rows lie hidden apart
    std::int64_t rows;          ///< in arrays with one number for each row of each head
};

float scaleOf(const AttentionBlock& block) { return 1.0f / std::sqrt(static_cast<float>(block.width)); }

/// How many keys the queries `begin` … `end` − 1 see.
int seen(const AttentionBlock& block, int end) { return block.causal ? std::min(end, block.keys) : block.keys; }
int lastSeen(const AttentionBlock& block, int query) { return seen(block, query + 1) - 1; }

/// Calls body(position, keys, their numbers) for each run of positions of the keys `least` … `last`; there are two at
/// most. `row` has a number for each key of the block.
template <class Body>
void eachRunOfKeys(const AttentionBlock& block, int least, int last, float* row, const Body& body) {
    if (least > last) return;
    const int split = std::clamp(block.keyRows.split - block.firstKey, least, last + 1);
    for (const auto& [begin, end] : {std::pair{least, split}, {split, last + 1}})
        if (begin < end) body(block.keyPosition(begin), end - begin, row + begin);
}

/// Lowers a query's scores of the keys `least` … `last`.
void lowerKeys(const AttentionBlock& block, float slope, int query, int least, int last, float* scores) {
    const int position = block.queryPosition(query);
    eachRunOfKeys(block, least, last, scores,
                  [&](int first, int keys, float* some) { cpu::lowerRow(keys, slope, position - first, some); });
}

/// Drops what the mask drops of a query's numbers of the keys `least` … `last`.
void dropKeys(const AttentionBlock& block, const BlockHead& head, int query, int least, int last, float* numbers) {
    if (block.dropout.mask.share == 0) return;
    const cpu::DropoutRow keep(block.dropout.mask, block.maskRow(head.sample, head.number, query));
    eachRunOfKeys(block, least, last, numbers, [&](int first, int keys, float* some) {
        maskKeys(keep, static_cast<std::uint32_t>(first), keys, some);
    });
}

void attendBlock(const AttentionBlock& block, const BlockHead& head, ConstArray qkv, ConstArray keysValues,
                 const HeadSinks& sinks, bool first, float* output, float* logSums, float* scratch) {
    const float sink = cpu::sinkOf(sinks, head.number);
    const int d = block.width;
    const DType type = cpu::headType(qkv.type);
    const cpu::Factor q(qkv + head.queries, block.queries, d, 3 * head.hidden, type);
    const cpu::Factor k(keysValues + head.keys, block.keys, d, 2 * head.hidden, type);
    const cpu::Factor v(keysValues + head.values, block.keys, d, 2 * head.hidden, type);
    for (int begin = 0; begin < block.queries; begin += queriesAtOnce) {
        const int end = std::min(begin + queriesAtOnce, block.queries), rows = end - begin;
        const int from = block.firstSeen(begin), keys = seen(block, end);
        if (from >= keys) continue;
        cpu::product(rows, keys - from, d, scaleOf(block), q.rows(begin), k.transposed(from), 0, scratch + from,
                     block.keys);
        float* const out = output + head.output + std::ptrdiff_t{begin} * head.hidden;
        for (int i = 0; i < rows; ++i) {
            float* const all = scratch + std::ptrdiff_t{i} * block.keys;
            const int least = block.firstSeen(begin + i), last = lastSeen(block, begin + i);
            std::fill(all + from, all + std::min(least, keys), 0.0f);
            if (least > last) {
                std::fill(all + from, all + keys, 0.0f);
                continue;
            }
            float* const row = all + least;
            if (head.rule.cap > 0) cpu::capRow(last - least + 1, head.rule.cap, row);
            if (head.rule.slope > 0) lowerKeys(block, head.rule.slope, begin + i, least, last, all);
            const RowSums own = exponentials(row, last - least, keys - least);
            float& logSum = logSums[head.rows + begin + i];
            const float added = own.highest + std::log(own.sum);
            const float before = first ? sink : logSum, larger = std::max(before, added);
            logSum = larger + std::log(std::exp(before - larger) + std::exp(added - larger));
            if (!first) scaleRow(out + std::ptrdiff_t{i} * head.hidden, std::exp(before - logSum), d);
            scaleRow(row, std::exp(own.highest - logSum), keys - least);
            dropKeys(block, head, begin + i, least, last, all);
        }
        const cpu::Factor weights(scratch + from, rows, keys - from, block.keys, type);
        cpu::product(rows, d, keys - from, 1, weights.rows(), v.rows(from), first ? 0.0f : 1.0f, out, head.hidden);
    }
}

void attendBlockGrad(const AttentionBlock& block, const BlockHead& head, ConstArray qkv, ConstArray keysValues,
                     ConstArray output, ConstArray outputGradient, const float* logSums, float* queryGradient,
                     float* keysValuesGradient, float* scratch) {
    const int d = block.width;
    const float scale = scaleOf(block);
    const DType type = cpu::headType(qkv.type);
    const cpu::Factor q(qkv + head.queries, block.queries, d, 3 * head.hidden, type);
    const cpu::Factor k(keysValues + head.keys, block.keys, d, 2 * head.hidden, type);
    const cpu::Factor v(keysValues + head.values, block.keys, d, 2 * head.hidden, type);
    const cpu::Factor dOut(outputGradient + head.output, block.queries, d, head.hidden, type);
    float* const p = scratch;
    float* const dS = scratch + std::ptrdiff_t{std::min(queriesAtOnce, block.queries)} * block.keys;
    for (int begin = 0; begin < block.queries; begin += queriesAtOnce) {
        const int end = std::min(begin + queriesAtOnce, block.queries), rows = end - begin;
        const int from = block.firstSeen(begin), keys = seen(block, end), some = keys - from;
        if (some <= 0) continue;
        const std::int64_t at = head.output + std::int64_t{begin} * head.hidden;
        cpu::product(rows, some, d, scale, q.rows(begin), k.transposed(from), 0, p + from, block.keys);
        cpu::product(rows, some, d, 1, dOut.rows(begin), v.transposed(from), 0, dS + from, block.keys);
        const cpu::ConstFloats out(output + at, rows, d, head.hidden);
        const cpu::ConstFloats gradient(outputGradient + at, rows, d, head.hidden);
        for (int i = 0; i < rows; ++i) {
            float product = dot(out.data() + std::ptrdiff_t{i} * out.stride(),
                                gradient.data() + std::ptrdiff_t{i} * gradient.stride(), d);
            const int least = std::min(block.firstSeen(begin + i), keys), last = lastSeen(block, begin + i);
            float* const ofRow[] = {p + std::ptrdiff_t{i} * block.keys, dS + std::ptrdiff_t{i} * block.keys};
            for (float* const row : ofRow) std::fill(row + from, row + least, 0.0f);
            dropKeys(block, head, begin + i, least, last, ofRow[1]);
            if (head.rule.cap > 0 && least <= last) {
                cpu::capRowWithGradient(last - least + 1, head.rule.cap, product, ofRow[0] + least, ofRow[1] + least);
                product = 0;
            }
            if (head.rule.slope > 0) lowerKeys(block, head.rule.slope, begin + i, least, last, ofRow[0]);
            gradientRow(ofRow[0] + least, ofRow[1] + least, logSums[head.rows + begin + i], product,
                        std::max(last - least, -1), keys - least);
            dropKeys(block, head, begin + i, least, last, ofRow[0]);
        }
        const cpu::Factor probabilities(p + from, rows, some, block.keys, type);
        const cpu::Factor gradients(dS + from, rows, some, block.keys, type);
        const std::int64_t skipped = std::int64_t{from} * 2 * head.hidden;
        cpu::product(rows, d, some, scale, gradients.rows(), k.rows(from), 1, queryGradient + at, head.hidden);
        cpu::product(some, d, rows, scale, gradients.transposed(), q.rows(begin), 1,
                     keysValuesGradient + head.keys + skipped, 2 * head.hidden);
        cpu::product(some, d, rows, 1, probabilities.transposed(), dOut.rows(begin), 1,
                     keysValuesGradient + head.values + skipped, 2 * head.hidden);
    }
}

/// Calls body(head, scratch) for all heads; the caller's scratch serves the first thread.
template <class Body>
void shareHeads(const AttentionBlock& block, std::size_t scratchSize, float* scratch, const Body& body) {
    const std::int64_t heads = std::int64_t{block.samples} * block.heads;
    cpu::shareOut(heads, heads * block.queries * (block.keys + block.width), [&](std::int64_t begin, std::int64_t end) {
        const cpu::Scratch own(begin > 0 ? scratchSize : 0);
        for (std::int64_t head = begin; head < end; ++head)
            body(BlockHead(block, head), begin > 0 ? own.data() : scratch);
    });
}

}  // namespace

std::size_t CpuDevice::attentionBlockScratch(int rows, int /*width*/) const {
    return 2 * static_cast<std::size_t>(std::min(rows, queriesAtOnce)) * static_cast<std::size_t>(rows);
}

void CpuDevice::attentionBlock(const AttentionBlock& block, ConstArray qkv, ConstArray keysValues,
                               const HeadSinks& sinks, bool first, float* output, float* logSums, float* scratch) {
    shareHeads(block, attentionBlockScratch(block.rows, block.width), scratch, [&](const BlockHead& head, float* own) {
        attendBlock(block, head, qkv, keysValues, sinks, first, output, logSums, own);
    });
}

void CpuDevice::attentionBlockGrad(const AttentionBlock& block, ConstArray qkv, ConstArray keysValues,
                                   ConstArray output, ConstArray outputGradient, const float* logSums,
                                   float* queryGradient, float* keysValuesGradient, float* scratch) {
    shareHeads(block, attentionBlockScratch(block.rows, block.width), scratch, [&](const BlockHead& head, float* own) {
        attendBlockGrad(block, head, qkv, keysValues, output, outputGradient, logSums, queryGradient,
                        keysValuesGradient, own);
    });
}

void CpuDevice::sinkGrad(const AttentionBlock& block, ConstArray output, ConstArray outputGradient,
                         const float* logSums, const HeadSinks& sinks) {
    const int hidden = block.heads * block.width;
    cpu::shareOut(block.heads, std::int64_t{block.samples} * block.rows * hidden,
                  [&](std::int64_t begin, std::int64_t end) {
                      for (std::int64_t head = begin; head < end; ++head) {
                          const float sink = cpu::sinkOf(sinks, static_cast<int>(head));
                          float sum = 0;
                          for (std::int64_t sample = 0; sample < block.samples; ++sample) {
                              const std::int64_t at = sample * block.rows * hidden + head * block.width;
                              const cpu::ConstFloats out(output + at, block.rows, block.width, hidden);
                              const cpu::ConstFloats gradient(outputGradient + at, block.rows, block.width, hidden);
                              const float* const sums = logSums + (sample * block.heads + head) * block.rows;
                              for (int row = 0; row < block.rows; ++row)
                                  sum -= std::exp(sink - sums[row]) *
                                         dot(out.data() + std::ptrdiff_t{row} * out.stride(),
                                             gradient.data() + std::ptrdiff_t{row} * gradient.stride(), block.width);
                          }
                          sinks.gradient[head] = sum;
                      }
                  });
}

void CpuDevice::takeKeysValues(int rows, int hidden, ConstArray qkv, Array keysValues) {
    const std::size_t bytes = 2 * static_cast<std::size_t>(hidden) * sizeOf(qkv.type);
    cpu::shareOut(rows, std::int64_t{rows} * hidden, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t row = begin; row < end; ++row)
            copy((qkv + (3 * row + 1) * hidden).data, (keysValues + 2 * row * hidden).data, bytes);
    });
}

void CpuDevice::joinGradients(int rows, int hidden, const float* queryGradient, const float* keysValuesGradient,
                              Array qkvGradient) {
    cpu::shareOut(rows, std::int64_t{rows} * 3 * hidden, [&](std::int64_t begin, std::int64_t end) {
        const std::int64_t count = end - begin;
        cpu::fromFloats(count, hidden, queryGradient + begin * hidden, hidden, qkvGradient + begin * 3 * hidden,
                        3 * hidden);
        cpu::fromFloats(count, 2 * hidden, keysValuesGradient + begin * 2 * hidden, 2 * hidden,
                        qkvGradient + (begin * 3 + 1) * hidden, 3 * hidden);
    });
}

}  // namespace shardlab::kernels
