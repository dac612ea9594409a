// SPDX-License-Identifier: Apache-2.0
// What was read of other programs' traces, on its way into a run file: processes become ranks, names a table, and what
// is not understood is counted.
#pragma once

#include "engine/trace/interchange/event_sorter.h"
#include "engine/trace/interchange/import.h"
#include "engine/trace/run_file/run_file.h"

#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace shardlab::trace {

struct ForeignProcess {
    std::string source;  ///< file, and the process in it where there are several: for messages
    std::string label;   ///< "python 4711"
    std::string host;
    int pid = 0;
    std::optional<int> rank;  ///< that the trace says it is
    std::int64_t order = 0;   ///< among those of one file
    bool cyclic = false;      ///< a profiler's, which may record one process several times, a trace each
    bool device = false;      ///< it has kernels: its compute lane is theirs
    std::int64_t first = std::numeric_limits<std::int64_t>::max();  ///< earliest begin, on the clock of all processes
    std::int64_t last = std::numeric_limits<std::int64_t>::min();   ///< latest end
};

class ForeignTrace {
public:
    /// `expected`, which must outlive it: what the trace is held against.
    ForeignTrace(std::filesystem::path folder, const std::optional<ExpectedRun>& expected);

    std::uint32_t addProcess(ForeignProcess process);
    ForeignProcess& process(std::uint32_t number) { return processes_[number]; }
    std::size_t processes() const { return processes_.size(); }
    /// Error: more processes than a run can have ranks. Readers ask before each thing they take.
    Status room() const;
    /// For an event's action. Names beyond a million, or beyond 256 MiB of them, are all "(another name)"; of each the
    /// first 4 KiB count.
    ActionId name(std::string_view text);
    /// On a clock that all processes share. What ends before it begins, or lies 146 years from the clock's zero, is
    /// counted as ignored. On the run's clock, of which the trace's first begin is the zero, write() wants legal times.
    Status add(const ForeignEvent& event);
    /// When a step of the process was, on its host. Events belong to the step they begin in, what a device does to that
    /// in which it was asked for: devices lag behind.
    void addStep(std::uint32_t process, std::int32_t step, std::int64_t begin, std::int64_t end);
    void addLaunch(std::uint32_t process, std::uint32_t number, std::int64_t time);
    /// Bytes that the process holds on a device, from `time` on; steps get their peak.
    void addMemory(std::uint32_t process, std::int64_t time, std::int64_t bytes);
    void forgetMemory(std::uint32_t process) { timing_[process].memory.clear(); }
    /// For ForeignEvent::thread. Threads beyond a million are all the same one.
    std::uint32_t thread(std::uint32_t process, std::string_view name);
    /// The thread's outermost spans are on this lane. Where a process has a compute lane so, other threads are none.
    void setLane(std::uint32_t process, std::uint32_t thread, Lane lane);
    /// Kinds of things beyond a thousand are counted together.
    void ignored(std::string_view what, std::int64_t count = 1);
    /// Times are those of a run's clock already; else the first begin becomes 0.
    void keepClock() { keepClock_ = true; }
    /// The ranks of the layout that the trace is held against; 0: there is none.
    int expectedRanks() const { return expected_ ? rankCount(expected_->header.layout) : 0; }
    /// What it tells is of a whole job of so many ranks (0: not told). Error: the expected layout has others.
    Status ofJob(int world) {
        job_ = world;
        return world > 0 ? fits(world) : Status();
    }
    void note(std::string text) { notes_.push_back(std::move(text)); }

    /// Makes the run. What one process recorded one after another, as a profiler does in cycles, is one rank. Errors:
    /// nothing in it, an event 36 years from the first, two processes of one rank, too many ranks, what the expected
    /// layout does not have, the file cannot be written.
    Result<ImportReport> write(const std::filesystem::path& out, std::string_view origin,
                               const std::vector<std::string>& files, const ShareWatcher& watcher);

private:
    struct StepRange {
        std::int64_t begin, end;
        std::int32_t step;
    };
    struct Sample {
        std::int64_t time, bytes;
    };
    struct Launch {
        std::uint32_t number;
        std::int64_t time;
    };
    struct Timing {  ///< of one process
        std::vector<StepRange> steps;
        std::vector<Launch> launches;
        std::vector<Sample> memory;
    };
    struct Thread {
        std::int64_t until = 0;       ///< end of its outermost operation so far
        std::int64_t optimizing = 0;  ///< end of the optimizer's annotation
    };
    static Error refusalOf(const std::string& where, Sentence why, Sentence legal = {});
    static Error misfit(Sentence why);  ///< of trace and expected layout

    Result<std::vector<int>> ranks() const;  ///< of each process; those of cycles share one
    Status joinCycles(std::vector<std::uint32_t>& same) const;
    void joinNameless(std::vector<std::uint32_t>& same) const;
    RunHeader header(std::string_view origin, const std::vector<std::string>& files,
                     const std::vector<int>& ranks) const;
    Sentence called(const ForeignEvent& event) const;  ///< for messages
    void place(ForeignEvent& event);                   ///< its lane and its step
    std::int32_t stepOf(const ForeignEvent& event) const;
    Status number(ForeignEvent& event);  ///< gives its action the stage and the microbatch that the trace leaves open
    Status held(const Event& event) const;  ///< against the expected layout
    std::vector<ForeignEvent> peaks() const;
    struct Filling;  ///< of the run file with the sorted events
    Status give(ForeignEvent foreign, Filling& filling);
    Status fill(RunWriter& writer, const std::vector<int>& ranks, ImportReport& report, const ShareWatcher& watcher);
    Status finish(RunWriter& writer, const std::vector<int>& ranks, const ImportReport& report) const;

    EventSorter sorter_;
    std::vector<ForeignProcess> processes_;
    std::vector<Timing> timing_;                                     ///< of each process
    std::int64_t first_ = std::numeric_limits<std::int64_t>::max();  ///< earliest begin
    bool keepClock_ = false;
    std::unordered_map<std::string, std::uint32_t> names_;
    std::size_t nameBytes_ = 0;
    std::vector<const std::string*> namesInOrder_;
    std::unordered_map<std::string, std::uint32_t> threadNumbers_;  ///< by process and name
    std::unordered_map<std::uint32_t, Lane> lanes_;                 ///< of threads whose lane is told
    std::map<std::string, std::int64_t, std::less<>> ignored_;
    std::vector<std::string> notes_;
    std::map<std::pair<std::uint32_t, std::uint32_t>, Thread> threads_;
    std::unordered_map<std::uint32_t, std::int64_t> acting_;  ///< end of each process's latest action
    bool guessedStages_ = false;                              ///< a rank's number stands for its stage
    bool counted_ = false;                                    ///< microbatches are counted
    /// How often a rank did an action of each kind so far in a step.
    struct Done {
        std::int32_t step = -1;
        std::size_t count = 0;
    };
    std::map<std::pair<int, EventKind>, Done> done_;
    Status fits(int world) const;
    std::optional<int> job_;
    const std::optional<ExpectedRun>& expected_;
    std::optional<LayoutFit> fit_;  ///< where there is an expected layout
    std::optional<ExpectedOrder> order_;
};

}  // namespace shardlab::trace
