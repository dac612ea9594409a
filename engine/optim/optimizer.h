// SPDX-License-Identifier: Apache-2.0
// One header per optimizer; this is what they have in common.
#pragma once

#include "engine/layout/layout.h"
#include "engine/model/arena.h"
#include "engine/model/parameter.h"

#include <memory>
#include <span>

namespace shardlab {

class Optimizer {
public:
    virtual ~Optimizer() = default;
    /// Applies one update. `step` counts from 1; every gradient is first multiplied by `gradientScale` (clipping).
    virtual void update(std::span<Parameter> parameters, int step, float gradientScale) = 0;
};

/// State comes from the arena (category Optimizer). The layout was checked: spec.kind exists.
std::unique_ptr<Optimizer> makeOptimizer(const OptimizerSpec& spec, std::span<Parameter> parameters, Arena& arena);

}  // namespace shardlab
