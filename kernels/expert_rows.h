// SPDX-License-Identifier: Apache-2.0
// Tokens on their way to experts and back, as gate.h routes them: matrices [tokens, columns] and [rows, columns], T.
// Sums are taken in the order of choices. Tolerance against double precision: 1e-6 of the largest value, dots 1e-5.
#pragma once

#include "kernels/array.h"

#include <cstdint>

namespace shardlab {

struct ExpertRowOps {
    /// to[r] = from[token] · weights[token, choice] of places[r] = token · choices + choice; zeros where nobody has the
    /// row. `weights` null: 1. Dispatch, and the gradient of combine.
    virtual void gatherRows(int rows, int columns, int choices, const std::int32_t* places, const float* weights,
                            ConstArray from, Array to) = 0;
    /// to[t] = Σ over choices of weights[t, choice] · from[rows[t, choice]], those without a row left out. `weights`
    /// null: 1. Combine, and the gradient of dispatch.
    virtual void sumRows(int tokens, int columns, int choices, const std::int32_t* rows, const float* weights,
                         ConstArray from, Array to) = 0;
    /// dots[t, choice] = ⟨matrix[t], from[rows[t, choice]]⟩, 0 without a row: the gradient of combine's weights.
    virtual void dotRows(int tokens, int columns, int choices, const std::int32_t* rows, ConstArray from,
                         ConstArray matrix, float* dots) = 0;

protected:
    ~ExpertRowOps() = default;
};

}  // namespace shardlab
