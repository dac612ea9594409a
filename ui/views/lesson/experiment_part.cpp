// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/lesson/experiment_part.h"

#include "engine/base/units.h"
#include "engine/launch/lesson/lesson_text.h"
#include "ui/core/child.h"
#include "ui/core/elided_label.h"
#include "ui/core/lesson_session.h"
#include "ui/core/run_model.h"
#include "ui/core/style_sheet.h"
#include "ui/core/text.h"
#include "ui/core/work_button.h"
#include "ui/core/words.h"
#include "ui/views/lesson/strip_drawing.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

#include <algorithm>

namespace shardlab::ui {
namespace {

constexpr int progressMilliseconds = 100;

QString seconds(double value) { return text(formatSeconds(value)); }

int stepsDone(const RunModel& model) {
    if (model.empty()) return 0;
    const auto& steps = model.steps().all();
    return static_cast<int>(std::ranges::count_if(steps, &StepSummary::complete));
}

QLabel* wrapped(const QString& text, const char* role, QWidget* parent) {
    auto* label = child<QLabel>(text, parent);
    label->setTextFormat(Qt::PlainText);
    label->setWordWrap(true);
    label->setProperty("role", role);
    return label;
}

}  // namespace

ExperimentPart::ExperimentPart(const ViewContext& context, std::size_t experiment, QWidget* parent)
    : LessonPart(parent), context_(context), experiment_(experiment),
      progress_(
          this, [this] { refreshState(); }, progressMilliseconds) {
    const Lesson& lesson = *context_.lessons.lesson();
    const LessonExperiment& shown = lesson.experiments[experiment];
    const QString name = text(shown.name);
    name_ = child<QPushButton>(name, this);
    name_->setCheckable(true);
    name_->setProperty("role", "flat");
    name_->setToolTip(tr("Show this experiment in the views beside the text"));
    name_->setAccessibleName(tr("Show %1").arg(name));
    name_->setObjectName(QStringLiteral("show.") + name);
    state_ = child<ElidedLabel>(this);
    state_->setProperty("role", "small");
    strip_ = child<StripDrawing>(context_.theme, this);
    run_ = child<WorkButton>(this);
    run_->setObjectName(QStringLiteral("run.") + name);
    auto* design = child<QPushButton>(tr("Open in Design"), this);
    design->setObjectName(QStringLiteral("design.") + name);
    design->setAccessibleName(tr("Open %1 in Design").arg(name));
    design->setToolTip(tr("Take the experiment's layout into Design, where you can change it; Ctrl+Z undoes that"));

    auto* head = child<QHBoxLayout>();
    head->setSpacing(6);
    head->addWidget(name_, 0, Qt::AlignTop);
    head->addWidget(wrapped(text(shown.title), "title", this), 1);
    auto* foot = child<QHBoxLayout>();
    foot->setSpacing(6);
    foot->addWidget(state_, 1);
    foot->addWidget(run_);
    foot->addWidget(design);
    QVBoxLayout& column = beginTask(context.theme);
    column.addLayout(head);
    column.addWidget(wrapped(told(differenceWords(lesson, shown)), "small", this));
    column.addWidget(strip_);
    column.addLayout(foot);

    connect(name_, &QPushButton::clicked, this, [this] {
        context_.lessons.show(experiment_);
        refreshState();
    });
    connect(design, &QPushButton::clicked, this, [this] { context_.lessons.openInDesign(experiment_); });
    connect(run_, &QPushButton::clicked, this, &ExperimentPart::act);
    progress_.follow(context_.model, &RunModel::appended);
    refreshState();
}

bool ExperimentPart::act() {
    LessonSession& lessons = context_.lessons;
    if (lessons.active()) lessons.stop();
    else if (!run_->late()) lessons.run({experiment_});
    return true;
}

QString ExperimentPart::stateText() const {
    const LessonSession& lessons = context_.lessons;
    const KnownExperiment& known = lessons.known()[experiment_];
    const int steps = lessons.lesson()->experiments[experiment_].layout.run.steps;
    switch (lessons.state(experiment_)) {
    case LessonSession::State::Fresh:
        if (!known.planned) return tr("cannot be planned");
        return tr("%1 steps, about %2").arg(steps).arg(seconds(steps * known.planned->plan.simulation.stepSeconds));
    case LessonSession::State::Running:
        return stepsDone(context_.model) == 0 ? tr("starting")
                                              : tr("step %1 of %2").arg(stepsDone(context_.model)).arg(steps);
    case LessonSession::State::Ran: return tr("measured, %1 a step").arg(seconds(known.measured->summary.stepSeconds));
    case LessonSession::State::Stopped: return tr("stopped before its end");
    case LessonSession::State::Failed: return tr("failed: %1").arg(lessons.trouble(experiment_));
    }
    return {};
}

void ExperimentPart::refresh(const LessonBlock&) { refreshState(); }

void ExperimentPart::refreshState() {
    const LessonSession& lessons = context_.lessons;
    if (experiment_ >= lessons.known().size()) return;  // another lesson is read, and this part about to go
    const LessonSession::State state = lessons.state(experiment_);
    const bool running = state == LessonSession::State::Running;
    const bool inSight = lessons.shown() == static_cast<int>(experiment_);
    name_->setChecked(inSight);
    name_->setEnabled(!lessons.active() || running);
    state_->setText(stateText());
    state_->setToolTip(state == LessonSession::State::Failed ? stateText() : QString());
    setRole(*state_, state == LessonSession::State::Failed ? "fault" : "small");
    strip_->setStrip(lessons.strip(experiment_), lessons.longestStrip());
    run_->setStops(running);
    run_->setText(running ? tr("Stop") : state == LessonSession::State::Fresh ? tr("Run") : tr("Run again"));
    run_->setAccessibleName(QStringLiteral("%1 %2").arg(run_->text(), name_->text()));
    run_->setEnabled(!lessons.active() || running);
    setRole(*run_, running || (state == LessonSession::State::Fresh && !lessons.active() && inSight) ? "primary" : "");
}

}  // namespace shardlab::ui
