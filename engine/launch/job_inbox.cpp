// SPDX-License-Identifier: Apache-2.0
#include "engine/launch/job_inbox.h"

namespace shardlab {

namespace {

/// Beyond this many events the collector waits, and the ranks' spools hold the rest.
constexpr std::size_t mostEvents = 1 << 20;

}  // namespace

void JobInbox::push(InboxItem item) {
    const std::lock_guard lock(mutex_);
    items_.push_back(std::move(item));
}

void JobInbox::eventsArrived(int, std::span<const Event> events) {
    std::unique_lock lock(mutex_);
    roomMade_.wait(lock, [this] { return events_ < mostEvents || lifted_; });
    events_ += events.size();
    items_.emplace_back(std::vector<Event>(events.begin(), events.end()));
}

std::vector<InboxItem> JobInbox::take() {
    std::vector<InboxItem> taken;
    {
        const std::lock_guard lock(mutex_);
        taken.swap(items_);
        events_ = 0;
    }
    roomMade_.notify_all();
    return taken;
}

void JobInbox::lift() {
    {
        const std::lock_guard lock(mutex_);
        lifted_ = true;
    }
    roomMade_.notify_all();
}

}  // namespace shardlab
