// SPDX-License-Identifier: GPL-3.0-or-later
// Carries what a run tells from its thread to the user interface's, in batches: the one queue between a run, of this
// machine or of another, and the window.
#pragma once

#include "engine/launch/serve/run_watch.h"

#include <condition_variable>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <limits>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

class QTimer;

namespace shardlab::ui {

class RunModel;

/// Everything that arrived since the last take(), in the order within each kind.
struct RunNews {
    struct Opening {
        RunHeader header;
        std::vector<Event> predicted;
    };
    std::optional<Opening> opening;  ///< the run has begun; once, before everything but the link's status
    std::vector<std::pair<std::uint32_t, std::string>> names;
    std::vector<Event> events;
    std::vector<LogLine> log;
    std::vector<RankRecord> ranks;
    std::optional<std::vector<HostClock>> clocks;  ///< the newest
    std::optional<RunState> state;
    std::optional<WatchStatus> status;
    std::optional<RunEnd> end;
    std::optional<Error> copyError;

    /// Begins the model's run, which is recorded in `file`, where these news have the opening; false: they have not.
    bool open(RunModel& model, const std::filesystem::path& file) const;
    /// Gives the model everything else that it shows.
    void applyTo(RunModel& model) const;
    /// How many events these news say were dropped.
    std::int64_t droppedEvents() const;
};

class RunFeed final : public WatchObserver {
public:
    /// `wake` is called from the run's thread when something has arrived and nothing was waiting. Where `mostEvents`
    /// wait for the window, the run's thread waits too; by default it never does.
    explicit RunFeed(std::function<void()> wake, std::size_t mostEvents = std::numeric_limits<std::size_t>::max())
        : mostEvents_(mostEvents), wake_(std::move(wake)) {}

    /// Nobody listens any more, and nobody is waited for.
    void detach();
    RunNews take();

    void begun(const RunHeader& header) override;
    void predictedArrived(std::span<const Event> events) override;
    void restartsKnown(std::span<const Event> restarts) override;
    void eventsArrived(std::span<const Event> events) override;
    void logged(const LogLine& line) override;
    void rankChanged(const RankRecord& record) override;
    void clocksMeasured(std::span<const HostClock> clocks) override;
    void named(std::uint32_t number, const std::string& text) override;
    void stateChanged(RunState state) override;
    void ended(const RunEnd& end) override;
    void statusChanged(const WatchStatus& status) override;
    void paused() override;
    void copyFailed(const Error& error) override;

private:
    /// Log lines, ranks, clocks and names may come before the prediction is complete; everything else comes after it.
    enum class Prediction : std::uint8_t { MayFollow, Complete };
    template <class Change>
    void add(Prediction prediction, Change&& change);

    const std::size_t mostEvents_;
    std::optional<RunNews::Opening> opening_;  ///< belongs to the run's thread: the prediction is not complete

    std::mutex mutex_;  ///< guards what follows
    std::condition_variable space_;
    std::function<void()> wake_;
    RunNews news_;
    bool woken_ = false;   ///< `wake` has been called since the last take()
    bool opened_ = false;  ///< the opening has been taken
};

/// What a RunFeed of a session calls as its `wake`: gathers news for a moment, so that views repaint some 40 times a
/// second at most, and then lets `timer`, which is the session's, run out.
std::function<void()> gatherNews(QTimer& timer);

}  // namespace shardlab::ui
