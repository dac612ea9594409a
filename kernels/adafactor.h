// SPDX-License-Identifier: Apache-2.0
// Adafactor (Shazeer and Stern, 1804.04235) without a first moment. Of a matrix G [rows, columns] the second moment is
// kept as R, one number a row, and C, one a column:
//
//   R = β·R + (1 − β)·(G² + ε)·1      C = β·C + (1 − β)·1ᵀ·(G² + ε)      V = R·C ÷ 1ᵀR
//   U = G/√V                          W −= rate·(decay·W + U ÷ max(1, RMS(U) ÷ threshold))
//
// A vector is one row, of which C is all there is: V = C. Three calls make an update, so that the members of a tensor
// group can add up between them what each knows of its part. What a matrix is, is what is stored: query, key and value
// together are one.
// The sums are taken in the same order whatever the threads; tolerance against double precision: 1e-5 of the largest
// value of the state, and 1e-5 of the rate of the values, a step.
#pragma once

#include "kernels/array.h"

#include <cstdint>
#include <span>

namespace shardlab {

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
    float* master = nullptr;      ///< fp32: what is updated where given; `value` is then a rounded copy of it
    float* rowSums = nullptr;     ///< R; null: a vector
    float* columnSums = nullptr;  ///< C
    /// Of a member that brings its own rows or columns to a sum over the members: its sum forgets all it was (β = 0),
    /// since another member brings that.
    bool freshRows = false;
    bool freshColumns = false;
    bool rowsAreParts = false;  ///< R is of this member's rows alone: 1ᵀR is then taken of C, which sums up to the same
    float* total = nullptr;     ///< one number: 1ᵀR
    float* squares = nullptr;  ///< one number: ΣU²
};

struct AdafactorOps {
    /// R and C of each part.
    virtual void adafactorSums(const AdafactorUpdate& update, std::span<const AdafactorPart> parts) = 0;
    /// *total = 1ᵀR, *squares = ΣU² over the part.
    virtual void adafactorNorms(const AdafactorUpdate& update, std::span<const AdafactorPart> parts) = 0;
    /// The values, where *squares is ΣU² of all `elements`.
    virtual void adafactor(const AdafactorUpdate& update, std::span<const AdafactorPart> parts) = 0;

protected:
    ~AdafactorOps() = default;
};

}  // namespace shardlab
