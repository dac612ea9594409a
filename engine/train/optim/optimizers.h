// SPDX-License-Identifier: Apache-2.0
// Who makes the optimizer of each kind. Each is one source of this folder; what the rest of the program knows of it
// stands in layout/optimizer_kind.h.
#pragma once

#include "engine/train/optim/optimizer.h"

namespace shardlab::train {

using OptimizerMaker = std::unique_ptr<Optimizer>(const OptimizerSetup& setup, std::span<Parameter> parameters,
                                                  Arena& arena);
OptimizerMaker makeAdafactor, makeAdamW, makeAdamW8Bit, makeSgd, makeSm3;

/// What an update of either AdamW asks of the device.
AdamWUpdate adamwUpdate(const AdamWSpec& spec, float rate, int step, float gradientScale);

inline constexpr KindTable<OptimizerKind, OptimizerMaker*> optimizerMakers({
    {OptimizerKind::Adafactor, makeAdafactor},
    {OptimizerKind::AdamW, makeAdamW},
    {OptimizerKind::AdamW8Bit, makeAdamW8Bit},
    {OptimizerKind::Sgd, makeSgd},
    {OptimizerKind::Sm3, makeSm3},
});

}  // namespace shardlab::train
