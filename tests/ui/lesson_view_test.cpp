// SPDX-License-Identifier: GPL-3.0-or-later
// The Learn workspace: lessons are read, experiments run for real beside them, figures fill in.
#include "tests/support/places.h"
#include "tests/ui/desktop_fixture.h"
#include "tests/support/wings.h"
#include "ui/core/run_model.h"
#include "ui/views/lesson/lesson_view.h"
#include "ui/window/dock_panel.h"
#include "ui/window/main_window.h"
#include "ui/window/workspace_area.h"

#include <QComboBox>
#include <QPushButton>
#include <QTest>
#include <QTextBrowser>
#include <QUndoStack>

#include <algorithm>

using namespace shardlab::test;

namespace {

/// Real ranks, which are not beside a test's program.
JobStarter realJobs() {
    return [](const JobOptions& options, RunObserver& observer) {
        JobOptions complete = options;
        complete.rankProgram = SHARDLAB_BIN_DIR "/shardlab-rank";
        return Job::start(complete, observer);
    };
}

struct Classroom {
    explicit Classroom(JobStarter starter)
        : workbench(std::move(starter), std::filesystem::path(settings.folder.path().toStdString()) / "runs") {
        window.show();
        window.showWorkspace(Workspace::Learn);
    }
    LessonSession& lessons() { return workbench.lessons(); }
    RunModel& model() { return workbench.model(Workspace::Learn); }
    LessonView& view() {
        return static_cast<LessonView&>(window.area(Workspace::Learn).panel(QStringLiteral("lesson"))->view());
    }
    QPushButton& button(const QString& name) { return *view().findChild<QPushButton*>(name); }
    QString page() { return view().findChild<QTextBrowser*>()->toPlainText(); }

    PrivateSettings settings;
    Workbench workbench;
    MainWindow window{workbench, MainWindow::Memory::Forget};
};

}  // namespace

class LessonViewTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void predictedFiguresStandAtOnce() {
        Classroom room(realJobs());
        QTRY_VERIFY(room.lessons().lesson() != nullptr);
        QCOMPARE(room.lessons().lesson()->name, std::string("bubble"));
        QCOMPARE(room.view().findChild<QComboBox*>()->count(), static_cast<int>(room.lessons().lessons().size()));
        QVERIFY(room.page().contains("– (run it)"));
        QVERIFY2(room.page().contains("42.9 %"), qPrintable(room.page()));  // (p−1)/(m+p−1), p = m = 4
        QVERIFY(!room.page().contains("{{"));
        // What experiments differ in is said in the form's words.
        const QString said = room.page().mid(room.page().indexOf("like naive"), 60);
        QVERIFY2(said.startsWith("like naive, but Schedule gpipe instead of naive"), qPrintable(said));
        QVERIFY(!room.page().contains("{\"schedule\""));
        // The first experiment's prediction is in the views beside it.
        QCOMPARE(room.model().header().layout.name, std::string("bubble naive"));
        QVERIFY(room.model().prediction().end() > 0);
        QCOMPARE(room.model().recorded().events, 0);
        room.button("show.gpipe-16").click();
        QCOMPARE(room.model().header().layout.name, std::string("bubble gpipe-16"));
    }

    void anExperimentRunsAndFillsItsFigures() {
        Classroom room(realJobs());
        QTRY_VERIFY(room.lessons().lesson() != nullptr);
        const auto waiting = room.page().count("– (run it)");
        room.button("run.gpipe").click();
        QVERIFY(room.lessons().active());
        QCOMPARE(room.button("run.gpipe").text(), QStringLiteral("Stop"));
        QVERIFY(!room.button("run.naive").isEnabled());
        QVERIFY(!room.workbench.startRun());  // one job at a time, and it says so
        room.window.showWorkspace(Workspace::Learn);
        QTRY_VERIFY_WITH_TIMEOUT(room.model().recorded().events > 0, 60000);
        QTRY_VERIFY_WITH_TIMEOUT(!room.lessons().active(), 60000);
        QVERIFY2(room.lessons().state(1) == LessonSession::State::Ran, qPrintable(room.lessons().trouble(1)));
        QCOMPARE(room.page().count("– (run it)"), waiting - 1);
        QVERIFY(!room.model().store().lane(3, Lane::Compute).empty());
        const QStringList table = room.view().asTable().split('\n');
        const auto row = table.filter(QStringLiteral("gpipe\tbubble\t"));
        QVERIFY2(row.size() == 1 && row.front().count('%') == 3, qPrintable(row.join('\n')));
        // Another experiment, and back: what was recorded is read again.
        room.button("show.naive").click();
        QCOMPARE(room.model().recorded().events, 0);
        // The experiment's losses stay, beside those of whatever is in sight.
        const QString losses = room.window.area(Workspace::Learn).panel(QStringLiteral("loss"))->view().asTable();
        QVERIFY2(losses.split('\n').front().endsWith("\tgpipe"), qPrintable(losses));
        room.button("show.gpipe").click();
        QTRY_VERIFY_WITH_TIMEOUT(room.model().recorded().events > 0, 20000);
        QCOMPARE(room.model().header().layout.name, std::string("bubble gpipe"));
        // Another lesson, and back: the figures stay.
        room.lessons().choose(1);
        QCOMPARE(room.page().count("– (run it)") > 0, true);
        QVERIFY(!room.page().contains("gpipe-16"));
        room.lessons().choose(0);
        QCOMPARE(room.page().count("– (run it)"), waiting - 1);
    }

    void stopEndsThemAll() {
        Classroom room(realJobs());
        QTRY_VERIFY(room.lessons().lesson() != nullptr);
        const auto waiting = room.page().count("– (run it)");
        room.button("runAll").click();
        QCOMPARE(room.lessons().runningExperiment(), QStringLiteral("naive"));
        QTRY_VERIFY_WITH_TIMEOUT(room.model().recorded().events > 0, 60000);
        room.lessons().choose(1);  // reading on is no reason to stop
        QVERIFY(room.lessons().active());
        room.lessons().choose(0);
        QCOMPARE(room.lessons().shown(), 0);
        room.button("runAll").click();
        QTRY_VERIFY_WITH_TIMEOUT(!room.lessons().active(), 60000);
        QCOMPARE(room.lessons().state(0), LessonSession::State::Stopped);
        QCOMPARE(room.lessons().state(1), LessonSession::State::Fresh);
        QCOMPARE(room.page().count("– (run it)"), waiting);
    }

    void aRefusedStartIsTold() {
        const auto jobs = std::make_shared<FakeJobs>();
        jobs->refusal = Error{"mpirun is missing", {}, {}, {}};
        Classroom room(startFake(jobs));
        QTRY_VERIFY(room.lessons().lesson() != nullptr);
        room.button("runAll").click();
        QTRY_VERIFY(!room.lessons().active());
        QCOMPARE(room.lessons().state(0), LessonSession::State::Failed);
        QVERIFY(room.lessons().trouble(0).contains("mpirun is missing"));
        QCOMPARE(jobs->started, 0);
    }

    void notBesideAnotherRun() {
        const auto jobs = std::make_shared<FakeJobs>();
        Classroom room(startFake(jobs));
        QTRY_VERIFY(room.lessons().lesson() != nullptr);
        QVERIFY(room.workbench.startRun());
        QTRY_COMPARE(jobs->started, 1);
        room.window.showWorkspace(Workspace::Learn);
        QString said;
        connect(&room.workbench.messages(), &Messages::posted, &room.window,
                [&](const Message& message) { said = message.detail; });
        room.button("run.naive").click();
        QVERIFY(!room.lessons().active());
        QVERIFY2(said.contains("slow each other down"), qPrintable(said));
        jobs->end("finished");
        QTRY_VERIFY(!room.workbench.run().active());
        room.button("run.naive").click();
        QVERIFY(room.lessons().active());
        QTRY_COMPARE(jobs->started, 2);
        jobs->end("stopped");
        QTRY_VERIFY(!room.lessons().active());
    }

    /// The run before is not taken for the one that is being started.
    void anExperimentThatStartsShowsItsOwnPrediction() {
        const auto jobs = std::make_shared<FakeJobs>();
        Classroom room(startFake(jobs));
        QTRY_VERIFY(room.lessons().lesson() != nullptr);
        room.button("show.gpipe-16").click();
        room.button("run.gpipe").click();
        QCOMPARE(room.model().header().layout.name, std::string("bubble gpipe"));
        QCOMPARE(room.lessons().shown(), 1);
        QTRY_COMPARE(jobs->started, 1);
        // A second one is refused by name, from wherever it is asked for.
        QString said;
        connect(&room.lessons(), &LessonSession::refused, &room.window, [&](const QString& reason) { said = reason; });
        room.lessons().run({0});
        QVERIFY2(said.contains("gpipe is running"), qPrintable(said));
        // Reading on: when it ends, the views are those of the lesson that is read.
        room.lessons().choose(1);
        QCOMPARE(room.lessons().shown(), -1);
        jobs->end("stopped");
        QTRY_VERIFY(!room.lessons().active());
        QCOMPARE(room.lessons().shown(), 0);
        QCOMPARE(room.model().header().layout.name, room.lessons().lesson()->experiments[0].layout.name);
    }

    void aRecordingThatIsGoneIsTold() {
        Classroom room(realJobs());
        QTRY_VERIFY(room.lessons().lesson() != nullptr);
        room.button("run.gpipe").click();
        QTRY_VERIFY_WITH_TIMEOUT(!room.lessons().active(), 60000);
        room.button("show.naive").click();
        QVERIFY(std::filesystem::remove(room.lessons().recording(1)));
        room.button("show.gpipe").click();
        QTRY_COMPARE(room.lessons().state(1), LessonSession::State::Failed);
        QVERIFY(!room.lessons().trouble(1).isEmpty());
        QCOMPARE(room.model().header().layout.name, std::string("bubble gpipe"));
        QCOMPARE(room.model().recorded().events, 0);
    }

    /// Predictions made before this machine was measured do not stay beside what is measured after.
    void predictionsFollowTheMeasurements() {
        Classroom room(realJobs());
        QTRY_VERIFY(room.lessons().lesson() != nullptr);
        const auto& lessons = room.lessons().lessons();
        const auto fullSpeed = std::ranges::find_if(lessons, [](const Lesson& lesson) {
            return !lesson.experiments.empty() && !lesson.experiments.front().layout.cluster.pace;
        });
        QVERIFY(fullSpeed != lessons.end());
        room.lessons().choose(static_cast<int>(fullSpeed - lessons.begin()));
        const auto planned = [&] { return room.lessons().known().front().planned->plan.simulation.stepSeconds; };
        const auto shown = [&] { return static_cast<double>(room.model().prediction().end()) * 1e-9; };
        const double before = planned();
        QVERIFY(shown() > 0.9 * before);
        Measurements slow;
        slow.core = {1e9, 1e8, 0};
        room.workbench.document().setMeasurements(slow);
        QVERIFY(planned() > 2 * before);
        QVERIFY(shown() > 0.9 * planned());
        room.lessons().choose(0);  // of a lesson in the background too
        room.workbench.document().setMeasurements({});
        room.lessons().choose(static_cast<int>(fullSpeed - lessons.begin()));
        QCOMPARE(planned(), before);
        QVERIFY(shown() < 2 * before);
    }

    void openInDesignCanBeUndone() {
        Classroom room(realJobs());
        QTRY_VERIFY(room.lessons().lesson() != nullptr);
        const Layout before = room.workbench.document().layout();
        room.button("design.gpipe").click();
        QCOMPARE(room.window.workspace(), Workspace::Design);
        QCOMPARE(room.workbench.document().layout(), room.lessons().lesson()->experiments[1].layout);
        room.workbench.document().undoStack().undo();
        QCOMPARE(room.workbench.document().layout(), before);
    }
};

QTEST_MAIN(LessonViewTest)
#include "lesson_view_test.moc"
