// SPDX-License-Identifier: Apache-2.0
// The optimizers by their kinds in layouts. Each is one source of this folder; makeOptimizer() finds it here.
#pragma once

#include "engine/train/optim/optimizer.h"

#include <array>

namespace shardlab::train {

using OptimizerMaker = std::unique_ptr<Optimizer>(const OptimizerSetup& setup, std::span<Parameter> parameters,
                                                  Arena& arena);
OptimizerMaker makeAdafactor, makeAdamW, makeAdamW8Bit, makeSgd, makeSm3;

struct OptimizerOfKind {
    OptimizerKind kind;
    OptimizerMaker* make;
};

inline constexpr std::array optimizers{
    OptimizerOfKind{OptimizerKind::Adafactor, makeAdafactor},
    OptimizerOfKind{OptimizerKind::AdamW, makeAdamW},
    OptimizerOfKind{OptimizerKind::AdamW8Bit, makeAdamW8Bit},
    OptimizerOfKind{OptimizerKind::Sgd, makeSgd},
    OptimizerOfKind{OptimizerKind::Sm3, makeSm3},
};

}  // namespace shardlab::train
