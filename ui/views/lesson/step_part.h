// SPDX-License-Identifier: GPL-3.0-or-later
// What a lesson asks to do in Design; it is ticked once the document shows that it was done.
#pragma once

#include "ui/views/lesson/lesson_part.h"

class QLabel;

namespace shardlab::ui {

class StepPart : public LessonPart {
    Q_OBJECT
public:
    StepPart(const ViewContext& context, std::size_t step, QWidget* parent);
    void refresh(const LessonBlock& block) override;
    bool act() override;
    QStringList keys() const override { return {tr("Enter open in Design")}; }

private:
    void refreshState();

    ViewContext context_;
    std::size_t step_;
    QLabel *mark_, *then_;
};

}  // namespace shardlab::ui
