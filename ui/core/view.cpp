// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/core/view.h"

#include "ui/core/document.h"
#include "ui/core/lesson_session.h"
#include "ui/core/run_model.h"
#include "ui/core/words.h"
#include "ui/core/selection.h"

#include <limits>

namespace shardlab::ui {

int ViewContext::stepAtCursor() const {
    const StepSummary* under = selection.cursor() < 0 ? nullptr : step();
    return under ? under->step : std::numeric_limits<int>::max();
}

const StepSummary* ViewContext::step() const { return model.steps().at(selection.cursor()); }

int ViewContext::selectedRank() const { return selection.rank() < model.ranks() ? selection.rank() : -1; }

View::View(const ViewContext& context, QWidget* parent) : QWidget(parent), context_(context) {
    connect(&context_.model, &RunModel::reset, this, [this] { toldSubtitle_.reset(); });
}

void View::tellSubtitle() {
    const QString now = subtitle();
    if (toldSubtitle_ == now) return;
    toldSubtitle_ = now;
    Q_EMIT subtitleChanged();
}

QString View::emptyText() const {
    if (!context_.model.empty()) return {};
    switch (context_.workspace) {
    case Workspace::Design:
        return context_.document.faults().empty()
                   ? tr("Planning this layout …")
                   : tr("No prediction: this layout has faults.\nMend the marked fields.");
    case Workspace::Run: return tr("Nothing has run yet.\nPress Run this layout (Ctrl+R).");
    case Workspace::Replay: return tr("No run is open.\nOpen a recorded run (Ctrl+O), or drop a .shardlab file here.");
    case Workspace::Home: break;
    case Workspace::Learn:
        return context_.lessons.shown() >= 0 &&
                       context_.lessons.keepsBack(static_cast<std::size_t>(context_.lessons.shown()))
                   ? tr("Guess first, or run it: the prediction\nwould give away what the lesson asks.")
                   : tr("No experiment is chosen.\nChoose a lesson, and one of its experiments.");
    }
    return {};
}

void View::fillContextMenu(QMenu&, const QPoint&) {}

QString View::notInForeign(const QString& why) const {
    if (context_.model.empty() || context_.model.header().hasLayout()) return {};
    return tr("This run comes from another program (%1).\n%2").arg(term(context_.model.header().origin), why);
}

}  // namespace shardlab::ui
