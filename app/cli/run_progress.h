// SPDX-License-Identifier: Apache-2.0
// What `run` says on standard error while ranks train: one line that is rewritten on a terminal, else a line now and
// then.
#pragma once

#include "engine/base/device_time.h"
#include "engine/launch/job/job.h"
#include "engine/launch/job/run_summary.h"

#include <chrono>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace shardlab::cli {

class RunProgress : public JobObserver {
public:
    /// `device`: of the run's header or plan. `planned`: false for a run of another program, of which no step is known
    /// before it is done.
    RunProgress(const Layout& layout, DeviceTime device, bool terminal, bool planned = true);

    void stateChanged(JobState state) override;
    void eventsArrived(std::span<const Event> events) override;
    void logged(const LogLine& line) override;
    void ended(const RunEnd& end) override { end_ = end; }

    /// From the main thread, a few times a second: writes what is new.
    void show();
    /// Ends the rewritten line; the last state of affairs stays on the screen.
    void close();
    const RunEnd& end() const { return end_; }  ///< after Job::wait

private:
    std::string line() const;
    void clearLine();

    const int stepsAsked_;
    const std::int64_t tokens_;
    const std::string_view counted_;  ///< "tokens" or "images"
    const DeviceTime device_;
    const bool terminal_;
    const bool planned_;
    std::mutex mutex_;
    Summarizer steps_;
    std::size_t completeSteps_ = 0;
    std::optional<double> loss_;  ///< the newest; comes a little after its step's end
    JobState state_ = JobState::Starting;
    std::vector<std::string> messages_;  ///< not yet written
    std::string shown_;                  ///< what stands on the line now
    std::chrono::steady_clock::time_point shownAt_{};
    RunEnd end_;
};

}  // namespace shardlab::cli
