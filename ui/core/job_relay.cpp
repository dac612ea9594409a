// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/core/job_relay.h"

#include <utility>

namespace shardlab {

void JobRelay::detach() {
    const std::scoped_lock lock(mutex_);
    wake_ = nullptr;
}

JobNews JobRelay::take() {
    const std::scoped_lock lock(mutex_);
    return std::exchange(news_, {});
}

void JobRelay::stateChanged(JobState state) {
    add([&](JobNews& news) { news.state = state; });
}

void JobRelay::eventsArrived(std::span<const Event> events) {
    add([&](JobNews& news) { news.events.insert(news.events.end(), events.begin(), events.end()); });
}

void JobRelay::logged(const LogLine& line) {
    add([&](JobNews& news) { news.log.push_back(line); });
}

void JobRelay::rankChanged(const RankRecord& record) {
    add([&](JobNews& news) { news.ranks.push_back(record); });
}

void JobRelay::clocksMeasured(std::span<const HostClock> clocks) {
    add([&](JobNews& news) { news.clocks.emplace(clocks.begin(), clocks.end()); });
}

void JobRelay::ended(const RunEnd& end) {
    add([&](JobNews& news) { news.end = end; });
}

}  // namespace shardlab
