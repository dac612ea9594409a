// SPDX-License-Identifier: GPL-3.0-or-later
// A chart on the timeline's stretch of time, whose pixel columns stand below the timeline's: it zooms and pans as that
// does, and shows the shared cursor. Until a timeline has chosen a stretch, the chart shows the whole run.
#pragma once

#include "ui/core/selection.h"
#include "ui/core/view.h"
#include "ui/core/words_at.h"
#include "ui/timeline/lane_shape.h"

#include <QRect>

#include <optional>

class QMenu;
class QPainter;

namespace shardlab::ui {

class TimePlot : public QWidget, public WordsAt {
    Q_OBJECT
public:
    TimePlot(const ViewContext& context, QWidget* parent);
    TimeScale scale() const;
    /// For a view's context menu: shows all of the run.
    void addZoomOut(QMenu& menu);

protected:
    /// Pixels at the right edge that the timeline's scroll bar takes, where this chart has none beside it.
    virtual int besideWidth() const { return 0; }
    /// Whether the wheel by itself pans; else it goes to whatever scrolls the chart.
    virtual bool wheelPans() const { return true; }
    /// A click within the columns, without a drag.
    virtual void clicked(const QPoint& at) = 0;

    /// The columns at a height of the chart. It measures labels: not for each point.
    QRect columns(int top, int height) const;
    /// The shared cursor, and the mouse's column while it is inside.
    void paintMoments(QPainter& painter, const QRect& columns) const;
    /// Puts the cursor at a moment, which a run has and a prediction has not.
    void putCursor(std::int64_t time);

    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void leaveEvent(QEvent* event) override;

    ViewContext context_;

private:
    TimeRange inSight() const;

    std::optional<int> pointer_;  ///< x, while the mouse is inside
    QPoint pressed_;
    int last_ = 0;
    bool panning_ = false;
};

}  // namespace shardlab::ui
