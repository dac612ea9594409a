// SPDX-License-Identifier: Apache-2.0
// EASGD's exchange between the replica whose turn it is and the centre, which replica 0 keeps beside its own weights.
#pragma once

#include "engine/layout/layout.h"
#include "engine/train/comm/communicator.h"
#include "engine/train/run/rank_stage.h"
#include "engine/train/run/rank_trace.h"

#include <map>

namespace shardlab {

class ElasticCentre {
public:
    ElasticCentre(const OptimizerSpec& optimizer, int updates, RankStages& stages, Communicator& data, Arena& arena);

    /// The centre is what the weights are, which begin as the same on all replicas.
    void begin();
    /// Replica whose turn it is in a step, from 0.
    int turn(int step) const { return step % data_.size(); }
    /// This rank's replica, or the centre that it keeps.
    bool takesPart(int step) const { return data_.rank() == 0 || data_.rank() == turn(step); }
    /// The other side's rank in the group of replicas; its own where both are here.
    int peer(int step) const { return data_.rank() == 0 ? turn(step) : 0; }
    /// Of a rank that takes part. Returns ‖W − W̄‖² before, of what this rank owns.
    double exchange(int step);

    /// Collective over replicas: forwards read the centre until restore().
    void lend();
    void restore();

private:
    struct Held {
        Buffer centre;   ///< of replica 0; empty on others
        Buffer passing;  ///< what the other side had; where forwards read the centre
    };

    double exchangeHere(Stage& stage, Held& held, float alpha);
    double exchangeWith(int peer, Stage& stage, Held& held, float alpha);

    const OptimizerSpec optimizer_;
    int updates_;
    RankStages& stages_;
    Communicator& data_;
    Arena& arena_;
    std::map<int, Held> held_;
};

}  // namespace shardlab
