// SPDX-License-Identifier: GPL-3.0-or-later
// What the predicted step's length is made of: compute and communication on its critical path, and what each rank does
// meanwhile; of the selected action, whether it decides and how late it could be.
#pragma once

#include "ui/core/throttle.h"
#include "ui/core/view.h"

class QPushButton;

namespace shardlab {

class FactList;

class CriticalPathView : public View {
    Q_OBJECT
public:
    CriticalPathView(const ViewContext& context, QWidget* parent);
    QString subtitle() const override;
    /// The ranks' shares, then the chain action by action.
    QString asTable() const override;
    QString emptyText() const override;
    QPushButton& button() const { return *button_; }
    void flush() { refresh_.flush(); }

private:
    void refresh();

    FactList* facts_;
    QPushButton* button_;
    Throttle refresh_;
};

}  // namespace shardlab
