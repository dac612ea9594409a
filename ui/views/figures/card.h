// SPDX-License-Identifier: GPL-3.0-or-later
// One figure in its frame: title, value, and beside it (below where there is no room) what it is compared with.
#pragma once

#include "ui/views/figures/figures.h"

#include <QWidget>

namespace shardlab::ui {

class ThemeSource;

class Card : public QWidget {
public:
    Card(ThemeSource& theme, QWidget* parent);
    void setFigure(const CardFigure& figure);
    /// Whether value and comparison have room side by side.
    bool fitsBeside() const;
    void setBeside(bool beside);
    bool beside() const { return beside_; }
    /// The value, smaller where there is little room, and cut only where that is not enough.
    QString shownValue() const;
    /// The comparison, as far as there is room for it below the value.
    QString shownDetail() const;
    QSize sizeHint() const override { return {150, 68}; }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    bool narrow() const { return width() < 120; }
    QRect inner() const { return narrow() ? rect().adjusted(8, 7, -6, -7) : rect().adjusted(12, 7, -8, -7); }
    QFont valueFont() const;
    QFont detailFont() const;
    ThemeSource& theme_;
    CardFigure figure_;
    bool beside_ = true;
};

}  // namespace shardlab::ui
