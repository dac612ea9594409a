// SPDX-License-Identifier: Apache-2.0
// One header per optimizer; this is what they have in common.
#pragma once

#include "engine/layout/layout.h"
#include "engine/model/arena.h"
#include "engine/model/parameter.h"

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace shardlab {

/// A part of what an optimizer remembers: elements `begin`… of one kind for one parameter, counted within the tensor that
/// Parameter::shape describes, row by row.
struct OptimizerState {
    std::string_view kind;      ///< "first moment", "second moment", "velocity": the same word in every layout
    std::size_t parameter = 0;  ///< index into the stage's parameters
    std::int64_t begin = 0;
    std::span<float> values;
};

class Optimizer {
public:
    virtual ~Optimizer() = default;
    /// All of it that lies on this rank, for checkpoints to read and write; empty where there is none.
    virtual std::vector<OptimizerState> state(std::span<const Parameter> parameters) = 0;
    /// Applies one update. `step` counts from 1; every gradient is first multiplied by `gradientScale` (clipping).
    virtual void update(std::span<Parameter> parameters, int step, float gradientScale) = 0;
};

/// State comes from the arena (category Optimizer). The layout was checked: spec.kind exists. `updates`: of the whole run,
/// for a learning rate that falls.
std::unique_ptr<Optimizer> makeOptimizer(const OptimizerSpec& spec, std::span<Parameter> parameters, Arena& arena,
                                         int updates = 1);

}  // namespace shardlab
