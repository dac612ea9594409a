// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/lesson/experiment_rows.h"

#include "engine/base/units.h"
#include "ui/core/child.h"
#include "ui/core/elided_label.h"
#include "ui/core/lesson_session.h"
#include "ui/core/run_model.h"
#include "ui/core/style_sheet.h"

#include <QHBoxLayout>
#include <QPushButton>
#include <QVBoxLayout>

#include <algorithm>

namespace shardlab::ui {
namespace {

QString seconds(double value) { return QString::fromStdString(formatSeconds(value)); }

int stepsDone(const RunModel& model) {
    if (model.empty()) return 0;
    const auto& steps = model.steps().all();
    return static_cast<int>(std::ranges::count_if(steps, &StepSummary::complete));
}

}  // namespace

ExperimentRows::ExperimentRows(const ViewContext& context, QWidget* parent) : QWidget(parent), context_(context) {
    auto* column = child<QVBoxLayout>(this);
    column->setContentsMargins(8, 6, 8, 8);
    column->setSpacing(2);
}

void ExperimentRows::rebuild() {
    for (const Row& row : rows_) row.whole->deleteLater();
    rows_.clear();
    const Lesson* lesson = context_.lessons.lesson();
    for (std::size_t index = 0; lesson && index < lesson->experiments.size(); ++index) rows_.push_back(makeRow(index));
    refresh();
}

ExperimentRows::Row ExperimentRows::makeRow(std::size_t experiment) {
    const LessonExperiment& shown = context_.lessons.lesson()->experiments[experiment];
    const QString name = QString::fromStdString(shown.name);
    auto* whole = child<QWidget>(this);
    auto* line = child<QHBoxLayout>(whole);
    line->setContentsMargins(0, 0, 0, 0);
    line->setSpacing(6);
    Row row{whole, child<QPushButton>(name, whole), child<ElidedLabel>(whole), child<QPushButton>(whole),
            child<QPushButton>(tr("Open in Design"), whole)};
    row.name->setCheckable(true);
    row.name->setProperty("role", QStringLiteral("flat"));
    row.name->setToolTip(shown.title.empty() ? tr("Show this experiment beside the text")
                                             : QString::fromStdString(shown.title));
    row.name->setAccessibleName(tr("Show %1").arg(name));
    row.state->setProperty("role", QStringLiteral("small"));
    row.design->setAccessibleName(tr("Open %1 in Design").arg(name));
    row.design->setToolTip(tr("Take the experiment's layout into Design, where you can change it; Ctrl+Z undoes that"));
    row.run->setObjectName(QStringLiteral("run.") + name);
    row.design->setObjectName(QStringLiteral("design.") + name);
    row.name->setObjectName(QStringLiteral("show.") + name);
    line->addWidget(row.name);
    line->addWidget(row.state, 1);
    line->addWidget(row.run);
    line->addWidget(row.design);
    layout()->addWidget(whole);
    connect(row.name, &QPushButton::clicked, this, [this, experiment] {
        context_.lessons.show(experiment);
        refresh();
    });
    connect(row.design, &QPushButton::clicked, this, [this, experiment] { context_.lessons.openInDesign(experiment); });
    connect(row.run, &QPushButton::clicked, this, [this, experiment] {
        LessonSession& lessons = context_.lessons;
        if (lessons.active()) lessons.stop();
        else lessons.run({experiment});
    });
    return row;
}

QString ExperimentRows::stateText(std::size_t experiment) const {
    const LessonSession& lessons = context_.lessons;
    const KnownExperiment& known = lessons.known()[experiment];
    const int steps = lessons.lesson()->experiments[experiment].layout.run.steps;
    switch (lessons.state(experiment)) {
    case LessonSession::State::Fresh:
        if (!known.planned) return tr("cannot be planned");
        return tr("%1 steps, about %2").arg(steps).arg(seconds(steps * known.planned->plan.simulation.stepSeconds));
    case LessonSession::State::Running:
        return stepsDone(context_.model) == 0 ? tr("starting")
                                              : tr("step %1 of %2").arg(stepsDone(context_.model)).arg(steps);
    case LessonSession::State::Ran: return tr("measured, %1 a step").arg(seconds(known.measured->summary.stepSeconds));
    case LessonSession::State::Stopped: return tr("stopped before its end");
    case LessonSession::State::Failed: return tr("failed: %1").arg(lessons.trouble(experiment));
    }
    return {};
}

void ExperimentRows::refresh() {
    const LessonSession& lessons = context_.lessons;
    for (std::size_t index = 0; index < rows_.size(); ++index) {
        const Row& row = rows_[index];
        const LessonSession::State state = lessons.state(index);
        const bool running = state == LessonSession::State::Running;
        const QString name = row.name->text();
        row.name->setChecked(lessons.shown() == static_cast<int>(index));
        row.name->setEnabled(!lessons.active() || running);
        row.state->setText(stateText(index));
        row.state->setToolTip(state == LessonSession::State::Failed ? stateText(index) : QString());
        setRole(*row.state, state == LessonSession::State::Failed ? "fault" : "small");
        row.run->setText(running ? tr("Stop") : state == LessonSession::State::Fresh ? tr("Run") : tr("Run again"));
        row.run->setAccessibleName(QStringLiteral("%1 %2").arg(row.run->text(), name));
        row.run->setEnabled(!lessons.active() || running);
        setRole(*row.run, running || (state == LessonSession::State::Fresh && !lessons.active() &&
                                      lessons.shown() == static_cast<int>(index))
                              ? "primary"
                              : "");
    }
}

}  // namespace shardlab::ui
