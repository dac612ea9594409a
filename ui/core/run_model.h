// SPDX-License-Identifier: GPL-3.0-or-later
// What the views draw: one run (live, replayed) or one prediction, on the user interface's thread only. Fed by a source
// (RunSession, ReplaySession, the Design document); views read its parts and follow their signals. Steps, counters and
// instants are in memory; spans and memory samples lie in blocks, and are read when somebody asks (ui/store).
#pragma once

#include "engine/base/device_time.h"
#include "engine/layout/mesh/mesh.h"
#include "engine/trace/metrics/memory_curve.h"
#include "engine/trace/run_file/run_file.h"
#include "ui/core/note_book.h"
#include "ui/core/point_events.h"
#include "ui/core/prediction.h"
#include "ui/core/run_report.h"
#include "ui/core/run_steps.h"
#include "ui/core/scanned_block.h"
#include "ui/store/event_store.h"

#include <QObject>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace shardlab::ui {

class RunModel : public QObject {
    Q_OBJECT
public:
    /// When a run's events were recorded, and how many there are.
    struct Recorded {
        std::int64_t first = 0;  ///< smallest begin seen
        std::int64_t last = 0;   ///< largest end seen
        std::int64_t events = 0;
        bool timed = false;  ///< something was seen
        void add(std::int64_t begin, std::int64_t end, std::int64_t count = 1);
    };

    explicit RunModel(QObject* parent = nullptr) : QObject(parent) {}

    /// Begins anew with a run that is recorded in `file`; where that is empty, nowhere.
    void begin(const RunHeader& header, std::vector<Event> predicted, std::filesystem::path file = {});
    void clear();
    /// What the run's file stores of its steps, in this order and before the first event: theirs are then only kept and
    /// drawn.
    void take(StoredSteps steps);
    void take(StepDetails details);
    void take(StepEnds ends);
    /// The run's events lie in blocks of `source`; each is told of by take() once it was seen. Before any event but
    /// restarts, and instead of append().
    void setStored(std::shared_ptr<BlockSource> source, std::span<const BlockPlace> places);
    void take(std::vector<ScannedBlock> blocks);
    /// Events of one lane of one rank come ascending by begin; anything may interleave, but a restart comes before what
    /// is done after it. O(1) amortised an event. Events of ranks outside the header's mesh are not kept, nor counters
    /// and overflows of steps that were done again (restarts.h); where some must go, reset() is told.
    void append(std::span<const Event> events);

    bool empty() const { return !run_.of; }
    const RunHeader& header() const { return run_.of->header; }  ///< not empty()
    const Mesh& mesh() const { return run_.of->mesh; }           ///< not empty()
    const std::filesystem::path& file() const { return run_.file; }
    int ranks() const { return empty() ? 0 : mesh().ranks(); }
    /// What people are told of times on the run's clock, which are those of its events.
    DeviceTime deviceTime() const { return empty() ? DeviceTime() : DeviceTime(header().stretch); }

    const Recorded& recorded() const { return run_.recorded; }
    const RunSteps& steps() const { return run_.steps; }
    const PointEvents& points() const { return run_.points; }
    /// Spans and memory in use. Waits are in the compute lane.
    const EventStore& store() const { return store_; }
    /// The bytes of decoded blocks that the next run keeps; the usual budget unless this is called.
    void setBlockBudget(std::size_t bytes) { store_.setBudget(bytes); }
    /// How many steps of a run that arrives stay, times its ranks: of more, older ones are left out (RunSteps::thin).
    void setStepBudget(std::size_t rankSteps) { stepBudget_ = rankSteps; }
    /// Whether steps were left out.
    bool thinned() const { return run_.thinned; }
    const Prediction& prediction() const { return prediction_; }
    Prediction& prediction() { return prediction_; }
    const RunReport& report() const { return report_; }
    RunReport& report() { return report_; }
    const NoteBook& notes() const { return notes_; }
    NoteBook& notes() { return notes_; }

Q_SIGNALS:
    void reset();     ///< all parts have begun anew, or a restart took something away
    void appended();  ///< events arrived; at most once per batch

private:
    /// What belongs to one run alone: a new one begins with a fresh value.
    struct Run {
        struct Identity {
            RunHeader header;
            Mesh mesh;
        };
        std::optional<Identity> of;
        std::filesystem::path file;
        RunSteps steps;
        PointEvents points;
        Recorded recorded;
        bool thinned = false;
    };
    void begin(Run run, std::vector<Event> predicted);
    /// Passes events on to `takePart`, and handles the restarts among them in their turn.
    void takeInOrder(std::span<const Event> events, void (RunModel::*takePart)(std::span<const Event>));
    void takeArrived(std::span<const Event> events);
    void takePoints(std::span<const Event> events);
    void takeRestart(const Event& restart);
    void keepWithinBudget();

    /// A rank's step takes 340 bytes, its counters included: 180 MB at most.
    static constexpr std::size_t usualStepBudget = std::size_t{1} << 19;
    std::size_t stepBudget_ = usualStepBudget;
    Run run_;
    EventStore store_;
    Prediction prediction_;
    RunReport report_;
    NoteBook notes_{*this};
};

/// "dp0 pp1": the rank's place in the mesh; of a run without a layout, what is told of the rank.
std::string placeOf(const RunModel& model, int rank);
/// Whether the rank is one of RunSteps::activeRanks(): of replicas the last ones are absent.
bool takesPart(const RunModel& model, int rank, int step);
/// The part of a lane that belongs to one step; to the last time that it was done. Ascending by begin.
std::vector<Event> eventsOfStep(const RunModel& model, int rank, Lane lane, int step);
/// What a rank held within [begin, end], from the last change before it on; where it changed more often than `most`
/// times, at that many moments. The peak is that of the steps it overlaps.
MemoryCurve measuredMemory(const RunModel& model, int rank, std::int64_t begin, std::int64_t end, std::size_t most);

}  // namespace shardlab::ui
