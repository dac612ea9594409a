// SPDX-License-Identifier: Apache-2.0
// Activations and their gradients on their way between stages: over the pipeline's communicator, or from hand to hand
// where both stages lie on this rank. Nothing blocks but take() and finish().
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

namespace shardlab {

struct TransferSetup {
    Communicator& pipeline;             ///< members in order of their pipeline rank
    std::vector<int> rankOfStage;       ///< pipeline rank of each global stage
    std::vector<int> worldRanks;        ///< of the pipeline's members, for the status page
    std::vector<std::size_t> elements;  ///< of what each global stage takes from the one below, and of its gradient
    DType type = DType::F32;
    Arena& arena;
    RankTrace& trace;
    StepClock& clock;  ///< where it is modelled, a second message with the same tag carries the time of arrival
    std::function<bool(int step, const Action& send)> loses;  ///< for tests: a message that is never sent; may be empty
};

class Transfers {
public:
    explicit Transfers(TransferSetup setup);

    /// What a stage computed: goes straight to the neighbour stage where that lies here, else waits for its action.
    /// `send` names it: SendForward of the stage, or SendBackward.
    void put(const Action& send, Buffer data);
    /// Interprets a send or receive action: starts it.
    void start(const Action& action);
    /// The message of `receive`; waits for it where need be and records the wait.
    Buffer take(const Action& receive);
    /// Frees what has been sent.
    void progress();
    /// Waits until everything is sent.
    void finish();
    /// Waits for everything that was to be received and not yet taken, and drops it.
    void abandon();
    /// The step's border where nothing is flushed: what was received and not yet taken goes on under its number + `by`.
    void renumber(int by);
    /// Changes the clock, on every rank alike, while nothing is on its way.
    void setClock(StepClock& clock) { clock_ = &clock; }

private:
    struct Outgoing {
        Action action;
        std::int32_t step = 0;
        Buffer data;
        std::optional<TimeSpan> modelled;
        RequestPtr message;
        RequestPtr arrival;  ///< the message with the modelled end; null where nothing is modelled
        std::int64_t begin = 0;
    };
    struct Incoming {
        Action action;  ///< as it was posted, and in which step
        std::int32_t step = 0;
        Buffer data;
        RequestPtr message;
        RequestPtr arrival;  ///< the message with the modelled arrival; null where nothing is modelled
        std::int64_t modelledArrival = 0;
        std::int64_t posted = 0;
        std::int64_t noticed = 0;  ///< when it was found complete; 0 = not yet
        bool test(std::int64_t now);
    };

    int rankOf(int stage) const { return setup_.rankOfStage.at(static_cast<std::size_t>(stage)); }
    /// World rank of a message's other end.
    int worldPeer(const Action& action) const {
        return setup_.worldRanks.at(static_cast<std::size_t>(rankOf(otherEnd(action).stage)));
    }
    void record(const Outgoing& sent);

    TransferSetup setup_;
    StepClock* clock_;
    std::map<int, std::int64_t> linkFree_;  ///< modelled, by pipeline rank of the receiver
    std::map<Action, Buffer> outbox_;       ///< by send action
    std::map<Action, Buffer> here_;         ///< by receive action, between stages of this rank
    std::map<Action, Incoming> posted_;     ///< by receive action; nodes do not move
    std::list<Outgoing> sending_;
};

}  // namespace shardlab
