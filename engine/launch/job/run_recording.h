// SPDX-License-Identifier: Apache-2.0
// What a job tells goes to two places: to the observer at once, and to the run file by a thread of its own, so that a
// disk that takes its time delays neither a command nor the watch over the ranks.
#pragma once

#include "engine/launch/job/job.h"
#include "engine/trace/record/wire.h"
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

namespace shardlab::launch {

/// An instant on the launcher's lane.
Event launcherEvent(EventKind kind, std::int64_t time);

/// One thread uses it, in the words of RunObserver, and never waits but in settle() and finish().
class RunRecording {
public:
    RunRecording(std::unique_ptr<RunWriter> writer, RunObserver& observer, std::int64_t clockOrigin);
    ~RunRecording();

    /// Nanoseconds of the run's clock.
    std::int64_t now() const;
    void eventsArrived(std::vector<Event> events);
    void logged(const LogLine& line);
    void log(LogLevel level, std::string text);  ///< a line of the launcher's own, now
    void rankChanged(const RankRecord& record);
    void clocksMeasured(std::vector<HostClock> clocks);  ///< all clocks that are kept
    void named(std::uint32_t number, const std::string& text);
    /// The disk is so far behind that more events should be left where they are.
    bool behind() const;
    /// Returns when everything told so far is in the file, or has failed.
    void settle();
    void finish(const RunEnd& end);

    /// The first failure to write. Nothing is written after it; the observer is told all the same.
    std::optional<Error> error() const;

private:
    using Entry = std::variant<std::vector<Event>, LogLine, RankRecord, std::vector<HostClock>, EventName>;
    void queue(Entry entry, std::size_t events);
    void loop();
    void write(const std::vector<Entry>& entries);
    void keep(const Status& status);
    void tellNotices();

    std::unique_ptr<RunWriter> writer_;  ///< belongs to the thread until that is joined
    RunObserver& observer_;
    std::int64_t origin_;
    std::int64_t lastFlush_ = 0;  ///< belongs to the thread

    mutable std::mutex mutex_;  ///< guards what follows
    std::condition_variable changed_;
    std::vector<Entry> queued_;
    std::size_t queuedEvents_ = 0;
    bool settling_ = false;  ///< flush now, not when it is due
    bool ending_ = false;
    std::optional<Error> error_;
    std::vector<LogLine> notices_;  ///< the writer's, which the observer has not been told yet

    std::thread thread_;
};

}  // namespace shardlab::launch
