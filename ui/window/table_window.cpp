// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/table_window.h"

#include "ui/core/child.h"

#include <QApplication>
#include <QClipboard>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLineEdit>
#include <QPushButton>
#include <QTableWidget>
#include <QVBoxLayout>

namespace shardlab::ui {
namespace {
constexpr QSize firstTableSize(860, 520);
}

TableWindow::TableWindow(const QString& title, const QString& text, QWidget* parent)
    : QDialog(parent), table_(child<QTableWidget>(this)), filter_(child<QLineEdit>(this)) {
    setAttribute(Qt::WA_DeleteOnClose);
    setWindowTitle(tr("%1 as a table").arg(title));
    setAccessibleName(windowTitle());
    filter_->setPlaceholderText(tr("filter"));
    filter_->setAccessibleName(tr("Show only rows with this text"));
    filter_->setToolTip(tr("Show only rows with this text"));
    filter_->setClearButtonEnabled(true);
    auto* copy = child<QPushButton>(tr("Copy all"), this);
    copy->setToolTip(tr("Copy the whole table, with tabs between the cells"));
    copy->setAutoDefault(false);
    table_->setAccessibleName(windowTitle());
    table_->setEditTriggers(QAbstractItemView::NoEditTriggers);
    table_->setFrameShape(QFrame::NoFrame);
    table_->setWordWrap(false);
    table_->verticalHeader()->hide();
    table_->verticalHeader()->setDefaultSectionSize(22);

    QStringList lines = text.split(QLatin1Char('\n'));
    while (!lines.isEmpty() && lines.back().isEmpty()) lines.removeLast();
    qsizetype widest = 0;
    for (const QString& line : lines) widest = std::max(widest, line.count(QLatin1Char('\t')) + 1);
    const QStringList heading = lines.isEmpty() ? QStringList() : lines.takeFirst().split(QLatin1Char('\t'));
    table_->setColumnCount(static_cast<int>(widest));
    table_->setHorizontalHeaderLabels(heading);
    table_->setRowCount(static_cast<int>(lines.size()));
    for (int row = 0; row < table_->rowCount(); ++row) {
        const QStringList cells = lines[row].split(QLatin1Char('\t'));
        for (int column = 0; column < static_cast<int>(cells.size()); ++column) {
            auto* item = child<QTableWidgetItem>(cells[column]);
            bool number = false;
            static_cast<void>(cells[column].toDouble(&number));
            if (number) item->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
            table_->setItem(row, column, item);
        }
    }
    table_->resizeColumnsToContents();

    auto* bar = child<QHBoxLayout>();
    bar->addWidget(filter_, 1);
    bar->addWidget(copy);
    auto* column = child<QVBoxLayout>(this);
    column->addLayout(bar);
    column->addWidget(table_, 1);
    resize(firstTableSize);
    table_->setFocus();
    connect(filter_, &QLineEdit::textChanged, this, &TableWindow::filter);
    connect(copy, &QPushButton::clicked, this, [text] { QApplication::clipboard()->setText(text); });
}

void TableWindow::filter(const QString& text) {
    for (int row = 0; row < table_->rowCount(); ++row) {
        bool fits = text.isEmpty();
        for (int column = 0; column < table_->columnCount() && !fits; ++column)
            if (const QTableWidgetItem* item = table_->item(row, column))
                fits = item->text().contains(text, Qt::CaseInsensitive);
        table_->setRowHidden(row, !fits);
    }
}

}  // namespace shardlab::ui
