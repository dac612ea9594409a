// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/core/lesson_progress.h"

#include "ui/core/text.h"

#include <algorithm>

namespace shardlab::ui {
namespace {

constexpr auto guessesKey = "lessons/guesses";
constexpr auto passedKey = "lessons/passed";
constexpr auto doneKey = "lessons/done";

void remove(QStringList& entries, const QString& name) {
    const QString begin = name + QLatin1Char('=');
    entries.removeIf([&](const QString& entry) { return entry == name || entry.startsWith(begin); });
}

}  // namespace

LessonProgress::LessonProgress()
    : guesses_(readLists(guessesKey)), passed_(readLists(passedKey)), done_(readLists(doneKey)) {}

LessonReader LessonProgress::of(const Lesson& lesson) const {
    LessonReader reader;
    const QString name = text(lesson.name);
    for (const QString& entry : guesses_.value(name)) {
        const std::string question = entry.section(QLatin1Char('='), 0, 0).toStdString();
        const auto found = std::ranges::find(lesson.questions, question, &LessonQuestion::name);
        bool isNumber = false;
        const double guess = entry.section(QLatin1Char('='), 1).toDouble(&isNumber);
        if (found != lesson.questions.end() && isNumber && isGuess(*found, guess)) reader.guesses[question] = guess;
    }
    for (const QString& question : passed_.value(name)) reader.passed.insert(question.toStdString());
    for (const QString& step : done_.value(name)) reader.done.insert(step.toStdString());
    return reader;
}

void LessonProgress::guess(const Lesson& lesson, const LessonQuestion& question, double guess) {
    const QString name = text(question.name);
    remove(passed_[text(lesson.name)], name);
    QStringList& guesses = guesses_[text(lesson.name)];
    remove(guesses, name);
    guesses.append(QStringLiteral("%1=%2").arg(name).arg(guess, 0, 'g', 17));
    store();
}

void LessonProgress::passOver(const Lesson& lesson, const LessonQuestion& question) {
    QStringList& passed = passed_[text(lesson.name)];
    if (!passed.contains(text(question.name))) passed.append(text(question.name));
    store();
}

void LessonProgress::setDone(const Lesson& lesson, const LessonStep& step) {
    QStringList& done = done_[text(lesson.name)];
    if (!done.contains(text(step.name))) done.append(text(step.name));
    store();
}

void LessonProgress::forget(const Lesson& lesson) {
    for (StoredLists* lists : {&guesses_, &passed_, &done_}) lists->remove(text(lesson.name));
    store();
}

void LessonProgress::store() const {
    writeLists(guessesKey, guesses_);
    writeLists(passedKey, passed_);
    writeLists(doneKey, done_);
}

}  // namespace shardlab::ui
