// SPDX-License-Identifier: GPL-3.0-or-later
// One rank's memory stacked by category over the timeline's stretch of time, with the prediction, the peak and the
// end of what may be taken of a device's memory.
#pragma once

#include "engine/layout/memory_limit.h"
#include "engine/trace/metrics/memory_curve.h"
#include "ui/timeline/time_plot.h"

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
    std::int64_t knownUntil = 0;        ///< the moment beyond which nothing is known of `rank`
    MemoryLimit device;
};

class MemoryCurvePlot : public TimePlot {
    Q_OBJECT
public:
    MemoryCurvePlot(const ViewContext& context, QWidget* parent);
    QString wordsAt(const QPoint& at) const override;
    void setCurves(MemoryCurves curves);
    const MemoryCurves& curves() const { return curves_; }
    /// Bytes at the top.
    std::int64_t top() const;
    bool limitInSight() const;
    /// Where a sum of bytes at a moment is drawn.
    QPoint pointOf(std::int64_t time, std::int64_t bytes) const;
    /// The figures at a moment, a line each.
    QString figures(std::int64_t time) const;

protected:
    int besideWidth() const override;
    void clicked(const QPoint& at) override;
    void paintEvent(QPaintEvent* event) override;

private:
    QRect plotArea() const;
    int plotHeight() const;
    int y(std::int64_t bytes) const;
    void paintStack(QPainter& painter) const;
    void paintPredicted(QPainter& painter) const;
    void paintMarks(QPainter& painter) const;
    QRect paintPeak(QPainter& painter) const;
    void paintLimitLabel(QPainter& painter, const QRect& peak) const;

    MemoryCurves curves_;
    QScrollBar* beside_;  ///< never shown: the timeline's takes that much room
    std::int64_t top_ = 1;
};

}  // namespace shardlab::ui
