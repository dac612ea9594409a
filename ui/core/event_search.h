// SPDX-License-Identifier: GPL-3.0-or-later
// What is looked for in a run: the question, all events that answer it, and going from one to the next.
#pragma once

#include "ui/core/event_filter.h"
#include "ui/core/event_scan.h"
#include "ui/core/selection.h"

#include <QObject>
#include <QString>
#include <QTimer>

#include <optional>
#include <vector>

namespace shardlab::ui {

class EventSearch : public QObject {
    Q_OBJECT
public:
    /// The hits that are kept and marked; further ones are counted.
    static constexpr std::size_t mostHits = 100'000;

    EventSearch(const RunModel& model, Selection& selection, QObject* parent = nullptr);

    /// Empty: nothing is looked for.
    void setQuery(const QString& query);
    const QString& query() const { return query_; }
    /// Why the question cannot be answered; empty: it can.
    const QString& error() const { return error_; }
    bool running() const { return scan_.running(); }
    std::int64_t count() const { return count_; }
    /// The events found so far, ascending by begin; complete once running() is false.
    const std::vector<Event>& hits() const { return hits_; }
    /// Index of the selected event among hits(); -1: it is none.
    int current() const;
    /// Selects the next (+1) or previous (−1) hit from what is selected, or in sight, and brings it into sight.
    void go(int direction);
    /// Waits for the whole answer.
    void finish() { scan_.finish(); }
    /// Asks the view that shows the search field for the keyboard focus.
    void requestField() { Q_EMIT fieldRequested(); }
    /// Asks for the keyboard focus in the field that chooses a step.
    void requestStep() { Q_EMIT stepRequested(); }

Q_SIGNALS:
    void changed();
    void fieldRequested();
    void stepRequested();

private:
    void search();
    void settle();

    const RunModel& model_;
    Selection& selection_;
    QString query_;
    QString error_;
    std::optional<EventFilter> filter_;
    EventScan scan_;
    std::vector<Event> hits_;
    std::vector<Event> found_;  ///< by the scan under way
    std::int64_t count_ = 0;
    std::int64_t counted_ = 0;
    QTimer again_;  ///< while a run goes on
};

}  // namespace shardlab::ui
