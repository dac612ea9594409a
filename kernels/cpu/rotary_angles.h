// SPDX-License-Identifier: Apache-2.0
// Positions follow each other, so that the cosine and sine of each angle are those of the position before, turned by
// one step. That is computed in double precision, whose error stays far below fp32's over a million steps.
#pragma once

#include "kernels/cpu/rows.h"
#include "kernels/cpu/vector.h"
#include "kernels/rotary.h"

#include <cmath>
#include <vector>

namespace shardlab::kernels::cpu {

/// Turns so many cosines and sines on by a step, and writes them as fp32, multiplied by `magnitude`.
void turnOn(int pairs, double magnitude, const double* stepCos, const double* stepSin, double* cosines, double* sines,
            float* c, float* s);

/// The cosine and sine of each pair's angle, at one position after the other.
class Angles {
public:
    /// Turned numbers are multiplied by `magnitude`.
    Angles(const RotaryShape& shape, double magnitude)
        : pairs_(shape.width / 2), magnitude_(magnitude), steps_(static_cast<std::size_t>(pairs_)),
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

constexpr std::int64_t tokensOfChunk = 64;

/// Calls body(angles, token, chunk) for each token, of so many elements. Chunks of tokens are the same with any number
/// of threads.
template <class Body>
void byTokens(const RotaryShape& shape, double magnitude, std::int64_t elements, const Body& body) {
    const std::int64_t count = std::int64_t{shape.samples} * shape.sequence;
    const std::int64_t chunks = (count + tokensOfChunk - 1) / tokensOfChunk;
    shareOut(chunks, count * elements, [&](std::int64_t begin, std::int64_t end) {
        Angles angles(shape, magnitude);
        for (std::int64_t token = begin * tokensOfChunk; token < std::min(end * tokensOfChunk, count); ++token) {
            const int ofSample = static_cast<int>(token % shape.sequence);
            if (token % tokensOfChunk == 0 || ofSample == 0 || ofSample == shape.split)
                angles.jump(shape.position(ofSample));
            else angles.next();
            body(angles, token, token / tokensOfChunk);
        }
    });
}

}  // namespace shardlab::kernels::cpu
