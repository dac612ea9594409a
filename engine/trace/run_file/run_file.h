// SPDX-License-Identifier: Apache-2.0
// The run file (*.shardlab): one SQLite database with everything a replay needs. Format:
// resources/manual/70-run-file.md.
#pragma once

#include "engine/base/bytes.h"
#include "engine/base/result.h"
#include "engine/trace/event/event.h"
#include "engine/trace/event/host_clock.h"
#include "engine/trace/event/restarts.h"
#include "engine/trace/metrics/sent_bytes.h"
#include "engine/trace/metrics/step_figures.h"
#include "engine/layout/memory_limit.h"
#include "engine/layout/layout.h"
#include "engine/layout/utilisation.h"
#include "engine/trace/run_file/notes.h"
#include "engine/trace/run_file/run_block.h"
#include "engine/trace/run_file/thinning.h"

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace shardlab::trace {

struct RankRecord {
    int rank = 0;
    std::string host;
    int pid = 0;
    std::string label;  ///< mesh label, "dp0 pp1"
    std::string end;    ///< "finished", "stopped", "absent from step 9", "killed by SIGKILL at step 12, 1F3" …; empty
                        ///< while it runs
};
/// Whether an elastic run does without the rank at the moment.
inline bool isAbsent(const RankRecord& record) { return record.end.starts_with("absent "); }
/// Whether nothing went wrong with the rank.
inline bool endedWell(const RankRecord& record) {
    return record.end == "finished" || record.end == "stopped" || isAbsent(record);
}

struct RunHeader {
    Layout layout;
    std::string layoutJson;    ///< as written, so that later keys survive
    std::string created;       ///< ISO 8601, UTC
    std::string version;       ///< of the program that recorded
    std::string origin;        ///< "PyTorch profiler": another program recorded it; empty: Shardlab did
    bool layoutGiven = false;  ///< it has an origin, and a layout was named for it: it is compared with its prediction
    bool paced = false;
    double stretch = 1;
    double predictedStepSeconds = 0;
    double predictedBubble = 0;
    double theoreticalBubble = 0;
    std::vector<std::int64_t> predictedPeak;  ///< bytes per rank
    std::int64_t capacityBytes = 0;           ///< memory of one device; 0 = unknown
    /// What tensors may take of the devices' memory.
    MemoryLimit device() const { return memoryLimit(layout, capacityBytes); }
    DevicePeak peak;  ///< of the devices it runs on, or of those it models

    /// False for what another program recorded without a layout: the header's says how many ranks there are (as
    /// replicas) and nothing else.
    bool hasLayout() const { return origin.empty() || layoutGiven; }
    /// The share of the devices' peak that steps of this length reach; none where the peak is not known. In a paced run
    /// it is the share of the modelled devices, in their own time.
    std::optional<double> utilisation(double stepSeconds) const;
};

/// How the traffic of a run is counted: by its layout, where it has one.
inline SentBytes sentBytesOf(const RunHeader& header) {
    return header.hasLayout() ? SentBytes(header.layout) : SentBytes();
}

/// What events are called that are no actions: the table of names of an imported run.
class EventNames {
public:
    void add(std::uint32_t number, std::string name);
    bool empty() const { return names_.empty(); }
    std::size_t size() const { return names_.size(); }
    /// The name whose number is nameNumber(id); empty where the id is no name, or not in the table.
    std::string_view of(ActionId id) const;
    /// "3F7" for an action, else the name; empty for neither.
    std::string text(ActionId id) const;
    const std::vector<std::string>& all() const { return names_; }  ///< number n is at n − 1

private:
    std::vector<std::string> names_;
};

/// Why the run as a whole ended.
struct RunEnd {
    std::string outcome;  ///< "finished", "stopped", "failed"; empty: the recorder itself was killed
    std::string reason;   ///< for a person; of a run that finished, what went wrong with its checkpoints; else empty
};

inline constexpr std::chrono::milliseconds flushInterval{200};  ///< after which a writer of events is to be flushed

/// The only writer of a run file; everything appended is there after flush(), whatever happens then. After an error
/// nothing is lost: the next flush() stores it, if the cause is gone.
class RunWriter {
public:
    /// Replaces an existing run. Refuses a file that is no run, one that is being recorded, an unwritable folder, a
    /// full disk: with the path and the reason.
    static Result<std::unique_ptr<RunWriter>> create(const std::filesystem::path& file, const RunHeader& header);
    ~RunWriter();

    Status appendPredicted(std::span<const Event> events);  ///< one step, see Simulation::events
    Status append(std::span<const Event> events);           ///< measured; in a lane in the order they ended
    Status append(const LogLine& line);
    Status addName(std::uint32_t number, std::string_view name);  ///< of namedId(number); numbers ascend from 1
    Status setRank(const RankRecord& record);                     ///< inserts or replaces
    Status setClocks(std::span<const HostClock> clocks);          ///< replaces
    Status flush();
    Status finish(const RunEnd& end);  ///< the last call; leaves one file
    /// What the writer had to say since the last call, of a size limit; it is in the log already.
    std::vector<LogLine> takeNotices();
    const Thinning& thinning() const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;

public:
    /// Only the class's own factory calls it: nobody else has an Impl.
    explicit RunWriter(std::unique_ptr<Impl> impl);
};

enum class EventSource : std::uint8_t { Measured = 0, Predicted = 1 };  ///< numbers of the format

/// Blocks that may hold such events; what is not said is not asked.
struct BlockFilter {
    EventSource source = EventSource::Measured;
    std::optional<int> rank;
    std::optional<Lane> lane;
    std::optional<std::int64_t> endsAtOrAfter;     ///< nanoseconds of the run's clock
    std::optional<std::int64_t> beginsAtOrBefore;  ///< the same
};

/// A block of measured events as its row tells of it, unread.
struct BlockPlace {
    std::int64_t id = 0;
    int rank = 0;
    Lane lane = Lane::Compute;
    int count = 0;           ///< events in it, 1 to 4096
    std::int64_t begin = 0;  ///< the earliest begin among them, nanoseconds of the run's clock
    std::int64_t end = 0;    ///< the latest end
};

/// Goes through blocks in the order they were begun. Its reader must outlive it.
class BlockCursor {
public:
    struct Impl;
    explicit BlockCursor(std::unique_ptr<Impl> impl);
    BlockCursor(BlockCursor&& other) noexcept;
    ~BlockCursor();
    /// Replaces `events` by the next block's; false after the last. Damaged blocks are passed over; where there was
    /// one, the end is an error that names the first.
    Result<bool> next(std::vector<Event>& events);
    /// Gives the blocks to `sink` until that says false or fails.
    Status each(const std::function<Result<bool>(std::span<const Event>)>& sink);
    /// The first damage met so far, or known when the file was opened: for whoever does not go on to the end.
    const std::optional<Error>& damage() const;

private:
    std::unique_ptr<Impl> impl_;
};

class RunReader {
public:
    /// One clear error for: no such file, an empty one, not SQLite, SQLite but no run, a newer format, a damaged
    /// header. Also opens what a killed recorder left, and that in a folder that cannot be written.
    static Result<std::unique_ptr<RunReader>> open(const std::filesystem::path& file);
    ~RunReader();

    const RunHeader& header() const;
    const RunEnd& end() const;
    const std::vector<RankRecord>& ranks() const;
    const std::vector<HostClock>& clocks() const;  ///< of hosts other than the launcher's (host_clock.h)
    std::int64_t eventCount() const;               ///< measured
    std::int64_t droppedEvents() const;
    /// Whoever makes figures of steps must know them before it is given the events (restarts.h), of which they are
    /// some.
    const std::vector<Event>& restarts() const;
    Result<std::vector<LogLine>> log() const;
    const EventNames& names() const;
    Result<std::vector<Note>> notes() const;  ///< ascending by time
    Result<std::vector<Event>> predicted() const;

    /// What was taken away of the events so that the file kept its size limit.
    const Thinning& thinning() const;

    /// The figures of every step from `first` on, ascending; -1, the first, is what was outside steps. They are those
    /// that were stored, or are made of the events where the file is of an older format, or what is stored is damaged
    /// and nothing was thinned. What was superseded by a restart is not in them. `sink` returns false to stop.
    Status readFigures(const std::function<bool(const StepFigures&)>& sink, int first = -1) const;
    /// The figures of each step over all ranks, without what lies outside steps.
    Result<std::vector<StepOverview>> overview() const;
    bool storesFigures() const;  ///< false: whoever asks for them waits for all events to be read

    /// Block by block in the order they were begun; in a lane as they were appended. `sink` returns false to stop.
    /// Error: the file is truncated or damaged; it names the first damaged block, and every whole block that can still
    /// be reached has been given.
    Status readEvents(const std::function<bool(std::span<const Event>)>& sink) const;
    Result<BlockCursor> blocks(const BlockFilter& filter) const;

    /// Where the measured events lie, ascending by id: for whoever reads a few blocks when they are needed. Rows that
    /// cannot be read, or lie, are left out.
    Result<std::vector<BlockPlace>> places() const;
    /// The packed events of one of places(), for unpackBlock(). Error: it is gone, or fails its checksum.
    Result<Bytes> packedBlock(const BlockPlace& place) const;
    /// The events of what packedBlock() gave; needs no reader. Error: the block is damaged, or not what `place` says.
    static Status unpackBlock(const BlockPlace& place, std::span<const std::byte> packed, BlockUnpacker& unpacker,
                              std::vector<Event>& events);
    /// The first thing that was found wrong when the file was opened; none where nothing was.
    const std::optional<Error>& damage() const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;

public:
    /// Only the class's own factory calls it: nobody else has an Impl.
    explicit RunReader(std::unique_ptr<Impl> impl);
};

}  // namespace shardlab::trace
