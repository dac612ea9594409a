// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/core/fact_list.h"

#include "ui/core/child.h"
#include "ui/core/style_sheet.h"
#include "ui/core/unbroken.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QResizeEvent>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>
#include <utility>

namespace shardlab::ui {

FactList::FactList(QWidget* parent) : QScrollArea(parent) {
    auto* inside = child<QWidget>();
    column_ = child<QVBoxLayout>(inside);
    column_->setContentsMargins(12, 8, 12, 8);
    column_->setSpacing(6);
    column_->addStretch(1);
    setWidget(inside);
    setWidgetResizable(true);
    setFocusPolicy(Qt::NoFocus);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
}

QSize FactList::minimumSizeHint() const { return {160, 60}; }

QSize FactList::sizeHint() const {
    const int width = std::max(minimumSizeHint().width(), viewport()->width());
    return {width, column_->totalHeightForWidth(width) + 2 * frameWidth()};
}

void FactList::addRow() {
    auto* line = child<QWidget>();
    auto* row = child<QHBoxLayout>(line);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(10);
    auto* label = child<QLabel>(line);
    auto* value = child<QLabel>(line);
    setRole(*label, "dim");
    label->setWordWrap(true);
    value->setAlignment(Qt::AlignRight | Qt::AlignTop);
    value->setTextInteractionFlags(Qt::TextSelectableByMouse);
    row->addWidget(label, 1, Qt::AlignTop);
    row->addWidget(value);
    column_->insertWidget(static_cast<int>(rows_.size()), line);
    rows_.push_back({line, label, value, {}});
}

void FactList::setFacts(const std::vector<Fact>& facts) {
    while (rows_.size() < facts.size()) addRow();
    for (std::size_t index = 0; index < rows_.size(); ++index) {
        Row& row = rows_[index];
        const bool used = index < facts.size();
        row.line->setVisible(used);
        if (!used) continue;
        const Fact& fact = facts[index];
        if (row.label->text() != fact.label) row.label->setText(fact.label);
        row.said = fact.value;
        setRole(*row.value, fact.role);
        row.label->setToolTip(fact.help);
        row.value->setToolTip(fact.help);
        row.value->setAccessibleName(fact.label + QStringLiteral(": ") + fact.value);
    }
    const bool others = std::exchange(shown_, facts.size()) != facts.size();
    fit();
    if (others) updateGeometry();
}

/// Values that do not fit beside their labels take several lines, and so do the labels where that is not enough.
void FactList::fit() {
    const int room = viewport()->width() - 24 - 10;  // margins and spacing
    for (std::size_t index = 0; index < shown_; ++index) {
        const Row& row = rows_[index];
        const auto advance = [](const QLabel& in, const QString& text) {
            return static_cast<int>(std::ceil(QFontMetricsF(in.font()).horizontalAdvance(text)));
        };
        const QString& value = row.said;
        const int label = advance(*row.label, row.label->text());
        const bool wraps = label + advance(*row.value, value) > room;
        int part = 0;
        for (const QString& each : value.split(QStringLiteral(" · ")))
            part = std::max(part, advance(*row.value, each + QStringLiteral(" ·")));
        const bool besideLabel = label <= room * 2 / 5 || label + part <= room;
        part = besideLabel ? room - label : std::min(part, room * 3 / 5);
        const QString shown = wraps ? unbroken(value) : value;  // no unit stands in another line than its number
        if (row.value->text() != shown) row.value->setText(shown);
        row.value->setWordWrap(wraps);
        row.value->setSizePolicy(wraps ? QSizePolicy::Expanding : QSizePolicy::Preferred, QSizePolicy::Preferred);
        row.value->setMinimumWidth(wraps ? std::max(part, 0) : 0);
        row.label->setMinimumWidth(wraps && label + part <= room ? label : 0);
    }
}

void FactList::resizeEvent(QResizeEvent* event) {
    QScrollArea::resizeEvent(event);
    fit();
    if (event->size().width() != event->oldSize().width()) updateGeometry();
}

QString FactList::asTable() const {
    QString table = tr("What\tValue\n");
    for (std::size_t index = 0; index < shown_; ++index)
        table += rows_[index].label->text() + QLatin1Char('\t') + rows_[index].said + QLatin1Char('\n');
    return table;
}

}  // namespace shardlab::ui
