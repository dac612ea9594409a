// SPDX-License-Identifier: GPL-3.0-or-later
// The order that the layout's schedule has, as a grid; edited by hand, read from and written to CSV. Every edit is a
// step of the document, which judges and predicts it like any other.
#pragma once

#include "ui/core/view.h"
#include "ui/views/order/order_edits.h"

#include "engine/layout/schedule/validate.h"

#include <optional>
#include <string>

class QBoxLayout;
class QLineEdit;
class QPushButton;
class QScrollArea;

namespace shardlab::ui {

class ElidedLabel;
class Hint;
class OrderGrid;

class OrderView : public View {
    Q_OBJECT
public:
    OrderView(const ViewContext& context, QWidget* parent);

    QString subtitle() const override;
    QString asTable() const override;
    /// Always empty, since the buttons are needed most where there is no order to show; the grid's place says why.
    QString emptyText() const override { return {}; }
    OrderGrid& grid() { return *grid_; }
    /// What is said below the grid, or in its place.
    QString message() const;
    void openCsv(const QString& file);
    void saveCsv(const QString& file);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    bool byHand() const;
    void refresh();
    /// What is wrong with an order for the document's layout.
    std::optional<Finding> misfit(const Schedule& order) const;
    void showOrder(const Schedule& order, OrderPlace current);
    /// One step of the document.
    void commit(const Schedule& order, const QString& what);
    void move(OrderPlace from, int to);
    void askForText(OrderPlace at);
    void takeText();
    void switchHand();
    void askToOpen();
    void askToSave();
    void say(const QString& text, const char* role);
    void sayState(const Schedule& order, const std::optional<Finding>& wrong);
    void select();
    void followSelection();

    QScrollArea* area_;
    OrderGrid* grid_;
    Hint* missing_;  ///< in the grid's place where no order can be shown
    QPushButton* field_;
    QPushButton* hand_;
    QPushButton* save_;
    ElidedLabel* message_;
    QBoxLayout* foot_;  ///< what is said, and the buttons
    QLineEdit* typing_;
    OrderPlace typedAt_;
    std::string generated_ = "1f1b";  ///< the last kind that was not by hand: what "back" goes to
    bool plain_ = true;               ///< of F, B, I and W alone: it can be edited
};

}  // namespace shardlab::ui
