// SPDX-License-Identifier: GPL-3.0-or-later
// What a view draws, as a table in a window of its own: for keyboards, screen readers and copying.
#pragma once

#include <QDialog>

class QLineEdit;
class QTableWidget;

namespace shardlab::ui {

class TableWindow : public QDialog {
    Q_OBJECT
public:
    /// `text`: tab-separated, the first line the heading. Lines of another number of cells keep what they have.
    TableWindow(const QString& title, const QString& text, QWidget* parent);

    QTableWidget& table() const { return *table_; }
    QLineEdit& filterField() const { return *filter_; }

private:
    void filter(const QString& text);
    QTableWidget* table_;
    QLineEdit* filter_;
};

}  // namespace shardlab::ui
