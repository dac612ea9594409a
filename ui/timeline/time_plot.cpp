// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/time_plot.h"

#include "ui/core/run_model.h"
#include "ui/core/theme.h"
#include "ui/timeline/navigation.h"
#include "ui/timeline/timeline_state.h"

#include <QApplication>
#include <QMenu>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>

namespace shardlab::ui {

namespace {

/// All of the run with a little room on both sides.
TimeRange wholeInSight(const RunModel& model) {
    const TimeRange whole = wholeRange(model);
    return keepInSight(padded(whole, 0.01), whole);
}

}  // namespace

TimePlot::TimePlot(const ViewContext& context, QWidget* parent) : QWidget(parent), context_(context) {
    setMouseTracking(true);
    setFocusPolicy(Qt::ClickFocus);
}

QRect TimePlot::columns(int top, int height) const {
    constexpr int rightMargin = 6;  // as the timeline's
    const int whole = width() - besideWidth();
    const int left = labelWidth(context_.model, context_.theme.theme(), whole);
    return {left, top, std::max(1, whole - left - rightMargin), std::max(1, height)};
}

TimeRange TimePlot::inSight() const {
    const TimeRange chosen = context_.selection.visible();
    return chosen.begin == chosen.end ? wholeInSight(context_.model) : chosen;
}

TimeScale TimePlot::scale() const {
    const TimeRange visible = inSight();
    const QRect area = columns(0, height());
    return {visible.begin, std::max(visible.end, visible.begin + 1), area.left(), area.width()};
}

void TimePlot::addZoomOut(QMenu& menu) {
    menu.addAction(tr("Zoom out to all"), this, [this] {
        context_.selection.setFollowLive(false);
        context_.selection.setVisible(wholeInSight(context_.model));
    });
}

void TimePlot::paintMoments(QPainter& painter, const QRect& columns) const {
    const Theme& theme = context_.theme.theme();
    const TimeScale time = scale();
    const auto line = [&](int x, const QColor& colour) {
        painter.setPen(colour);
        painter.drawLine(x, columns.top(), x, columns.bottom());
    };
    if (const std::int64_t cursor = context_.selection.cursor(); cursor >= time.begin && cursor <= time.end)
        line(static_cast<int>(time.x(cursor)), theme.text);
    if (pointer_ && *pointer_ >= columns.left() && *pointer_ <= columns.right()) line(*pointer_, theme.dim);
}

void TimePlot::putCursor(std::int64_t time) {
    if (context_.workspace == Workspace::Design) return;
    context_.selection.setFollowLive(false);
    context_.selection.setCursor(std::max<std::int64_t>(0, time));
}

void TimePlot::mousePressEvent(QMouseEvent* event) {
    pressed_ = event->position().toPoint();
    last_ = pressed_.x();
    panning_ = false;
}

void TimePlot::mouseMoveEvent(QMouseEvent* event) {
    const QPoint at = event->position().toPoint();
    if (context_.model.empty()) return;
    if (event->buttons() & (Qt::LeftButton | Qt::MiddleButton)) {
        if ((at - pressed_).manhattanLength() >= QApplication::startDragDistance() / 2) panning_ = true;
        if (panning_) {
            const auto shift = static_cast<std::int64_t>((last_ - at.x()) * scale().perPixel());
            const TimeRange range = inSight();
            context_.selection.setFollowLive(false);
            context_.selection.setVisible(
                keepInSight({range.begin + shift, range.end + shift}, wholeRange(context_.model)));
        }
        last_ = at.x();
        return;
    }
    pointer_ = at.x();
    QToolTip::showText(event->globalPosition().toPoint(), wordsAt(at), this);
    update();
}

void TimePlot::mouseReleaseEvent(QMouseEvent* event) {
    if (!panning_ && event->button() == Qt::LeftButton && columns(0, height()).contains(pressed_)) clicked(pressed_);
    panning_ = false;
}

void TimePlot::wheelEvent(QWheelEvent* event) {
    constexpr double notch = 120;
    const QPoint turned = event->angleDelta();
    const bool zooms = event->modifiers() & Qt::ControlModifier;
    if (context_.model.empty() || (!zooms && turned.x() == 0 && !wheelPans())) return event->ignore();
    Selection& selection = context_.selection;
    const TimeRange whole = wholeRange(context_.model);
    selection.setFollowLive(false);
    if (zooms)
        selection.setVisible(
            zoomed(inSight(), std::pow(0.8, turned.y() / notch), scale().time(event->position().x()), whole));
    else selection.setVisible(panned(inSight(), -(turned.x() != 0 ? turned.x() : turned.y()) / notch * 0.1, whole));
    event->accept();
}

void TimePlot::leaveEvent(QEvent*) {
    pointer_.reset();
    update();
}

}  // namespace shardlab::ui
