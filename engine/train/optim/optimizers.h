// SPDX-License-Identifier: Apache-2.0
// The optimizers by their names in layouts. Each is one source of this folder; makeOptimizer() finds it here.
#pragma once

#include "engine/train/optim/optimizer.h"

#include <array>
#include <string_view>

namespace shardlab {

using OptimizerMaker = std::unique_ptr<Optimizer>(const OptimizerSetup& setup, std::span<Parameter> parameters,
                                                  Arena& arena);
OptimizerMaker makeAdafactor, makeAdamW, makeAdamW8Bit, makeSgd, makeSm3;

struct NamedOptimizer {
    std::string_view name;
    OptimizerMaker* make;
};

inline constexpr std::array optimizers{
    NamedOptimizer{"adafactor", makeAdafactor},
    NamedOptimizer{"adamw", makeAdamW},
    NamedOptimizer{"adamw-8bit", makeAdamW8Bit},
    NamedOptimizer{"sgd", makeSgd},
    NamedOptimizer{"sm3", makeSm3},
};

}  // namespace shardlab
