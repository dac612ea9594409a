// SPDX-License-Identifier: Apache-2.0
// The figures of a run: what the command line prints at its end, what info tells of a file, what the desktop's cards
// show.
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

namespace shardlab {

struct RankFigures {
    RankRecord record;
    MemoryBytes memory{};   ///< measured, each category at its own peak
    std::int64_t peak = 0;  ///< measured, largest sum
    MemoryBytes host{};     ///< measured, held on the host for it, each category at its own peak
    std::int64_t predictedPeak = 0;
};

/// Over the data axis beside compute, of a step, mean over ranks; seconds, as those of RunSummary.
struct DataCommunication {
    double hidden = 0;   ///< behind which the rank computed
    double exposed = 0;  ///< for which it waited
};

/// Its seconds and rates are those of the devices that a paced run models (engine/base/device_time.h); moments are the
/// run's clock's.
struct RunSummary {
    std::string name;    ///< of the layout
    std::string origin;  ///< the program that recorded an imported run, which has no layout; else empty
    std::string created;
    bool paced = false;
    double stretch = 1;
    int stepsAsked = 0;  ///< 0 of an imported run
    int stepsDone = 0;
    std::vector<double> losses;  ///< of each step whose loss is known, from step 0, nats
    std::vector<Summarizer::Validation> validations;
    // Steady steps: the first two are left out. 0 where there is none.
    double stepSeconds = 0;
    double bubble = 0;
    double sentBytes = 0;  ///< of a step, all ranks together (SentBytes)
    double tokensPerSecond = 0;
    std::string_view counted = "tokens";  ///< or what tokensPerStep counts of its model
    DevicePeak peak;                      ///< what mfu is a share of
    std::optional<double> mfu;            ///< modelUtilisation(), where the peak is known
    std::optional<double> predictedMfu;
    std::optional<DataCommunication> communication;  ///< where anything runs beside compute
    double predictedStepSeconds = 0;
    double predictedBubble = 0;
    double theoreticalBubble = 0;
    double paceOverrun = 0;  ///< seconds that real work took longer than the modelled device, all ranks
    std::vector<RankFigures> ranks;
    std::int64_t capacityBytes = 0;  ///< of one device; 0 = unknown
    std::int64_t events = 0;
    std::int64_t droppedEvents = 0;
    std::vector<Event> restarts;    ///< ascending (restarts.h)
    std::vector<HostClock> clocks;  ///< of each host but the launcher's, as the run's file keeps them
    CheckpointTally checkpoints;    ///< known once the run is read from its file
    bool recording = false;         ///< as whoever has the file sees it: it has no end yet
    RunEnd end;
    std::vector<Straggler> stragglers;  ///< largest excess first; known once the run is read from its file
    Thinning thinning;
    std::vector<LogLine>
        flight;  ///< of a run that did not end well: the last operations of each rank, with their prefix
};

/// Follows a run as it happens.
class RunFigures {
public:
    explicit RunFigures(RunHeader header);
    void add(std::span<const Event> events);
    /// Figures that were stored, in place of events, ascending by step.
    void put(const StepFigures& step);
    /// What a rank told of its host: an event of kind HostMemory.
    void addHostMemory(const Event& event);
    void set(const RankRecord& record);
    void set(const RunEnd& end) { end_ = end; }
    const Summarizer& steps() const { return steps_; }
    RunSummary summary() const;

private:
    /// Beside compute, of one step: nanoseconds over its ranks, and how many of them told.
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
    std::vector<Beside> stored_;  ///< of steps that were put
    std::vector<RankFigures> ranks_;
    RunEnd end_;
    Restarts restarts_;
    std::int64_t events_ = 0;
    std::int64_t dropped_ = 0;
};

Result<RunSummary> summarize(const RunReader& run);

/// The object that `run --json` and `info --json` print; `file` is its "run".
std::string toJson(const RunSummary& summary, const std::string& file);

}  // namespace shardlab
