// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/cpu_device.h"
#include "kernels/cpu/rotary_angles.h"

namespace shardlab::kernels {

namespace {

using cpu::Angles;
using cpu::byTokens;
using cpu::tokensOfChunk;
using cpu::turn;

/// Sums `count` rows that lie one after another.
SHARDLAB_INLINE void sumRows(int count, int width, const float* __restrict from, float* __restrict to) {
#pragma omp simd
    for (int i = 0; i < width; ++i) to[i] = from[i];
    for (int row = 1; row < count; ++row)
#pragma omp simd
        for (int i = 0; i < width; ++i) to[i] += from[row * width + i];
}

/// 1/√(mean(x²) + epsilon).
SHARDLAB_INLINE float sizeFactor(int width, float epsilon, const float* __restrict x) {
    float squares = 0;
#pragma omp simd reduction(+ : squares)
    for (int i = 0; i < width; ++i) squares += x[i] * x[i];
    return 1.0f / std::sqrt(squares / static_cast<float>(width) + epsilon);
}

/// The factors of a norm, null where there is none, and room for one head.
struct HeadNorm {
    const float* gamma;
    float epsilon;
    float* room;
};

/// The head after its norm.
SHARDLAB_INLINE const float* normed(const HeadNorm& norm, int width, const float* __restrict x) {
    if (!norm.gamma) return x;
    const float factor = sizeFactor(width, norm.epsilon, x);
    float* __restrict y = norm.room;
#pragma omp simd
    for (int i = 0; i < width; ++i) y[i] = x[i] * factor * norm.gamma[i];
    return y;
}

/// x := the gradient of the norm's input, where x is that input and norm.room the gradient of its output. Adds the
/// gradient of gamma to `sums`. With n = x·factor and g = dy·gamma: dx = factor·(g − n·mean(g·n)).
SHARDLAB_INLINE void normGrad(const HeadNorm& norm, int width, float* __restrict x, float* __restrict sums) {
    const float* __restrict dy = norm.room;
    const float factor = sizeFactor(width, norm.epsilon, x);
    float product = 0;
#pragma omp simd reduction(+ : product)
    for (int i = 0; i < width; ++i) product += dy[i] * norm.gamma[i] * (x[i] * factor);
    product /= static_cast<float>(width);
#pragma omp simd
    for (int i = 0; i < width; ++i) {
        const float n = x[i] * factor;
        sums[i] += dy[i] * n;
        x[i] = factor * (dy[i] * norm.gamma[i] - n * product);
    }
}

SHARDLAB_HOT void apartOfToken(int heads, int keyHeads, int width, const float* c, const float* s,
                               const HeadNorm& queryNorm, const HeadNorm& keyNorm, const float* joined, float* apart) {
    const int together = heads / keyHeads, half = width / 2, all = heads * width;
    for (int head = 0; head < heads; ++head) {
        const float* group = joined + head / together * (together + 2) * width;
        const float* key = group + together * width;
        turn(half, c, s, 1, normed(queryNorm, width, group + head % together * width), apart + head * width);
        turn(half, c, s, 1, normed(keyNorm, width, key), apart + all + head * width);
        const float* __restrict value = key + width;
        float* __restrict to = apart + 2 * all + head * width;
#pragma omp simd
        for (int i = 0; i < width; ++i) to[i] = value[i];
    }
}

/// Turns a head's gradient back, and takes it through the norm where there is one.
SHARDLAB_INLINE void headGrad(const HeadNorm& norm, int width, const float* c, const float* s, const float* turned,
                              float* head, float* sums) {
    turn(width / 2, c, s, -1, turned, norm.gamma ? norm.room : head);
    if (norm.gamma) normGrad(norm, width, head, sums);
}

/// `sum` has room for one head, `normSums` for the sums of queries and of keys.
SHARDLAB_HOT void joinedOfToken(int heads, int keyHeads, int width, const float* c, const float* s,
                                const HeadNorm& queryNorm, const HeadNorm& keyNorm, const float* apart, float* sum,
                                float* joined, float* normSums) {
    const int together = heads / keyHeads, all = heads * width;
    for (int key = 0; key < keyHeads; ++key) {
        float* group = joined + key * (together + 2) * width;
        const float* queries = apart + key * together * width;
        for (int i = 0; i < together; ++i)
            headGrad(queryNorm, width, c, s, queries + i * width, group + i * width, normSums);
        sumRows(together, width, queries + all, sum);
        headGrad(keyNorm, width, c, s, sum, group + together * width, normSums + width);
        sumRows(together, width, queries + 2 * all, group + (together + 1) * width);
    }
}

/// A norm's factors as fp32.
cpu::ConstFloats factorsOf(ConstArray gamma, int width) { return {gamma, gamma ? width : 0}; }

}  // namespace

void CpuDevice::rotary(const RotaryShape& shape, ConstArray joined, const HeadNorms& norms, Array apart) {
    const int in = shape.joinedColumns(), out = shape.apartColumns();
    const cpu::ConstFloats queries = factorsOf(norms.queries, shape.width), keys = factorsOf(norms.keys, shape.width);
    byTokens(shape, shape.angles.magnitude(), shape.apartColumns(),
             [&](const Angles& angles, std::int64_t token, std::int64_t) {
                 const cpu::ConstFloats from(joined + token * in, in);
                 const cpu::Floats to(apart + token * out, cpu::Floats::Access::Write, out);
                 const cpu::Scratch room(static_cast<std::size_t>(shape.width));
                 apartOfToken(shape.heads, shape.keyHeads, shape.width, angles.cosines(), angles.sines(),
                              {queries.data(), norms.epsilon, room.data()}, {keys.data(), norms.epsilon, room.data()},
                              from.data(), to.data());
             });
}

void CpuDevice::rotaryGrad(const RotaryShape& shape, ConstArray apartGradient, const HeadNorms& norms, Array joined,
                           float* normGradients) {
    const int in = shape.apartColumns(), out = shape.joinedColumns();
    const auto width = static_cast<std::size_t>(shape.width);
    const cpu::ConstFloats queries = factorsOf(norms.queries, shape.width), keys = factorsOf(norms.keys, shape.width);
    const std::int64_t tokens = std::int64_t{shape.samples} * shape.sequence;
    const auto chunks = static_cast<std::size_t>((tokens + tokensOfChunk - 1) / tokensOfChunk);
    std::vector<float> sums(norms ? chunks * 2 * width : 0);
    byTokens(shape, shape.angles.magnitude(), shape.apartColumns(),
             [&](const Angles& angles, std::int64_t token, std::int64_t chunk) {
                 const cpu::ConstFloats from(apartGradient + token * in, in);
                 const cpu::Floats to(joined + token * out,
                                      norms ? cpu::Floats::Access::Update : cpu::Floats::Access::Write, out);
                 const cpu::Scratch sum(width), room(width);
                 joinedOfToken(shape.heads, shape.keyHeads, shape.width, angles.cosines(), angles.sines(),
                               {queries.data(), norms.epsilon, room.data()}, {keys.data(), norms.epsilon, room.data()},
                               from.data(), sum.data(), to.data(),
                               sums.data() + (norms ? static_cast<std::size_t>(chunk) * 2 * width : 0));
             });
    for (std::size_t i = 0; i < sums.size(); ++i) normGradients[i % (2 * width)] += sums[i];
}

}  // namespace shardlab::kernels
