// SPDX-License-Identifier: GPL-3.0-or-later
// What belongs to what: the keyboard to the workspace in sight, a selection and a message to the document or run they
// speak of, and every figure to the rank and the step that are selected.
#include "desktop_fixture.h"

#include "tests/ui/recorded_run.h"
#include "tests/ui/sample_run.h"
#include "tests/support/wings.h"
#include "ui/core/child.h"
#include "ui/timeline/dependencies.h"
#include "ui/views/mesh/mesh_grid.h"
#include "ui/views/replay/player.h"
#include "ui/views/replay/replay_view.h"
#include "ui/window/dock_panel.h"
#include "ui/window/file_actions.h"
#include "ui/window/main_window.h"
#include "ui/window/message_area.h"
#include "ui/window/top_bar.h"
#include "ui/window/workspace_area.h"

#include "engine/layout/schedule/custom.h"

#include <QLineEdit>
#include <QPushButton>
#include <QToolButton>
#include <QUndoStack>
#include <QWindow>
#include <QtTest>

using namespace shardlab;
using namespace shardlab::test;

namespace {

struct Room {
    Desk desk;
    MainWindow window{desk.workbench};

    Workbench& workbench() { return desk.workbench; }
    QWidget& logo() { return window.findChild<TopBar*>()->homeButton(); }
    View& view(Workspace workspace, const char* id) {
        return window.area(workspace).panel(QString::fromLatin1(id))->view();
    }
    Player& player() { return static_cast<ReplayView&>(view(Workspace::Replay, "replay")).player(); }
    QPushButton* button(const QString& label) {
        for (auto* button : window.findChildren<QPushButton*>())
            if (button->text() == label && button->isVisible()) return button;
        return nullptr;
    }
    bool says(const QString& words) {
        const QStringList texts = window.messageArea().texts();
        return std::ranges::any_of(texts, [&](const QString& text) { return text.contains(words); });
    }
    /// To whatever has the keyboard, as a person's hand does it.
    void key(Qt::Key key) { QTest::keyClick(window.windowHandle(), key); }
    bool runGoes() { return workbench().run().state() == RunState::Running; }
};

Layout pipelined(int data, int pipeline) {
    Layout layout;
    layout.cluster.hosts = {{"localhost", data * pipeline}};
    layout.parallel.data = data;
    layout.parallel.pipeline = pipeline;
    return layout;
}

}  // namespace

class BelongingTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void spacePlaysAfterOpenInReplay_data();
    void spacePlaysAfterOpenInReplay();
    void theLogoHasTheKeyboardOnlyFromTab();
    void aSelectedActionMovesWithItsSchedule();
    void anotherDocumentHasNoSelection();
    void ranksThatAreGoneAreNotSelected();
    void refusalsGoWithTheirFaults();
    void questionsGoWithWhatTheyAskAbout();
    void messagesOfARunGoWithIt();
    void theRankOfTheMeshIsTheRankOfAll();
    void theMeshShowsTheStepAtTheCursor_data();
    void theMeshShowsTheStepAtTheCursor();
};

void BelongingTest::spacePlaysAfterOpenInReplay_data() {
    QTest::addColumn<bool>("byMouse");
    QTest::newRow("by mouse") << true;
    QTest::newRow("by keyboard") << false;
}

void BelongingTest::spacePlaysAfterOpenInReplay() {
    QFETCH(bool, byMouse);
    Room room;
    room.window.show();
    QVERIFY(QTest::qWaitForWindowActive(&room.window));
    QTest::mouseClick(room.button(QStringLiteral("Run this layout")), Qt::LeftButton);
    QTRY_VERIFY(room.runGoes());
    recordRun(room.desk.jobs->options.runFile, *room.desk.document().plan(), 4, 7);
    QTest::mouseClick(room.button(QStringLiteral("Stop")), Qt::LeftButton);
    room.desk.jobs->end("stopped");
    QTRY_VERIFY(room.button(QStringLiteral("Open in Replay")));
    if (byMouse) {
        QTest::mouseClick(room.button(QStringLiteral("Open in Replay")), Qt::LeftButton);
    } else {
        room.button(QStringLiteral("Open in Replay"))->setFocus(Qt::TabFocusReason);
        room.key(Qt::Key_Space);
    }
    QCOMPARE(room.window.workspace(), Workspace::Replay);
    QTRY_VERIFY(room.workbench().model(Workspace::Replay).recorded().events > 0 &&
                !room.workbench().replay().reading());
    const auto spaceServes = [&] {
        room.player().pause();
        // However long a key takes on a busy machine, the run does not come to its end meanwhile.
        room.player().setSpeed(1e-6);
        room.player().seek(0);
        if (room.logo().hasFocus()) return false;  // a key would open the menu, which waits for the next
        room.key(Qt::Key_Space);
        const bool played = room.player().playing();
        room.key(Qt::Key_Space);
        return played && !room.player().playing() && !room.logo().hasFocus();
    };
    QTRY_VERIFY(room.view(Workspace::Replay, "replay").isVisible());
    const auto canPlay = [&] {
        const auto buttons = room.view(Workspace::Replay, "replay").findChildren<QToolButton*>();
        return std::ranges::all_of(buttons, &QToolButton::isEnabled);
    };
    QTRY_VERIFY(canPlay());  // the bar hears of the run with its next frame
    QVERIFY(spaceServes());
    room.key(Qt::Key_F12);
    QCOMPARE(room.window.area(Workspace::Replay).filled(), QStringLiteral("timeline"));
    QVERIFY2(spaceServes(), "one view fills the workspace");
    room.key(Qt::Key_F12);
    QVERIFY(room.window.area(Workspace::Replay).filled().isEmpty());
    QVERIFY2(spaceServes(), "all views again");
    room.window.files().presetActions()[1]->trigger();
    QCOMPARE(room.window.workspace(), Workspace::Design);
    QVERIFY(!room.logo().hasFocus());
    QTest::keyClick(room.window.windowHandle(), Qt::Key_3, Qt::ControlModifier);
    QCOMPARE(room.window.workspace(), Workspace::Replay);
    QVERIFY2(spaceServes(), "after a preset");
}

void BelongingTest::theLogoHasTheKeyboardOnlyFromTab() {
    Room room;
    room.window.show();
    QVERIFY(QTest::qWaitForWindowActive(&room.window));
    // What had the keyboard is hidden, or there is no more of it.
    for (const bool gone : {false, true}) {
        auto* field = child<QLineEdit>(&room.view(Workspace::Design, "layout_form"));
        field->show();
        field->setFocus();
        QVERIFY(field->hasFocus());
        if (gone) delete field;
        else field->hide();
        QWidget other;
        other.show();
        other.activateWindow();
        QTRY_VERIFY(other.isActiveWindow());
        room.window.activateWindow();
        QTRY_VERIFY(room.window.isActiveWindow());
        QVERIFY2(!room.logo().hasFocus(), gone ? "gone" : "hidden");
    }
    room.window.setFocus();
    room.key(Qt::Key_Tab);
    QVERIFY(room.logo().hasFocus());
    room.key(Qt::Key_Tab);
    QVERIFY(!room.logo().hasFocus() && !room.window.hasFocus());
}

void BelongingTest::aSelectedActionMovesWithItsSchedule() {
    Desk desk;
    desk.workbench.newFromPreset(pipelined(1, 4));
    const RunModel& model = desk.workbench.model(Workspace::Design);
    Selection& selection = desk.workbench.selection(Workspace::Design);
    const auto isThere = [&](const Event& event) {
        return event.rank < model.ranks() &&
               std::ranges::count(model.prediction().lane(event.rank, event.lane), event) == 1;
    };
    const auto find = [&](int rank, ActionKind kind, int microbatch) {
        for (const Event& event : model.prediction().lane(rank, Lane::Compute))
            if (event.action == actionId({kind, rank, microbatch})) return event;
        return Event{};
    };
    const Event late = find(2, ActionKind::Backward, 0);
    QVERIFY(late.action != 0);
    selection.select(late);
    selection.hover(late);
    Layout layout = desk.document().layout();
    layout.schedule.kind = "gpipe";
    desk.document().change(layout, QStringLiteral("schedule"));
    QVERIFY(find(2, ActionKind::Backward, 0).begin != late.begin);
    QVERIFY(selection.event());
    QVERIFY2(isThere(*selection.event()), "it is where the new order has it");
    QCOMPARE(selection.event()->action, late.action);
    for (const Dependency& arrow : dependencies(model, *selection.event()))
        QVERIFY(isThere(arrow.from) && isThere(arrow.to));
    QVERIFY(!selection.hovered());
    // An order of one's own: its first two forwards change places.
    layout = withScheduleKind(layout, "custom");
    desk.document().change(layout, QStringLiteral("by hand"));
    QVERIFY(selection.event());
    std::string& order = layout.schedule.actions[2];
    const std::size_t second = order.find(','), third = order.find(',', second + 1);
    QVERIFY(third != std::string::npos);
    selection.select(find(2, ActionKind::Forward, 1));
    order = order.substr(second + 1, third - second - 1) + "," + order.substr(0, second) + order.substr(third);
    desk.document().change(layout, QStringLiteral("move"));
    QVERIFY(desk.document().planIsCurrent());
    QVERIFY(selection.event() && isThere(*selection.event()));
    // Where there is no such action any more, nothing is selected.
    selection.select(find(2, ActionKind::Forward, microbatches(layout) - 1));
    layout.schedule = {};
    layout.batch.micro *= 2;
    desk.document().change(layout, QStringLiteral("fewer microbatches"));
    QVERIFY(desk.document().planIsCurrent());
    QVERIFY(!selection.event());
    desk.document().undoStack().undo();
    QVERIFY(!selection.event());
}

void BelongingTest::anotherDocumentHasNoSelection() {
    Desk desk;
    desk.workbench.newFromPreset(pipelined(2, 2));
    Selection& selection = desk.workbench.selection(Workspace::Design);
    const auto choose = [&] {
        selection.select(desk.workbench.model(Workspace::Design).prediction().lane(1, Lane::Compute).front());
        selection.setArea(TimeRange{10, 20}, {0, 1});
        selection.pin(1, true);
    };
    const auto none = [&] {
        return !selection.event() && selection.rank() < 0 && !selection.area() && selection.pinned().empty();
    };
    choose();
    desk.workbench.newFromPreset(pipelined(2, 2));
    QVERIFY(none());
    choose();
    desk.document().replace(pipelined(1, 2), {});
    QVERIFY(none());
}

void BelongingTest::ranksThatAreGoneAreNotSelected() {
    Desk desk;
    desk.workbench.newFromPreset(pipelined(2, 2));
    Selection& selection = desk.workbench.selection(Workspace::Design);
    for (const int rank : {1, 3}) {
        selection.setRank(rank);
        selection.pin(rank, true);
    }
    selection.setArea(TimeRange{10, 20}, {3});
    desk.document().change(pipelined(1, 2), QStringLiteral("fewer ranks"));
    QCOMPARE(selection.rank(), -1);
    QCOMPARE(selection.pinned(), std::vector<int>{1});
    QVERIFY(!selection.area());
    selection.setRank(1);
    desk.document().change(pipelined(2, 2), QStringLiteral("more ranks"));
    QCOMPARE(selection.rank(), 1);
}

void BelongingTest::refusalsGoWithTheirFaults() {
    Room room;
    room.window.show();
    Document& document = room.desk.document();
    Layout faulty = document.layout();
    faulty.parallel.pipeline = 3;
    document.change(faulty, QStringLiteral("pipeline"));
    QVERIFY(!document.faults().empty());
    const QString refusal = QStringLiteral("This layout cannot run");
    QVERIFY(!room.workbench().startRun());
    QVERIFY(room.says(refusal));
    Layout named = faulty;
    named.name = "still faulty";
    document.change(named, QStringLiteral("name"));
    QVERIFY2(room.says(refusal), "the fault is still there");
    document.undoStack().undo();
    document.undoStack().undo();
    QVERIFY(document.faults().empty());
    QVERIFY(!room.says(refusal));
    document.undoStack().redo();
    QVERIFY(!room.workbench().startRun());
    QVERIFY(room.says(refusal));
    room.workbench().newFromPreset(pipelined(1, 2));
    QVERIFY(!room.says(refusal));
}

void BelongingTest::questionsGoWithWhatTheyAskAbout() {
    Room room;
    room.window.show();
    Document& document = room.desk.document();
    Layout layout = document.layout();
    layout.name = "precious";
    document.change(layout, QStringLiteral("name"));
    room.window.commands()["file.new"].trigger();
    QVERIFY(room.says(QStringLiteral("Begin a new layout?")));
    document.undoStack().undo();
    QVERIFY2(!room.says(QStringLiteral("Begin a new layout?")), "there is nothing to lose");
    QVERIFY(room.workbench().startRun());
    QTRY_VERIFY(room.runGoes());
    room.window.close();
    QVERIFY(room.says(QStringLiteral("A run is training")));
    QVERIFY(!room.workbench().listenForPrograms());
    QVERIFY(room.says(QStringLiteral("Not listening")));
    room.desk.jobs->end("finished");
    QTRY_VERIFY(room.says(QStringLiteral("The run finished")));
    QVERIFY(!room.says(QStringLiteral("A run is training")));
    QVERIFY(!room.says(QStringLiteral("Not listening")));
    QVERIFY(room.window.isVisible());
}

void BelongingTest::messagesOfARunGoWithIt() {
    Room room;
    room.window.show();
    Workbench& workbench = room.workbench();
    const QString listening = QStringLiteral("Listening at");
    QVERIFY(workbench.listenForPrograms());
    QVERIFY(room.says(listening));
    workbench.live().stop();
    QVERIFY2(!room.says(listening), "nobody listens there any more");
    // A run that broke off, and another in its place.
    const Plan plan = *room.desk.document().plan();
    auto broken = RunWriter::create(room.desk.path("broken.shardlab"), headerOf(plan));
    QVERIFY(broken && (*broken)->finish({"failed", "rank 1 was killed"}));
    broken->reset();
    recordRun(room.desk.path("whole.shardlab"), plan, 3, 5);
    workbench.openRun(room.desk.path("broken.shardlab"));
    QTRY_VERIFY(room.says(QStringLiteral("This run failed")));
    workbench.newFromPreset(pipelined(1, 2));
    QVERIFY2(room.says(QStringLiteral("This run failed")), "it is still open");
    workbench.openRun(room.desk.path("whole.shardlab"));
    QTRY_COMPARE(workbench.replay().file(), room.desk.path("whole.shardlab"));
    QVERIFY(!room.says(QStringLiteral("This run failed")));
    // The run that ended is no longer the one in sight.
    QVERIFY(workbench.startRun());
    QTRY_VERIFY(room.runGoes());
    room.desk.jobs->end("finished");
    QTRY_VERIFY(room.says(QStringLiteral("The run finished")));
    QVERIFY(workbench.listenForPrograms());
    QVERIFY(!room.says(QStringLiteral("The run finished")));
    workbench.live().stop();
}

void BelongingTest::theRankOfTheMeshIsTheRankOfAll() {
    Room room;
    room.workbench().newFromPreset(pipelined(2, 2));
    room.window.resize(1600, 1000);
    room.window.show();
    QVERIFY(room.workbench().startRun());
    QTRY_VERIFY(room.runGoes());
    RunModel& model = room.workbench().model(Workspace::Run);
    QTRY_VERIFY(!model.empty());
    model.append(sample::events(*room.desk.document().plan(), 3, 11));
    Selection& selection = room.workbench().selection(Workspace::Run);
    auto* grid = room.view(Workspace::Run, "mesh").findChild<MeshGrid*>();
    QVERIFY(grid);
    QTRY_VERIFY(grid->isVisible());
    const View& selected = room.view(Workspace::Run, "selected");
    const View& memory = room.view(Workspace::Run, "memory_over_time");
    QAction& kill = room.window.commands()["run.kill"];
    QAction& hang = room.window.commands()["run.hang"];
    selection.select(model.store().lane(1, Lane::Compute).all()[2]);
    for (const int rank : {3, 0, 2}) {
        QTest::mouseClick(grid, Qt::LeftButton, {}, grid->cellRect(rank).center());
        QCOMPARE(selection.rank(), rank);
        QVERIFY(!selection.event());
        QCOMPARE(selected.subtitle(), QStringLiteral("rank %1").arg(rank));
        QTRY_VERIFY2(memory.subtitle().startsWith(QStringLiteral("rank %1 ").arg(rank)), qPrintable(memory.subtitle()));
        QCOMPARE(kill.text(), QStringLiteral("Kill rank %1").arg(rank));
        QCOMPARE(hang.text(), QStringLiteral("Stop rank %1's process").arg(rank));
        (rank == 0 ? hang : kill).trigger();
        QCOMPARE(room.desk.jobs->faultsAsked().back().rank, rank);
    }
    // An action of the rank stays selected with it, and goes with the rank.
    const Event action = model.store().lane(1, Lane::Compute).all()[2];
    selection.select(action);
    selection.setRank(1);
    QVERIFY(selection.event() == std::optional(action));
    QTest::mouseClick(grid, Qt::LeftButton, {}, grid->cellRect(1).center());
    QVERIFY(!selection.event() && selection.rank() < 0);
    QVERIFY(!kill.isEnabled());
    room.desk.jobs->end("stopped");
    QTRY_VERIFY(!room.workbench().run().active());
}

void BelongingTest::theMeshShowsTheStepAtTheCursor_data() {
    QTest::addColumn<bool>("recorded");
    QTest::addColumn<int>("fewerFrom");  // from this step on an elastic run has one replica
    QTest::newRow("events") << false << -1;
    QTest::newRow("elastic") << false << 12;
    QTest::newRow("run file") << true << -1;
}

void BelongingTest::theMeshShowsTheStepAtTheCursor() {
    QFETCH(bool, recorded);
    QFETCH(int, fewerFrom);
    Room room;
    room.window.show();
    const Plan plan = sample::plan(sample::layout(2, 2, 4));
    RunModel& model = room.workbench().model(Workspace::Replay);
    if (recorded) {
        recordRun(room.desk.path("run.shardlab"), plan, 20, 3);
        room.workbench().openRun(room.desk.path("run.shardlab"));
        QTRY_VERIFY(model.steps().extents().size() == 20 && !room.workbench().replay().reading());
    } else {
        model.begin(headerOf(plan), plan.simulation.events);
        std::vector<Event> events = sample::events(plan, 20, 3);
        if (fewerFrom >= 0) {
            const auto first = std::ranges::find(events, fewerFrom, &Event::step);
            const Event resize{first->begin, first->begin, 2, 0, 0, fewerFrom, -1, Lane::Host, EventKind::Restart};
            const std::vector<Event> before(events.begin(), first);
            std::erase_if(events, [&](const Event& event) {
                return event.step < fewerFrom || plan.mesh.coordinate(event.rank, Axis::Data) > 0;
            });
            model.append(before);
            model.append(std::vector<Event>{resize});
        }
        model.append(events);
    }
    QCOMPARE(model.steps().extents().size(), std::size_t{20});
    const View& mesh = room.view(Workspace::Replay, "mesh");
    QTRY_COMPARE(mesh.subtitle(), QStringLiteral("busy % in step 19"));
    for (const int step : {10, 3, 0, 15}) {
        const StepExtent& extent = model.steps().extents()[static_cast<std::size_t>(step)];
        room.workbench().selection(Workspace::Replay).setCursor((extent.begin + extent.end) / 2);
        QTRY_COMPARE(mesh.subtitle(), QStringLiteral("busy % in step %1").arg(step));
    }
    room.workbench().selection(Workspace::Replay).setCursor(0);  // before the first step
    if (model.steps().extents().front().begin > 0)
        QTRY_COMPARE(mesh.subtitle(), QStringLiteral("which rank holds what"));
}

QTEST_MAIN(BelongingTest)
#include "belonging_test.moc"
