// SPDX-License-Identifier: GPL-3.0-or-later
// Bars of the tokens that chose each expert: a row for each layer that has experts, a line where all would be even. The
// part of a bar above its places was dropped; experts are numbered below the last row. The arrows walk along the bars,
// so does the mouse.
#pragma once

#include "engine/trace/metrics/expert_loads.h"
#include "ui/core/words_at.h"

#include <QWidget>

#include <map>
#include <optional>

class QPainter;

namespace shardlab::ui {

class ThemeSource;

class ExpertsPlot : public QWidget, public WordsAt {
    Q_OBJECT
public:
    ExpertsPlot(ThemeSource& theme, QWidget* parent);
    QString wordsAt(const QPoint& at) const override;
    /// Shows the loads of the experts of each layer, by the number of the layer in the model.
    void setLoads(std::map<int, ExpertLoads::OfLayer> loads);
    std::optional<ExpertOfLayer> marked() const { return marked_; }
    /// "layer 1 · expert 3 · 42 tokens · 1.31 × the average · 5 dropped".
    QString markedText() const;
    /// Where the expert's bar stands; empty where there is none.
    QRect barOf(const ExpertOfLayer& expert) const;
    QSize minimumSizeHint() const override { return {140, 60}; }

Q_SIGNALS:
    void markedChanged();

protected:
    void paintEvent(QPaintEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    QRect rowOf(int layer) const;
    std::optional<ExpertOfLayer> expertAt(const QPoint& at) const;
    QString textOf(const ExpertOfLayer& expert) const;
    void paintNumbers(QPainter& painter) const;
    double largest() const;
    void mark(std::optional<ExpertOfLayer> expert);

    ThemeSource& theme_;
    std::map<int, ExpertLoads::OfLayer> loads_;
    std::optional<ExpertOfLayer> marked_;
};

}  // namespace shardlab::ui
