// SPDX-License-Identifier: GPL-3.0-or-later
// Mouse and keys of a timeline. Ctrl+wheel zooms at the mouse, the wheel scrolls ranks (or pans), a drag pans,
// Shift+drag measures, Ctrl+drag the rows it goes over alone; W S zoom, A D pan, F fits the selection or all, M
// measures, P pins the rank, arrows walk the selection.
#pragma once

#include "ui/core/view.h"

#include <QObject>
#include <QPoint>

#include <cstdint>
#include <vector>

class QKeyEvent;
class QMouseEvent;
class QWheelEvent;

namespace shardlab::ui {

class TimelinePlot;

class TimelineInput : public QObject {
    Q_OBJECT
public:
    TimelineInput(TimelinePlot& plot, const ViewContext& context) : plot_(plot), context_(context) {}

    /// Selects what lies at a point of the canvas: an event, else the rank of the row; nothing beside all rows.
    void choose(const QPoint& at);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    enum class Drag { None, Undecided, Pan, Measure, Rows };
    void press(const QMouseEvent& event);
    void move(const QMouseEvent& event);
    void release(const QMouseEvent& event);
    void wheel(const QWheelEvent& event);
    bool key(const QKeyEvent& event);
    void zoom(double factor, std::int64_t fixed);
    void fit();
    void measure();
    void walk(int direction);
    void walkRanks(int direction);
    /// Ranks of the rows from where the drag began to `y`.
    std::vector<int> draggedRanks(int y) const;
    void hoverAt(QPoint position, QPoint global);
    std::int64_t zoomCentre() const;

    TimelinePlot& plot_;
    ViewContext context_;
    Drag drag_ = Drag::None;
    QPoint pressed_;
    QPoint last_;
    bool inside_ = false;  ///< the mouse, at last_
};

}  // namespace shardlab::ui
