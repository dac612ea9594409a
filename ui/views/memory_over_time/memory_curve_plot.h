// SPDX-License-Identifier: GPL-3.0-or-later
// One rank's memory stacked by category over the timeline's stretch of time, with the prediction, the peak and the
// end of what may be taken of a device's memory. Zooms and pans as the timeline does.
#pragma once

#include "engine/layout/memory_limit.h"
#include "engine/trace/metrics/memory_curve.h"
#include "ui/core/view.h"
#include "ui/core/words_at.h"
#include "ui/timeline/lane_shape.h"

#include <QWidget>

#include <optional>
#include <vector>

class QScrollBar;

namespace shardlab::ui {

struct MemoryCurves {
    int rank = -1;
    MemoryCurve filled;  ///< measured where anything was, else predicted
    bool measured = false;
    MemoryCurve predicted;              ///< of one step
    std::vector<std::int64_t> offsets;  ///< where that step is drawn as a line, over what was measured
    std::int64_t predictedEnd = 0;      ///< of the step
    MemoryLimit device;
};

class MemoryCurvePlot : public QWidget, public WordsAt {
    Q_OBJECT
public:
    MemoryCurvePlot(const ViewContext& context, QWidget* parent);
    QString wordsAt(const QPoint& at) const override;
    void setCurves(MemoryCurves curves);
    const MemoryCurves& curves() const { return curves_; }
    TimeScale scale() const;
    /// Bytes at the top.
    std::int64_t top() const;
    bool limitInSight() const;
    /// Where a sum of bytes at a moment is drawn.
    QPoint pointOf(std::int64_t time, std::int64_t bytes) const;
    /// The figures at a moment, a line each.
    QString figures(std::int64_t time) const;

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void leaveEvent(QEvent* event) override;

private:
    QRect plotArea() const;
    int y(std::int64_t bytes) const;
    void paintStack(QPainter& painter) const;
    void paintPredicted(QPainter& painter) const;
    void paintMarks(QPainter& painter) const;
    void selectAt(std::int64_t time);

    ViewContext context_;
    MemoryCurves curves_;
    QScrollBar* beside_;  ///< never shown: the timeline's takes that much room
    std::int64_t top_ = 1;
    std::optional<int> pointer_;  ///< x, while the mouse is inside
    QPoint pressed_;
    int last_ = 0;
    bool panning_ = false;
};

}  // namespace shardlab::ui
