// SPDX-License-Identifier: GPL-3.0-or-later
// What the views draw: one run (live, replayed) or one prediction, on the user interface's thread only. Fed by a source
// (RunSession, ReplaySession, the Design document); views read it and follow its signals. Steps and counters are in
// memory; spans and memory samples lie in blocks, and are read when somebody asks (ui/store).
#pragma once

#include "engine/base/device_time.h"
#include "engine/trace/analysis/stragglers.h"
#include "engine/trace/event/event.h"
#include "engine/trace/event/event_payload.h"
#include "engine/trace/metrics/memory_curve.h"
#include "engine/trace/metrics/summary.h"
#include "engine/layout/layout.h"
#include "engine/predict/plan/plan.h"
#include "engine/trace/run_file/run_file.h"
#include "ui/core/instants.h"
#include "ui/core/scanned_block.h"
#include "ui/core/stored_steps.h"
#include "ui/store/event_store.h"

#include <QObject>

#include <algorithm>
#include <array>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace shardlab::ui {

struct StepAccount;

/// Where a step lies in time, over all ranks; -1 = not known yet.
struct StepExtent {
    int step = 0;
    std::int64_t begin = -1;  ///< first thing any rank did in it
    std::int64_t firstForward = -1;
    std::int64_t lastBackward = -1;
    std::int64_t end = -1;  ///< last thing seen so far
    bool complete = false;  ///< every rank has ended it
};

class RunModel : public QObject {
    Q_OBJECT
public:
    explicit RunModel(QObject* parent = nullptr);
    ~RunModel() override;

    /// Begins anew with a run's header; the predicted events are one step, placed over each measured step by the views.
    void begin(const RunHeader& header, std::vector<Event> predicted);
    void clear();
    /// Where the begun run is recorded; begin() and clear() forget it.
    void setFile(std::filesystem::path file);
    const std::filesystem::path& file() const { return file_; }  ///< empty: nowhere
    /// Figures that the run's file stores: those of the steps' events, which are then only kept and drawn. Before the
    /// first event.
    void setSteps(StoredSteps steps);
    /// Adds the details of steps that setSteps() has named, ascending from call to call.
    void addDetails(StepDetails details);
    void setEnds(StepEnds ends);
    /// The run's events lie in blocks of `source`; each is told of by take() once it was seen. Before any event but
    /// restarts, and instead of append().
    void setStored(std::shared_ptr<BlockSource> source, std::span<const BlockPlace> places);
    void take(std::vector<ScannedBlock> blocks);
    /// Events of one lane of one rank come ascending by begin; anything may interleave, but a restart comes before what
    /// is done after it. O(1) amortised an event. Events of ranks outside the header's mesh are not kept, nor counters
    /// and overflows of steps that were done again (restarts.h); where some must go, reset() is told.
    void append(std::span<const Event> events);
    void append(const LogLine& line);
    void setRank(const RankRecord& record);
    void setClocks(std::vector<HostClock> clocks);  ///< of hosts other than the launcher's; replaces
    void setNames(EventNames names);                ///< of the begun run
    void setEnd(const RunEnd& end);

    bool empty() const { return !header_.has_value(); }
    const RunHeader& header() const { return *header_; }  ///< not empty()
    /// What people are told of times on the run's clock, which are those of its events.
    DeviceTime deviceTime() const { return header_ ? DeviceTime(header_->stretch) : DeviceTime(); }
    int ranks() const { return static_cast<int>(lanes_.size()); }
    /// Ranks that did the step, or do it; an elastic run may have fewer than ranks() for some time.
    int activeRanks(int step) const { return restarts_.ranksOf(step, ranks()); }
    /// The number of ranks that are active in the newest steps.
    int activeRanks() const { return activeRanks(std::numeric_limits<int>::max()); }
    /// Whether some steps had fewer than others.
    bool resized() const {
        return std::ranges::any_of(
            restarts_.all(), [this](const Event& restart) { return ranksAfter(restart).value_or(ranks()) < ranks(); });
    }
    /// Whether the rank is one of them: of replicas the last ones are absent.
    bool takesPart(int rank, int step) const;
    /// Whether the prediction is of steps like this one: with fewer ranks they have other actions.
    bool isPredicted(int step) const { return activeRanks(step) == ranks(); }
    /// "dp0 pp1": the rank's place in the mesh.
    const std::string& label(int rank) const { return labels_[static_cast<std::size_t>(rank)]; }
    /// Spans of one lane. Waits are in the compute lane.
    const StoredLane& lane(int rank, Lane lane) const { return store_.lane(rank, lane); }
    const EventStore& store() const { return store_; }
    /// The bytes of decoded blocks that the next run keeps; the usual budget unless this is called.
    void setBlockBudget(std::size_t bytes) { store_.setBudget(bytes); }
    const std::vector<Event>& predicted(int rank, Lane lane) const;
    /// The part of a lane that belongs to one step; to the last time that it was done. Ascending by begin.
    std::vector<Event> eventsOfStep(int rank, Lane lane, int step) const;
    /// End of the predicted step, nanoseconds from its begin; 0 where there is no prediction.
    std::int64_t predictedEnd() const { return predictedEnd_; }
    /// First forward of the predicted step.
    std::int64_t predictedFirstForward() const { return predictedFirstForward_; }
    std::int64_t predictedLastBackward() const { return predictedLastBackward_; }
    /// All ranks, ascending by begin; of kinds that isKeptCounter(). Memory in use is kept per rank instead: memoryAt.
    const std::vector<Event>& counters(EventKind kind) const;
    /// Commands, faults, restarts, drops, overflows, marks.
    const Instants& instants() const { return instants_; }
    const std::vector<LogLine>& log() const { return log_; }
    const EventNames& names() const { return names_; }
    const std::vector<RankRecord>& rankRecords() const { return rankRecords_; }  ///< ascending by rank
    /// The newest comparison of each other host's clock.
    const std::vector<HostClock>& clocks() const { return clocks_; }
    const std::optional<RunEnd>& end() const { return end_; }
    /// The notes, ascending by time; begin() and clear() forget them.
    const std::vector<Note>& notes() const { return notes_; }
    void setNotes(std::vector<Note> notes);
    /// Largest excess first. Of a run that goes on, those known a few steps ago.
    const std::vector<Straggler>& stragglers() const;
    const Summarizer& summary() const { return *summary_; }
    /// What was taken away of the run's events.
    const Thinning& thinning() const { return stored_.thinning; }
    /// What a rank's step, an index into stepExtents(), was made of; nullptr where only events tell.
    const StepShares* shares(std::size_t step, int rank) const;
    /// The extents of steps, ascending by step; one for each of summary().steps().
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
    bool hasMemory() const;
    std::int64_t firstTime() const { return firstTime_; }  ///< smallest begin seen
    std::int64_t lastTime() const { return lastTime_; }    ///< largest end seen
    std::int64_t eventCount() const { return eventCount_; }
    /// Memory over the predicted step, and its critical path. Made where it is first asked for: at once where that is
    /// quick, else in the background, and accounted() tells. None where the header's layout is planned no longer.
    const StepAccount* account();

Q_SIGNALS:
    void reset();     ///< begin or clear, or something was taken away
    void appended();  ///< events arrived; at most once per batch
    void logged();
    void ranksChanged();
    void notesChanged();
    void fileChanged();
    void ended();
    void accounted();

private:
    struct RankLanes {
        std::array<std::vector<Event>, laneCount> predicted;
        std::int64_t peak = 0;
    };
    /// Passes events on to `takePart`, and handles the restarts among them in their turn.
    void takeInOrder(std::span<const Event> events, void (RunModel::*takePart)(std::span<const Event>));
    void takeArrived(std::span<const Event> events);
    void takeTold(std::span<const Event> events);
    void takeFigured(std::span<const Event> events);
    void takeRestart(const Event& restart);
    void extendTimes(std::int64_t begin, std::int64_t end);
    void refreshExtents();
    void forgetAccount();

    std::optional<RunHeader> header_;
    std::filesystem::path file_;
    EventStore store_;
    std::vector<RankLanes> lanes_;
    std::vector<std::string> labels_;
    std::vector<int> replicas_;                 ///< by rank, its coordinate on the data axis
    std::vector<std::vector<Event>> counters_;  ///< by kind
    Instants instants_;
    Restarts restarts_;
    std::vector<LogLine> log_;
    EventNames names_;
    std::vector<RankRecord> rankRecords_;
    std::vector<HostClock> clocks_;
    std::optional<RunEnd> end_;
    std::vector<Note> notes_;
    std::unique_ptr<StragglerWatch> watch_;
    mutable std::vector<Straggler> stragglers_;
    mutable std::size_t judgedSteps_ = 0;  ///< complete ones when stragglers_ were found
    std::unique_ptr<Summarizer> summary_;
    StoredSteps stored_;
    bool figuresStored_ = false;  ///< those of events are known before they come
    std::vector<StepExtent> extents_;
    std::size_t firstOpenStep_ = 0;  ///< extents before it are complete and final
    std::int64_t predictedEnd_ = 0;
    std::int64_t predictedFirstForward_ = 0;
    std::int64_t predictedLastBackward_ = 0;
    bool timesKnown_ = false;  ///< firstTime_ and lastTime_ are of something
    std::int64_t firstTime_ = 0;
    std::int64_t lastTime_ = 0;
    std::int64_t eventCount_ = 0;
    std::shared_ptr<const StepAccount> account_;
    std::uint64_t generation_ = 0;  ///< counts headers; the account of an older one is dropped
    std::uint64_t asked_ = 0;       ///< generation whose account is made, or is being made
};

}  // namespace shardlab::ui
