// SPDX-License-Identifier: GPL-3.0-or-later
// The timeline's two drawings on a QCustomPlot: the Gantt plottable, and what changes with the mouse on a layer of its
// own, so that hovering repaints no bars.
#pragma once

#include "ui/core/qcustomplot.h"
#include "ui/timeline/rank_labels.h"
#include "ui/timeline/scene_pixels.h"
#include "ui/timeline/timeline_state.h"

namespace shardlab::ui {

class Gantt : public QCPAbstractPlottable {
public:
    Gantt(QCPAxis* time, QCPAxis* rank, const TimelineState& state);

    /// The next drawing builds its geometry anew; it does so by itself when time, rows or size change.
    void dataChanged() {
        stale_ = true;
        labels_.changed();
    }
    const GanttScene& scene() const { return scene_; }

    double selectTest(const QPointF& position, bool onlySelectable, QVariant* details) const override;
    QCPRange getKeyRange(bool& found, QCP::SignDomain) const override;
    QCPRange getValueRange(bool& found, QCP::SignDomain, const QCPRange&) const override;

protected:
    QRect clipRect() const override { return state_.whole; }
    void applyDefaultAntialiasingHint(QCPPainter* painter) const override;
    void draw(QCPPainter* painter) override;
    void drawLegendIcon(QCPPainter* painter, const QRectF& rect) const override;

private:
    const TimelineState& state_;
    GanttScene scene_;
    ScenePixels pixels_;
    RankLabels labels_;
    TimeScale builtScale_;
    Rows builtRows_;
    bool stale_ = true;
};

class GanttOverlay : public QCPLayerable {
public:
    GanttOverlay(QCustomPlot* plot, const QString& layer, const TimelineState& state)
        : QCPLayerable(plot, layer), state_(state) {}

protected:
    QRect clipRect() const override { return state_.whole; }
    void applyDefaultAntialiasingHint(QCPPainter* painter) const override { painter->setAntialiasing(false); }
    void draw(QCPPainter* painter) override { paintOverlay(*painter, state_); }

private:
    const TimelineState& state_;
};

}  // namespace shardlab::ui
