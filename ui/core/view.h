// SPDX-License-Identifier: GPL-3.0-or-later
// A view is one folder under views/ and one line in views/registry.cpp. It reads its context, never another view.
#pragma once

#include "engine/trace/metrics/summary.h"

#include <QString>
#include <QWidget>

#include <array>
#include <optional>
#include <span>

class QMenu;

namespace shardlab::ui {

class CompareSession;
class Document;
class EventSearch;
class HomeSession;
class LessonSession;
class RunModel;
class SearchSession;
class Selection;
class ThemeSource;

/// Their numbers are stored in settings. Home is the page to begin on.
enum class Workspace { Design, Run, Replay, Learn, Home };
/// In the order of the rail.
inline constexpr std::array workspaces{Workspace::Home, Workspace::Design, Workspace::Run, Workspace::Replay,
                                       Workspace::Learn};
/// A bit each.
using Workspaces = unsigned;
constexpr Workspaces in(Workspace workspace) { return 1U << static_cast<unsigned>(workspace); }
/// Whether what is in sight may go on, so that views follow the present.
constexpr bool showsLiveRuns(Workspace workspace) {
    return workspace == Workspace::Run || workspace == Workspace::Learn;
}

/// What a view may look at. Design's model holds the prediction; Run's the live run; Replay's the opened one; Learn's
/// an experiment: its prediction, its live run, or the recorded one. Home's holds nothing.
struct ViewContext {
    Workspace workspace;
    Document& document;
    RunModel& model;
    Selection& selection;
    ThemeSource& theme;
    SearchSession& search;
    CompareSession& compare;
    EventSearch& events;
    LessonSession& lessons;
    HomeSession* home = nullptr;  ///< of Home alone

    /// The step under the cursor, else the last complete one or the last; nullptr where there is none.
    const StepSummary* step() const;
    /// The step under the cursor; where there is none, the largest number: the newest step is shown.
    int stepAtCursor() const;
    /// The selected rank; -1 where the run has no such rank.
    int selectedRank() const;
};

class View : public QWidget {
    Q_OBJECT
public:
    View(const ViewContext& context, QWidget* parent);
    /// Beside the title in the panel's head: "one step · 612 ms · bubble 9.1 %".
    virtual QString subtitle() const { return {}; }
    /// What the subtitle means, as a tooltip on it.
    virtual QString subtitleHelp() const { return {}; }
    /// What is drawn, as tab-separated text with a heading line: for copying and for screen readers.
    virtual QString asTable() const { return {}; }
    /// Shown in the view's place while it has nothing to show: says what to press next. Empty: the view is shown.
    /// Asked again whenever the model begins or clears, its run ends, the plan changes, or subtitleChanged() is
    /// emitted.
    virtual QString emptyText() const;
    /// Adds what can be done with what lies at `at`, in the view's coordinates, after selecting it; for a right click.
    virtual void fillContextMenu(QMenu& menu, const QPoint& at);
    /// Fields and boxes are what the view shows: they stay where it is saved as a figure.
    virtual bool showsFields() const { return false; }

Q_SIGNALS:
    void subtitleChanged();
    /// Somebody was led to what the view shows: it comes into sight, wherever it is.
    void sightWanted();

protected:
    /// For emptyText: what a run lacks that another program recorded; empty for Shardlab's own.
    QString notInForeign(const QString& why) const;
    /// Emits subtitleChanged() where the subtitle is another than at the last call, or a run began since.
    void tellSubtitle();

    ViewContext context_;

private:
    /// The subtitle that was told last; none where it was asked for before the view took the run in.
    std::optional<QString> toldSubtitle_;
};

struct ViewKind {
    const char* id;  ///< "timeline"; also the dock's object name
    const char* title;
    const char* shows;      ///< in a sentence: the tooltip of the title, and what an empty view begins with
    Workspaces workspaces;  ///< it appears in
    View* (*create)(const ViewContext&, QWidget* parent);
    bool head = true;       ///< false: no head with title and subtitle, for cards and bars
    bool predicts = false;  ///< in Design it draws the document's plan: dimmed while that is of an earlier layout

    bool appearsIn(Workspace workspace) const { return (workspaces & in(workspace)) != 0; }
};

/// Every view there is; views/registry.cpp.
std::span<const ViewKind> viewKinds();

}  // namespace shardlab::ui
