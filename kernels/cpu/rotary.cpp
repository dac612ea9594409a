// SPDX-License-Identifier: Apache-2.0
// Positions follow each other, so that the cosine and sine of each angle are those of the position before, turned by
// one step. That is computed in double precision, whose error stays far below fp32's over a million steps.
#include "kernels/cpu/cpu_device.h"
#include "kernels/cpu/rows.h"
#include "kernels/cpu/vector.h"

#include <cmath>
#include <vector>

namespace shardlab::kernels {

namespace {

SHARDLAB_HOT void turnOn(int pairs, double magnitude, const double* stepCos, const double* stepSin, double* cosines,
                         double* sines, float* c, float* s) {
#pragma omp simd
    for (int i = 0; i < pairs; ++i) {
        const double x = cosines[i] * stepCos[i] - sines[i] * stepSin[i];
        const double y = sines[i] * stepCos[i] + cosines[i] * stepSin[i];
        cosines[i] = x;
        sines[i] = y;
        c[i] = static_cast<float>(magnitude * x);
        s[i] = static_cast<float>(magnitude * y);
    }
}

/// The cosine and sine of each pair's angle, at one position after the other.
class Angles {
public:
    explicit Angles(const RotaryShape& shape)
        : pairs_(shape.width / 2), magnitude_(shape.angles.magnitude()), steps_(static_cast<std::size_t>(pairs_)),
          doubles_(4 * steps_.size()), floats_(2 * steps_.size()) {
        for (int i = 0; i < pairs_; ++i) {
            const double angle = shape.angles.of(i, shape.width);
            steps_[static_cast<std::size_t>(i)] = angle;
            row(0)[i] = std::cos(angle);
            row(1)[i] = std::sin(angle);
        }
    }
    void jump(int position) {
        for (int i = 0; i < pairs_; ++i) {
            const double angle = position * steps_[static_cast<std::size_t>(i)];
            row(2)[i] = std::cos(angle);
            row(3)[i] = std::sin(angle);
            floats_[static_cast<std::size_t>(i)] = static_cast<float>(magnitude_ * row(2)[i]);
            floats_[static_cast<std::size_t>(pairs_ + i)] = static_cast<float>(magnitude_ * row(3)[i]);
        }
    }
    void next() { turnOn(pairs_, magnitude_, row(0), row(1), row(2), row(3), floats_.data(), floats_.data() + pairs_); }
    const float* cosines() const { return floats_.data(); }
    const float* sines() const { return floats_.data() + pairs_; }

private:
    /// The cosines and sines of a step, then those of the present position.
    double* row(int number) { return doubles_.data() + number * pairs_; }

    int pairs_;
    double magnitude_;
    std::vector<double> steps_, doubles_;
    std::vector<float> floats_;
};

/// Turns the pairs of a head; `sign` −1 turns them back.
SHARDLAB_INLINE void turn(int half, const float* c, const float* s, float sign, const float* __restrict x,
                          float* __restrict y) {
#pragma omp simd
    for (int i = 0; i < half; ++i) {
        const float sine = sign * s[i];
        const float low = x[i], high = x[i + half];
        y[i] = low * c[i] - high * sine;
        y[i + half] = high * c[i] + low * sine;
    }
}

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

constexpr std::int64_t tokensOfChunk = 64;

/// Calls body(angles, token, chunk) for each token. Chunks of tokens are the same with any number of threads.
template <class Body>
void byTokens(const RotaryShape& shape, const Body& body) {
    const std::int64_t count = std::int64_t{shape.samples} * shape.sequence;
    const std::int64_t chunks = (count + tokensOfChunk - 1) / tokensOfChunk;
    cpu::shareOut(chunks, count * shape.apartColumns(), [&](std::int64_t begin, std::int64_t end) {
        Angles angles(shape);
        for (std::int64_t token = begin * tokensOfChunk; token < std::min(end * tokensOfChunk, count); ++token) {
            const int ofSample = static_cast<int>(token % shape.sequence);
            if (token % tokensOfChunk == 0 || ofSample == 0 || ofSample == shape.split)
                angles.jump(shape.position(ofSample));
            else angles.next();
            body(angles, token, token / tokensOfChunk);
        }
    });
}

/// A norm's factors as fp32.
cpu::ConstFloats factorsOf(ConstArray gamma, int width) { return {gamma, gamma ? width : 0}; }

}  // namespace

void CpuDevice::rotary(const RotaryShape& shape, ConstArray joined, const HeadNorms& norms, Array apart) {
    const int in = shape.joinedColumns(), out = shape.apartColumns();
    const cpu::ConstFloats queries = factorsOf(norms.queries, shape.width), keys = factorsOf(norms.keys, shape.width);
    byTokens(shape, [&](const Angles& angles, std::int64_t token, std::int64_t) {
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
    byTokens(shape, [&](const Angles& angles, std::int64_t token, std::int64_t chunk) {
        const cpu::ConstFloats from(apartGradient + token * in, in);
        const cpu::Floats to(joined + token * out, norms ? cpu::Floats::Access::Update : cpu::Floats::Access::Write,
                             out);
        const cpu::Scratch sum(width), room(width);
        joinedOfToken(shape.heads, shape.keyHeads, shape.width, angles.cosines(), angles.sines(),
                      {queries.data(), norms.epsilon, room.data()}, {keys.data(), norms.epsilon, room.data()},
                      from.data(), sum.data(), to.data(),
                      sums.data() + (norms ? static_cast<std::size_t>(chunk) * 2 * width : 0));
    });
    for (std::size_t i = 0; i < sums.size(); ++i) normGradients[i % (2 * width)] += sums[i];
}

}  // namespace shardlab::kernels
