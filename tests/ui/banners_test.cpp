// SPDX-License-Identifier: GPL-3.0-or-later
// A message that tells of something that could not be done goes with the next layout or run.
#include "desktop_fixture.h"

#include "tests/ui/recorded_run.h"
#include "tests/ui/sample_run.h"
#include "ui/window/main_window.h"
#include "ui/window/message_area.h"
#include "ui/window/workspace_area.h"

#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QScrollBar>
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

    /// Messages once stood above the views: each pushed them down, and up again when it was put away.
    void noMessageMovesTheViews() {
        Desk desk;
        MainWindow window(desk.workbench, MainWindow::Memory::Forget);
        window.resize(1280, 720);
        window.show();
        const auto place = [&] {
            WorkspaceArea& area = window.area(Workspace::Design);
            return QRect(area.mapTo(&window, QPoint()), area.size());
        };
        const QRect before = place();
        int pressed = 0;
        const Error full{say("cannot write"), "/home/somebody/b.png", say("the disk is full"), {}};
        desk.workbench.messages().post({.level = MessageLevel::Warning,
                                        .title = QString(QStringLiteral("a long question ")).repeated(8),
                                        .detail = QString(QStringLiteral("why it is asked\n")).repeated(20),
                                        .choices = {{QStringLiteral("Do it"), [&] { ++pressed; }}}});
        desk.workbench.sayWritten(QStringLiteral("/home/somebody/b.png"), &full, Workspace::Design);
        QTRY_VERIFY(says(window, QStringLiteral("b.png")));
        desk.workbench.messages().withdraw(QStringLiteral("written"));
        desk.workbench.messages().post(QStringLiteral("Cannot go on"), full, QStringLiteral("other"));
        desk.workbench.sayWritten(QStringLiteral("/home/somebody/a-run.png"), nullptr, Workspace::Design);
        QTest::qWait(50);
        QCOMPARE(place(), before);
        QVERIFY(before.contains(window.messageArea().geometry()));
        int frames = 0;
        for (auto* frame : window.messageArea().findChildren<QFrame*>(Qt::FindDirectChildrenOnly)) {
            if (!frame->isVisible()) continue;
            ++frames;
            const QRect seen(frame->mapTo(&window, QPoint()), frame->size());
            QWidget* there = window.childAt(seen.center());
            QVERIFY(before.contains(seen) && (frame == there || frame->isAncestorOf(there)));
            for (auto* label : frame->findChildren<QLabel*>())  // read whole
                QVERIFY2(label->height() >= label->heightForWidth(label->width()), qPrintable(label->text()));
        }
        QCOMPARE(frames, 3);
        // What asks for nothing goes by itself; what went wrong and what is asked stay until they are put away.
        QTRY_VERIFY_WITH_TIMEOUT(!says(window, QStringLiteral("was saved")), 12000);
        QVERIFY(says(window, QStringLiteral("Cannot go on")) && says(window, QStringLiteral("a long question")));
        for (auto* button : window.messageArea().findChildren<QPushButton*>())
            if (button->text() == QStringLiteral("Do it")) QTest::mouseClick(button, Qt::LeftButton);
        QCOMPARE(pressed, 1);
        QVERIFY(!says(window, QStringLiteral("a long question")));
        QCOMPARE(place(), before);
    }

    /// An import left out 27 arguments, 23 of which were in a tooltip alone.
    void aLongMessageIsReadWhole() {
        Desk desk;
        MainWindow window(desk.workbench, MainWindow::Memory::Forget);
        window.resize(1280, 720);
        window.show();
        QStringList lines;
        for (int line = 0; line < 27; ++line) lines << QStringLiteral("--argument-%1 is left out").arg(line);
        const QString detail = lines.join(QLatin1Char('\n'));
        desk.workbench.messages().post({.title = QStringLiteral("short"), .detail = QStringLiteral("one\ntwo")});
        const auto all = [&]() -> QPushButton* {
            for (auto* button : window.messageArea().findChildren<QPushButton*>())
                if (button->isVisible() && button->text() == QStringLiteral("Show all")) return button;
            return nullptr;
        };
        QTRY_VERIFY(says(window, QStringLiteral("short")));
        QVERIFY(!all());
        desk.workbench.messages().post({.title = QStringLiteral("long"), .detail = detail});
        QTRY_VERIFY(all());
        QTest::mouseClick(all(), Qt::LeftButton);
        QVERIFY(!all());
        const auto* whole = window.messageArea().findChild<QPlainTextEdit*>();
        QTRY_VERIFY(whole && whole->isVisible());
        QCOMPARE(whole->toPlainText(), detail);
        QCOMPARE(whole->font().family(), window.messageArea().findChild<QLabel*>()->font().family());
        const auto place = [&] { return QRect(whole->mapTo(&window, QPoint()), whole->size()); };
        QTRY_VERIFY(whole->height() > 200 && window.rect().contains(window.messageArea().geometry()));
        QTRY_VERIFY(window.messageArea().geometry().contains(place()));

        // A few lines more than fit take no room that they do not need, and need no scrolling.
        const QString broken = QStringLiteral("a line that is too long for the width of a message and is broken\n");
        const QString middling = broken.repeated(4) + lines.mid(0, 4).join('\n');
        desk.workbench.messages().post({.title = QStringLiteral("middling"), .detail = middling});
        QTRY_VERIFY(all());
        QTest::mouseClick(all(), Qt::LeftButton);
        const QPlainTextEdit* few = nullptr;
        for (const auto* each : window.messageArea().findChildren<QPlainTextEdit*>())
            if (each->accessibleName() == QStringLiteral("middling")) few = each;
        QTRY_VERIFY(few && few->isVisible());
        QTRY_COMPARE(few->verticalScrollBar()->maximum(), 0);
        QVERIFY2(few->height() < 16 * few->fontMetrics().lineSpacing(), qPrintable(QString::number(few->height())));
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
