// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/lesson/lesson_view.h"

#include "engine/launch/lesson/handout.h"
#include "engine/launch/lesson/what_if_picture.h"
#include "ui/core/child.h"
#include "ui/core/elided_combo_box.h"
#include "ui/core/handout_file.h"
#include "ui/core/lesson_session.h"
#include "ui/core/style_sheet.h"
#include "ui/core/text.h"
#include "ui/core/theme.h"
#include "ui/core/unbroken.h"
#include "ui/core/work_button.h"
#include "ui/core/words.h"
#include "ui/views/lesson/lesson_flow.h"
#include "ui/views/lesson/lesson_part.h"
#include "ui/views/lesson/presenter.h"

#include <QComboBox>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QMenu>
#include <QPushButton>
#include <QToolButton>
#include <QVBoxLayout>

#include <set>

namespace shardlab::ui {
LessonView::LessonView(const ViewContext& context, QWidget* parent)
    : View(context, parent), lessons_(child<ElidedComboBox>(this)),
      previous_(child<QPushButton>(QStringLiteral("\u2039"), this)),
      next_(child<QPushButton>(QStringLiteral("\u203a"), this)), runAll_(child<WorkButton>(this)),
      more_(child<QToolButton>(this)), flow_(child<LessonFlow>(context, this)) {
    lessons_->setAccessibleName(tr("Lesson"));
    lessons_->setObjectName(QStringLiteral("lessons"));
    lessons_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    runAll_->setObjectName(QStringLiteral("runAll"));
    for (const auto& [button, what] :
         {std::pair{previous_, tr("Previous lesson")}, std::pair{next_, tr("Next lesson")}}) {
        button->setToolTip(what);
        button->setAccessibleName(what);
    }
    more_->setText(QStringLiteral("⋯"));
    more_->setToolTip(tr("What can be done with the whole lesson"));
    more_->setAccessibleName(tr("More"));
    more_->setObjectName(QStringLiteral("more"));
    more_->setPopupMode(QToolButton::InstantPopup);
    auto* menu = child<QMenu>(more_);
    menu->addAction(tr("Present"), &context.lessons, &LessonSession::requestPresentation);
    menu->addAction(tr("Save as a handout …"), &context.lessons, &LessonSession::requestHandout);
    menu->addAction(tr("Forget my guesses and steps"), &context.lessons, &LessonSession::beginAnew);
    more_->setMenu(menu);
    auto* head = child<QHBoxLayout>();
    head->setContentsMargins(10, 8, 10, 2);
    head->setSpacing(6);
    head->addWidget(lessons_, 1);
    head->addWidget(previous_);
    head->addWidget(next_);
    head->addWidget(runAll_);
    head->addWidget(more_);
    auto* column = child<QVBoxLayout>(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addLayout(head);
    column->addWidget(flow_, 1);

    LessonSession& lessons = context_.lessons;
    connect(lessons_, &QComboBox::activated, &lessons, &LessonSession::choose);
    connect(previous_, &QPushButton::clicked, &lessons, [&lessons] { lessons.choose(lessons.chosen() - 1); });
    connect(next_, &QPushButton::clicked, &lessons, [&lessons] { lessons.choose(lessons.chosen() + 1); });
    connect(runAll_, &QPushButton::clicked, &lessons, [this, &lessons] {
        if (lessons.active()) return lessons.stop();
        if (runAll_->late()) return;
        std::vector<std::size_t> all(lessons.known().size());
        for (std::size_t index = 0; index < all.size(); ++index) all[index] = index;
        lessons.run(std::move(all));
    });
    connect(&lessons, &LessonSession::chosenChanged, this, &LessonView::showLesson);
    connect(&lessons, &LessonSession::changed, this, &LessonView::refresh);
    connect(&lessons, &LessonSession::presentationRequested, this, &LessonView::present);
    connect(&lessons, &LessonSession::handoutRequested, this, &LessonView::askAndSaveHandout);
    connect(&context_.theme, &ThemeSource::changed, this, &LessonView::refresh);
    showLesson();
}

void LessonView::showEvent(QShowEvent* event) {
    View::showEvent(event);
    context_.lessons.load();
}

void LessonView::showLesson() {
    const LessonSession& lessons = context_.lessons;
    if (lessons_->count() != static_cast<int>(lessons.lessons().size())) {
        lessons_->clear();
        int number = 0;
        for (const Lesson& lesson : lessons.lessons())
            lessons_->addItem(QStringLiteral("%1 · %2").arg(++number).arg(text(lesson.title)));
    }
    lessons_->setCurrentIndex(lessons.chosen());
    flow_->rebuild();
    refresh();
}

void LessonView::present() {
    if (!context_.lessons.lesson()) return;
    if (!presenter_) presenter_ = child<Presenter>(context_, this);
    presenter_->begin();
}

void LessonView::askAndSaveHandout() {
    const LessonSession& lessons = context_.lessons;
    if (!lessons.lesson()) return;
    auto* dialog =
        child<QFileDialog>(this, tr("Save a handout of the lesson"), QString(), tr("PDF (*.pdf);;Web pages (*.html)"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setDefaultSuffix(QStringLiteral("pdf"));
    connect(dialog, &QFileDialog::filterSelected, dialog, [dialog](const QString& filter) {
        dialog->setDefaultSuffix(filter.contains(QStringLiteral(".html")) ? QStringLiteral("html")
                                                                          : QStringLiteral("pdf"));
    });
    dialog->selectFile(text(lessons.lesson()->name));
    connect(dialog, &QFileDialog::fileSelected, this, &LessonView::saveHandout);
    dialog->open();
}

void LessonView::saveHandout(const QString& file) {
    LessonSession& lessons = context_.lessons;
    const QString page = unbroken(text(handout(*lessons.lesson(), lessons.known(), lessons.reader())));
    const base::Status written = ui::saveHandout(page, file.toStdString());
    Q_EMIT lessons.handoutWritten(file, written ? nullptr : &written.error());
}

void LessonView::refresh() {
    const LessonSession& lessons = context_.lessons;
    previous_->setEnabled(lessons.chosen() > 0);
    next_->setEnabled(lessons.chosen() + 1 < static_cast<int>(lessons.lessons().size()));
    runAll_->setStops(lessons.active());
    runAll_->setText(lessons.active() ? tr("Stop") : tr("Run all"));
    runAll_->setToolTip(lessons.active()
                            ? tr("End the experiment that runs, %1, after this step").arg(lessons.runningExperiment())
                            : tr("Run the experiments of this lesson one after the other"));
    runAll_->setEnabled(lessons.active() || !lessons.known().empty());
    setRole(*runAll_, lessons.active() ? "primary" : "");
    flow_->refresh();
    Q_EMIT subtitleChanged();
}

QString LessonView::subtitle() const {
    const LessonSession& lessons = context_.lessons;
    if (!lessons.lesson()) return {};
    int measured = 0;
    for (const KnownExperiment& known : lessons.known()) measured += known.measured.has_value();
    return tr("%1 of %2 experiments measured").arg(measured).arg(lessons.known().size());
}

QString LessonView::emptyText() const {
    const auto& problem = context_.lessons.problem();
    return problem ? tr("There are no lessons.\n%1").arg(told(*problem)) : QString();
}

QString LessonView::asTable() const {
    const Lesson* lesson = context_.lessons.lesson();
    if (!lesson) return {};
    QString table = tr("experiment\tfigure\tmeasured\tpredicted\ttheory\n");
    std::set<std::pair<std::size_t, const LessonFigure*>> listed;
    for (const LessonPiece& piece : lesson->pieces) {
        const auto* place = std::get_if<LessonFigurePlace>(&piece);
        if (!place || !listed.emplace(place->experiment, place->figure).second) continue;
        QString line =
            text(lesson->experiments[place->experiment].name) + QLatin1Char('\t') + text(place->figure->name);
        for (const FigureOrigin origin : {FigureOrigin::Measured, FigureOrigin::Predicted, FigureOrigin::Theory})
            line += QLatin1Char('\t') +
                    (place->figure->has(origin)
                         ? told(figureText(*place->figure, origin, context_.lessons.known()[place->experiment]))
                         : QString());
        table += line + QLatin1Char('\n');
    }
    for (std::size_t index = 0; index < lesson->whatIfs.size(); ++index) {
        const WhatIfAnswer* answer = context_.lessons.whatIfs().answer(index);
        if (!answer || !answer->faults.empty()) continue;
        table += QLatin1Char('\n') + told(positionWords(lesson->whatIfs[index], answer->position)) + QLatin1Char('\n');
        for (const std::vector<std::string>& row : whatIfTable(lesson->whatIfs[index], *answer, toldText)) {
            QStringList cells;
            for (const std::string& cell : row) cells << text(cell);
            table += cells.join(QLatin1Char('\t')) + QLatin1Char('\n');
        }
    }
    return table;
}

}  // namespace shardlab::ui
