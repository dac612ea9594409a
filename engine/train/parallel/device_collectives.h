// SPDX-License-Identifier: Apache-2.0
// Collectives beside compute that devices carry out by themselves: they are begun at once, and the device awaits them.
// The processor waits in drain() alone.
#pragma once

#include "engine/train/parallel/collectives_beside_compute.h"

#include <deque>
#include <memory>

namespace shardlab::train {

class DeviceCollectives final : public CollectivesBesideCompute {
public:
    /// Collective over `group`, which is for this object alone; its requests know when they began and ended.
    DeviceCollectives(std::unique_ptr<Communicator> group, Clock clock);

    Ticket post(Start start, std::function<void()> finish = {}) override;
    bool awaited(Ticket ticket) override { return ticket < awaited_; }
    void wait(Ticket ticket, const Observer& observer) override;
    void drain() override;
    std::optional<Times> times(Ticket ticket) override;

private:
    struct Posted {
        RequestPtr request;
        std::function<void()> finish;
    };
    Posted& at(Ticket ticket) { return posted_[static_cast<std::size_t>(ticket - first_)]; }
    void forget();

    std::unique_ptr<Communicator> group_;
    Clock clock_;
    std::deque<Posted> posted_;  ///< not yet awaited, or nobody has been given their times
    Ticket first_ = 0;           ///< ticket of posted_.front()
    Ticket awaited_ = 0;         ///< all tickets before it are awaited
    Ticket timed_ = 0;           ///< the times of all tickets before it have been given
};

}  // namespace shardlab::train
