// SPDX-License-Identifier: Apache-2.0
// Works on one head of one sample at a time, so that its matrices stay in cache, and on its rows in blocks, so that
// most of the products above the diagonal are left out.
#include "kernels/cpu/cpu_device.h"
#include "kernels/cpu/dropout_mask.h"
#include "kernels/cpu/products.h"
#include "kernels/cpu/rows.h"
#include "kernels/cpu/score_rows.h"

#include <algorithm>
#include <cmath>

namespace shardlab::kernels {

namespace {

constexpr int blockRows = 64;

/// The softmax of row[first … last] and a sink, with zeros before, and behind up to `columns`; returns the sink's
/// share. The loops take whole vectors, so that elements beyond first get a score so low that it counts for nothing.
SHARDLAB_HOT float causalSoftmaxRow(float* row, int first, int last, int columns, float sink) {
    for (int j = 0; j < first; ++j) row[j] = -1e30f;
    const int padded = std::min(columns, (last + 16) & ~15);
    for (int j = last + 1; j < padded; ++j) row[j] = -1e30f;
    float highest = std::max(row[first], sink);
#pragma omp simd reduction(max : highest)
    for (int j = 0; j < padded; ++j) highest = row[j] > highest ? row[j] : highest;
    const float ofSink = cpu::expOf(sink - highest);
    float sum = ofSink;
#pragma omp simd reduction(+ : sum)
    for (int j = 0; j < padded; ++j) {
        const float weight = cpu::expOf(row[j] - highest);
        row[j] = weight;
        sum += weight;
    }
    const float share = 1.0f / sum;
#pragma omp simd
    for (int j = 0; j < padded; ++j) row[j] *= share;
    for (int j = 0; j < first; ++j) row[j] = 0;
    for (int j = last + 1; j < columns; ++j) row[j] = 0;
    return ofSink * share;
}

/// gradient[0 … last] := probability·(gradient − Σ gradient·probability), followed by zeros up to `columns`; returns
/// the sum.
SHARDLAB_HOT float softmaxGradRow(const float* __restrict probability, float* __restrict gradient, int last,
                                  int columns) {
    float product = 0;
#pragma omp simd reduction(+ : product)
    for (int j = 0; j <= last; ++j) product += gradient[j] * probability[j];
#pragma omp simd
    for (int j = 0; j <= last; ++j) gradient[j] = probability[j] * (gradient[j] - product);
    for (int j = last + 1; j < columns; ++j) gradient[j] = 0;
    return product;
}

/// out[0 … last] = masked row, followed by zeros up to `columns`.
SHARDLAB_HOT void maskRow(const cpu::DropoutRow& keep, const float* row, float* out, int last, int columns) {
#pragma omp simd
    for (int j = 0; j <= last; ++j) out[j] = row[j] * keep(static_cast<std::uint32_t>(j));
    for (int j = last + 1; j < columns; ++j) out[j] = 0;
}

using Access = cpu::Floats::Access;

/// Where the matrices of one head of one sample begin in the matrices of all.
struct Head {
    Head(const AttentionShape& ofAttention, std::int64_t number, const AttentionDropout& dropout)
        : shape(ofAttention), s(shape.sequence), d(shape.width), hidden(shape.heads * shape.width),
          scale(1.0f / std::sqrt(static_cast<float>(shape.width))),
          rule(shape.rule, static_cast<int>(number % shape.heads)) {
        const std::int64_t sample = number / shape.heads;
        const std::int64_t head = number % shape.heads;
        q = sample * s * 3 * hidden + head * d;
        k = q + hidden;
        v = k + hidden;
        probabilities = number * s * s;
        sinkShares = std::int64_t{shape.samples} * shape.heads * s * s + number * s;
        output = sample * s * hidden + head * d;
        maskRow = sample * dropout.rowsOfSample + head * s;
    }
    const AttentionShape& shape;
    int s;
    int d;
    int hidden;
    float scale;
    cpu::HeadRule rule;
    std::int64_t q, k, v;  ///< [s, d], whose rows lie 3·hidden apart
    std::int64_t probabilities;
    std::int64_t sinkShares;  ///< [s], with sinks
    std::int64_t output;      ///< [s, d], whose rows lie hidden apart
    std::int64_t maskRow;
};

std::size_t droppedSize(const AttentionShape& shape) {
    return static_cast<std::size_t>(std::min(shape.sequence, blockRows)) * static_cast<std::size_t>(shape.sequence);
}

std::size_t gradientSize(const AttentionShape& shape) {
    const std::size_t gradients = static_cast<std::size_t>(shape.sequence) * (shape.sequence + shape.width);
    return gradients + (shape.rule.cap > 0 ? droppedSize(shape) : 0);
}

/// `dropped` is scratch for a block's masked probabilities; null where nothing is dropped.
void attendHead(const Head& head, ConstArray qkv, Array kept, Array output, const DropoutMask& mask, float sink,
                float* dropped) {
    const cpu::Floats sinkShares(kept + head.sinkShares, Access::Write, head.shape.sinks ? head.s : 0);
    const int s = head.s;
    const int d = head.d;
    const DType type = cpu::headType(qkv.type);
    const cpu::Factor q(qkv + head.q, s, d, 3 * head.hidden, type);
    const cpu::Factor k(qkv + head.k, s, d, 3 * head.hidden, type);
    const cpu::Factor v(qkv + head.v, s, d, 3 * head.hidden, type);
    const cpu::Floats out(output + head.output, Access::Write, s, d, head.hidden);
    for (int begin = 0; begin < s; begin += blockRows) {
        const int end = std::min(begin + blockRows, s);
        const int rows = end - begin;
        const cpu::Floats p(kept + head.probabilities + std::ptrdiff_t{begin} * s, Access::Write,
                            std::int64_t{rows} * s);
        const int from = head.shape.firstSeen(begin), keys = end - from;
        cpu::product(rows, keys, d, head.scale, q.rows(begin), k.transposed(from), 0, p.data() + from, s);
        for (int i = 0; i < rows; ++i) {
            float* row = p.data() + std::ptrdiff_t{i} * s;
            std::fill_n(row, from, 0.0f);
            const int first = head.shape.firstSeen(begin + i), last = begin + i;
            if (head.rule.cap > 0) cpu::capRow(last - first + 1, head.rule.cap, row + first);
            if (head.rule.slope > 0) cpu::lowerRow(last - first + 1, head.rule.slope, last - first, row + first);
            const float share = causalSoftmaxRow(row + from, first - from, last - from, s - from, sink);
            if (head.shape.sinks) sinkShares.data()[last] = share;
            if (dropped) maskRow({mask, head.maskRow + last}, row, dropped + std::ptrdiff_t{i} * s, last, end);
        }
        const cpu::Factor weights((dropped ? dropped : p.data()) + from, rows, keys, s, type);
        cpu::product(rows, d, keys, 1, weights.rows(), v.rows(from), 0,
                     out.data() + std::ptrdiff_t{begin} * out.stride(), out.stride());
    }
}

// P = softmax(S), S = scale·Q·Kᵀ, O = P·V:
// dP = dO·Vᵀ, dV = Pᵀ·dO, dS = P∘(dP − rowsum(dP∘P)), dQ = scale·dS·K, dK = scale·dSᵀ·Q.
// With a mask M: O = (M∘P)·V, dP = M∘(dO·Vᵀ), dV = (M∘P)ᵀ·dO.
// With a cap c: dS∘(1 − tanh²(S/c)) in the place of dS, for which S is computed again.
/// Returns the gradient of the head's sink: −Σ over rows of its share · rowsum(dP∘P).
float attendHeadGrad(const Head& head, ConstArray qkv, Array kept, ConstArray outputGradient, Array qkvGradient,
                     const DropoutMask& mask, float* scratch) {
    const cpu::ConstFloats sinkShares(kept + head.sinkShares, head.shape.sinks ? head.s : 0);
    float sinkGradient = 0;
    const int s = head.s;
    const int d = head.d;
    const int stride = 3 * head.hidden;
    const bool drops = mask.share > 0;
    const DType type = cpu::headType(qkv.type);
    const cpu::Factor q(qkv + head.q, s, d, stride, type);
    const cpu::Factor k(qkv + head.k, s, d, stride, type);
    const cpu::Factor v(qkv + head.v, s, d, stride, type);
    const cpu::Factor dOut(outputGradient + head.output, s, d, head.hidden, type);
    const Array allP = kept + head.probabilities;
    float* dS = scratch;
    float* dQ = scratch + std::ptrdiff_t{s} * s;
    float* const scores = dQ + std::ptrdiff_t{s} * d;  // with a cap: those of a block of rows
    const float cap = head.rule.cap;
    for (int begin = 0; begin < s; begin += blockRows) {
        const int end = std::min(begin + blockRows, s);
        const int rows = end - begin;
        const std::ptrdiff_t at = std::ptrdiff_t{begin} * s;
        const cpu::Floats p(allP + at, drops ? Access::Update : Access::Spoil, std::int64_t{rows} * s);
        const int from = head.shape.firstSeen(begin), keys = end - from;
        cpu::product(rows, keys, d, 1, dOut.rows(begin), v.transposed(from), 0, dS + at + from, s);
        if (cap > 0) cpu::product(rows, keys, d, head.scale, q.rows(begin), k.transposed(from), 0, scores + from, s);
        for (int i = begin; i < end; ++i) {
            float* probability = p.data() + std::ptrdiff_t{i - begin} * s;
            float* gradient = dS + std::ptrdiff_t{i} * s;
            std::fill_n(gradient, from, 0.0f);
            const cpu::DropoutRow keep(mask, head.maskRow + i);
            if (drops) maskRow(keep, gradient, gradient, i, end);
            const float product = softmaxGradRow(probability, gradient, i, end);
            if (head.shape.sinks) sinkGradient -= sinkShares.data()[i] * product;
            if (cap > 0)
                cpu::capRowWithGradient(i + 1 - from, cap, 0, scores + std::ptrdiff_t{i - begin} * s + from,
                                        gradient + from);
            if (drops) maskRow(keep, probability, probability, i, end);
        }
        const cpu::Factor gradients(dS + at + from, rows, keys, s, type);
        cpu::product(rows, d, keys, head.scale, gradients.rows(), k.rows(from), 0, dQ + std::ptrdiff_t{begin} * d, d);
    }
    const cpu::Floats dK(qkvGradient + head.k, Access::Write, s, d, stride);
    const cpu::Floats dV(qkvGradient + head.v, Access::Write, s, d, stride);
    // Without a window the last rows see every position, so that their product overwrites; the products of earlier rows
    // are added.
    const int lastBlock = (s - 1) / blockRows * blockRows, unseen = head.shape.firstSeen(lastBlock);
    for (int row = 0; row < unseen; ++row) {
        std::fill_n(dK.data() + std::ptrdiff_t{row} * dK.stride(), d, 0.0f);
        std::fill_n(dV.data() + std::ptrdiff_t{row} * dV.stride(), d, 0.0f);
    }
    for (int begin = lastBlock; begin >= 0; begin -= blockRows) {
        const int end = std::min(begin + blockRows, s);
        const int rows = end - begin;
        const std::ptrdiff_t at = std::ptrdiff_t{begin} * s;
        const float beta = begin == lastBlock ? 0.0f : 1.0f;
        const int from = head.shape.firstSeen(begin), keys = end - from;
        const cpu::Factor p(allP + (at + from), rows, keys, s, type);
        const cpu::Factor gradients(dS + at + from, rows, keys, s, type);
        cpu::product(keys, d, rows, 1, p.transposed(), dOut.rows(begin), beta,
                     dV.data() + std::ptrdiff_t{from} * dV.stride(), dV.stride());
        cpu::product(keys, d, rows, head.scale, gradients.transposed(), q.rows(begin), beta,
                     dK.data() + std::ptrdiff_t{from} * dK.stride(), dK.stride());
    }
    cpu::fromFloats(s, d, dQ, d, qkvGradient + head.q, stride);
    return sinkGradient;
}

/// Calls body(first head, last, scratch) on each thread; the caller's scratch serves the first one.
template <class Body>
void shareHeads(const AttentionShape& shape, std::size_t scratchSize, float* scratch, const Body& body) {
    const std::int64_t heads = std::int64_t{shape.samples} * shape.heads;
    const std::int64_t elements = heads * shape.sequence * (shape.sequence + shape.width);
    cpu::shareOut(heads, elements, [&](std::int64_t begin, std::int64_t end) {
        const cpu::Scratch own(begin > 0 ? scratchSize : 0);
        for (std::int64_t head = begin; head < end; ++head) body(head, begin > 0 ? own.data() : scratch);
    });
}

}  // namespace

AttentionNeeds CpuDevice::attentionNeeds(const AttentionShape& shape, DType, bool drops) const {
    AttentionNeeds needs;
    needs.kept = static_cast<std::size_t>(shape.samples) * static_cast<std::size_t>(shape.heads) *
                 static_cast<std::size_t>(shape.sequence) *
                 (static_cast<std::size_t>(shape.sequence) + (shape.sinks ? 1 : 0));
    needs.forwardScratch = drops ? droppedSize(shape) : 0;
    needs.backwardScratch = gradientSize(shape);
    return needs;
}

void CpuDevice::attention(const AttentionShape& shape, ConstArray qkv, Array kept, Array output,
                          const AttentionDropout& dropout, const HeadSinks& sinks, float* scratch) {
    const std::size_t size = dropout.mask.share > 0 ? droppedSize(shape) : 0;
    shareHeads(shape, size, size > 0 ? scratch : nullptr, [&](std::int64_t head, float* dropped) {
        attendHead({shape, head, dropout}, qkv, kept, output, dropout.mask,
                   cpu::sinkOf(sinks, static_cast<int>(head % shape.heads)), dropped);
    });
}

void CpuDevice::attentionGrad(const AttentionShape& shape, ConstArray qkv, Array kept, ConstArray /*output*/,
                              ConstArray outputGradient, Array qkvGradient, const AttentionDropout& dropout,
                              const HeadSinks& sinks, float* scratch) {
    // Samples may be on several threads: their sums are added in order.
    const int count = shape.samples * shape.heads;
    const cpu::Scratch ofSinks(static_cast<std::size_t>(count));
    shareHeads(shape, gradientSize(shape), scratch, [&](std::int64_t head, float* own) {
        ofSinks.data()[head] =
            attendHeadGrad({shape, head, dropout}, qkv, kept, outputGradient, qkvGradient, dropout.mask, own);
    });
    if (!sinks) return;
    std::fill_n(sinks.gradient, shape.heads, 0.0f);
    for (int i = 0; i < count; ++i) sinks.gradient[i % shape.heads] += ofSinks.data()[i];
}

}  // namespace shardlab::kernels
