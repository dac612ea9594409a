// SPDX-License-Identifier: GPL-3.0-or-later
// What the layout will do: does it fit, how fast, how much of the time is lost.
#pragma once

#include "ui/core/view.h"

namespace shardlab::ui {

class FactList;

class AnswerView : public View {
    Q_OBJECT
public:
    AnswerView(const ViewContext& context, QWidget* parent);
    QString subtitle() const override;
    QString subtitleHelp() const override;
    QString asTable() const override;

private:
    void refresh();
    FactList* facts_;
};

}  // namespace shardlab::ui
