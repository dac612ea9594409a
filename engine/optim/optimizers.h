// SPDX-License-Identifier: Apache-2.0
// The optimizers themselves; makeOptimizer finds them by name.
#pragma once

#include "engine/optim/optimizer.h"

namespace shardlab {

/// State: two floats per parameter (first and second moment), one block.
std::unique_ptr<Optimizer> makeAdamW(const OptimizerSetup& setup, std::span<Parameter> parameters, Arena& arena);
/// State: one float per parameter (velocity), one block; none where momentum is 0.
std::unique_ptr<Optimizer> makeSgd(const OptimizerSetup& setup, std::span<Parameter> parameters, Arena& arena);

}  // namespace shardlab
