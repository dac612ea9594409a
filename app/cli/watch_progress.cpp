// SPDX-License-Identifier: Apache-2.0
#include "app/cli/watch_progress.h"

#include "app/cli/print.h"

#include <fmt/format.h>

namespace shardlab::cli {

void WatchProgress::begun(const RunHeader& header) {
    {
        const std::lock_guard lock(mutex_);
        progress_.emplace(header.layout, DeviceTime(header.stretch), terminal_, header.hasLayout());
        progress_->stateChanged(JobState::Running);
    }
    if (copy_) copy_->begun(header);
}

void WatchProgress::predictedArrived(std::span<const Event> events) {
    if (copy_) copy_->predictedArrived(events);
}

void WatchProgress::eventsArrived(std::span<const Event> events) {
    progress_->eventsArrived(events);
    if (copy_) copy_->eventsArrived(events);
}

void WatchProgress::logged(const LogLine& line) {
    progress_->logged(line);
    if (copy_) copy_->logged(line);
}

void WatchProgress::rankChanged(const RankRecord& record) {
    if (copy_) copy_->rankChanged(record);
}

void WatchProgress::named(std::uint32_t number, const std::string& text) {
    if (copy_) copy_->named(number, text);
}

void WatchProgress::paused() {
    if (copy_) copy_->paused();
}

void WatchProgress::ended(const RunEnd& end) {
    {
        const std::lock_guard lock(mutex_);
        end_ = end;
    }
    if (copy_) copy_->ended(end);
}

void WatchProgress::statusChanged(const WatchStatus& status) {
    const std::lock_guard lock(mutex_);
    status_ = status;
}

void WatchProgress::show() {
    const std::lock_guard lock(mutex_);
    const auto says = [&](WatchStatus::State state) { return status_.state == state && shown_ != state; };
    if (says(WatchStatus::State::CatchingUp))
        printNote(status_.reason.empty() ? "connected: catching up" : "connected: " + status_.reason);
    if (says(WatchStatus::State::Lost)) printNote(status_.reason + "; trying again");
    shown_ = status_.state;
    if (progress_ && status_.state != WatchStatus::State::Lost) progress_->show();
}

void WatchProgress::close() {
    show();
    if (progress_) progress_->close();
}

bool WatchProgress::over() const { return status().over(); }

WatchStatus WatchProgress::status() const {
    const std::lock_guard lock(mutex_);
    return status_;
}

std::optional<RunEnd> WatchProgress::end() const {
    const std::lock_guard lock(mutex_);
    return end_;
}

}  // namespace shardlab::cli
