// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/core/run_feed.h"

#include "engine/trace/event/event_payload.h"
#include "ui/core/run_model.h"
#include "ui/core/ui_thread.h"

#include <QPointer>
#include <QTimer>

namespace shardlab::ui {
namespace {

constexpr int gatherMilliseconds = 25;

void addTo(std::vector<Event>& all, std::span<const Event> events) {
    all.insert(all.end(), events.begin(), events.end());
}

}  // namespace

bool RunNews::open(RunModel& model, const std::filesystem::path& file) const {
    if (!opening) return false;
    model.begin(opening->header, opening->predicted, file);
    return true;
}

void RunNews::applyTo(RunModel& model) const {
    for (const auto& [number, text] : names) model.report().addName(number, text);
    for (const LogLine& line : log) model.report().add(line);
    for (const RankRecord& record : ranks) model.report().setRank(record);
    if (clocks) model.report().setClocks(*clocks);
    if (!events.empty()) model.append(std::span(events));
    if (end) model.report().setEnd(*end);
}

std::int64_t RunNews::droppedEvents() const {
    std::int64_t dropped = 0;
    for (const Event& event : events)
        if (event.kind == EventKind::Dropped) dropped += eventsLost(event);
    return dropped;
}

template <class Change>
void RunFeed::add(Prediction prediction, Change&& change) {
    const std::scoped_lock lock(mutex_);
    if (!wake_) return;
    if (prediction == Prediction::Complete && opening_) news_.opening = std::exchange(opening_, std::nullopt);
    change(news_);
    if (!std::exchange(woken_, true)) wake_();
}

void RunFeed::detach() {
    {
        const std::scoped_lock lock(mutex_);
        wake_ = nullptr;
    }
    space_.notify_all();
}

RunNews RunFeed::take() {
    const std::scoped_lock lock(mutex_);
    space_.notify_all();
    woken_ = false;
    opened_ = opened_ || news_.opening;
    if (opened_) return std::exchange(news_, {});
    RunNews early;
    early.status = std::exchange(news_.status, std::nullopt);
    early.copyError = std::exchange(news_.copyError, std::nullopt);
    return early;
}

void RunFeed::begun(const RunHeader& header) { opening_ = RunNews::Opening{header, {}}; }

void RunFeed::predictedArrived(std::span<const Event> events) {
    if (opening_) addTo(opening_->predicted, events);
}

void RunFeed::restartsKnown(std::span<const Event> restarts) {
    add(Prediction::Complete, [&](RunNews& news) { addTo(news.events, restarts); });
}

void RunFeed::eventsArrived(std::span<const Event> events) {
    add(Prediction::Complete, [&](RunNews& news) { addTo(news.events, events); });
    std::unique_lock lock(mutex_);
    space_.wait(lock, [this] { return !wake_ || news_.events.size() < mostEvents_; });
}

void RunFeed::logged(const LogLine& line) {
    add(Prediction::MayFollow, [&](RunNews& news) { news.log.push_back(line); });
}

void RunFeed::rankChanged(const RankRecord& record) {
    add(Prediction::MayFollow, [&](RunNews& news) { news.ranks.push_back(record); });
}

void RunFeed::clocksMeasured(std::span<const HostClock> clocks) {
    add(Prediction::MayFollow, [&](RunNews& news) { news.clocks.emplace(clocks.begin(), clocks.end()); });
}

void RunFeed::named(std::uint32_t number, const std::string& text) {
    add(Prediction::MayFollow, [&](RunNews& news) { news.names.emplace_back(number, text); });
}

void RunFeed::stateChanged(RunState state) {
    add(Prediction::Complete, [&](RunNews& news) { news.state = state; });
}

void RunFeed::ended(const RunEnd& end) {
    add(Prediction::Complete, [&](RunNews& news) { news.end = end; });
}

void RunFeed::statusChanged(const WatchStatus& status) {
    add(Prediction::MayFollow, [&](RunNews& news) { news.status = status; });
}

void RunFeed::paused() {
    add(Prediction::Complete, [](RunNews&) {});
}

void RunFeed::copyFailed(const Error& error) {
    add(Prediction::MayFollow, [&](RunNews& news) { news.copyError = error; });
}

std::function<void()> gatherNews(QTimer& timer) {
    timer.setSingleShot(true);
    timer.setInterval(gatherMilliseconds);
    return [waiting = QPointer<QTimer>(&timer)] {
        onUserInterface([waiting] {
            if (waiting && !waiting->isActive()) waiting->start();
        });
    };
}

}  // namespace shardlab::ui
