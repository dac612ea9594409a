// SPDX-License-Identifier: Apache-2.0
// A lesson in another language has the experiments, questions, steps and figures of the English one.
#include "engine/base/file.h"
#include "engine/base/language.h"
#include "engine/launch/lesson/lesson.h"
#include "engine/layout/layout_file.h"
#include "tests/support/places.h"
#include "tests/support/wings.h"

#include <QDir>
#include <QRegularExpression>
#include <QtTest>

using namespace shardlab::test;

namespace {

QString textOf(const StepCondition& condition) {
    if (const auto* field = std::get_if<FieldCondition>(&condition))
        return QString::fromStdString(field->pointer + field->comparison + field->value);
    if (const auto* fault = std::get_if<FaultCondition>(&condition)) return QString::fromStdString(fault->pointer);
    return QString::number(std::get<RanCondition>(condition).experiment);
}

/// What a lesson does, a line a thing, without what it says.
QStringList skeletonOf(const QString& path, const QString& name) {
    const auto text = readFile(path.toStdString(), 1 << 20);
    if (!text) return {QString::fromStdString(text.error().text())};
    const auto lesson = parseLesson(*text, name.toStdString());
    if (!lesson) return {QString::fromStdString(lesson.error().text())};
    QStringList lines;
    for (const LessonExperiment& each : lesson->experiments) {
        Layout layout = each.layout;
        layout.name.clear();  // by default the lesson's title
        lines += QString::fromStdString("experiment " + each.name + " like " + each.like + writeLayout(layout));
    }
    for (const LessonQuestion& each : lesson->questions) {
        lines += QString::fromStdString("question " + each.name + " in " + each.show);
        lines += QStringLiteral("%1 of %2, %3 to %4")
                     .arg(static_cast<int>(each.kind))
                     .arg(each.figure ? QString::fromStdString(std::string(each.figure->name)) : QString())
                     .arg(each.from)
                     .arg(each.to);
        for (const std::size_t experiment : each.experiments) lines += QString::number(experiment);
        for (const QuestionChoice& choice : each.choices) lines += QString::number(choice.upTo);
    }
    for (const LessonStep& each : lesson->steps) {
        const std::string in = each.in ? lesson->experiments[*each.in].name : "";
        lines += QString::fromStdString("step " + each.name + " in " + in);
        for (const StepCondition& condition : each.conditions) lines += textOf(condition);
    }
    for (const LessonWhatIf& each : lesson->whatIfs) {
        Layout layout = each.layout;
        layout.name.clear();
        lines += QString::fromStdString("what-if " + each.name + writeLayout(layout));
        lines += QStringLiteral("drawing %1").arg(static_cast<int>(each.drawing));
        if (each.formula) lines += QString::fromStdString(each.formula->text());
        if (each.figure) lines += QString::fromStdString(std::string(each.figure->name));
        for (const WhatIfSlider& slider : each.sliders) {
            lines += QString::fromStdString(std::string(slider.field->pointer));
            for (const std::string& value : slider.values) lines += QString::fromStdString(value);
        }
    }
    QStringList figures;
    static const QRegularExpression figure(QStringLiteral("\\{\\{[^}]*\\}\\}"));
    const QString whole = QString::fromStdString(*text);
    for (auto each = figure.globalMatch(whole); each.hasNext();) figures += each.next().captured();
    figures.sort();  // languages have their own order of words
    return lines + figures;
}

}  // namespace

class TranslatedLessonsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void lessonsAreAlike_data() {
        QTest::addColumn<QString>("original");
        QTest::addColumn<QString>("translated");
        const QDir lessons(QStringLiteral(SHARDLAB_SOURCE_DIR "/resources/lessons"));
        for (const std::string_view language : languages) {
            const QString folder = QString::fromStdString(std::string(language));
            for (const QString& page : QDir(lessons.filePath(folder)).entryList({"*.md"}, QDir::Files))
                QTest::newRow(qPrintable(folder + '/' + page))
                    << lessons.filePath(page) << lessons.filePath(folder + '/' + page);
        }
    }

    void lessonsAreAlike() {
        QFETCH(const QString, original);
        QFETCH(const QString, translated);
        QCOMPARE(skeletonOf(translated, "one"), skeletonOf(original, "one"));
    }

    /// Four lessons went on to say that each of their experiments lasts equally long, though one factor slows all.
    void noLessonDeniesItsOneFactor() {
        static const QRegularExpression denial(
            QStringLiteral("slowed[^.]*(equally long|factor of (its|their) own)|放慢[^。]*同样长|各自的倍数"));
        const QDir lessons(QStringLiteral(SHARDLAB_SOURCE_DIR "/resources/lessons"));
        QStringList files = lessons.entryList({"*.md"}, QDir::Files);
        for (const std::string_view language : languages) {
            const QString folder = QString::fromStdString(std::string(language));
            for (const QString& page : QDir(lessons.filePath(folder)).entryList({"*.md"}, QDir::Files))
                files << folder + '/' + page;
        }
        QVERIFY(files.size() > 40);
        for (const QString& file : files) {
            const auto text = readFile(lessons.filePath(file).toStdString(), 1 << 20);
            QVERIFY(text.has_value());
            const auto found = denial.match(QString::fromStdString(*text).simplified());
            QVERIFY2(!found.hasMatch(), qPrintable(file + QStringLiteral(": ") + found.captured()));
        }
    }
};

QTEST_GUILESS_MAIN(TranslatedLessonsTest)
#include "translated_lessons_test.moc"
