// SPDX-License-Identifier: GPL-3.0-or-later
// A rank × rank grid of bytes: a row for each sender, a column for each receiver, darker to lighter with the logarithm.
#pragma once

#include "engine/trace/analysis/traffic_matrix.h"
#include "ui/core/words_at.h"

#include <QWidget>

#include <optional>

namespace shardlab::ui {

class RunModel;
class Selection;
class ThemeSource;

class MatrixPlot : public QWidget, public WordsAt {
    Q_OBJECT
public:
    MatrixPlot(const RunModel& model, Selection& selection, ThemeSource& theme, QWidget* parent);
    QString wordsAt(const QPoint& at) const override;

    void setMatrix(std::optional<TrafficMatrix> matrix, TrafficMatrix::Part part);
    const std::optional<TrafficMatrix>& matrix() const { return matrix_; }
    /// Where a cell is drawn.
    QRect cellRect(int from, int to) const;
    /// From one rank that has a label to the next, so that labels do not overlap.
    int labelStride() const;
    /// "rank 2 → rank 4: 1.25 MiB a step in 16 sends"
    QString textOf(int from, int to) const;
    /// What the colours stand for at the ends of their scale: the least and the most bytes of a cell that has any, a
    /// step; one where they are alike.
    QStringList scaleEnds() const;
    QSize minimumSizeHint() const override { return {120, 100}; }

protected:
    void paintEvent(QPaintEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    QRect grid() const;
    void paintScale(QPainter& painter, const QColor& low, const QColor& high) const;
    std::pair<int, int> at(QPoint position) const;
    void choose(int from, int to);

    const RunModel& model_;
    Selection& selection_;
    ThemeSource& theme_;
    std::optional<TrafficMatrix> matrix_;
    TrafficMatrix::Part part_ = TrafficMatrix::Part::All;
    std::pair<int, int> chosen_{-1, -1};
};

}  // namespace shardlab::ui
