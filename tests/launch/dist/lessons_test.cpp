// SPDX-License-Identifier: Apache-2.0
// Every lesson that comes with Shardlab, run for real: each figure it names is measured.
#include "engine/launch/job/job.h"
#include "engine/launch/lesson/lesson.h"
#include "tests/support/command.h"
#include "tests/support/places.h"
#include "tests/support/wings.h"

#include <QDir>
#include <QTemporaryDir>
#include <QTest>

using namespace shardlab;
using namespace shardlab::test;

namespace {

/// Seconds that a paced step may take here: lessons give readers time to look.
constexpr double longestStep = 0.1;

/// Runs the experiment to its end. Error: it failed.
Result<MeasuredRun> runExperiment(const LessonExperiment& experiment, const QString& file) {
    JobOptions options{.layout = experiment.layout, .runFile = file.toStdString()};
    options.rankProgram = SHARDLAB_BIN_DIR "/shardlab-rank";
    if (auto& pace = options.layout.cluster.pace) pace->stepSeconds = std::min(pace->stepSeconds, longestStep);
    RunObserver nobody;
    const auto job = Job::start(options, nobody);
    if (!job) return fail(job.error());
    (*job)->wait();
    auto measured = measureRun(options.runFile);
    if (measured && measured->summary.end.outcome != "finished")
        return fail({"the experiment did not finish", experiment.name, measured->summary.end.reason, {}});
    return measured;
}

}  // namespace

class LessonsTest : public QObject {
    Q_OBJECT
private:
    QTemporaryDir folder_;

private Q_SLOTS:
    void everyFigureIsMeasured_data() {
        QTest::addColumn<QString>("name");
        const auto all = lessons();
        QVERIFY2(all, all ? "" : all.error().text().c_str());
        for (const Lesson& lesson : *all) QTest::newRow(lesson.name.c_str()) << QString::fromStdString(lesson.name);
    }

    void everyFigureIsMeasured() {
        QFETCH(QString, name);
        const auto lesson = findLesson(name.toStdString());
        std::vector<KnownExperiment> known;
        for (const LessonExperiment& experiment : lesson->experiments) {
            auto planned = planRun(experiment.layout, {});
            QVERIFY(planned);
            auto measured = runExperiment(
                experiment, folder_.filePath(name + "-" + QString::fromStdString(experiment.name) + ".shardlab"));
            QVERIFY2(measured, measured ? "" : measured.error().text().c_str());
            known.push_back({std::move(*planned), std::move(*measured)});
        }
        for (const LessonPiece& piece : lesson->pieces) {
            const auto* place = std::get_if<LessonFigurePlace>(&piece);
            if (!place) continue;
            const std::string figure = figureText(*place->figure, place->origin, known[place->experiment]);
            const std::string what =
                lesson->experiments[place->experiment].name + "." + std::string(place->figure->name) + ": " + figure;
            QVERIFY2(!figure.starts_with("–"), what.c_str());
        }
    }

    void theCommandLineListsThem() {
        const test::Answer answer = test::run({"learn"});
        QCOMPARE(answer.status, 0);
        const auto all = lessons();
        for (const Lesson& lesson : *all) QVERIFY2(answer.out.contains(lesson.title.c_str()), answer.out.constData());
    }

    void theCommandLineRunsOneExperiment() {
        const test::Answer before = test::run({"learn", "bubble"});
        QCOMPARE(before.status, 0);
        const auto waiting = before.out.count("– (run it)");
        QVERIFY2(waiting >= 3, before.out.constData());
        const QString kept = folder_.filePath("kept");
        const test::Answer after = test::run({"learn", "bubble", "--run", "gpipe", "--output", kept});
        QVERIFY2(after.status == 0, after.error.constData());
        QVERIFY2(after.out.count("– (run it)") < waiting && after.out.count("– (run it)") > 0, after.out.constData());
        QCOMPARE(QDir(kept).entryList(QDir::Files), QStringList{"bubble-gpipe.shardlab"});
        const test::Answer info = test::run({"info", kept + "/bubble-gpipe.shardlab", "--json"});
        QCOMPARE(info.json()["outcome"].toString(), QStringLiteral("finished"));
    }

    void theCommandLineRefuses() {
        const test::Answer lesson = test::run({"learn", "buble"});
        QCOMPARE(lesson.status, 1);
        QVERIFY2(lesson.error.contains("did you mean bubble?"), lesson.error.constData());
        const test::Answer experiment = test::run({"learn", "bubble", "--run", "nothing"});
        QCOMPARE(experiment.status, 1);
        QVERIFY2(experiment.error.contains("Legal: naive, gpipe"), experiment.error.constData());
        QCOMPARE(test::run({"learn", "--run", "gpipe"}).status, 2);  // of which lesson?
    }
};

QTEST_GUILESS_MAIN(LessonsTest)
#include "lessons_test.moc"
