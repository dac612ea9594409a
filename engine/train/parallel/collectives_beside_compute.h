// SPDX-License-Identifier: Apache-2.0
// Collectives beside compute: carried out one after another, in the order of posting, while the rank computes.
#pragma once

#include "engine/train/comm/communicator.h"

#include <cstdint>
#include <functional>
#include <optional>

namespace shardlab::train {

/// For use by one thread. A call throws the error that stopped a collective.
class CollectivesBesideCompute {
public:
    /// Counts from 0 in the order of posting.
    using Ticket = std::int64_t;
    using Start = std::function<RequestPtr(Communicator&)>;
    using Clock = std::function<std::int64_t()>;
    /// Calls `wait`, which waits for one ticket, and may look at the clock before and after.
    using Observer = std::function<void(Ticket ticket, const std::function<void()>& wait)>;
    struct Times {
        std::int64_t begin = 0;  ///< by the rank's clock
        std::int64_t end = 0;
    };

    /// Gives up what is under way.
    virtual ~CollectivesBesideCompute() = default;

    /// Calls `start`, which begins the collective, and `finish` (may be empty) once it is over.
    virtual Ticket post(Start start, std::function<void()> finish = {}) = 0;
    /// Whether the device does everything that it is asked for from now on after the collective and its `finish`.
    virtual bool awaited(Ticket ticket) = 0;
    /// Makes awaited() true for this ticket and all that were posted before; what `finish` does is no part of a wait.
    virtual void wait(Ticket ticket, const Observer& observer) = 0;
    /// Returns when everything that was posted is over.
    virtual void drain() = 0;
    /// When the collective was carried out; empty while it is not over. Tickets are asked for in order, each until it
    /// has a result.
    virtual std::optional<Times> times(Ticket ticket) = 0;
};

}  // namespace shardlab::train
