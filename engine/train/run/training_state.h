// SPDX-License-Identifier: Apache-2.0
// What a rank holds of the training state, as pieces of whole tensors: for checkpoints to write and to fill.
#pragma once

#include "engine/trace/checkpoint/shard_writer.h"
#include "engine/trace/checkpoint/state_source.h"
#include "engine/train/model/arena.h"
#include "engine/train/run/rank_stage.h"

#include <map>
#include <span>
#include <vector>

namespace shardlab {

/// Number `replica` of `replicas` that hold the same.
struct ReplicaPlace {
    int replica = 0;
    int replicas = 1;
};

class TrainingState {
public:
    /// Replica `replica` of `replicas` that train the same stages; `zero` tells what they share out (parallel.zero).
    /// One numbered beyond them takes what it holds from a checkpoint, and has no part in writing one. `experts`: among
    /// those with the same experts, where not all of the replicas have the same.
    TrainingState(RankStages& stages, Device& device, int zero, int replica, int replicas,
                  const ReplicaPlace& experts = {})
        : stages_(stages), device_(device), zero_(zero), replica_(replica), replicas_(replicas), experts_(experts) {}

    /// Floats that copy() needs at most; alike on all replicas that hold alike.
    std::size_t floats() const;
    /// Copies this rank's part of a checkpoint into `staging`: what every replica holds is divided among them, element
    /// ranges of a stage in order; what only this rank holds is its own to write. The pieces refer to `staging`.
    std::vector<StatePiece> copy(std::span<float> staging) const;
    /// Everything this rank holds, from a checkpoint of any layout of the same model and optimizer.
    Status load(const StateSource& source);
    /// Weights only.
    Status loadWeights(const StateSource& source);

private:
    struct Held {
        const Parameter* parameter;
        std::string_view kind;
        Slice slice;         ///< the parameter's, or of what has one number a row or a column of it
        std::int64_t begin;  ///< within it
        ArraySpan values;
        bool owner;      ///< this rank writes it; of what others hold too, one of them does
        Device* device;  ///< where it lies
        CodedState codes = {};
    };
    /// Of a kind, what is divided among the same replicas.
    struct Share {
        std::string_view kind;
        std::vector<Held> pieces;
        ReplicaPlace place;
        std::size_t size() const;
    };
    /// Of a stage what a checkpoint keeps: each kind's pieces together, in the order of the parameters.
    std::map<std::string_view, std::vector<Held>> held(RankStage& stage) const;
    /// The same, those of experts that other ranks hold others of apart.
    std::vector<Share> shares(RankStage& stage) const;
    /// All replicas hold the same, and share the work of writing it.
    bool divided(RankStage& stage, std::string_view kind) const {
        return zero_ < (kind == weightKind && stage.optimizer->master().empty() ? 3 : 1);
    }

    /// The weights as layers read them, and in fp32 as the optimizer has them; the latter may be none.
    std::vector<Held> values(RankStage& stage) const;
    std::vector<Held> masters(RankStage& stage) const;
    Status fill(const StateSource& source, const std::vector<Held>& pieces);
    /// Of a piece, elements `from`, `from` + 1 …; all of it.
    void read(const Held& piece, std::size_t from, std::span<float> to) const;
    void write(const Held& piece, std::span<const float> from) const;

    RankStages& stages_;
    Device& device_;
    int zero_;
    int replica_;
    int replicas_;
    ReplicaPlace experts_;
};

}  // namespace shardlab
