// SPDX-License-Identifier: GPL-3.0-or-later
// What the views draw: one run (live, replayed) or one prediction, in memory, on the user interface's thread only.
// Fed by a source (RunSession, ReplaySession, the Design document); views read it and follow its signals.
#pragma once

#include "engine/layout/layout.h"
#include "engine/plan/plan.h"
#include "engine/trace/event.h"
#include "engine/trace/memory_curve.h"
#include "engine/trace/run_file.h"
#include "engine/trace/summary.h"

#include <QObject>

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace shardlab {

struct StepAccount;

/// Where a step lies in time, over all ranks; -1 = not known yet.
struct StepExtent {
    int step = 0;
    std::int64_t begin = -1;         ///< first thing any rank did in it
    std::int64_t firstForward = -1;
    std::int64_t lastBackward = -1;
    std::int64_t end = -1;           ///< last thing seen so far
    bool complete = false;           ///< every rank has ended it
};

class RunModel : public QObject {
    Q_OBJECT
public:
    explicit RunModel(QObject* parent = nullptr);
    ~RunModel() override;

    /// Begins anew with a run's header; the predicted events are one step, placed over each measured step by the views.
    void begin(const RunHeader& header, std::vector<Event> predicted);
    void clear();
    /// Events of one lane of one rank come ascending by begin; anything may interleave. O(1) amortised an event.
    /// Events of ranks outside the header's mesh are not kept.
    void append(std::span<const Event> events);
    void append(const LogLine& line);
    void setRank(const RankRecord& record);
    void setEnd(const RunEnd& end);

    bool empty() const { return !header_.has_value(); }
    const RunHeader& header() const { return *header_; }  ///< not empty()
    int ranks() const { return static_cast<int>(lanes_.size()); }
    /// "dp0 pp1": the rank's place in the mesh.
    const std::string& label(int rank) const { return labels_[static_cast<std::size_t>(rank)]; }
    /// Spans of one lane, ascending by begin. Waits are in the compute lane.
    const std::vector<Event>& lane(int rank, Lane lane) const;
    const std::vector<Event>& predicted(int rank, Lane lane) const;
    /// The part of a lane that belongs to one step.
    std::span<const Event> eventsOfStep(int rank, Lane lane, int step) const;
    /// End of the predicted step, nanoseconds from its begin; 0 where there is no prediction.
    std::int64_t predictedEnd() const { return predictedEnd_; }
    /// First forward of the predicted step.
    std::int64_t predictedFirstForward() const { return predictedFirstForward_; }
    std::int64_t predictedLastBackward() const { return predictedLastBackward_; }
    /// All ranks, ascending by begin. Memory in use is kept per rank instead: memoryAt.
    const std::vector<Event>& counters(EventKind kind) const;
    /// Commands, faults, drops; ascending by begin.
    const std::vector<Event>& instants() const { return instants_; }
    const std::vector<LogLine>& log() const { return log_; }
    const std::vector<RankRecord>& rankRecords() const { return rankRecords_; }  ///< ascending by rank
    const std::optional<RunEnd>& end() const { return end_; }
    const Summarizer& summary() const { return *summary_; }
    /// Ascending by step; one for each of summary().steps().
    const std::vector<StepExtent>& stepExtents() const { return extents_; }
    /// The step `time` falls into (the last that began at or before it); time -1: the last complete one, or the
    /// last. Index into summary().steps() and stepExtents(); -1 where there is none.
    int stepIndexAt(std::int64_t time) const;
    /// Memory in use by category, last known at or before `time`; time -1: the latest.
    MemoryBytes memoryAt(int rank, std::int64_t time) const;
    /// Memory by category at the moment within [begin, end] at which their sum is largest.
    MemoryBytes largestMemory(int rank, std::int64_t begin, std::int64_t end) const;
    /// Largest memory of a rank in any step so far.
    std::int64_t peakBytes(int rank) const;
    /// What a rank held within [begin, end], from the last change before it on; where it changed more often than `most`
    /// times, at that many moments. The peak is that of the steps it overlaps.
    MemoryCurve measuredMemory(int rank, std::int64_t begin, std::int64_t end, std::size_t most) const;
    bool hasMemory() const { return memorySamples_ > 0; }
    std::int64_t firstTime() const { return firstTime_; }  ///< smallest begin seen
    std::int64_t lastTime() const { return lastTime_; }    ///< largest end seen
    std::int64_t eventCount() const { return eventCount_; }
    /// Memory over the predicted step, and its critical path. Made where it is first asked for: at once where that is
    /// quick, else in the background, and accounted() tells. None where the header's layout is planned no longer.
    const StepAccount* account();

Q_SIGNALS:
    void reset();       ///< begin or clear
    void appended();    ///< events arrived; at most once per batch
    void logged();
    void ranksChanged();
    void ended();
    void accounted();

private:
    struct MemorySample {
        std::int64_t time;
        std::int64_t bytes;
    };
    struct RankLanes {
        std::array<std::vector<Event>, laneCount> measured;
        std::array<std::vector<Event>, laneCount> predicted;
        std::array<std::vector<MemorySample>, memoryCategoryCount> memory;
        std::int64_t peak = 0;
    };
    void appendCounter(const Event& event);
    void refreshExtents();
    void forgetAccount();

    std::optional<RunHeader> header_;
    std::vector<RankLanes> lanes_;
    std::vector<std::string> labels_;
    std::vector<std::vector<Event>> counters_;  ///< by kind
    std::vector<Event> instants_;
    std::vector<LogLine> log_;
    std::vector<RankRecord> rankRecords_;
    std::optional<RunEnd> end_;
    std::unique_ptr<Summarizer> summary_;
    std::vector<StepExtent> extents_;
    std::size_t firstOpenStep_ = 0;  ///< extents before it are complete and final
    std::int64_t predictedEnd_ = 0;
    std::int64_t predictedFirstForward_ = 0;
    std::int64_t predictedLastBackward_ = 0;
    std::int64_t memorySamples_ = 0;
    std::int64_t firstTime_ = 0;
    std::int64_t lastTime_ = 0;
    std::int64_t eventCount_ = 0;
    std::shared_ptr<const StepAccount> account_;
    std::uint64_t generation_ = 0;  ///< counts headers; the account of an older one is dropped
    std::uint64_t asked_ = 0;       ///< generation whose account is made, or is being made
};

}  // namespace shardlab
