// SPDX-License-Identifier: Apache-2.0
// Chapters: every lesson stands in one of them, once; damaged lists say what is wrong.
#include "engine/launch/lesson/chapters.h"
#include "engine/launch/lesson/lesson.h"
#include "tests/support/places.h"
#include "tests/support/wings.h"

#include <QTest>

#include <set>

using namespace shardlab::test;

class ChaptersTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void everyLessonStandsInOneChapter() {
        const auto chapters = lessonChapters();
        QVERIFY2(chapters.has_value(), chapters ? "" : chapters.error().text().c_str());
        std::set<std::string> listed;
        for (const LessonChapter& chapter : *chapters)
            for (const std::string& lesson : chapter.lessons) listed.insert(lesson);
        std::set<std::string> shipped;
        const auto all = lessons();
        QVERIFY(all.has_value());
        for (const Lesson& lesson : *all) shipped.insert(lesson.name);
        for (const std::string& name : shipped) QVERIFY2(listed.contains(name), name.c_str());
        for (const std::string& name : listed) QVERIFY2(shipped.contains(name), name.c_str());
    }

    /// The desktop's box and the command line once numbered lessons as their files, the home page by chapter.
    void lessonsStandInTheOrderOfTheirChapters() {
        std::vector<std::string> read, chaptered;
        const auto all = lessons();
        const auto chapters = lessonChapters();
        for (const Lesson& lesson : *all) read.push_back(lesson.name);
        for (const LessonChapter& chapter : *chapters)
            chaptered.insert(chaptered.end(), chapter.lessons.begin(), chapter.lessons.end());
        QCOMPARE(read, chaptered);
    }

    void damagedListsSayWhatIsWrong_data() {
        QTest::addColumn<QByteArray>("json");
        QTest::addColumn<QByteArray>("says");
        QTest::newRow("no JSON") << QByteArray("[{") << QByteArray("the text ends before the value does");
        QTest::newRow("no title") << QByteArray(R"([{"lessons": ["a"]}])") << QByteArray("title");
        QTest::newRow("empty title") << QByteArray(R"([{"title": "", "lessons": ["a"]}])") << QByteArray("no title");
        QTest::newRow("no lesson") << QByteArray(R"([{"title": "A", "lessons": []}])") << QByteArray("no lesson");
        QTest::newRow("twice") << QByteArray(R"([{"title": "A", "lessons": ["a"]}, {"title": "B", "lessons": ["a"]}])")
                               << QByteArray("\"a\" stands in two places");
    }
    void damagedListsSayWhatIsWrong() {
        QFETCH(QByteArray, json);
        QFETCH(QByteArray, says);
        const auto chapters = parseChapters(json.toStdString());
        QVERIFY(!chapters);
        QVERIFY2(chapters.error().text().find(says.toStdString()) != std::string::npos,
                 chapters.error().text().c_str());
    }
};

QTEST_GUILESS_MAIN(ChaptersTest)
#include "chapters_test.moc"
