// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/lesson/lesson_view.h"

#include "engine/launch/lesson/lesson_text.h"
#include "ui/core/child.h"
#include "ui/core/field_words.h"
#include "ui/core/lesson_session.h"
#include "ui/core/markdown_page.h"
#include "ui/core/run_model.h"
#include "ui/core/style_sheet.h"
#include "ui/core/text.h"
#include "ui/core/theme.h"
#include "ui/views/lesson/experiment_rows.h"
#include "ui/core/words.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QPushButton>
#include <QScrollBar>
#include <QSignalBlocker>
#include <QVBoxLayout>

#include <algorithm>
#include <array>
#include <set>

namespace shardlab::ui {
namespace {

constexpr int progressMilliseconds = 100;

/// "gpt of 8 layers, 64 wide; 4 ranks; 4 microbatches of 2 samples": what others of its lesson differ from.
QString sizes(const Layout& layout) {
    return tr("%1 of %2, %3 wide; %4; %5 of %6")
        .arg(text(wordOf(layout.model.kind)), counted(layout.model.layers, tr("1 layer"), tr("%1 layers")))
        .arg(layout.model.hidden)
        .arg(counted(rankCount(layout), tr("1 rank"), tr("%1 ranks")),
             counted(microbatches(layout), tr("1 microbatch"), tr("%1 microbatches")),
             counted(layout.batch.micro, tr("1 sample"), tr("%1 samples")));
}

/// What the experiment has else than the one that it is like, in the words of the form.
QString difference(const Lesson& lesson, const LessonExperiment& experiment) {
    const auto other = std::ranges::find(lesson.experiments, experiment.like, &LessonExperiment::name);
    std::vector<FieldChange> changes = changesBetween(other->layout, experiment.layout);
    // Names follow the experiments, hosts give as many devices as there are ranks, and one pace is all experiments'.
    constexpr std::array following{"/name", "/cluster/hosts", "/cluster/pace", "/cluster/pace/step_seconds"};
    std::erase_if(changes, [&](const FieldChange& change) {
        return std::ranges::find(following, change.pointer) != following.end();
    });
    return changes.empty() ? LessonView::tr("run again") : changesText(changes);
}

}  // namespace

LessonView::LessonView(const ViewContext& context, QWidget* parent)
    : View(context, parent), lessons_(child<QComboBox>(this)), previous_(child<QPushButton>(QStringLiteral("‹"), this)),
      next_(child<QPushButton>(QStringLiteral("›"), this)), runAll_(child<QPushButton>(this)),
      page_(child<MarkdownPage>(this)), rows_(child<ExperimentRows>(context, this)),
      progress_(
          this, [this] { rows_->refresh(); }, progressMilliseconds) {
    lessons_->setAccessibleName(tr("Lesson"));
    lessons_->setObjectName(QStringLiteral("lessons"));
    lessons_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    page_->setAccessibleName(tr("Text of the lesson"));
    runAll_->setObjectName(QStringLiteral("runAll"));
    for (const auto& [button, what] :
         {std::pair{previous_, tr("Previous lesson")}, std::pair{next_, tr("Next lesson")}}) {
        button->setToolTip(what);
        button->setAccessibleName(what);
    }
    auto* head = child<QHBoxLayout>();
    head->setContentsMargins(10, 8, 10, 2);
    head->setSpacing(6);
    head->addWidget(lessons_, 1);
    head->addWidget(previous_);
    head->addWidget(next_);
    head->addWidget(runAll_);
    auto* column = child<QVBoxLayout>(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addLayout(head);
    column->addWidget(page_, 1);
    column->addWidget(rows_);

    LessonSession& lessons = context_.lessons;
    connect(lessons_, &QComboBox::activated, &lessons, &LessonSession::choose);
    connect(previous_, &QPushButton::clicked, &lessons, [&lessons] { lessons.choose(lessons.chosen() - 1); });
    connect(next_, &QPushButton::clicked, &lessons, [&lessons] { lessons.choose(lessons.chosen() + 1); });
    connect(runAll_, &QPushButton::clicked, &lessons, [&lessons] {
        if (lessons.active()) return lessons.stop();
        std::vector<std::size_t> all(lessons.known().size());
        for (std::size_t index = 0; index < all.size(); ++index) all[index] = index;
        lessons.run(std::move(all));
    });
    connect(page_, &MarkdownPage::numberFollowed, this, &LessonView::runFollowed);
    connect(&lessons, &LessonSession::chosenChanged, this, &LessonView::showLesson);
    connect(&lessons, &LessonSession::changed, this, &LessonView::refresh);
    progress_.follow(context_.model, &RunModel::appended);
    connect(&context_.theme, &ThemeSource::changed, this, [this] {
        shownText_.clear();
        refresh();
    });
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
    rows_->rebuild();
    refresh();
    page_->verticalScrollBar()->setValue(0);
}

void LessonView::refresh() {
    const LessonSession& lessons = context_.lessons;
    previous_->setEnabled(lessons.chosen() > 0);
    next_->setEnabled(lessons.chosen() + 1 < static_cast<int>(lessons.lessons().size()));
    runAll_->setText(lessons.active() ? tr("Stop") : tr("Run all"));
    runAll_->setToolTip(lessons.active()
                            ? tr("End the experiment that runs, %1, after this step").arg(lessons.runningExperiment())
                            : tr("Run the experiments of this lesson one after the other"));
    runAll_->setEnabled(lessons.active() || !lessons.known().empty());
    setRole(*runAll_, lessons.active() ? "primary" : "");
    rows_->refresh();
    if (const QString text = markdown(); text != shownText_) {
        shownText_ = text;
        page_->setText(text, context_.theme.theme());
    }
    Q_EMIT subtitleChanged();
}

QString LessonView::markdown() const {
    const LessonSession& lessons = context_.lessons;
    const Lesson* lesson = lessons.lesson();
    if (!lesson) return {};
    return text(lessonText(*lesson, lessons.known(), [&](std::size_t index) {
        const LessonExperiment& experiment = lesson->experiments[index];
        const QString what = experiment.like.empty()
                                 ? sizes(experiment.layout)
                                 : tr("like %1, but %2").arg(text(experiment.like), difference(*lesson, experiment));
        return QStringLiteral("> **%1** %2 · [%3](#%4)  \n> %5\n")
            .arg(text(experiment.name), text(experiment.title), tr("run it"))
            .arg(index)
            .arg(what)
            .toStdString();
    }));
}

void LessonView::runFollowed(int experiment) {
    if (experiment >= 0 && experiment < static_cast<int>(context_.lessons.known().size()))
        context_.lessons.run({static_cast<std::size_t>(experiment)});
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
    return problem ? tr("There are no lessons.\n%1").arg(text(problem->text())) : QString();
}

QString LessonView::asTable() const {
    const Lesson* lesson = context_.lessons.lesson();
    if (!lesson) return {};
    QString table = tr("experiment\tfigure\tmeasured\tpredicted\ttheory\n");
    std::set<std::pair<std::size_t, const LessonFigure*>> told;
    for (const LessonPiece& piece : lesson->pieces) {
        const auto* place = std::get_if<LessonFigurePlace>(&piece);
        if (!place || !told.emplace(place->experiment, place->figure).second) continue;
        QString line =
            text(lesson->experiments[place->experiment].name) + QLatin1Char('\t') + text(place->figure->name);
        for (const FigureOrigin origin : {FigureOrigin::Measured, FigureOrigin::Predicted, FigureOrigin::Theory})
            line += QLatin1Char('\t') +
                    (place->figure->has(origin)
                         ? text(figureText(*place->figure, origin, context_.lessons.known()[place->experiment]))
                         : QString());
        table += line + QLatin1Char('\n');
    }
    return table;
}

}  // namespace shardlab::ui
