// SPDX-License-Identifier: Apache-2.0
// What the command line says on standard error of a run that goes on, here or elsewhere: one line that is rewritten on
// a terminal, else a line now and then.
#pragma once

#include "engine/base/device_time.h"
#include "engine/launch/job/run_summary.h"
#include "engine/launch/serve/run_watch.h"
#include "engine/layout/schedule/registry.h"

#include <chrono>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace shardlab::cli {

class RunProgress : public WatchObserver {
public:
    explicit RunProgress(bool terminal) : terminal_(terminal) {}

    void begun(const RunHeader& header) override;
    void stateChanged(RunState state) override;
    void eventsArrived(std::span<const Event> events) override;
    void logged(const LogLine& line) override;
    void ended(const RunEnd& end) override;
    void statusChanged(const WatchStatus& status) override;

    /// The main thread calls this a few times a second: it writes what is new.
    void show();
    /// Ends the rewritten line; what it says last stays on the screen.
    void close();
    std::optional<RunEnd> end() const;
    /// How the link to a run that is made elsewhere is.
    WatchStatus status() const;

private:
    struct Steps {
        explicit Steps(const RunHeader& header);
        void add(std::span<const Event> events);
        /// One line tells of the newest step, and what a restart takes away is recent: older steps take no memory.
        void forgetOld();
        Summarizer none() const {
            return Summarizer(rankCount(header.layout), flushes(header.layout), sentBytesOf(header));
        }
        RunHeader header;
        DeviceTime device;
        Summarizer steps;
        std::vector<Event> restarts;
        std::size_t complete = 0;
        std::optional<double> loss;  ///< the newest; it comes a little after its step's end
    };
    std::string line() const;
    void clearLine();
    void showLink();
    void showRun();

    const bool terminal_;
    mutable std::mutex mutex_;  ///< guards what follows
    std::optional<Steps> run_;  ///< none: the run has not begun
    RunState state_ = RunState::Running;
    WatchStatus link_;
    WatchStatus::State shownLink_ = WatchStatus::State::Connecting;
    std::vector<std::string> messages_;  ///< not yet written
    std::string shown_;                  ///< what stands on the line now
    std::chrono::steady_clock::time_point shownAt_{};
    std::optional<RunEnd> end_;
};

}  // namespace shardlab::cli
