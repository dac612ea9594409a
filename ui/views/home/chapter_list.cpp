// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/home/chapter_list.h"

#include "ui/core/child.h"
#include "ui/core/home_session.h"
#include "ui/core/taking.h"
#include "ui/core/text.h"
#include "ui/core/ui_thread.h"
#include "ui/views/home/row_delegate.h"

#include "engine/launch/lesson/lesson.h"
#include "ui/core/words.h"

#include <QLabel>
#include <QListWidget>
#include <QPointer>
#include <QThreadPool>
#include <QVBoxLayout>

#include <algorithm>

namespace shardlab::ui {
namespace {

constexpr int lessonRole = Qt::UserRole;

}  // namespace

ChapterList::ChapterList(HomeSession& home, ThemeSource& theme, QWidget* parent)
    : QWidget(parent), home_(home), rows_(child<QListWidget>(this)) {
    auto* title = child<QLabel>(tr("Learn"), this);
    title->setProperty("role", "title");
    title->setBuddy(rows_);
    prepareRows(*rows_, theme, tr("Lessons by chapter"));
    auto* column = child<QVBoxLayout>(this);
    column->setContentsMargins(12, 10, 10, 8);
    column->setSpacing(6);
    column->addWidget(title);
    column->addWidget(rows_, 1);
    const auto take = [this](const QModelIndex& index) {
        if (const QString lesson = lessonOf(index.row()); !lesson.isEmpty()) home_.askForLesson(lesson);
    };
    onTaken(*rows_, take);
    connect(&home_, &HomeSession::progressChanged, this, &ChapterList::fill);
}

void ChapterList::begin() {
    // Each experiment of each lesson is judged as it is read.
    QThreadPool::globalInstance()->start([list = QPointer(this)] {
        Contents contents = read();
        onUserInterface([list, contents = std::move(contents)]() mutable {
            if (!list) return;
            list->contents_ = std::move(contents);
            list->fill();
            QMap<QString, QString> titles;
            for (const Chapter& chapter : list->contents_.chapters)
                for (const Entry& lesson : chapter.lessons) titles.insert(lesson.name, lesson.title);
            list->home_.tellLessons(titles);
        });
    });
}

ChapterList::Contents ChapterList::read() {
    Contents contents;
    const auto lessons = launch::lessons();
    const auto chapters = lessonChapters();
    if (!lessons || !chapters) {
        contents.trouble = told(lessons ? chapters.error() : lessons.error());
        return contents;
    }
    const auto entry = [](const Lesson& lesson) {
        Entry made{text(lesson.name), text(lesson.title), {}};
        for (const LessonExperiment& experiment : lesson.experiments) made.experiments << text(experiment.name);
        return made;
    };
    for (const LessonChapter& chapter : *chapters) {
        contents.chapters.push_back({term(chapter.title), {}});
        for (const std::string& name : chapter.lessons)
            if (const auto found = std::ranges::find(*lessons, name, &Lesson::name); found != lessons->end())
                contents.chapters.back().lessons.push_back(entry(*found));
    }
    return contents;
}

void ChapterList::fill() {
    const QString selected = lessonOf(rows_->currentRow());
    rows_->clear();
    if (!contents_.trouble.isEmpty()) addHeading(*rows_, contents_.trouble);
    for (const Chapter& chapter : contents_.chapters) {
        int whole = 0;
        std::vector<qsizetype> done;
        for (const Entry& lesson : chapter.lessons) {
            const QStringList ran = home_.ran(lesson.name);
            done.push_back(
                std::ranges::count_if(lesson.experiments, [&](const QString& name) { return ran.contains(name); }));
            whole += !lesson.experiments.isEmpty() && done.back() == lesson.experiments.size() ? 1 : 0;
        }
        addHeading(*rows_, chapter.title,
                   tr("%1 of %2 lessons done").arg(whole).arg(static_cast<int>(chapter.lessons.size())));
        for (std::size_t index = 0; index < chapter.lessons.size(); ++index) {
            const Entry& lesson = chapter.lessons[index];
            const auto all = lesson.experiments.size();
            const QString progress = done[index] == 0     ? counted(all, tr("1 experiment"), tr("%1 experiments"))
                                     : done[index] == all ? tr("✓ done")
                                                          : tr("%1 of %2 run").arg(done[index]).arg(all);
            QListWidgetItem* row = addRow(*rows_, lesson.title, progress, {});
            row->setData(lessonRole, lesson.name);
            if (lesson.name == selected) rows_->setCurrentItem(row);
        }
    }
    if (rows_->currentRow() < 0)
        if (QListWidgetItem* first = firstRow(*rows_)) rows_->setCurrentItem(first);
    Q_EMIT changed();
}

QString ChapterList::lessonOf(int row) const {
    const QListWidgetItem* item = rows_->item(row);
    return item ? item->data(lessonRole).toString() : QString();
}

QString ChapterList::asTable() const {
    QString table;
    for (int row = 0; row < rows_->count(); ++row)
        if (!lessonOf(row).isEmpty())
            table += lessonOf(row) + QLatin1Char('\t') + rows_->item(row)->data(Qt::AccessibleTextRole).toString() +
                     QLatin1Char('\n');
    return table;
}

}  // namespace shardlab::ui
