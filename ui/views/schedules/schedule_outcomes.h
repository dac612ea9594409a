// SPDX-License-Identifier: GPL-3.0-or-later
// The document's layout under several schedules, planned in the background; what is outdated is dropped.
#pragma once

#include "engine/layout/fault.h"
#include "engine/predict/plan/measurements.h"
#include "engine/trace/run_file/run_file.h"

#include <QObject>

#include <memory>
#include <string>
#include <vector>

namespace shardlab::ui {

class Document;

/// A layout under one schedule.
struct ScheduleOutcome {
    std::string kind;
    Layout layout;              ///< what a click takes over
    std::vector<Fault> faults;  ///< why it cannot be; then there are no figures
    double stepSeconds = 0;     ///< of the modelled device, as Plan's
    double bubble = 0;
    std::int64_t peakBytes = 0;
    bool fits = true;
    std::int64_t trafficBytes = 0;  ///< over all axes
    RunHeader header;
    std::vector<Event> events;  ///< the step, in device time

    bool legal() const { return faults.empty(); }
};

ScheduleOutcome outcomeOf(const Layout& layout, const std::string& kind, const Measurements& measurements = {});

class ScheduleOutcomes : public QObject {
    Q_OBJECT
public:
    explicit ScheduleOutcomes(Document& document, QObject* parent);

    /// Chooses the schedules to compare: `kinds` in the order of the table of schedules; where it is empty GPipe, 1F1B
    /// and the document's own.
    void choose(std::vector<std::string> kinds);
    std::vector<std::string> kinds() const;
    /// The outcomes in the order of kinds(); those of the last layout while those of the next are being made.
    const std::vector<ScheduleOutcome>& outcomes() const { return outcomes_; }
    /// Somebody looks at them: those of the layout as it is now are made if they are not yet. Nothing is planned else.
    void look();
    /// Makes the layout of an outcome the document's: one undoable step.
    void take(const ScheduleOutcome& outcome);

Q_SIGNALS:
    void changed();
    void outdated();  ///< the next look() asks anew

private:
    void refresh();
    void arrive(std::uint64_t generation, std::vector<ScheduleOutcome> outcomes);

    Document& document_;
    std::vector<std::string> chosen_;
    std::vector<ScheduleOutcome> outcomes_;
    std::uint64_t generation_ = 0;  ///< counts questions
    bool working_ = false;
    bool stale_ = true;  ///< the outcomes are of another question
};

}  // namespace shardlab::ui
