// SPDX-License-Identifier: GPL-3.0-or-later
// Notes of the run: written at the cursor, listed by their moment, shown as flags in the timeline, kept in the run's
// file.
#pragma once

#include "ui/core/view.h"

class QLabel;
class QLineEdit;
class QPushButton;
class QTableWidget;

namespace shardlab::ui {

class RunNotesView : public View {
    Q_OBJECT
public:
    RunNotesView(const ViewContext& context, QWidget* parent);
    QString subtitle() const override;
    QString asTable() const override;

    QLineEdit& field() const { return *field_; }
    QPushButton& addButton() const { return *add_; }
    QPushButton& removeButton() const { return *remove_; }
    QTableWidget& table() const { return *table_; }

private:
    void add();
    void remove();
    void refresh();
    void goTo(int row);
    /// Where a note would stand: at the cursor, else at the selected action, else in the midst of what is in sight.
    std::int64_t moment() const;

    QLineEdit* field_;
    QPushButton* add_;
    QPushButton* remove_;
    QTableWidget* table_;
    QLabel* error_;
    bool filling_ = false;
};

}  // namespace shardlab::ui
