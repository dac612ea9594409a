// SPDX-License-Identifier: GPL-3.0-or-later
// A small view, for tests only: ui/README.md says how it is added.
#pragma once

#include "ui/core/child.h"
#include "ui/core/run_model.h"
#include "ui/core/text.h"
#include "ui/core/throttle.h"
#include "ui/core/view.h"

#include <QLabel>
#include <QVBoxLayout>

#include <algorithm>

namespace shardlab::ui {

class CompletedStepsView : public View {
public:
    CompletedStepsView(const ViewContext& context, QWidget* parent)
        : View(context, parent), label_(child<QLabel>(this)), refresh_(this, [this] { refresh(); }) {
        child<QVBoxLayout>(this)->addWidget(label_);
        refresh_.follow(context.model, &RunModel::reset, &RunModel::appended);
        refresh();
    }
    QString asTable() const override { return label_->text(); }

private:
    void refresh() {
        const auto& steps = context_.model.steps().all();
        label_->setText(counted(std::ranges::count(steps, true, &StepSummary::complete), QStringLiteral("1 step"),
                                QStringLiteral("%1 steps")));
    }

    QLabel* label_;
    Throttle refresh_;
};

}  // namespace shardlab::ui
