// SPDX-License-Identifier: Apache-2.0
// The part of the training state that a rank holds, as pieces of whole tensors, for checkpoints to write and to fill.
#pragma once

#include "engine/trace/checkpoint/shard_writer.h"
#include "engine/trace/checkpoint/state_source.h"
#include "engine/train/model/arena.h"
#include "engine/train/run/elastic_centre.h"
#include "engine/train/run/rank_stage.h"

#include <map>
#include <span>
#include <vector>

namespace shardlab::train {

/// The number of a replica among the replicas that hold the same.
struct ReplicaPlace {
    int replica = 0;
    int replicas = 1;
};

class TrainingState {
public:
    /// `all` is the rank's place among the replicas that train the same stages; `zero` (parallel.zero) says what they
    /// divide. A rank whose number is not below `all.replicas` loads its part of a checkpoint, but does not write.
    /// `experts` is its number among the replicas with the same experts, where not all replicas have the same, and
    /// `copy` that of its copy of what ZeRO divides, where there are several. `centre`: the replicas train apart, and
    /// each holds and writes weights of its own.
    TrainingState(RankStages& stages, Device& device, int zero, const ReplicaPlace& all,
                  const ReplicaPlace& experts = {}, const ReplicaPlace& copy = {}, ElasticCentre* centre = nullptr)
        : stages_(stages), device_(device), zero_(zero), all_(all), experts_(experts), copy_(copy), centre_(centre) {}

    /// The most floats that copy() needs; the same on all replicas that hold the same.
    std::size_t floats() const;
    /// Copies this rank's part of a checkpoint into `staging`. What every replica holds is divided among them, as
    /// ranges of a stage's elements in order; what only this rank holds it writes itself. The pieces refer to
    /// `staging`.
    std::vector<StatePiece> copy(std::span<float> staging) const;
    /// Loads everything this rank holds from a checkpoint of any layout of the same model and optimizer. `remainders`:
    /// also what exchanges of its replica left (coded_exchange.h), which otherwise stays as it is.
    Status load(const StateSource& source, bool remainders);
    /// Loads the weights only.
    Status loadWeights(const StateSource& source);

private:
    struct Held {
        const Parameter* parameter;
        std::string_view kind;
        Slice slice;         ///< the parameter's, or that of state with one number for each row or column
        std::int64_t begin;  ///< first element within the slice
        ArraySpan values;
        bool owner;      ///< whether this rank writes it; one of the ranks that hold it does
        Device* device;  ///< where the values lie
        CodedState codes = {};
    };
    /// The pieces of one kind that are divided among the same replicas.
    struct Share {
        std::string_view kind;
        std::vector<Held> pieces;
        ReplicaPlace place;
        std::size_t size() const;
    };
    /// What a checkpoint keeps of a stage: the pieces of each kind in the order of the parameters.
    std::map<std::string_view, std::vector<Held>> held(RankStage& stage) const;
    /// The pieces of held() by who shares them: those of spread experts stand apart where all replicas hold the others.
    std::vector<Share> shares(RankStage& stage) const;
    /// The pieces of a replica that trains apart, which shares them with nobody.
    std::vector<Share> sharesApart(RankStage& stage) const;
    /// Loads the weights that a checkpoint of such replicas has of this one. Without any the replica begins with the
    /// centre.
    Status loadApart(const StateSource& source);
    /// Whether all replicas hold the same, and share the work of writing it; otherwise the copies of each part do.
    bool divided(RankStage& stage, std::string_view kind) const {
        return kind == scaleKind || zero_ < (kind == weightKind && stage.optimizer->master().empty() ? 3 : 1);
    }

    /// Whether this rank writes a kind that every replica holds: where it is not shared out for writing, the first one
    /// of each copy does.
    bool writesWhole(RankStage& stage, std::string_view kind) const;

    /// The weights as layers read them, and the optimizer's master weights in fp32, if it has any.
    std::vector<Held> values(RankStage& stage) const;
    std::vector<Held> masters(RankStage& stage) const;
    std::vector<Held> choiceBiases(RankStage& stage) const;
    /// Scales of products in 8 bits, with their histories, which every replica holds.
    std::vector<Held> scales(RankStage& stage) const;
    /// What only this replica holds.
    std::vector<Held> remainders(RankStage& stage) const;
    /// `kind`, where there is one, takes the place of the pieces' own.
    Status fill(const StateSource& source, const std::vector<Held>& pieces, std::string_view kind = {});
    /// read() copies elements `from`, `from` + 1 … of a piece; write() overwrites the whole piece.
    void read(const Held& piece, std::size_t from, std::span<float> to) const;
    void write(const Held& piece, std::span<const float> from) const;

    RankStages& stages_;
    Device& device_;
    int zero_;
    ReplicaPlace all_;
    ReplicaPlace experts_;
    ReplicaPlace copy_;
    ElasticCentre* centre_;
};

}  // namespace shardlab::train
