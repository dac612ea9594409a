// SPDX-License-Identifier: GPL-3.0-or-later
// The Learn workspace: lessons are read, experiments run for real beside them, figures fill in.
#include "tests/support/places.h"
#include "tests/ui/classroom.h"
#include "tests/support/wings.h"
#include "ui/core/elided_combo_box.h"
#include "ui/core/markdown_page.h"
#include "ui/core/run_model.h"
#include "ui/views/lesson/lesson_view.h"
#include "ui/timeline/timeline_plot.h"
#include "ui/views/lesson/presenter.h"
#include "ui/views/lesson/step_part.h"
#include "ui/views/lesson/strip_drawing.h"
#include "ui/window/dock_panel.h"
#include "ui/window/main_window.h"
#include "ui/window/workspace_area.h"

#include <QComboBox>
#include <QFile>
#include <QHelpEvent>
#include <QLabel>
#include <QPushButton>
#include <QRadioButton>
#include <QScrollBar>
#include <QTest>
#include <QTextBrowser>
#include <QToolTip>
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

}  // namespace

class LessonViewTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void predictedFiguresStandAtOnce() {
        Classroom room(realJobs());
        QTRY_VERIFY(room.lessons().lesson() != nullptr);
        QCOMPARE(room.lessons().lesson()->name, std::string("bubble"));
        QCOMPARE(room.view().findChild<QComboBox*>()->count(), static_cast<int>(room.lessons().lessons().size()));
        // What questions ask for is hidden, in the text and in the views beside it.
        QVERIFY(room.model().empty() && !room.page().contains("42.9 %"));
        const QString hint = room.window.area(Workspace::Learn).panel(QStringLiteral("timeline"))->view().emptyText();
        QVERIFY2(hint.startsWith(QStringLiteral("Guess first")), qPrintable(hint));
        room.passAll();
        QVERIFY(room.page().contains("– (run it)"));
        QVERIFY2(room.page().contains("42.9 %"), qPrintable(room.page()));  // (p−1)/(m+p−1), p = m = 4
        QVERIFY(!room.page().contains("{{"));
        // What experiments differ in is said in the form's words.
        const QString said = room.labels().mid(room.labels().indexOf("like naive"), 60);
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
        room.passAll();
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
        // The experiment's last step stands in the text, a row for each pipeline rank.
        const StepStrip strip = room.lessons().strip(1);
        QCOMPARE(strip.rows, 4);
        QVERIFY(strip.seconds > 0 && room.lessons().longestStrip() == strip.seconds);
        QVERIFY(strip.seconds < 2 * room.lessons().known()[1].measured->summary.stepSeconds);
        for (const StepStrip::Bar& bar : strip.bars) QVERIFY(bar.begin >= 0 && bar.end <= strip.seconds);
        QCOMPARE(room.lessons().strip(0).rows, 0);
        const auto drawings = room.view().findChildren<StripDrawing*>();
        QCOMPARE(std::ranges::count_if(drawings, &QWidget::isVisible), std::ptrdiff_t{1});
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
        room.passAll();
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

    /// A step is ticked by the document, and its link brings the field into sight and marks it.
    void aStepIsDoneInDesign() {
        Classroom room(startFake(std::make_shared<FakeJobs>()));
        QTRY_VERIFY(room.lessons().lesson() != nullptr);
        const auto mark = [&] { return room.view().findChild<QLabel*>("mark.smaller")->text(); };
        QCOMPARE(mark(), QStringLiteral("○"));
        Document& document = room.workbench.document();
        Layout other = document.layout();
        other.batch.micro = 1;
        document.change(other, "another layout");
        QCOMPARE(mark(), QStringLiteral("○"));
        room.button("open.smaller").click();
        QCOMPARE(room.window.workspace(), Workspace::Design);
        auto* field = room.window.area(Workspace::Design).findChild<QWidget*>("/batch/micro");
        QVERIFY(field);
        auto* frame = room.window.findChild<QWidget*>("highlight");
        QVERIFY(frame);
        QTRY_VERIFY(frame->geometry().contains(QRect(field->mapTo(&room.window, QPoint()), field->size())));
        Layout layout = document.layout();
        layout.batch.micro = 1;
        document.change(layout, "Set micro to 1");
        QCOMPARE(mark(), QStringLiteral("✓"));
        QVERIFY(LessonProgress().of(*room.lessons().lesson()).done.contains("smaller"));
        // What asks for a fault is done by one.
        layout.parallel.pipeline = 3;
        document.change(layout, "Set pipeline to 3");
        QVERIFY(room.lessons().reader().done.contains("refused"));
        document.undoStack().undo();
        QCOMPARE(mark(), QStringLiteral("✓"));
        QTRY_VERIFY(!room.window.findChild<QWidget*>("highlight"));
    }

    /// Whatever the shipped lessons name is there: views, and fields of the form.
    void whatLessonsShowIsThere() {
        Classroom room(startFake(std::make_shared<FakeJobs>()));
        QTRY_VERIFY(room.lessons().lesson() != nullptr);
        int checked = 0;
        for (const Lesson& lesson : room.lessons().lessons()) {
            std::vector<std::string> targets;
            const auto add = [&](const std::string& markdown) {
                for (std::string& target : showLinks(markdown)) targets.push_back(std::move(target));
            };
            for (const LessonPiece& piece : lesson.pieces)
                if (const auto* text = std::get_if<std::string>(&piece)) add(*text);
            for (const LessonStep& step : lesson.steps) add(step.text + step.then);
            for (const LessonQuestion& question : lesson.questions)
                if (!question.show.empty()) {
                    QVERIFY2(room.window.area(Workspace::Learn).panel(QString::fromStdString(question.show)),
                             (lesson.name + ": " + question.show).c_str());
                }
            for (const std::string& target : targets) {
                ++checked;
                const QString id = QString::fromStdString(target);
                const bool field = target.starts_with('/');
                const bool there = field ? room.window.area(Workspace::Design).findChild<QWidget*>(id) != nullptr
                                         : room.window.area(Workspace::Learn).panel(id) ||
                                               room.window.area(Workspace::Design).panel(id);
                QVERIFY2(there, (lesson.name + ": " + target).c_str());
            }
        }
        QVERIFY(checked > 20);
    }

    void aLinkOpensItsView() {
        Classroom room(startFake(std::make_shared<FakeJobs>()));
        QTRY_VERIFY(room.lessons().lesson() != nullptr);
        DockPanel& loss = *room.window.area(Workspace::Learn).panel(QStringLiteral("loss"));
        loss.hide();
        room.lessons().requestShow(QStringLiteral("loss"));
        QVERIFY(loss.isVisible() && room.window.workspace() == Workspace::Learn);
        QVERIFY(room.window.findChild<QWidget*>("highlight"));
        room.lessons().requestShow(QStringLiteral("candidates"));
        QCOMPARE(room.window.workspace(), Workspace::Design);
        room.lessons().requestShow(QStringLiteral("nothing"));
    }

    /// A frame around the text once left it too little room, and a bar to scroll sideways below each paragraph.
    void textsOfALessonHaveTheirRoom() {
        Classroom room(startFake(std::make_shared<FakeJobs>()));
        QTRY_VERIFY(room.lessons().lesson() != nullptr);
        QTest::qWait(100);
        const auto pages = room.view().findChildren<MarkdownPage*>();
        QVERIFY(!pages.isEmpty());
        for (const MarkdownPage* page : pages) {
            QVERIFY(page->verticalScrollBar()->maximum() == 0);
            if (!page->toHtml().contains(QStringLiteral("<table")))
                QVERIFY2(page->horizontalScrollBar()->maximum() == 0, qPrintable(page->toPlainText()));
        }
    }

    void aLessonIsPresentedByKeys() {
        const auto jobs = std::make_shared<FakeJobs>();
        Classroom room(startFake(jobs));
        QTRY_VERIFY(room.lessons().lesson() != nullptr);
        room.window.commands()["lesson.present"].trigger();
        auto* presenter = room.view().findChild<Presenter*>();
        QVERIFY(presenter && presenter->isVisible() && presenter->screens() > 10);
        QVERIFY(QTest::qWaitForWindowActive(presenter));
        QCOMPARE(presenter->screen(), 0);
        const auto shown = [&](const QString& name) {
            const auto* found = presenter->findChild<QWidget*>(name);
            return found && found->isVisible();
        };
        QTest::keyClick(presenter, Qt::Key_Space);
        QCOMPARE(presenter->screen(), 1);
        QVERIFY(shown("slider.naive"));
        for (const Qt::Key key : {Qt::Key_Up, Qt::Key_Up, Qt::Key_Down}) QTest::keyClick(presenter, key);
        QTest::keyClick(presenter, Qt::Key_Return);  // the guess above the middle
        QCOMPARE(room.lessons().reader().guesses.at("naive"), 0.51);
        QVERIFY(!shown("presentedTimeline"));
        QTest::keyClick(presenter, Qt::Key_Return);
        QTRY_COMPARE(jobs->started.load(), 1);
        QTRY_VERIFY(shown("presentedTimeline"));  // an audience once looked at nothing while it waited
        room.finish(*jobs);
        QTRY_COMPARE(room.lessons().state(0), LessonSession::State::Ran);
        QTRY_VERIFY(shown("reveal.naive") && shown("presentedTimeline"));
        const int letters = presenter->findChild<QLabel*>("reveal.naive")->fontInfo().pixelSize();
        QVERIFY(letters >= 16);
        QTest::keyClick(presenter, Qt::Key_Right);
        QCOMPARE(presenter->screen(), 2);
        QTRY_VERIFY(shown("run.naive") && shown("presentedTimeline"));
        const auto* plot = presenter->findChild<QWidget*>("presentedTimeline")->findChild<TimelinePlot*>();
        QTRY_VERIFY(plot->isVisible() && plot->state().rows.rowHeight() > 0);
        const int small = presenter->findChild<QPushButton*>("show.naive")->fontInfo().pixelSize() * 7 / 10;
        QCOMPARE(plot->state().theme.body.pixelSize(), small);
        QCOMPARE(plot->state().rows.letters(), plot->state().theme.letters());
        QVERIFY(plot->state().theme.bodyAt(11).pixelSize() > 11);
        presenter->go(7);
        for (const Qt::Key key : {Qt::Key_Down, Qt::Key_Down, Qt::Key_Up}) QTest::keyClick(presenter, key);
        const auto* first = presenter->findChild<QRadioButton*>("choice.more.0");
        QVERIFY(first && first->isVisible() && first->isChecked());
        presenter->resize(1600, 1440);  // where a choice was once a dot beside letters of three times its size
        QTRY_VERIFY(first->style()->pixelMetric(QStyle::PM_ExclusiveIndicatorHeight, nullptr, first) > 20);
        QTest::keyClick(presenter, Qt::Key_End);
        QCOMPARE(presenter->screen(), presenter->screens() - 1);
        // Two keys lead through all lessons, as a hand-held presenter has no others.
        QTest::keyClick(presenter, Qt::Key_Right);
        QCOMPARE(room.lessons().chosen(), 1);
        QCOMPARE(presenter->screen(), 0);
        QTest::keyClick(presenter, Qt::Key_Left);
        QCOMPARE(room.lessons().chosen(), 0);
        QCOMPARE(presenter->screen(), presenter->screens() - 1);
        const auto lastSteps = static_cast<int>(room.lessons().lesson()->steps.size());
        presenter->go(presenter->screens() - lastSteps);  // "Try" once stood alone on a screen
        QVERIFY(presenter->findChild<StepPart*>());
        const auto* heading = presenter->findChild<MarkdownPage*>();
        QVERIFY(heading && heading->isVisible());
        QCOMPARE(heading->toPlainText(), QStringLiteral("Try"));
        QTest::keyClick(presenter, Qt::Key_Home);
        QCOMPARE(presenter->screen(), 0);
        room.workbench.theme().setDark(false);
        QTRY_VERIFY(presenter->grab().toImage().pixelColor(5, 5).lightness() > 200);
        room.workbench.theme().setDark(true);
        QTRY_VERIFY(presenter->grab().toImage().pixelColor(5, 5).lightness() < 80);
        // The presenter once stayed before what a link or Open in Design led to.
        QTest::keyClick(presenter, Qt::Key_Space);
        for (const bool design : {false, true}) {
            design ? room.lessons().openInDesign(0) : room.lessons().requestShow(QStringLiteral("loss"));
            QVERIFY(!presenter->isVisible());
            QCOMPARE(room.window.workspace(), design ? Workspace::Design : Workspace::Learn);
            room.window.showWorkspace(Workspace::Learn);
            room.window.commands()["lesson.present"].trigger();
            QVERIFY(presenter->isVisible());
            QCOMPARE(presenter->screen(), 1);
        }
        QVERIFY(QTest::qWaitForWindowActive(presenter));
        QTest::keyClick(presenter, Qt::Key_Escape);
        QVERIFY(!presenter->isVisible());
    }

    /// Questions and buttons came last of the whole window, behind stops that nobody saw.
    void tabGoesThroughALessonAsItIsRead() {
        Classroom room(startFake(std::make_shared<FakeJobs>()));
        QTRY_VERIFY(room.lessons().lesson() != nullptr);
        QVERIFY(QTest::qWaitForWindowActive(&room.window));
        room.lessons().choose(1);  // its parts are made anew
        room.lessons().choose(0);
        room.view().findChild<QComboBox*>()->setFocus(Qt::TabFocusReason);
        QWidget& page = *room.view().findChild<QScrollArea*>()->widget();
        std::vector<QWidget*> visited;
        for (int stops = 0; stops < 80; ++stops) {
            QTest::keyClick(QApplication::focusWidget(), Qt::Key_Tab);
            QWidget* at = QApplication::focusWidget();
            if (page.isAncestorOf(at) && (visited.empty() || visited.back() != at)) visited.push_back(at);
            else if (!room.view().isAncestorOf(at)) break;
        }
        QVERIFY2(visited.size() > 5, qPrintable(QString::number(visited.size())));
        const auto place = [&](const QWidget* widget) { return widget->mapTo(&page, QPoint()); };
        for (std::size_t index = 1; index < visited.size(); ++index)
            QVERIFY(place(visited[index]).y() + visited[index]->height() > place(visited[index - 1]).y());
    }

    void aHandoutIsAFile() {
        Classroom room(startFake(std::make_shared<FakeJobs>()));
        QTRY_VERIFY(room.lessons().lesson() != nullptr);
        room.lessons().guess(0, 0.25);
        const QString folder = room.settings.folder.path();
        QStringList said;
        connect(&room.workbench.messages(), &Messages::posted, &room.window,
                [&](const Message& message) { said += message.title + QLatin1Char('\n') + message.detail; });
        room.view().saveHandout(folder + "/handout.html");
        QCOMPARE(said, QStringList("handout.html was saved\n" + folder + "/handout.html"));
        QFile page(folder + "/handout.html");
        QVERIFY(page.open(QIODevice::ReadOnly));
        QVERIFY(page.readAll().contains("Between 0.0\u00a0% and 100.0\u00a0%: 25.0\u00a0%"));
        room.view().saveHandout(folder + "/handout.pdf");
        QFile paper(folder + "/handout.pdf");
        QVERIFY(paper.open(QIODevice::ReadOnly));
        QVERIFY(paper.readAll().startsWith("%PDF"));
        room.view().saveHandout(folder + "/nowhere/handout.html");
        QVERIFY2(said.back().startsWith("Cannot save handout.html") && said.back().contains("nowhere"),
                 qPrintable(said.back()));
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

    /// The box cut long titles in the middle of a letter.
    void aLongTitleEndsWithDots() {
        Classroom room(startFake(std::make_shared<FakeJobs>()));
        room.window.resize(room.window.minimumSize());
        QTRY_VERIFY(room.lessons().lesson() != nullptr);
        auto& box = *room.view().findChild<ElidedComboBox*>("lessons");
        QTest::qWait(200);
        int cut = 0;
        for (int lesson = 0; lesson < box.count(); ++lesson) {
            room.lessons().choose(lesson);
            QTRY_COMPARE(box.currentIndex(), lesson);
            const QString shown = box.shown(), whole = box.currentText();
            QVERIFY(box.fontMetrics().horizontalAdvance(shown) < box.width());
            if (shown == whole) continue;
            ++cut;
            QVERIFY2(shown.endsWith(QStringLiteral("…")) && whole.startsWith(shown.chopped(1)), qPrintable(shown));
            QHelpEvent help(QEvent::ToolTip, box.rect().center(), box.mapToGlobal(box.rect().center()));
            QApplication::sendEvent(&box, &help);
            QCOMPARE(QToolTip::text(), whole);
        }
        QVERIFY(cut > 5);
        QToolTip::hideText();
        // A box as wide as it asks to be shows what is chosen whole.
        ElidedComboBox whole;
        for (const char* words : {"Largest ten", "By kind", "MFU"}) {
            whole.clear();
            whole.addItem(QString::fromLatin1(words));
            whole.show();
            whole.adjustSize();
            QCOMPARE(whole.shown(), whole.currentText());
        }
    }
};

QTEST_MAIN(LessonViewTest)
#include "lesson_view_test.moc"
