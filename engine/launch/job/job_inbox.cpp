// SPDX-License-Identifier: Apache-2.0
#include "engine/launch/job/job_inbox.h"

#include <utility>

namespace shardlab {

namespace {

/// Beyond this many events the collector reads no more, and the ranks' spools hold the rest.
constexpr std::size_t mostEvents = 1 << 20;

}  // namespace

void JobInbox::push(InboxItem item) {
    const std::lock_guard lock(mutex_);
    items_.push_back(std::move(item));
}

bool JobInbox::hasRoom() const {
    const std::lock_guard lock(mutex_);
    return events_ < mostEvents;
}

void JobInbox::eventsArrived(int, std::span<const Event> events) {
    const std::lock_guard lock(mutex_);
    events_ += events.size();
    items_.emplace_back(std::vector<Event>(events.begin(), events.end()));
}

std::vector<InboxItem> JobInbox::take() {
    const std::lock_guard lock(mutex_);
    events_ = 0;
    return std::exchange(items_, {});
}

}  // namespace shardlab
