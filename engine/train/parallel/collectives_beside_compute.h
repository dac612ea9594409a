// SPDX-License-Identifier: Apache-2.0
// Collectives beside compute: carried out one after another, in the order of posting, while the rank computes.
#pragma once

#include "engine/train/comm/communicator.h"

#include <cstdint>
#include <functional>
#include <optional>

namespace shardlab {

/// For one thread. Calls throw what stopped a collective.
class CollectivesBesideCompute {
public:
    using Ticket = std::int64_t;  ///< counts from 0 in the order of posting
    using Start = std::function<RequestPtr(Communicator&)>;
    using Clock = std::function<std::int64_t()>;
    /// Carries out `wait`, for one ticket, and may look at the clock before and after.
    using Observer = std::function<void(Ticket ticket, const std::function<void()>& wait)>;
    struct Times {
        std::int64_t begin = 0;  ///< as the rank's clock tells
        std::int64_t end = 0;
    };

    /// What is under way is given up.
    virtual ~CollectivesBesideCompute() = default;

    /// `start` begins the collective, `finish` (may be empty) follows it.
    virtual Ticket post(Start start, std::function<void()> finish = {}) = 0;
    /// Whether what the device is asked for from now on comes after the collective and its `finish`.
    virtual bool awaited(Ticket ticket) = 0;
    /// Makes it so, of this and all that were posted before; what `finish` does is no part of a wait.
    virtual void wait(Ticket ticket, const Observer& observer) = 0;
    /// Returns when everything that was posted is over.
    virtual void drain() = 0;
    /// Empty: not over yet. Each is asked for in order, until it is told.
    virtual std::optional<Times> times(Ticket ticket) = 0;
};

}  // namespace shardlab
