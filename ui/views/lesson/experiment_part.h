// SPDX-License-Identifier: GPL-3.0-or-later
// An experiment where it stands in the text: what it is, how far it is, and buttons to show, run, stop and design it.
#pragma once

#include "ui/core/throttle.h"
#include "ui/views/lesson/lesson_part.h"

class QPushButton;

namespace shardlab::ui {

class ElidedLabel;
class StripDrawing;
class WorkButton;

class ExperimentPart : public LessonPart {
    Q_OBJECT
public:
    ExperimentPart(const ViewContext& context, std::size_t experiment, QWidget* parent);
    void refresh(const LessonBlock& block) override;
    bool act() override;
    QStringList keys() const override { return {tr("Enter run")}; }

private:
    void refreshState();
    QString stateText() const;

    ViewContext context_;
    std::size_t experiment_;
    QPushButton* name_;  ///< pressed: its run or prediction is in sight
    ElidedLabel* state_;
    StripDrawing* strip_;
    WorkButton* run_;  ///< or Stop
    Throttle progress_;
};

}  // namespace shardlab::ui
