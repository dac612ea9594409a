// SPDX-License-Identifier: GPL-3.0-or-later
// Carries a run that is made elsewhere from its thread to the user interface's, in batches, and writes its copy.
// Bounded: where the window is busy the thread waits, and with it only this viewer.
#pragma once

#include "engine/launch/serve/run_copy.h"

#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

namespace shardlab {

/// Everything that arrived since the last take(), in the order within each kind.
struct LiveNews {
    struct Opening {
        RunHeader header;
        std::vector<Event> predicted;
    };
    std::optional<Opening> opening;  ///< the run has begun; once, before all but the status
    std::vector<std::pair<std::uint32_t, std::string>> names;
    std::vector<Event> events;
    std::vector<LogLine> log;
    std::vector<RankRecord> ranks;
    std::optional<std::vector<HostClock>> clocks;  ///< the newest
    std::optional<WatchStatus> status;
    std::optional<RunEnd> end;
    std::optional<Error> copyError;
};

class LiveFeed final : public RunCopy {
public:
    /// `wake` is called from the thread when something arrived.
    LiveFeed(std::filesystem::path file, std::function<void()> wake)
        : RunCopy(std::move(file)), wake_(std::move(wake)) {}

    /// Ends the feed: it emits nothing any more, and waits for nothing.
    void detach();
    LiveNews take();

    void begun(const RunHeader& header) override;
    void predictedArrived(std::span<const Event> events) override;
    void restartsKnown(std::span<const Event> events) override;
    void eventsArrived(std::span<const Event> events) override;
    void logged(const LogLine& line) override;
    void rankChanged(const RankRecord& record) override;
    void clocksMeasured(std::span<const HostClock> clocks) override;
    void named(std::uint32_t number, const std::string& text) override;
    void paused() override;
    void ended(const RunEnd& end) override;
    void statusChanged(const WatchStatus& status) override;

protected:
    void broken(const Error& error) override;

private:
    template <class Change>
    void add(Change&& change);

    std::optional<LiveNews::Opening> opening_;  ///< the thread's: not all of the prediction has come

    std::mutex mutex_;  ///< guards what follows
    std::condition_variable space_;
    std::function<void()> wake_;
    LiveNews news_;
    bool opened_ = false;  ///< the opening has been taken
};

}  // namespace shardlab
