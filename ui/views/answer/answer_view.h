// SPDX-License-Identifier: GPL-3.0-or-later
// What the layout will do: does it fit, how fast, how much of the time is lost.
#pragma once

#include "ui/core/published_grounds.h"
#include "ui/core/view.h"

#include "engine/predict/plan/whole_run.h"

class QToolButton;

namespace shardlab::ui {

class FactList;
class WholeRunForm;

class AnswerView : public View {
    Q_OBJECT
public:
    AnswerView(const ViewContext& context, QWidget* parent);
    QString subtitle() const override;
    QString subtitleHelp() const override;
    QString asTable() const override;
    WholeRunForm& wholeRunForm() const { return *form_; }

private:
    void refresh();

    PublishedGrounds grounds_;
    FactList* facts_;
    QToolButton* wholeRun_;
    WholeRunForm* form_;
};

}  // namespace shardlab::ui
