// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/lesson/step_part.h"

#include "ui/core/child.h"
#include "ui/core/lesson_session.h"
#include "ui/core/style_sheet.h"
#include "ui/core/text.h"
#include "ui/views/lesson/show_links.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

namespace shardlab::ui {

StepPart::StepPart(const ViewContext& context, std::size_t step, QWidget* parent)
    : LessonPart(parent), context_(context), step_(step), mark_(child<QLabel>(this)), then_(child<QLabel>(this)) {
    const Lesson& lesson = *context_.lessons.lesson();
    const LessonStep& shown = lesson.steps[step];
    mark_->setObjectName(QStringLiteral("mark.") + text(shown.name));
    auto* what = child<QLabel>(text(shown.text), this);
    prepareMarkdown(*what, context_.lessons);
    prepareMarkdown(*then_, context_.lessons);
    showMarkdown(*then_, text(shown.then));
    auto* head = child<QHBoxLayout>();
    head->setSpacing(8);
    head->addWidget(mark_, 0, Qt::AlignTop);
    auto* words = child<QVBoxLayout>();
    words->setSpacing(6);
    words->addWidget(what);
    words->addWidget(then_);
    if (shown.in) {
        const QString name = text(lesson.experiments[*shown.in].name);
        auto* open = child<QPushButton>(tr("Open %1 in Design").arg(name), this);
        open->setObjectName(QStringLiteral("open.") + text(shown.name));
        connect(open, &QPushButton::clicked, this, &StepPart::act);
        words->addWidget(open, 0, Qt::AlignLeft);
    }
    head->addLayout(words, 1);
    beginTask(context.theme).addLayout(head);
    refreshState();
}

bool StepPart::act() {
    const LessonStep& step = context_.lessons.lesson()->steps[step_];
    if (!step.in) return false;
    context_.lessons.openInDesign(*step.in);
    // What is to be changed, once its form is in sight.
    if (const auto targets = showLinks(step.text); !targets.empty())
        context_.lessons.requestShow(text(targets.front()));
    return true;
}

void StepPart::refresh(const LessonBlock&) { refreshState(); }

void StepPart::refreshState() {
    const LessonSession& lessons = context_.lessons;
    const LessonStep& step = lessons.lesson()->steps[step_];
    const bool done = lessons.reader().done.contains(step.name);
    mark_->setText(done ? QStringLiteral("✓") : QStringLiteral("○"));
    mark_->setAccessibleName(done ? tr("Done") : tr("Still to do"));
    setRole(*mark_, done ? "good" : "dim");
    then_->setVisible(done && !step.then.empty());
}

}  // namespace shardlab::ui
