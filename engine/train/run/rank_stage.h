// SPDX-License-Identifier: Apache-2.0
// A global stage that lies on this rank, with what updates it.
#pragma once

#include "engine/train/model/stage.h"
#include "engine/train/optim/optimizer.h"
#include "engine/train/optim/optimizer_host.h"
#include "engine/train/parallel/coded_exchange.h"
#include "engine/train/parallel/shards.h"

#include <map>
#include <memory>
#include <span>

namespace shardlab::train {

struct RankStage {
    std::unique_ptr<Stage> stage;
    std::unique_ptr<Optimizer> optimizer = nullptr;  ///< null where a server updates
    StageShards* shards = nullptr;                   ///< this replica's with ZeRO; null without
    CodedStage* coded = nullptr;                     ///< what its coded exchanges keep; null where there are none
    std::unique_ptr<HostMirror> host = nullptr;      ///< where the optimizer updates with ZeRO-Offload; null without

    /// What this replica updates, with its gradients: the parameters, or its shards of them. The optimizer's state is
    /// in their order.
    std::span<Parameter> owned() { return shards ? shards->owned() : stage->parameters(); }
    /// What the optimizer updates: with ZeRO-Offload what lies of owned() on the host.
    std::span<Parameter> updated() { return host ? host->parameters() : owned(); }
    void zeroGradients() { shards ? shards->zeroGradients() : stage->zeroGradients(); }
};

/// The stages of one rank by their global number.
using RankStages = std::map<int, RankStage>;

}  // namespace shardlab::train
