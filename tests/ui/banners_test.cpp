// SPDX-License-Identifier: GPL-3.0-or-later
// A message that tells of something that could not be done goes with the next layout or run.
#include "desktop_fixture.h"

#include "tests/ui/recorded_run.h"
#include "tests/ui/sample_run.h"
#include "ui/window/main_window.h"
#include "ui/window/message_area.h"

#include <QUndoStack>
#include <QtTest>

#include <algorithm>
#include <fstream>

using namespace shardlab;
using namespace shardlab::test;

class BannersTest : public QObject {
    Q_OBJECT
private:
    static bool says(MainWindow& window, const QString& words) {
        const QStringList texts = window.messageArea().texts();
        return std::ranges::any_of(texts, [&](const QString& text) { return text.contains(words); });
    }

private Q_SLOTS:
    void whatCouldNotBeOpenedGoesWithTheLayout() {
        Desk desk;
        MainWindow window(desk.workbench, MainWindow::Memory::Forget);
        window.show();
        const QString refusal = QStringLiteral("Cannot open");
        const auto refused = [&](const char* name, const char* content) {
            std::ofstream(desk.path(name)) << content;
            desk.workbench.open(desk.path(name));
            return says(window, refusal);
        };
        QVERIFY(refused("broken.json", "{\"version\": 1, "));
        desk.workbench.newFromPreset(sample::layout(1, 2, 4));
        QVERIFY(!says(window, refusal));
        QVERIFY(refused("broken.json", "{\"version\": 1, "));
        Layout other = desk.document().layout();
        other.name = "other";
        desk.document().change(other, QStringLiteral("name"));
        QVERIFY(!says(window, refusal));
        QVERIFY(refused("words.txt", "no layout at all"));
        desk.document().undoStack().undo();
        QVERIFY(!says(window, refusal));
    }

    void whatCouldNotBeReadGoesWithTheNextRun() {
        Desk desk;
        MainWindow window(desk.workbench, MainWindow::Memory::Forget);
        window.show();
        std::ofstream(desk.path("broken.shardlab")) << "no run";
        desk.workbench.openRun(desk.path("broken.shardlab"));
        QTRY_VERIFY(says(window, QStringLiteral("Cannot read broken.shardlab")));
        recordRun(desk.path("whole.shardlab"), *desk.document().plan(), 3, 5);
        desk.workbench.openRun(desk.path("whole.shardlab"));
        QTRY_COMPARE(desk.workbench.replay().file(), desk.path("whole.shardlab"));
        QTRY_VERIFY(!says(window, QStringLiteral("Cannot read")));
    }

    /// "… was saved" once pushed the views down, and up again when it was put away.
    void newsMovesNothing() {
        Desk desk;
        MainWindow window(desk.workbench, MainWindow::Memory::Forget);
        window.resize(1280, 720);
        window.show();
        const QString file = QStringLiteral("/home/somebody/a-run.png");
        const QRect place = window.area(Workspace::Design).geometry();
        const auto top = [&] { return window.area(Workspace::Design).mapTo(&window, QPoint()); };
        const QPoint before = top();
        desk.workbench.sayWritten(file, nullptr, Workspace::Design);
        QTest::qWait(50);
        QVERIFY(says(window, QStringLiteral("a-run.png was saved")));
        QCOMPARE(top(), before);
        QCOMPARE(window.area(Workspace::Design).geometry(), place);
        QWidget* frame = nullptr;
        for (auto* each : window.findChildren<QFrame*>())
            if (each->accessibleName().startsWith(QStringLiteral("a-run.png"))) frame = each;
        QVERIFY(frame && frame->isVisible());
        const QRect seen(frame->mapTo(&window, QPoint()), frame->size());
        QVERIFY(QRect(before, place.size()).contains(seen) && seen.height() < 90);
        QCOMPARE(window.childAt(seen.center())->window(), &window);
        QVERIFY(frame == window.childAt(seen.center()) || frame->isAncestorOf(window.childAt(seen.center())));
        QTRY_VERIFY_WITH_TIMEOUT(!says(window, QStringLiteral("was saved")), 12000);  // by itself
        const Error error{say("cannot write"), file.toStdString(), say("the disk is full"), {}};
        desk.workbench.sayWritten(file, &error, Workspace::Design);
        QTRY_VERIFY(top().y() > before.y());  // what went wrong stays until it is put away
    }

    /// The message that a run was stopped once stood over every workspace until the next run.
    void theEndOfARunIsNewsUntilThePersonLeavesIt() {
        Desk desk;
        MainWindow window(desk.workbench, MainWindow::Memory::Forget);
        window.show();
        desk.workbench.newFromPreset(sample::layout(1, 2, 4));
        const auto runs = [&](const char* outcome) {
            QVERIFY(desk.workbench.startRun());
            QTRY_VERIFY(desk.workbench.run().state() == RunState::Running);
            window.showWorkspace(Workspace::Design);
            desk.jobs->end(outcome, "some reason");
        };
        runs("stopped");
        const QString stopped = QStringLiteral("The run was stopped"), failed = QStringLiteral("The run failed");
        QTRY_VERIFY(says(window, stopped));  // wherever the person is
        window.showWorkspace(Workspace::Home);
        QVERIFY(says(window, stopped));
        window.showWorkspace(Workspace::Run);
        QVERIFY(says(window, stopped));
        window.showWorkspace(Workspace::Run);
        QVERIFY(says(window, stopped));
        window.showWorkspace(Workspace::Home);
        QVERIFY(!says(window, stopped));
        runs("failed");
        QTRY_VERIFY(says(window, failed));
        window.showWorkspace(Workspace::Run);
        window.showWorkspace(Workspace::Design);
        QVERIFY(says(window, failed));
    }
};

QTEST_MAIN(BannersTest)
#include "banners_test.moc"
