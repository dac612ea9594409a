// SPDX-License-Identifier: Apache-2.0
// Everything that happens in a job goes to two places: the observer at once, and the run file by a thread of its own,
// so that a disk that takes its time delays neither a command nor the watch over the ranks.
#pragma once

#include "engine/launch/job/job.h"
#include "engine/trace/run_file/run_file.h"

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <variant>
#include <vector>

namespace shardlab {

/// For one thread, which is never made to wait but by settle() and finish().
class RunRecording {
public:
    RunRecording(std::unique_ptr<RunWriter> writer, RunObserver& observer, std::int64_t clockOrigin);
    ~RunRecording();

    /// Nanoseconds of the run's clock.
    std::int64_t now() const;
    void events(std::vector<Event> events);
    void log(const LogLine& line);
    void log(LogLevel level, std::string text);  ///< from the launcher, now
    void rank(const RankRecord& record);
    void clocks(std::vector<HostClock> clocks);  ///< all that are kept
    /// The disk is so far behind that more events should be left where they are.
    bool behind() const;
    /// Returns when all of this is in the file, or has failed.
    void settle();
    void finish(const RunEnd& end);

    /// The first failure to write. Nothing is written after it; the observer is told all the same.
    std::optional<Error> error() const;

private:
    using Entry = std::variant<std::vector<Event>, LogLine, RankRecord, std::vector<HostClock>>;
    void queue(Entry entry, std::size_t events);
    void loop();
    void write(const std::vector<Entry>& entries);
    void keep(const Status& status);
    void tellNotices();

    std::unique_ptr<RunWriter> writer_;  ///< the thread's, until it is joined
    RunObserver& observer_;
    std::int64_t origin_;
    std::int64_t lastFlush_ = 0;  ///< the thread's

    mutable std::mutex mutex_;  ///< guards what follows
    std::condition_variable changed_;
    std::vector<Entry> queued_;
    std::size_t queuedEvents_ = 0;
    bool settling_ = false;  ///< flush now, not when it is due
    bool ending_ = false;
    std::optional<Error> error_;
    std::vector<LogLine> notices_;  ///< of the writer, which the observer has not been told yet

    std::thread thread_;
};

}  // namespace shardlab
