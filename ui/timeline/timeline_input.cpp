// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/timeline_input.h"

#include "ui/timeline/event_text.h"
#include "ui/timeline/figure_strips.h"
#include "ui/timeline/gantt_scene.h"
#include "ui/timeline/navigation.h"
#include "ui/timeline/timeline_plot.h"
#include "ui/timeline/walk.h"

#include <QApplication>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QToolTip>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>

namespace shardlab::ui {

namespace {
constexpr double keyZoom = 0.7;
constexpr double keyPan = 0.2;
constexpr double notch = 120;
}  // namespace

bool TimelineInput::eventFilter(QObject*, QEvent* event) {
    if (event->type() == QEvent::FocusIn || event->type() == QEvent::FocusOut) {
        const Qt::FocusReason reason = static_cast<QFocusEvent*>(event)->reason();
        plot_.setRinged(event->type() == QEvent::FocusIn &&
                        (reason == Qt::TabFocusReason || reason == Qt::BacktabFocusReason));
    }
    if (context_.model.empty()) return false;
    switch (event->type()) {
    case QEvent::MouseButtonPress: press(*static_cast<QMouseEvent*>(event)); return true;
    case QEvent::MouseMove: move(*static_cast<QMouseEvent*>(event)); return true;
    case QEvent::MouseButtonRelease: release(*static_cast<QMouseEvent*>(event)); return true;
    case QEvent::MouseButtonDblClick: fit(); return true;
    case QEvent::Wheel: wheel(*static_cast<QWheelEvent*>(event)); return true;
    case QEvent::Leave:
        inside_ = false;
        context_.selection.hover({});
        return false;
    case QEvent::ShortcutOverride: {
        // The plain letters are the timeline's while it has the focus, whatever shortcuts a window has.
        const auto& keys = *static_cast<QKeyEvent*>(event);
        if (keys.modifiers() == Qt::NoModifier && keys.key() >= Qt::Key_A && keys.key() <= Qt::Key_Z &&
            QStringLiteral("WSADFMU").contains(QChar(keys.key()))) {
            event->accept();
            return true;
        }
        return false;
    }
    case QEvent::KeyPress: return key(*static_cast<QKeyEvent*>(event));
    default: return false;
    }
}

void TimelineInput::press(const QMouseEvent& event) {
    plot_.canvas()->setFocus(Qt::MouseFocusReason);
    if (event.button() != Qt::LeftButton && event.button() != Qt::MiddleButton) return;
    pressed_ = last_ = event.position().toPoint();
    const bool measures =
        event.button() == Qt::LeftButton && ((event.modifiers() & Qt::ShiftModifier) || plot_.state().measuring);
    const bool ofRows = event.button() == Qt::LeftButton && (event.modifiers() & Qt::ControlModifier);
    drag_ = ofRows ? Drag::Rows : measures ? Drag::Measure : Drag::Undecided;
}

void TimelineInput::move(const QMouseEvent& event) {
    const QPoint position = event.position().toPoint();
    inside_ = true;
    if (drag_ == Drag::Undecided && (position - pressed_).manhattanLength() >= QApplication::startDragDistance() / 2)
        drag_ = Drag::Pan;
    const TimelineState& state = plot_.state();
    if (drag_ == Drag::Pan) {
        const auto shift = static_cast<std::int64_t>((last_.x() - position.x()) * state.scale.perPixel());
        const TimeRange range = context_.selection.visible();
        plot_.lookAt({range.begin + shift, range.end + shift}, true);
        plot_.scrollRows(last_.y() - position.y());
        plot_.canvas()->setCursor(Qt::ClosedHandCursor);
    } else if (drag_ == Drag::Rows) {
        context_.selection.setArea(TimeRange{state.scale.time(pressed_.x()), state.scale.time(position.x())},
                                   draggedRanks(position.y()));
    } else if (drag_ == Drag::Measure) {
        context_.selection.setArea(TimeRange{state.scale.time(pressed_.x()), state.scale.time(position.x())});
    } else {
        hoverAt(position, event.globalPosition().toPoint());
    }
    last_ = position;
}

void TimelineInput::release(const QMouseEvent& event) {
    const QPoint position = event.position().toPoint();
    const TimelineState& state = plot_.state();
    const bool areas = drag_ == Drag::Measure || drag_ == Drag::Rows;
    if (drag_ == Drag::Undecided || (areas && position == pressed_)) {
        if (areas) context_.selection.setArea({});
        if (const int row = state.rows.positionAt(position.y());
            position.x() < state.plot.left() && row >= 0 && plot_.folding().possible()) {
            const int rank = state.rows.ranks()[static_cast<std::size_t>(row)];
            const bool opened = std::ranges::find(state.opened, rank) != state.opened.end();
            if (opened || state.rows.ranksOf(row).size() > 1) plot_.toggleFolding(row);
        }
        choose(position);
        if (context_.workspace != Workspace::Design && position.x() >= state.plot.left()) {
            context_.selection.setFollowLive(false);  // what was clicked stays in sight while the run goes on
            context_.selection.setCursor(std::max<std::int64_t>(0, state.scale.time(position.x())));
        }
    }
    drag_ = Drag::None;
    plot_.canvas()->setCursor(state.measuring ? Qt::CrossCursor : Qt::ArrowCursor);
}

void TimelineInput::choose(const QPoint& at) {
    const TimelineState& state = plot_.state();
    auto event = eventAt(state.model, state.index, state.scale, state.rows, at.x(), at.y());
    if (const int row = state.rows.positionAt(at.y()); row >= 0 && !event)
        context_.selection.setRank(state.rows.ranks()[static_cast<std::size_t>(row)]);
    context_.selection.select(event);
}

void TimelineInput::wheel(const QWheelEvent& event) {
    const QPoint turned = event.angleDelta();
    const TimelineState& state = plot_.state();
    if (event.modifiers() & Qt::ControlModifier) {
        zoom(std::pow(0.8, turned.y() / notch), state.scale.time(event.position().x()));
        return;
    }
    const bool sideways = (event.modifiers() & Qt::ShiftModifier) || std::abs(turned.x()) > std::abs(turned.y()) ||
                          state.rows.largestScroll() == 0;
    if (sideways) {
        const int amount = turned.x() != 0 ? turned.x() : turned.y();
        plot_.lookAt(panned(context_.selection.visible(), -amount / notch * 0.1, wholeRange(state.model)), true);
    } else {
        plot_.scrollRows(static_cast<int>(-turned.y() / notch * state.rows.rowHeight()));
    }
}

std::int64_t TimelineInput::zoomCentre() const {
    const TimelineState& state = plot_.state();
    if (inside_ && state.plot.contains(last_)) return state.scale.time(last_.x());
    const TimeRange range = context_.selection.visible();
    return range.begin + (range.end - range.begin) / 2;
}

void TimelineInput::zoom(double factor, std::int64_t fixed) {
    Selection& selection = context_.selection;
    const TimeRange whole = wholeRange(context_.model);
    const bool follows = selection.followLive() && showsLiveRuns(context_.workspace);
    if (!follows) {
        plot_.lookAt(zoomed(selection.visible(), factor, fixed, whole), true);
        return;
    }
    // While following, the present stays where it is.
    plot_.lookAt(following(zoomed(selection.visible(), factor, whole.end, whole), whole), false);
}

void TimelineInput::fit() {
    const Selection& selection = context_.selection;
    if (selection.area()) plot_.lookAt(padded(*selection.area(), 0.05), true);
    else if (selection.event()) plot_.lookAt(padded({selection.event()->begin, selection.event()->end}, 1.0), true);
    else plot_.lookAt(padded(wholeRange(context_.model), 0.01), true);
}

void TimelineInput::measure() {
    Selection& selection = context_.selection;
    const bool starts = !plot_.state().measuring;
    plot_.setMeasuring(starts);
    if (!starts) selection.setArea({});
    else if (selection.event()) selection.setArea(TimeRange{selection.event()->begin, selection.event()->end});
}

void TimelineInput::walk(int direction) {
    if (const auto next = walkLane(plot_.state(), context_.selection.event(), direction)) {
        context_.selection.select(*next);
        const TimeRange range = context_.selection.visible();
        if (next->begin < range.begin || next->end > range.end) {
            const std::int64_t middle = next->begin + (next->end - next->begin) / 2;
            const std::int64_t half = (range.end - range.begin) / 2;
            plot_.lookAt({middle - half, middle + half}, true);
        }
    }
}

void TimelineInput::walkRanks(int direction) {
    if (const auto next = ui::walkRanks(plot_.state(), context_.selection.event(), direction))
        context_.selection.select(*next);
}

std::vector<int> TimelineInput::draggedRanks(int y) const {
    const TimelineState& state = plot_.state();
    const auto [top, bottom] = std::minmax({pressed_.y(), y});
    std::vector<int> ranks;
    for (const Row& row : state.rows.visible())
        if (row.top <= bottom && row.top + row.height > top) ranks.push_back(row.rank);
    std::sort(ranks.begin(), ranks.end());
    return ranks;
}

void TimelineInput::hoverAt(QPoint position, QPoint global) {
    const TimelineState& state = plot_.state();
    const auto event = eventAt(state.model, state.index, state.scale, state.rows, position.x(), position.y());
    context_.selection.hover(event);
    if (event) return QToolTip::showText(global, hoverText(state.model, *event), plot_.canvas());
    const int row = state.rows.positionAt(position.y());
    const int rank = row < 0 ? -1 : state.rows.row(row).rank;
    if (const auto step = stepWithoutEvents(state.model, rank, state.scale.time(position.x() + 0.5)))
        return QToolTip::showText(global, figuresText(state.model, *step, rank), plot_.canvas());
    QToolTip::hideText();
}

bool TimelineInput::key(const QKeyEvent& event) {
    if (event.modifiers() & (Qt::ControlModifier | Qt::AltModifier | Qt::MetaModifier)) return false;
    const TimeRange whole = wholeRange(context_.model);
    const TimeRange range = context_.selection.visible();
    const std::int64_t length = range.end - range.begin;
    switch (event.key()) {
    case Qt::Key_W: zoom(keyZoom, zoomCentre()); return true;
    case Qt::Key_S: zoom(1 / keyZoom, zoomCentre()); return true;
    case Qt::Key_A: plot_.lookAt(panned(range, -keyPan, whole), true); return true;
    case Qt::Key_D: plot_.lookAt(panned(range, keyPan, whole), true); return true;
    case Qt::Key_F: fit(); return true;
    case Qt::Key_M: measure(); return true;
    case Qt::Key_U: plot_.setFolded(!plot_.folding().folded()); return true;
    case Qt::Key_Home: plot_.lookAt({whole.begin, whole.begin + length}, true); return true;
    case Qt::Key_End: plot_.lookAt(following({whole.end - length, whole.end}, whole), true); return true;
    case Qt::Key_PageUp: plot_.scrollRows(-plot_.state().rows.viewHeight()); return true;
    case Qt::Key_PageDown: plot_.scrollRows(plot_.state().rows.viewHeight()); return true;
    case Qt::Key_Left: walk(-1); return true;
    case Qt::Key_Right: walk(1); return true;
    case Qt::Key_Up: walkRanks(-1); return true;
    case Qt::Key_Down: walkRanks(1); return true;
    case Qt::Key_Escape:
        context_.selection.select({});
        context_.selection.setRank(-1);
        context_.selection.setArea({});
        context_.selection.setCursor(-1);
        plot_.setMeasuring(false);
        return true;
    default: return false;
    }
}

}  // namespace shardlab::ui
