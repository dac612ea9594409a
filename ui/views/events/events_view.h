// SPDX-License-Identifier: GPL-3.0-or-later
// What happened, newest first; a click goes to its moment.
#pragma once

#include "ui/core/throttle.h"
#include "ui/core/view.h"

class QLabel;
class QLineEdit;
class QModelIndex;
class QPushButton;
class QTableView;

namespace shardlab::ui {

class HappeningsFilter;
class HappeningsModel;

class EventsView : public View {
    Q_OBJECT
public:
    EventsView(const ViewContext& context, QWidget* parent);
    QString subtitle() const override;
    QString asTable() const override;
    void flush() { refresh_.flush(); }
    QTableView& table() { return *table_; }
    QLineEdit& filterField() { return *filter_; }
    QPushButton& problemsButton() { return *problems_; }

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void refresh();
    void goTo(const QModelIndex& index);

    HappeningsModel* happenings_;
    HappeningsFilter* shown_;
    QTableView* table_;
    QLineEdit* filter_;
    QPushButton* problems_;
    QLabel* detail_;  ///< the whole text of the event looked at, where the table has no room for it
    Throttle refresh_;
};

}  // namespace shardlab::ui
