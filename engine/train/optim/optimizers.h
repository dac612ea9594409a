// SPDX-License-Identifier: Apache-2.0
// The optimizers themselves; makeOptimizer finds them by name.
#pragma once

#include "engine/train/optim/optimizer.h"

namespace shardlab {

/// State: of each matrix one float a row and one a column, of a vector one an element; two of each of them besides.
std::unique_ptr<Optimizer> makeAdafactor(const OptimizerSetup& setup, std::span<Parameter> parameters, Arena& arena);
/// State: two floats per parameter (first and second moment), one block.
std::unique_ptr<Optimizer> makeAdamW(const OptimizerSetup& setup, std::span<Parameter> parameters, Arena& arena);
/// State: two codes of 8 bits per parameter (first and second moment), and two floats for each block of them, which are
/// counted from the parameter's first element on this rank: a shard that begins or ends within a block has a scale of
/// its own for its part.
std::unique_ptr<Optimizer> makeAdamW8Bit(const OptimizerSetup& setup, std::span<Parameter> parameters, Arena& arena);
/// State: one float per parameter (velocity), one block; none where momentum is 0.
std::unique_ptr<Optimizer> makeSgd(const OptimizerSetup& setup, std::span<Parameter> parameters, Arena& arena);
/// State: of each matrix one float a row and one a column, of a vector one an element; one per parameter more (moment)
/// where momentum is not 0.
std::unique_ptr<Optimizer> makeSm3(const OptimizerSetup& setup, std::span<Parameter> parameters, Arena& arena);

}  // namespace shardlab
