// SPDX-License-Identifier: GPL-3.0-or-later
// Rows of several lines: a title, what stands at its right, and small lines below; and headings between them.
#pragma once

#include <QStringList>
#include <QStyledItemDelegate>

class QListWidget;
class QListWidgetItem;

namespace shardlab::ui {

class ThemeSource;

class RowDelegate : public QStyledItemDelegate {
public:
    RowDelegate(ThemeSource& theme, QObject* parent) : QStyledItemDelegate(parent), theme_(theme) {}
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;

private:
    ThemeSource& theme_;
};

/// A heading, which the keyboard passes over.
QListWidgetItem* addHeading(QListWidget& list, const QString& title, const QString& right = {});
/// A row, which screen readers read whole.
QListWidgetItem* addRow(QListWidget& list, const QString& title, const QString& right, const QStringList& lines);
/// Makes a list of these rows: no frame, one row at a time, the whole width.
void prepareRows(QListWidget& list, ThemeSource& theme, const QString& accessibleName);
/// The first row that is no heading; nullptr: there is none.
QListWidgetItem* firstRow(const QListWidget& list);

}  // namespace shardlab::ui
