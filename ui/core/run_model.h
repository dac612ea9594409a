// SPDX-License-Identifier: GPL-3.0-or-later
// What the views draw: one run (live, replayed) or one prediction, in memory, on the user interface's thread only.
// Fed by a source (RunSession, ReplaySession, the Design document); views read it and follow its signals.
#pragma once

#include "engine/layout/layout.h"
#include "engine/plan/plan.h"
#include "engine/trace/event.h"
#include "engine/trace/run_file.h"
#include "engine/trace/summary.h"

#include <QObject>

#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace shardlab {

class RunModel : public QObject {
    Q_OBJECT
public:
    explicit RunModel(QObject* parent = nullptr);

    /// Begins anew with a run's header; the predicted events are one step, placed over each measured step by the views.
    void begin(const RunHeader& header, std::vector<Event> predicted);
    void clear();
    void append(std::span<const Event> events);
    void append(const LogLine& line);
    void setRank(const RankRecord& record);
    void setEnd(const RunEnd& end);

    bool empty() const { return !header_.has_value(); }
    const RunHeader& header() const { return *header_; }  ///< not empty()
    int ranks() const { return static_cast<int>(lanes_.size()); }
    /// Spans of one lane, ascending by begin. Waits are in the compute lane.
    const std::vector<Event>& lane(int rank, Lane lane) const;
    const std::vector<Event>& predicted(int rank, Lane lane) const;
    const std::vector<Event>& counters(EventKind kind) const;  ///< all ranks, ascending by begin
    const std::vector<Event>& instants() const;
    const std::vector<LogLine>& log() const { return log_; }
    const std::vector<RankRecord>& rankRecords() const { return rankRecords_; }
    const std::optional<RunEnd>& end() const { return end_; }
    const Summarizer& summary() const { return *summary_; }
    /// Memory in use by category, last known at or before `time`; peak of the step.
    MemoryBytes memoryAt(int rank, std::int64_t time) const;
    std::int64_t lastTime() const { return lastTime_; }  ///< largest end seen
    std::int64_t eventCount() const { return eventCount_; }

Q_SIGNALS:
    void reset();       ///< begin or clear
    void appended();    ///< events arrived; at most once per batch
    void logged();
    void ranksChanged();
    void ended();

private:
    struct RankLanes {
        std::vector<Event> measured[laneCount];
        std::vector<Event> predicted[laneCount];
    };
    std::optional<RunHeader> header_;
    std::vector<RankLanes> lanes_;
    std::vector<std::vector<Event>> counters_;  ///< by kind
    std::vector<Event> instants_;
    std::vector<LogLine> log_;
    std::vector<RankRecord> rankRecords_;
    std::optional<RunEnd> end_;
    std::unique_ptr<Summarizer> summary_;
    std::int64_t lastTime_ = 0;
    std::int64_t eventCount_ = 0;
};

}  // namespace shardlab
