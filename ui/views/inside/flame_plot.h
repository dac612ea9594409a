// SPDX-License-Identifier: GPL-3.0-or-later
// Spans as bars, one below the other where one lies within the other. A click selects a span, a double click lets it
// fill the width; a click on the topmost goes out again.
#pragma once

#include "ui/core/view.h"
#include "ui/core/words_at.h"
#include "ui/views/inside/flame.h"

#include <QWidget>

namespace shardlab::ui {

class FlamePlot : public QWidget, public WordsAt {
    Q_OBJECT
public:
    FlamePlot(const ViewContext& context, QWidget* parent);
    void setFlame(Flame flame);
    const Flame& flame() const { return flame_; }
    QRect rectOf(const Flame::Bar& bar) const;
    /// nullptr where there is none.
    const Flame::Bar* barAt(const QPoint& at) const;
    QString wordsAt(const QPoint& at) const override;

Q_SIGNALS:
    void picked(const shardlab::trace::Event& event);
    void entered(const shardlab::trace::Event& event);  ///< it is to fill the width
    void left();                                        ///< what is around is to be shown

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    bool event(QEvent* event) override;

private:
    const Event& whole() const { return flame_.bars.front().event; }

    ViewContext context_;
    Flame flame_;
};

}  // namespace shardlab::ui
