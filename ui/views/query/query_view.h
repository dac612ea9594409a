// SPDX-License-Identifier: GPL-3.0-or-later
// Questions in SQL to the run in sight: its events, steps, ranks and log as tables.
#pragma once

#include "ui/core/view.h"
#include "ui/views/query/query_session.h"

class QLabel;
class QPlainTextEdit;
class QTableView;
class QToolButton;

namespace shardlab::ui {

class QueryModel;
class WorkButton;

class QueryView : public View {
    Q_OBJECT
public:
    QueryView(const ViewContext& context, QWidget* parent);
    QString subtitle() const override;
    QString asTable() const override;
    QString emptyText() const override;
    void ask();
    QPlainTextEdit& editor() { return *editor_; }
    QTableView& table() { return *table_; }
    QLabel& note() { return *note_; }
    QuerySession& session() { return *session_; }
    QToolButton& examples() { return *examples_; }

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void refresh();
    void fillExamples();
    void fillTables();
    /// Selects the rank and the moment that a row tells of.
    void goTo(int row);

    QuerySession* session_;
    QueryModel* answer_;
    QPlainTextEdit* editor_;
    WorkButton* ask_;
    QToolButton* examples_;
    QToolButton* tables_;
    QTableView* table_;
    QLabel* note_;
};

}  // namespace shardlab::ui
