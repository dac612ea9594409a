// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/core/fact_list.h"

#include "ui/core/child.h"
#include "ui/core/style_sheet.h"

#include <QGridLayout>
#include <QLabel>
#include <QVBoxLayout>

namespace shardlab {

FactList::FactList(QWidget* parent) : QWidget(parent), grid_(child<QGridLayout>()) {
    auto* outer = child<QVBoxLayout>(this);
    outer->setContentsMargins(12, 8, 12, 8);
    outer->addLayout(grid_);
    outer->addStretch(1);
    grid_->setHorizontalSpacing(10);
    grid_->setVerticalSpacing(7);
    grid_->setColumnStretch(1, 1);
}

void FactList::setFacts(const std::vector<Fact>& facts) {
    while (rows_.size() < facts.size()) {
        const int row = static_cast<int>(rows_.size());
        auto* label = child<QLabel>();
        auto* value = child<QLabel>();
        setRole(*label, "dim");
        value->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
        value->setTextInteractionFlags(Qt::TextSelectableByMouse);
        value->setWordWrap(true);
        grid_->addWidget(label, row, 0, Qt::AlignTop);
        grid_->addWidget(value, row, 1);
        rows_.push_back({label, value});
    }
    for (std::size_t index = 0; index < rows_.size(); ++index) {
        const Row& row = rows_[index];
        const bool used = index < facts.size();
        row.label->setVisible(used);
        row.value->setVisible(used);
        if (!used) continue;
        const Fact& fact = facts[index];
        if (row.label->text() != fact.label) row.label->setText(fact.label);
        if (row.value->text() != fact.value) row.value->setText(fact.value);
        setRole(*row.value, fact.role);
        row.label->setToolTip(fact.help);
        row.value->setToolTip(fact.help);
        row.value->setAccessibleName(fact.label + QStringLiteral(": ") + fact.value);
    }
    shown_ = facts.size();
}

QString FactList::asTable() const {
    QString table = tr("What\tValue\n");
    for (std::size_t index = 0; index < shown_; ++index)
        table += rows_[index].label->text() + QLatin1Char('\t') + rows_[index].value->text() + QLatin1Char('\n');
    return table;
}

}  // namespace shardlab
