// SPDX-License-Identifier: Apache-2.0
// What optimizers that keep rows and columns of a matrix in place of its elements are counted by.
#pragma once

#include "engine/layout/model_shape.h"

#include <cstdint>
#include <vector>

namespace shardlab::layout {

/// What the state of Adafactor and SM3 is counted by: rows and columns of a stage's matrices, elements of its vectors.
struct FactoredNumbers {
    std::int64_t rows = 0;
    std::int64_t columns = 0;
    std::int64_t elements = 0;
    std::int64_t tensors = 0;  ///< matrices and vectors
    /// In a tensor group: rows of matrices that are cut by columns, and columns of those that are cut by rows.
    std::int64_t parts = 0;
    std::int64_t cut = 0;  ///< tensors that a tensor group cuts

    std::int64_t sum() const { return rows + columns + elements; }
    FactoredNumbers& operator+=(const FactoredNumbers& other);
};
/// The numbers of each of stageUnits(), in their order. The token embedding's parts are its h columns.
std::vector<FactoredNumbers> factoredUnits(const ModelSpec& model, const StageShape& stage,
                                           const TensorShare& share = {});

}  // namespace shardlab::layout
