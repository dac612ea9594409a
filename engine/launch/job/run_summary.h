// SPDX-License-Identifier: Apache-2.0
// The figures of a run: the command line prints them at its end, info tells them of a file, the desktop shows them.
#pragma once

#include "engine/trace/analysis/stragglers.h"
#include "engine/base/memory_category.h"
#include "engine/trace/record/checkpoint_tally.h"
#include "engine/trace/metrics/summary.h"
#include "engine/trace/run_file/run_file.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace shardlab::launch {

struct RankFigures {
    RankRecord record;
    MemoryBytes memory{};   ///< measured, each category at its own peak
    std::int64_t peak = 0;  ///< the largest sum that was measured
    MemoryBytes host{};     ///< measured, held for the rank on its host, each category at its own peak
    std::int64_t predictedPeak = 0;
};

/// Seconds of a step, mean over ranks, in which the data axis communicates while compute may go on; device time, as
/// those of RunSummary.
struct DataCommunication {
    double hidden = 0;   ///< the rank computed meanwhile
    double exposed = 0;  ///< the rank waited
};

/// Seconds and rates are device time (engine/base/device_time.h); moments are the run's clock's.
struct RunSummary {
    std::string origin;     ///< the program that recorded it, where that was not Shardlab; else empty
    Layout layout;          ///< without meaning where hasLayout is false
    bool hasLayout = true;  ///< false: it has an origin, and no layout was named for it
    std::string created;
    bool paced = false;
    double stretch = 1;
    int stepsAsked = 0;  ///< 0: another program recorded it
    int stepsDone = 0;
    int withoutDetails = 0;      ///< steps of which the program recorded no other spans; they are in no figure of spans
    std::vector<double> losses;  ///< nats, from step 0 to the last whose loss is known; NaN where it is not or diverged
    std::vector<Summarizer::Validation> validations;
    // Means over the steady steps, which leave out the first two; 0 where there is none.
    double stepSeconds = 0;
    double bubble = 0;
    bool computes = true;  ///< false: nothing is known of what was computed, and so of the bubble
    double sentBytes = 0;  ///< a step's, all ranks together (SentBytes)
    double tokensPerSecond = 0;
    std::string_view counted = "tokens";  ///< what tokensPerStep counts for its model
    DevicePeak peak;                      ///< what mfu is a share of
    std::optional<double> mfu;            ///< modelUtilisation(), where the peak is known
    std::optional<double> predictedMfu;
    std::optional<DataCommunication> communication;  ///< none: nothing runs beside compute
    double predictedStepSeconds = 0;
    double predictedBubble = 0;
    double theoreticalBubble = 0;
    double paceOverrun = 0;  ///< seconds that real work took longer than the modelled device, all ranks
    std::vector<RankFigures> ranks;
    std::int64_t capacityBytes = 0;  ///< one device's; 0: unknown
    std::int64_t events = 0;
    std::int64_t droppedEvents = 0;
    std::vector<Event> restarts;    ///< ascending (restarts.h)
    std::vector<HostClock> clocks;  ///< each other host's than the launcher's, as the run file keeps them
    CheckpointTally checkpoints;    ///< known once the run is read from its file
    bool recording = false;         ///< the file has no end yet
    RunEnd end;
    std::vector<Straggler> stragglers;  ///< largest excess first; known once the run is read from its file
    Thinning thinning;
    /// The last operations of each rank, with their prefix, where the run did not end well.
    std::vector<LogLine> flight;
};

/// Follows a run as it happens.
class RunFigures {
public:
    explicit RunFigures(RunHeader header);
    void add(std::span<const Event> events);
    /// Takes stored figures in place of events, ascending by step.
    void put(const StepFigures& step);
    /// Takes an event of kind HostMemory, in which a rank tells what its host holds for it.
    void addHostMemory(const Event& event);
    void set(const RankRecord& record);
    void set(const RunEnd& end) { end_ = end; }
    const Summarizer& steps() const { return steps_; }
    RunSummary summary() const;

private:
    /// One step's nanoseconds of communication beside compute, summed over the ranks that told them.
    struct Beside {
        std::int64_t hidden = 0;
        std::int64_t exposed = 0;
        std::int64_t overrun = 0;
        int ranks = 0;
        int step = 0;
    };
    static Beside besideOf(const StepSummary& step);
    void sumBeside(std::span<const Beside> steps, RunSummary& summary) const;

    RunHeader header_;
    Summarizer steps_;
    std::vector<Beside> stored_;  ///< one for each step that was put
    std::vector<RankFigures> ranks_;
    RunEnd end_;
    Restarts restarts_;
    std::int64_t events_ = 0;
    std::int64_t dropped_ = 0;
};

Result<RunSummary> summarize(const RunReader& run);

/// The object that `run --json` and `info --json` print; `file` is its "run".
std::string toJson(const RunSummary& summary, const std::string& file);

}  // namespace shardlab::launch
