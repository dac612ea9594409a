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

SHARDLAB_HOT void turnOn(int pairs, const double* stepCos, const double* stepSin, double* cosines, double* sines,
                         float* c, float* s) {
#pragma omp simd
    for (int i = 0; i < pairs; ++i) {
        const double x = cosines[i] * stepCos[i] - sines[i] * stepSin[i];
        const double y = sines[i] * stepCos[i] + cosines[i] * stepSin[i];
        cosines[i] = x;
        sines[i] = y;
        c[i] = static_cast<float>(x);
        s[i] = static_cast<float>(y);
    }
}

/// The cosine and sine of each pair's angle, at one position after the other.
class Angles {
public:
    explicit Angles(const RotaryShape& shape)
        : pairs_(shape.width / 2), steps_(static_cast<std::size_t>(pairs_)), doubles_(4 * steps_.size()),
          floats_(2 * steps_.size()) {
        for (int i = 0; i < pairs_; ++i) {
            const double angle = std::pow(shape.base, -2.0 * i / shape.width);
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
            floats_[static_cast<std::size_t>(i)] = static_cast<float>(row(2)[i]);
            floats_[static_cast<std::size_t>(pairs_ + i)] = static_cast<float>(row(3)[i]);
        }
    }
    void next() { turnOn(pairs_, row(0), row(1), row(2), row(3), floats_.data(), floats_.data() + pairs_); }
    const float* cosines() const { return floats_.data(); }
    const float* sines() const { return floats_.data() + pairs_; }

private:
    /// The cosines and sines of a step, then those of the present position.
    double* row(int number) { return doubles_.data() + number * pairs_; }

    int pairs_;
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

SHARDLAB_HOT void apartOfToken(int heads, int keyHeads, int width, const float* c, const float* s, const float* joined,
                               float* apart) {
    const int together = heads / keyHeads, half = width / 2, all = heads * width;
    for (int head = 0; head < heads; ++head) {
        const float* group = joined + head / together * (together + 2) * width;
        const float* key = group + together * width;
        turn(half, c, s, 1, group + head % together * width, apart + head * width);
        turn(half, c, s, 1, key, apart + all + head * width);
        const float* __restrict value = key + width;
        float* __restrict to = apart + 2 * all + head * width;
#pragma omp simd
        for (int i = 0; i < width; ++i) to[i] = value[i];
    }
}

/// `sum` has room for one head.
SHARDLAB_HOT void joinedOfToken(int heads, int keyHeads, int width, const float* c, const float* s, const float* apart,
                                float* sum, float* joined) {
    const int together = heads / keyHeads, half = width / 2, all = heads * width;
    for (int key = 0; key < keyHeads; ++key) {
        float* group = joined + key * (together + 2) * width;
        const float* queries = apart + key * together * width;
        for (int i = 0; i < together; ++i) turn(half, c, s, -1, queries + i * width, group + i * width);
        sumRows(together, width, queries + all, sum);
        turn(half, c, s, -1, sum, group + together * width);
        sumRows(together, width, queries + 2 * all, group + (together + 1) * width);
    }
}

/// Calls body(angles, token) for each token.
template <class Body>
void byTokens(const RotaryShape& shape, const Body& body) {
    const std::int64_t count = std::int64_t{shape.samples} * shape.sequence;
    cpu::shareOut(count, count * shape.apartColumns(), [&](std::int64_t begin, std::int64_t end) {
        Angles angles(shape);
        for (std::int64_t token = begin; token < end; ++token) {
            const int ofSample = static_cast<int>(token % shape.sequence);
            if (token == begin || ofSample == 0 || ofSample == shape.split) angles.jump(shape.position(ofSample));
            else angles.next();
            body(angles, token);
        }
    });
}

}  // namespace

void CpuDevice::rotary(const RotaryShape& shape, ConstArray joined, Array apart) {
    const int in = shape.joinedColumns(), out = shape.apartColumns();
    byTokens(shape, [&](const Angles& angles, std::int64_t token) {
        const cpu::ConstFloats from(joined + token * in, in);
        const cpu::Floats to(apart + token * out, cpu::Floats::Access::Write, out);
        apartOfToken(shape.heads, shape.keyHeads, shape.width, angles.cosines(), angles.sines(), from.data(),
                     to.data());
    });
}

void CpuDevice::rotaryGrad(const RotaryShape& shape, ConstArray apartGradient, Array joinedGradient) {
    const int in = shape.apartColumns(), out = shape.joinedColumns();
    byTokens(shape, [&](const Angles& angles, std::int64_t token) {
        const cpu::ConstFloats from(apartGradient + token * in, in);
        const cpu::Floats to(joinedGradient + token * out, cpu::Floats::Access::Write, out);
        const cpu::Scratch sum(static_cast<std::size_t>(shape.width));
        joinedOfToken(shape.heads, shape.keyHeads, shape.width, angles.cosines(), angles.sines(), from.data(),
                      sum.data(), to.data());
    });
}

}  // namespace shardlab::kernels
