// SPDX-License-Identifier: Apache-2.0
// SM3-II (Anil, Gupta, Koren and Singer, 1901.11150). Of a matrix G [rows, columns] one accumulator a row, r, and one a
// column, c, each the largest of what it covers:
//
//   ν = min(r, c) + G²      r = largest ν of the row      c = largest ν of the column
//   m = β·m + (1 − β)·G/√ν  W −= rate·(decay·W + m)       where 0/0 = 0, and m = G/√ν without momentum
//
// A vector is one row, of which c is all there is: Adagrad. Tolerance against double precision: 1e-6 of the largest
// value a step.
#pragma once

#include "kernels/array.h"

#include <span>

namespace shardlab {

struct Sm3Update {
    float learningRate = 0;
    float momentum = 0;       ///< β
    float gradientScale = 1;  ///< the gradient is read as gradient · gradientScale
};

/// A parameter, or one member's part of it. What r and c become covers the part; of the whole it is the larger of the
/// members'.
struct Sm3Part {
    int rows = 1;
    int columns = 0;
    float weightDecay = 0;
    ConstArray gradient;             ///< G
    Array value;                     ///< P
    float* master = nullptr;         ///< fp32: what is updated where given; `value` is then a rounded copy of it
    float* rowLargest = nullptr;     ///< r; null: a vector
    float* columnLargest = nullptr;  ///< c
    float* moment = nullptr;         ///< m; may be null where momentum is 0
};

struct Sm3Ops {
    virtual void sm3(const Sm3Update& update, std::span<const Sm3Part> parts) = 0;

protected:
    ~Sm3Ops() = default;
};

}  // namespace shardlab
