// SPDX-License-Identifier: Apache-2.0
#include "engine/train/parallel/device_collectives.h"

#include "engine/base/clock.h"
#include "engine/train/comm/backoff.h"

#include <algorithm>
#include <utility>

namespace shardlab::train {

// Members come to their first collective at different places of their lists, and must not wait for each other there.
DeviceCollectives::DeviceCollectives(std::unique_ptr<Communicator> group, Clock clock)
    : group_(std::move(group)), clock_(std::move(clock)) {
    group_->prepare();
}

DeviceCollectives::Ticket DeviceCollectives::post(Start start, std::function<void()> finish) {
    posted_.push_back({start(*group_), std::move(finish)});
    return first_ + static_cast<Ticket>(posted_.size()) - 1;
}

void DeviceCollectives::wait(Ticket ticket, const Observer& observer) {
    for (; awaited_ <= ticket; ++awaited_) {
        Posted& posted = at(awaited_);
        observer(awaited_, [&] { posted.request->wait(); });
        if (posted.finish) posted.finish();
        posted.finish = {};
    }
    forget();
}

/// A device would wait for ever for a member that is lost; the member's request throws instead.
void DeviceCollectives::drain() {
    for (Posted& posted : posted_)
        for (Backoff idle(false); !posted.request->test();) idle.pause();
}

std::optional<DeviceCollectives::Times> DeviceCollectives::times(Ticket ticket) {
    Request& request = *at(ticket).request;
    if (!request.test()) return std::nullopt;
    const DeviceSpan span = request.span();
    const auto begin = span.begin->reached(), end = span.end->reached();
    if (!begin || !end) return std::nullopt;
    timed_ = ticket + 1;
    forget();
    const std::int64_t ahead = clock_() - monotonicNanoseconds();
    return Times{*begin + ahead, *end + ahead};
}

void DeviceCollectives::forget() {
    for (; first_ < std::min(awaited_, timed_); ++first_) posted_.pop_front();
}

}  // namespace shardlab::train
