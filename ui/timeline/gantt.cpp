// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/gantt.h"

namespace shardlab::ui {

Gantt::Gantt(QCPAxis* time, QCPAxis* rank, const TimelineState& state)
    : QCPAbstractPlottable(time, rank), state_(state) {}

void Gantt::applyDefaultAntialiasingHint(QCPPainter* painter) const { painter->setAntialiasing(false); }

void Gantt::draw(QCPPainter* painter) {
    if (state_.model.empty()) return;
    if (stale_ || builtScale_ != state_.scale || builtRows_ != state_.rows) {
        buildScene(scene_, state_.model, state_.index, state_.scale, state_.rows);
        builtScale_ = state_.scale;
        builtRows_ = state_.rows;
        stale_ = false;
    }
    paintFrame(*painter, state_, labels_);
    painter->save();
    painter->setClipRect(state_.plot);
    paintScene(
        *painter, scene_, state_.theme, state_.plot, [this](QPainter& ground) { paintGround(ground, state_); },
        pixels_);
    painter->restore();
}

void Gantt::drawLegendIcon(QCPPainter* painter, const QRectF& rect) const {
    painter->fillRect(rect, state_.theme.action(EventKind::Forward));
}

double Gantt::selectTest(const QPointF& position, bool onlySelectable, QVariant* details) const {
    if (onlySelectable && selectable() == QCP::stNone) return -1;
    const auto event = eventAt(state_.model, state_.index, state_.scale, state_.rows, static_cast<int>(position.x()),
                               static_cast<int>(position.y()));
    if (!event) return -1;
    if (details) details->setValue(QCPDataSelection(QCPDataRange(0, 1)));
    return mParentPlot->selectionTolerance() * 0.5;
}

QCPRange Gantt::getKeyRange(bool& found, QCP::SignDomain) const {
    found = !state_.model.empty();
    const TimeRange whole = wholeRange(state_.model);
    return {static_cast<double>(whole.begin), static_cast<double>(whole.end)};
}

QCPRange Gantt::getValueRange(bool& found, QCP::SignDomain, const QCPRange&) const {
    found = !state_.model.empty();
    return {0, static_cast<double>(state_.rows.ranks().size())};
}

}  // namespace shardlab::ui
