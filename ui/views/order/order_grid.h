// SPDX-License-Identifier: GPL-3.0-or-later
// A schedule as a grid: a row a rank, a cell an action, in the colours of the timeline. An action is dragged, or moved
// with the keyboard, within its rank; whoever listens decides what comes of it.
#pragma once

#include "ui/core/theme.h"
#include "ui/core/words_at.h"
#include "ui/views/order/order_cells.h"
#include "ui/views/order/order_edits.h"

#include <QWidget>

#include <optional>

class QPainter;

namespace shardlab::ui {

class OrderGrid : public QWidget, public WordsAt {
    Q_OBJECT
public:
    OrderGrid(ThemeSource& theme, QWidget* parent);
    QString wordsAt(const QPoint& at) const override;

    void display(Schedule schedule, std::optional<Finding> wrong);
    void setEditable(bool editable);
    const Schedule& schedule() const { return schedule_; }
    OrderPlace current() const { return current_; }
    void setCurrent(OrderPlace place);
    /// Empty where there is none.
    QRect cellRect(OrderPlace place) const;
    QSize sizeHint() const override;

Q_SIGNALS:
    void currentChanged();
    /// While an action is dragged: it would stand at `to`.
    void dragged(shardlab::ui::OrderPlace from, int to);
    void dragCancelled();
    void moved(shardlab::ui::OrderPlace from, int to);
    void typingAsked(shardlab::ui::OrderPlace at);

protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;

private:
    /// The height of a row, in pixels.
    static constexpr int rowHeight = 24;

    struct Drag {
        OrderPlace from;
        QPoint pressed;
        std::vector<OrderCell> row;  ///< as it stood before: what the pointer is measured against
        int to = -1;                 ///< -1: not moved far enough yet
    };
    int rowAt(int y) const;
    QRect rectOf(int rank, const OrderCell& cell) const;
    const OrderCell* cellAt(const QPoint& point) const;
    QString helpOf(int rank, const OrderCell& cell) const;
    bool isWrong(int rank, const OrderCell& cell) const;
    void paintRow(QPainter& painter, int rank, const QRect& exposed) const;
    void paintCell(QPainter& painter, int rank, const OrderCell& cell) const;
    void endDrag();
    void step(int across, int down);
    void measure();

    ThemeSource& theme_;
    Schedule schedule_;
    std::optional<Finding> wrong_;
    OrderCells cells_;
    OrderPlace current_;
    std::optional<Drag> drag_;
    bool editable_ = false;
    int slotWidth_ = 24;
    int headWidth_ = 52;
};

}  // namespace shardlab::ui
