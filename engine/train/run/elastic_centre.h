// SPDX-License-Identifier: Apache-2.0
// EASGD's exchange between the replica whose turn it is and the centre, which replica 0 keeps beside its own weights.
// Each member of a context group exchanges with its like: all come to the same bits.
// They are the weights that are updated: master weights where there are some, which are rounded again afterwards.
#pragma once

#include "engine/layout/layout.h"
#include "engine/train/comm/communicator.h"
#include "engine/train/run/rank_stage.h"
#include "engine/train/run/rank_trace.h"

#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace shardlab::train {

class ElasticCentre {
public:
    ElasticCentre(const OptimizerSpec& optimizer, int updates, RankStages& stages, Communicator& data, Arena& arena);

    /// Sets the centre to the weights, which begin as the same on all replicas.
    void begin();
    /// The replica whose turn it is in a step; replicas are counted from 0.
    int turn(int step) const { return step % data_.size(); }
    /// Whether this rank's replica, or the centre that it keeps, exchanges in the step.
    bool takesPart(int step) const { return data_.rank() == 0 || data_.rank() == turn(step); }
    /// The rank of the other side in the group of replicas; this rank where both sides are here.
    int peer(int step) const { return data_.rank() == 0 ? turn(step) : 0; }
    /// To be called on a rank that takes part. Returns ‖W − W̄‖² before the exchange, over what this rank owns.
    double exchange(int step);

    /// The ranks that exchange, in the order of their replicas.
    Communicator& group() const { return data_; }
    /// The replica that this rank belongs to.
    int replica() const { return data_.rank(); }
    /// The centre of a part of a stage's weights; empty where this rank keeps none.
    ArraySpan centreOf(ConstArraySpan weights);
    /// How checkpoints name a kind of state that only this replica has. Under the usual names, which other layouts
    /// read, there are the centre and the other state of replica 0.
    std::string_view ownKind(std::string_view kind);

    /// Collective over the replicas. Forwards read the centre until restore().
    void lend();
    void restore();

private:
    struct Held {
        Buffer centre;   ///< on replica 0; empty on others
        Buffer passing;  ///< what the other side had; between lend() and restore() the centre, as layers read it
    };

    static ArraySpan weightsOf(RankStage& rankStage);
    double exchangeHere(RankStage& rankStage, Held& held, float alpha);
    double exchangeWith(int peer, RankStage& rankStage, Held& held, float alpha);

    const OptimizerSpec optimizer_;
    int updates_;
    RankStages& stages_;
    Communicator& data_;
    Arena& arena_;
    std::map<int, Held> held_;
    std::map<std::string, std::string, std::less<>> ownKinds_;
};

}  // namespace shardlab::train
