// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/figures/figures_view.h"

#include "ui/core/child.h"
#include "ui/core/run_model.h"
#include "ui/core/selection.h"
#include "ui/core/theme.h"
#include "ui/views/figures/card.h"

#include <QEvent>
#include <QGridLayout>

#include <algorithm>

namespace shardlab::ui {

namespace {
constexpr QSize leastCard(88, 64);
}

FiguresView::FiguresView(const ViewContext& context, QWidget* parent)
    : View(context, parent), grid_(child<QGridLayout>(this)), refresh_(
                                                                  this, [this] { refresh(); }, 100) {
    setAccessibleName(tr("Figures of the step"));
    grid_->setContentsMargins(0, 0, 0, 0);
    grid_->setSpacing(8);
    grid_->setSizeConstraint(QLayout::SetNoConstraint);
    refresh_.follow(context_.model, &RunModel::reset, &RunModel::appended);
    refresh_.follow(context_.selection, &Selection::cursorChanged);
    connect(&context_.theme, &ThemeSource::changed, this, [this] { update(); });
    refresh();
}

void FiguresView::arrange() {
    const int count = static_cast<int>(cards_.size());
    const int fitting = std::max(2, width() / (leastCard.width() + grid_->spacing()));
    int rows = 1;
    while ((count + rows - 1) / rows > fitting) ++rows;
    const int columns = (count + rows - 1) / rows;
    if (columns == columns_ && arranged_ == cards_.size()) return;
    columns_ = columns;
    arranged_ = cards_.size();
    setMinimumHeight(rows * leastCard.height() + (rows - 1) * grid_->spacing());
    for (int i = 0; i < count; ++i) {
        grid_->removeWidget(cards_[static_cast<std::size_t>(i)]);
        grid_->addWidget(cards_[static_cast<std::size_t>(i)], i / columns, i % columns);
    }
}

bool FiguresView::event(QEvent* event) {
    // The grid has given the cards new widths, without one of its own.
    if (event->type() == QEvent::LayoutRequest) alignCards();
    return View::event(event);
}

void FiguresView::resizeEvent(QResizeEvent* event) {
    View::resizeEvent(event);
    arrange();
    alignCards();
}

void FiguresView::refresh() {
    figures_ = cardFigures(context_.model, context_.selection.cursor());
    while (cards_.size() > figures_.size()) {
        delete cards_.back();
        cards_.pop_back();
    }
    while (cards_.size() < figures_.size()) {
        cards_.push_back(child<Card>(context_.theme, this));
        cards_.back()->show();
    }
    arrange();
    for (std::size_t i = 0; i < cards_.size(); ++i) cards_[i]->setFigure(figures_[i]);
    alignCards();
}

void FiguresView::alignCards() {
    // All alike: below in one is below in all.
    const bool beside = std::all_of(cards_.begin(), cards_.end(), [](const Card* card) { return card->fitsBeside(); });
    for (Card* card : cards_) card->setBeside(beside);
}

QString FiguresView::subtitle() const {
    const StepSummary* step = context_.step();
    return step ? tr("step %1").arg(step->step) : QString();
}

QString FiguresView::asTable() const {
    QString table = tr("figure\tvalue\tcompared with\twhat it is\n");
    for (const CardFigure& figure : figures_)
        table += QStringLiteral("%1\t%2\t%3\t%4\n")
                     .arg(figure.title, figure.value, figure.detail,
                          QString(figure.help).replace(QLatin1Char('\n'), QLatin1Char(' ')));
    return table;
}

}  // namespace shardlab::ui
