// SPDX-License-Identifier: Apache-2.0
// SM3-II (Anil, Gupta, Koren and Singer, 1901.11150). A matrix G [rows, columns] has one accumulator a row, r, and one
// a column, c, each the largest ν that it covers:
//
//   ν = min(r, c) + G²      r = largest ν of the row      c = largest ν of the column
//   m = β·m + (1 − β)·G/√ν  W −= rate·(decay·W + m)       where 0/0 = 0, and m = G/√ν without momentum
//
// A vector is one row and has no r, which makes it Adagrad. The tolerance against double precision is 1e-6 of the
// largest value a step.
#pragma once

#include "kernels/work.h"

#include <span>
#include <tuple>

namespace shardlab::kernels {

struct Sm3Update {
    float learningRate = 0;
    float momentum = 0;       ///< β
    float gradientScale = 1;  ///< the gradient is read as gradient · gradientScale
};

/// A parameter, or one member's part of it. The r and c that an update leaves cover the part; those of the whole
/// parameter are the largest over the members.
struct Sm3Part {
    int rows = 1;
    int columns = 0;
    float weightDecay = 0;
    ConstArray gradient;             ///< G
    Array value;                     ///< P
    float* master = nullptr;         ///< fp32; where given it is updated, and `value` becomes a rounded copy
    float* rowLargest = nullptr;     ///< r; null: a vector
    float* columnLargest = nullptr;  ///< c
    float* moment = nullptr;         ///< m; may be null where momentum is 0
    auto memory() { return std::tie(gradient, value, master, rowLargest, columnLargest, moment); }
};

struct Sm3Ops {
    /// Updates each part.
    virtual void sm3(const Sm3Update& update, std::span<const Sm3Part> parts) = 0;
    static KernelWork sm3Work(const Sm3Update&, std::span<const Sm3Part> parts) {
        KernelWork work = matricesWork(parts, true);
        for (const Sm3Part& part : parts) work.bytes += bytesOf(part.moment, 2.0 * part.rows * part.columns);
        return work;
    }

protected:
    ~Sm3Ops() = default;
};

#define SHARDLAB_SM3_OPS(operation) operation(Sm3Ops, sm3, 2)

}  // namespace shardlab::kernels
