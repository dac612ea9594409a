// SPDX-License-Identifier: Apache-2.0
// Adafactor (Shazeer and Stern, 1804.04235) without a first moment. For a matrix G [rows, columns] the second moment is
// kept as R, one number a row, and C, one number a column:
//
//   R = β·R + (1 − β)·(G² + ε)·1      C = β·C + (1 − β)·1ᵀ·(G² + ε)      V = R·C ÷ 1ᵀR
//   U = G/√V                          W −= rate·(decay·W + U ÷ max(1, RMS(U) ÷ threshold))
//
// A vector is one row and has no R: V = C. Three calls make an update, so that between the calls the members of a
// tensor group can add up what each knows of its part. An array that is stored as one is one matrix: query, key and
// value together, for instance. The sums are taken in the same order whatever the threads; the tolerance against double
// precision is, a step, 1e-5 of the largest value of the state, and 1e-5 of the rate for the values.
#pragma once

#include "kernels/work.h"

#include <span>
#include <tuple>

namespace shardlab::kernels {

struct AdafactorUpdate {
    float learningRate = 0;
    float beta2 = 0;
    float clipThreshold = 1;
    float gradientScale = 1;  ///< the gradient is read as gradient · gradientScale
};

inline constexpr float adafactorEpsilon = 1e-30f;  ///< ε, the paper's ε₁

/// A parameter, or one member's part of it.
struct AdafactorPart {
    int rows = 1;
    int columns = 0;
    std::int64_t elements = 0;  ///< of the whole parameter
    float weightDecay = 0;
    ConstArray gradient;          ///< G
    Array value;                  ///< P
    float* master = nullptr;      ///< fp32; where given it is updated, and `value` becomes a rounded copy
    float* rowSums = nullptr;     ///< R; null: a vector
    float* columnSums = nullptr;  ///< C
    /// The member brings its own rows or columns to a sum over the members: its sum starts anew (β = 0), since another
    /// member brings the sum of before.
    bool freshRows = false;
    bool freshColumns = false;
    bool rowsAreParts = false;  ///< R covers this member's rows alone: 1ᵀR is then the sum of C, which is the same
    float* total = nullptr;     ///< one number: 1ᵀR
    float* squares = nullptr;   ///< one number: ΣU²
    auto memory() { return std::tie(gradient, value, master, rowSums, columnSums, total, squares); }
};

struct AdafactorOps {
    /// Updates R and C of each part.
    virtual void adafactorSums(const AdafactorUpdate& update, std::span<const AdafactorPart> parts) = 0;
    static KernelWork adafactorSumsWork(const AdafactorUpdate&, std::span<const AdafactorPart> parts) {
        return matricesWork(parts, false);
    }

    /// *total = 1ᵀR, *squares = ΣU² over the part.
    virtual void adafactorNorms(const AdafactorUpdate& update, std::span<const AdafactorPart> parts) = 0;
    static KernelWork adafactorNormsWork(const AdafactorUpdate&, std::span<const AdafactorPart> parts) {
        return matricesWork(parts, false);
    }

    /// Updates the values; *squares is ΣU² of all `elements`.
    virtual void adafactor(const AdafactorUpdate& update, std::span<const AdafactorPart> parts) = 0;
    static KernelWork adafactorWork(const AdafactorUpdate&, std::span<const AdafactorPart> parts) {
        return matricesWork(parts, true);
    }

protected:
    ~AdafactorOps() = default;
};

#define SHARDLAB_ADAFACTOR_OPS(operation)                                                                              \
    operation(AdafactorOps, adafactorSums, 2) operation(AdafactorOps, adafactorNorms, 2)                               \
        operation(AdafactorOps, adafactor, 2)

}  // namespace shardlab::kernels
