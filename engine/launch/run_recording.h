// SPDX-License-Identifier: Apache-2.0
// Everything that happens in a job goes to two places: the run file and the observer. For one thread.
#pragma once

#include "engine/launch/job.h"
#include "engine/trace/run_file.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>

namespace shardlab {

class RunRecording {
public:
    RunRecording(std::unique_ptr<RunWriter> writer, JobObserver& observer, std::int64_t clockOrigin);

    /// Nanoseconds of the run's clock.
    std::int64_t now() const;
    void events(std::span<const Event> events);
    void log(const LogLine& line);
    void log(LogLevel level, std::string text);  ///< from the launcher, now
    void rank(const RankRecord& record);
    /// Flushes where the last flush is 200 ms old.
    void flushWhenDue();
    void finish(const RunEnd& end);

    /// The first failure to write. Nothing is written after it; the observer is told all the same.
    const std::optional<Error>& error() const { return error_; }

private:
    void keep(const Status& status);

    std::unique_ptr<RunWriter> writer_;
    JobObserver& observer_;
    std::int64_t origin_;
    std::int64_t lastFlush_ = 0;
    std::optional<Error> error_;
};

}  // namespace shardlab
