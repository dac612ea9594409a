// SPDX-License-Identifier: GPL-3.0-or-later
// Figures of the step at the cursor, or of the last complete one.
#pragma once

#include "ui/core/throttle.h"
#include "ui/core/view.h"
#include "ui/views/figures/figures.h"

#include <vector>

class QGridLayout;

namespace shardlab::ui {

class Card;

class FiguresView : public View {
    Q_OBJECT
public:
    FiguresView(const ViewContext& context, QWidget* parent);
    QString subtitle() const override;
    QString asTable() const override;
    /// Cards stand empty rather than hidden: they say what will be measured.
    QString emptyText() const override { return {}; }
    void flush() { refresh_.flush(); }
    QSize minimumSizeHint() const override { return {190, minimumHeight()}; }
    QSize sizeHint() const override { return {900, minimumHeight()}; }

protected:
    bool event(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void refresh();
    /// Arranges the cards in as few rows as the width allows.
    void arrange();
    void alignCards();
    std::vector<Card*> cards_;  ///< one for each figure
    std::vector<CardFigure> figures_;
    QGridLayout* grid_;
    int columns_ = 0;
    std::size_t arranged_ = 0;  ///< cards
    Throttle refresh_;
};

}  // namespace shardlab::ui
