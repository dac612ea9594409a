// SPDX-License-Identifier: Apache-2.0
// The run file (*.shardlab): one SQLite database with everything a replay needs. Format: format.md.
#pragma once

#include "engine/base/result.h"
#include "engine/layout/layout.h"
#include "engine/trace/event.h"

#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace shardlab {

struct RankRecord {
    int rank = 0;
    std::string host;
    int pid = 0;
    std::string label;  ///< mesh label, "dp0 pp1"
    std::string end;    ///< "finished", "stopped", "killed by SIGKILL at step 12, 1F3" …; empty while it runs
};

struct RunHeader {
    Layout layout;
    std::string layoutJson;   ///< as written, so that later keys survive
    std::string created;      ///< ISO 8601, UTC
    std::string version;      ///< of the program that recorded
    bool paced = false;
    double stretch = 1;
    double predictedStepSeconds = 0;
    double predictedBubble = 0;
    double theoreticalBubble = 0;
    std::vector<std::int64_t> predictedPeak;  ///< bytes per rank
    std::int64_t capacityBytes = 0;           ///< memory of one device; 0 = unknown
};

/// Why the run as a whole ended.
struct RunEnd {
    std::string outcome;  ///< "finished", "stopped", "failed"; empty: the recorder itself was killed
    std::string reason;   ///< one sentence for a person; empty where it finished
};

/// The only writer of a run file; everything appended is there after flush(), whatever happens then.
class RunWriter {
public:
    /// Refuses an existing file that is not a run, an unwritable folder, a full disk: with the path and the reason.
    static Result<std::unique_ptr<RunWriter>> create(const std::filesystem::path& file, const RunHeader& header);
    ~RunWriter();

    Status appendPredicted(std::span<const Event> events);  ///< one step, see Simulation::events
    Status append(std::span<const Event> events);           ///< measured; any order of lanes, ascending in a lane
    Status append(const LogLine& line);
    Status setRank(const RankRecord& record);               ///< inserts or replaces
    Status flush();
    Status finish(const RunEnd& end);

private:
    struct Impl;
    explicit RunWriter(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

class RunReader {
public:
    /// One clear error for: no such file, not SQLite, SQLite but no run, a newer format, truncated or damaged.
    static Result<std::unique_ptr<RunReader>> open(const std::filesystem::path& file);
    ~RunReader();

    const RunHeader& header() const;
    const RunEnd& end() const;
    const std::vector<RankRecord>& ranks() const;
    std::int64_t eventCount() const;
    std::int64_t droppedEvents() const;
    Result<std::vector<LogLine>> log() const;
    Result<std::vector<Event>> predicted() const;

    /// Block by block in the order they were written. `sink` returns false to stop.
    Status readEvents(const std::function<bool(std::span<const Event>)>& sink) const;

private:
    struct Impl;
    explicit RunReader(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

}  // namespace shardlab
