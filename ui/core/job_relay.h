// SPDX-License-Identifier: GPL-3.0-or-later
// Carries what a job says from its thread to the user interface's, in batches: the job never waits for the window.
#pragma once

#include "ui/core/job_starter.h"

#include <functional>
#include <mutex>
#include <optional>
#include <vector>

namespace shardlab {

/// Everything that arrived since the last take(), in the order within each kind.
struct JobNews {
    std::vector<Event> events;
    std::vector<LogLine> log;
    std::vector<RankRecord> ranks;
    std::optional<std::vector<HostClock>> clocks;  ///< the newest
    std::optional<JobState> state;
    std::optional<RunEnd> end;
    bool empty() const { return events.empty() && log.empty() && ranks.empty() && !clocks && !state && !end; }
};

class JobRelay : public JobObserver {
public:
    /// `wake` is called from the job's thread when news arrive and none was waiting.
    explicit JobRelay(std::function<void()> wake) : wake_(std::move(wake)) {}

    /// Nobody listens any more.
    void detach();
    JobNews take();

    void stateChanged(JobState state) override;
    void eventsArrived(std::span<const Event> events) override;
    void logged(const LogLine& line) override;
    void rankChanged(const RankRecord& record) override;
    void clocksMeasured(std::span<const HostClock> clocks) override;
    void ended(const RunEnd& end) override;

private:
    /// Adds news by `change` and wakes the listener where none was waiting.
    template <class Change>
    void add(Change&& change) {
        const std::scoped_lock lock(mutex_);
        const bool first = news_.empty();
        change(news_);
        if (first && wake_ && !news_.empty()) wake_();
    }

    std::mutex mutex_;
    std::function<void()> wake_;
    JobNews news_;
};

}  // namespace shardlab
