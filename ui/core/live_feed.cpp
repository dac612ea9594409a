// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/core/live_feed.h"

namespace shardlab {
namespace {

constexpr std::size_t mostEvents = std::size_t{1} << 17;  ///< that wait for the window

}  // namespace

/// Adds news by `change` and wakes the listener; what has been put together of the opening goes before.
template <class Change>
void LiveFeed::add(Change&& change) {
    const std::scoped_lock lock(mutex_);
    if (!wake_) return;
    if (opening_) news_.opening = std::exchange(opening_, std::nullopt);
    change(news_);
    wake_();
}

void LiveFeed::detach() {
    {
        const std::scoped_lock lock(mutex_);
        wake_ = nullptr;
    }
    space_.notify_all();
}

LiveNews LiveFeed::take() {
    const std::scoped_lock lock(mutex_);
    space_.notify_all();
    opened_ = opened_ || news_.opening;
    if (opened_) return std::exchange(news_, {});
    LiveNews early;
    early.status = std::exchange(news_.status, std::nullopt);
    early.copyError = std::exchange(news_.copyError, std::nullopt);
    return early;
}

void LiveFeed::begun(const RunHeader& header) {
    RunCopy::begun(header);
    opening_ = LiveNews::Opening{header, {}};
}

void LiveFeed::predictedArrived(std::span<const Event> events) {
    RunCopy::predictedArrived(events);
    if (opening_) opening_->predicted.insert(opening_->predicted.end(), events.begin(), events.end());
}

void LiveFeed::restartsKnown(std::span<const Event> events) {
    add([&](LiveNews& news) { news.events.insert(news.events.end(), events.begin(), events.end()); });
}

void LiveFeed::eventsArrived(std::span<const Event> events) {
    RunCopy::eventsArrived(events);
    add([&](LiveNews& news) { news.events.insert(news.events.end(), events.begin(), events.end()); });
    std::unique_lock lock(mutex_);
    space_.wait(lock, [this] { return !wake_ || news_.events.size() < mostEvents; });
}

// Ranks, lines and names may come before the prediction has: they wait for it.
void LiveFeed::logged(const LogLine& line) {
    RunCopy::logged(line);
    const std::scoped_lock lock(mutex_);
    news_.log.push_back(line);
}

void LiveFeed::rankChanged(const RankRecord& record) {
    RunCopy::rankChanged(record);
    const std::scoped_lock lock(mutex_);
    news_.ranks.push_back(record);
}

void LiveFeed::clocksMeasured(std::span<const HostClock> clocks) {
    RunCopy::clocksMeasured(clocks);
    const std::scoped_lock lock(mutex_);
    news_.clocks.emplace(clocks.begin(), clocks.end());
}

void LiveFeed::named(std::uint32_t number, const std::string& text) {
    RunCopy::named(number, text);
    const std::scoped_lock lock(mutex_);
    news_.names.emplace_back(number, text);
}

void LiveFeed::paused() {
    RunCopy::paused();
    add([](LiveNews&) {});
}

void LiveFeed::ended(const RunEnd& end) {
    RunCopy::ended(end);
    add([&](LiveNews& news) { news.end = end; });
}

void LiveFeed::statusChanged(const WatchStatus& status) {
    const std::scoped_lock lock(mutex_);
    news_.status = status;
    if (wake_) wake_();
}

void LiveFeed::broken(const Error& error) {
    const std::scoped_lock lock(mutex_);
    news_.copyError = error;
    if (wake_) wake_();
}

}  // namespace shardlab
