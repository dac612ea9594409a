// SPDX-License-Identifier: Apache-2.0
// Moves activations and their gradients between stages: over the pipeline's communicator, or directly where both stages
// lie on this rank. Only take(), finish() and abandon() wait.
#pragma once

#include "engine/train/comm/communicator.h"
#include "engine/train/model/arena.h"
#include "engine/layout/schedule/action.h"
#include "engine/train/run/rank_trace.h"
#include "engine/train/run/step_clock.h"

#include <functional>
#include <list>
#include <map>
#include <optional>
#include <vector>

namespace shardlab::train {

struct TransferSetup {
    Communicator& pipeline;             ///< its members in order of their pipeline rank
    std::vector<int> rankOfStage;       ///< pipeline rank of each global stage
    std::vector<int> worldRanks;        ///< world ranks of the pipeline's members, for the status page
    std::vector<std::size_t> elements;  ///< by global stage, elements of its input and of the input's gradient
    DType type = DType::F32;
    Arena& arena;
    RankTrace& trace;
    StepClock& clock;  ///< where it is modelled, a second message with the same tag carries the arrival
    /// For tests: whether a message is never sent; may be empty.
    std::function<bool(int step, const Action& send)> loses;
};

class Transfers {
public:
    explicit Transfers(TransferSetup setup);

    /// Hands over what a stage computed, named by the action `send` (SendForward or SendBackward). It goes straight to
    /// the neighbour stage where that lies on this rank; else it waits for the action.
    void put(const Action& send, Buffer data);
    /// Starts a send or receive action.
    void start(const Action& action);
    /// Returns the message of `receive`; waits for it where need be and records the wait.
    Buffer take(const Action& receive);
    /// Records and frees what has been sent.
    void progress();
    /// To be called after each compute action: what a device is asked for from now on comes after all that was sent
    /// before the action, whose memory is free.
    void computed();
    /// Waits until everything is sent.
    void finish();
    /// Waits for everything that has not been taken yet, and drops it.
    void abandon();
    /// To be called between steps that are not flushed: what has not been taken yet gets the microbatch number plus
    /// `by`.
    void renumber(int by);
    /// Changes the clock, on every rank alike, while nothing is on its way.
    void setClock(StepClock& clock) { clock_ = &clock; }

private:
    struct Outgoing {
        Action action;
        std::int32_t step = 0;
        Buffer data;  ///< on the host; empty where the message leaves a device
        std::int64_t bytes = 0;
        std::optional<TimeSpan> modelled;
        RequestPtr message;
        RequestPtr arrival;  ///< the message with the modelled end; null where nothing is modelled
        std::int64_t begin = 0;
    };
    /// What a device sends by itself, and keeps until then.
    struct Leaving {
        Buffer data;
        std::shared_ptr<DeviceMoment> sent;
        bool computed = false;  ///< a compute action was asked for after it
    };
    struct Incoming {
        Action action;  ///< the action and, below, the step in which it was posted
        std::int32_t step = 0;
        Buffer data;
        RequestPtr message;
        RequestPtr arrival;  ///< the message with the modelled arrival; null where nothing is modelled
        std::int64_t modelledArrival = 0;
        std::int64_t posted = 0;
        std::int64_t noticed = 0;  ///< when it was found complete; 0: not yet
        /// The moment is read once it is complete: a rank may lose its core between a reading before and that.
        bool test(const RankTrace& trace);
    };

    int rankOf(int stage) const { return setup_.rankOfStage.at(static_cast<std::size_t>(stage)); }
    /// The world rank of a message's other end.
    int worldPeer(const Action& action) const {
        return setup_.worldRanks.at(static_cast<std::size_t>(rankOf(otherEnd(action).stage)));
    }
    void record(const Outgoing& sent);

    TransferSetup setup_;
    StepClock* clock_;
    std::map<int, std::int64_t>
        linkFree_;                       ///< modelled moment from which a link is free, by the receiver's pipeline rank
    std::map<Action, Buffer> outbox_;    ///< by send action
    std::map<Action, Buffer> here_;      ///< by receive action, where both stages lie on this rank
    std::map<Action, Incoming> posted_;  ///< by receive action; nodes do not move
    std::list<Outgoing> sending_;
    std::vector<Leaving> leaving_;
};

}  // namespace shardlab::train
