// SPDX-License-Identifier: GPL-3.0-or-later
// One step under each schedule, one above the other on one time axis.
#pragma once

#include "ui/core/words_at.h"
#include "ui/timeline/gantt_scene.h"
#include "ui/views/schedules/schedule_outcomes.h"

#include <QWidget>

#include <memory>
#include <vector>

namespace shardlab::ui {

class ThemeSource;

class SchedulesPlot : public QWidget, public WordsAt {
    Q_OBJECT
public:
    SchedulesPlot(ScheduleOutcomes& outcomes, ThemeSource& theme, QWidget* parent);
    ~SchedulesPlot() override;
    QString wordsAt(const QPoint& at) const override;
    /// The outcomes have changed.
    void refresh();
    /// The outcome drawn at a point; -1: none.
    int rowAt(const QPoint& point) const;
    QRect blockOf(int row) const;

Q_SIGNALS:
    /// A row was clicked.
    void picked(int row);
    void taken(int row);  ///< a double click

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    bool event(QEvent* event) override;

private:
    struct Block {
        std::unique_ptr<RunModel> model;  ///< none where the schedule cannot be
        std::unique_ptr<RunIndex> index;
        std::vector<int> ranks;  ///< of the first pipeline
        int top = 0;
        int height = 0;
    };
    void place();
    void paintBlock(QPainter& painter, const Block& block, const ScheduleOutcome& outcome) const;
    QString description(const ScheduleOutcome& outcome) const;

    ScheduleOutcomes& outcomes_;
    ThemeSource& theme_;
    std::vector<Block> blocks_;
    std::int64_t longest_ = 1;
};

}  // namespace shardlab::ui
