// SPDX-License-Identifier: GPL-3.0-or-later
// Bytes that cross each axis of the mesh in one step.
#pragma once

#include "ui/core/view.h"

namespace shardlab::ui {

class FactList;

class TrafficView : public View {
    Q_OBJECT
public:
    TrafficView(const ViewContext& context, QWidget* parent);
    QString subtitle() const override { return tr("all ranks"); }
    QString asTable() const override;

private:
    void refresh();
    FactList* facts_;
};

}  // namespace shardlab::ui
