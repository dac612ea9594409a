// SPDX-License-Identifier: Apache-2.0
// Hands what the collector's thread receives to the job's thread.
#pragma once

#include "engine/launch/job/collector.h"

#include <cstddef>
#include <mutex>
#include <string>
#include <variant>
#include <vector>

namespace shardlab {

struct RankGoodbye {
    int rank = 0;
    std::string end;
};
struct RankLinkLost {
    int rank = 0;
};
using InboxItem = std::variant<RankHello, std::vector<Event>, LogLine, RankGoodbye, RankLinkLost>;

class JobInbox : public CollectorObserver {
public:
    void rankJoined(const RankHello& hello) override { push(hello); }
    bool hasRoom() const override;
    void eventsArrived(int rank, std::span<const Event> events) override;
    void logArrived(const LogLine& line) override { push(line); }
    void rankSaidGoodbye(int rank, const std::string& end) override { push(RankGoodbye{rank, end}); }
    void linkLost(int rank) override { push(RankLinkLost{rank}); }

    /// Everything received since the last call, in order.
    std::vector<InboxItem> take();

private:
    void push(InboxItem item);

    mutable std::mutex mutex_;
    std::vector<InboxItem> items_;
    std::size_t events_ = 0;
};

}  // namespace shardlab
