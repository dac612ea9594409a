// SPDX-License-Identifier: Apache-2.0
// Tokens on their way to experts and back, as gate.h routes them: matrices [tokens, columns] and [rows, columns], T.
// Sums are taken in the order of choices. The tolerance against double precision is 1e-6 of the largest value, that of
// dots 1e-5.
#pragma once

#include "kernels/work.h"

namespace shardlab::kernels {

struct ExpertRowOps {
    /// to[r] = from[token] · weights[token, choice] of places[r] = token · choices + choice; zeros where no choice has
    /// the row. `weights` null: 1. Dispatch, and the gradient of combine.
    virtual void gatherRows(int rows, int columns, int choices, const std::int32_t* places, const float* weights,
                            ConstArray from, Array to) = 0;
    static KernelWork gatherRowsWork(int rows, int columns, int, const std::int32_t*, const float*, ConstArray,
                                     Array to) {
        return {KernelKind::Routing, bytesOf(to, 2.0 * rows * columns)};
    }

    /// to[t] = Σ over choices of weights[t, choice] · from[rows[t, choice] − first]; choices without a row, or with one
    /// that is not among the `count` rows from `first` on, are left out. `weights` null: 1. Combine, and the gradient
    /// of dispatch.
    virtual void sumRows(int tokens, int columns, int choices, const std::int32_t* rows, int first, int count,
                         const float* weights, ConstArray from, Array to) = 0;
    static KernelWork sumRowsWork(int tokens, int columns, int choices, const std::int32_t*, int, int, const float*,
                                  ConstArray, Array to) {
        return {KernelKind::Routing, bytesOf(to, (1.0 + choices) * tokens * columns)};
    }

    /// dots[t, choice] = ⟨matrix[t], from[rows[t, choice] − first]⟩, 0 where sumRows leaves the choice out: the
    /// gradient of combine's weights.
    virtual void dotRows(int tokens, int columns, int choices, const std::int32_t* rows, int first, int count,
                         ConstArray from, ConstArray matrix, float* dots) = 0;
    static KernelWork dotRowsWork(int tokens, int columns, int choices, const std::int32_t*, int, int, ConstArray,
                                  ConstArray matrix, const float*) {
        return {KernelKind::Routing, bytesOf(matrix, (1.0 + choices) * tokens * columns)};
    }

protected:
    ~ExpertRowOps() = default;
};

#define SHARDLAB_EXPERT_ROW_OPS(operation)                                                                             \
    operation(ExpertRowOps, gatherRows, 7) operation(ExpertRowOps, sumRows, 9) operation(ExpertRowOps, dotRows, 9)

}  // namespace shardlab::kernels
