// SPDX-License-Identifier: Apache-2.0
// Collectives beside compute, where devices carry them out by themselves: begun at once, awaited by the device. The
// processor waits for nothing but drain().
#pragma once

#include "engine/train/parallel/collectives_beside_compute.h"

#include <deque>
#include <memory>

namespace shardlab {

class DeviceCollectives final : public CollectivesBesideCompute {
public:
    /// Nobody else uses `group`, whose requests tell their moments. Collective over it.
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
    std::deque<Posted> posted_;  ///< that are not awaited, or whose times were not told
    Ticket first_ = 0;           ///< of posted_.front()
    Ticket awaited_ = 0;         ///< all before it are
    Ticket told_ = 0;            ///< likewise
};

}  // namespace shardlab
