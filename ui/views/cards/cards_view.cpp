// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/cards/cards_view.h"

#include "ui/core/child.h"
#include "ui/core/run_model.h"
#include "ui/core/selection.h"
#include "ui/core/theme.h"
#include "ui/views/cards/card.h"

#include <QGridLayout>

#include <algorithm>

namespace shardlab {

namespace {
constexpr QSize leastCard(88, 60);
}

CardsView::CardsView(const ViewContext& context, QWidget* parent)
    : View(context, parent), grid_(child<QGridLayout>(this)), refresh_(this, [this] { refresh(); }, 100) {
    setAccessibleName(tr("Figures of the step"));
    grid_->setContentsMargins(0, 0, 0, 0);
    grid_->setSpacing(8);
    for (Card*& card : cards_) card = child<Card>(context.theme, this);
    grid_->setSizeConstraint(QLayout::SetNoConstraint);
    arrange(static_cast<int>(cardCount));
    const auto request = [this] { refresh_.request(); };
    connect(&context_.model, &RunModel::reset, this, request);
    connect(&context_.model, &RunModel::appended, this, request);
    connect(&context_.selection, &Selection::cursorChanged, this, request);
    connect(&context_.theme, &ThemeSource::changed, this, [this] { update(); });
    refresh();
}

void CardsView::arrange(int columns) {
    if (columns == columns_) return;
    columns_ = columns;
    const int rows = static_cast<int>(cardCount) / columns;
    setMinimumHeight(rows * leastCard.height() + (rows - 1) * grid_->spacing());
    for (std::size_t i = 0; i < cardCount; ++i) {
        grid_->removeWidget(cards_[i]);
        grid_->addWidget(cards_[i], static_cast<int>(i) / columns, static_cast<int>(i) % columns);
    }
}

void CardsView::resizeEvent(QResizeEvent* event) {
    View::resizeEvent(event);
    const int card = leastCard.width() + grid_->spacing();
    arrange(width() >= 6 * card ? 6 : width() >= 3 * card ? 3 : 2);
    alignCards();
}

void CardsView::refresh() {
    figures_ = cardFigures(context_.model, context_.selection.cursor());
    for (std::size_t i = 0; i < cardCount; ++i) cards_[i]->setFigure(figures_[i]);
    alignCards();
}

void CardsView::alignCards() {
    // All alike: below in one is below in all.
    const bool beside = std::all_of(cards_.begin(), cards_.end(), [](const Card* card) { return card->fitsBeside(); });
    for (Card* card : cards_) card->setBeside(beside);
}

QString CardsView::subtitle() const {
    const int index = context_.model.stepIndexAt(context_.selection.cursor());
    return index < 0 ? QString() : tr("step %1").arg(context_.model.stepExtents()[static_cast<std::size_t>(index)].step);
}

QString CardsView::asTable() const {
    QString table = tr("figure\tvalue\tcompared with\n");
    for (const CardFigure& figure : figures_) table += QStringLiteral("%1\t%2\t%3\n").arg(figure.title, figure.value, figure.detail);
    return table;
}

}  // namespace shardlab
