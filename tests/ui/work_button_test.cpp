// SPDX-License-Identifier: GPL-3.0-or-later
// Work ends by itself just before a click that was to stop it: the click is late, and starts nothing.
#include "tests/ui/classroom.h"

#include "ui/core/work_button.h"

#include <QtTest>

using namespace shardlab::test;

namespace {

/// A click where the button was, on whatever is there now; false where that is a button.
bool clickedOnNoButton(QWidget& window, const QPoint& at) {
    QWidget* there = window.childAt(at);
    if (there) QTest::mouseClick(there, Qt::LeftButton, {}, there->mapFrom(&window, at));
    return !qobject_cast<QAbstractButton*>(there);
}

QPoint placeOf(QWidget& window, const char* button) {
    auto* found = window.findChild<QPushButton*>(QString::fromLatin1(button));
    return found && found->isVisible() ? found->mapTo(&window, found->rect().center()) : QPoint(-1, -1);
}

}  // namespace

class WorkButtonTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    /// Stop and Run once stood in one place.
    void onStopOfARun_data() {
        QTest::addColumn<QSize>("size");
        for (const QSize size : {QSize(900, 600), QSize(1280, 720), QSize(2000, 1200)})
            QTest::addRow("%d", size.width()) << size;
    }
    void onStopOfARun() {
        QFETCH(QSize, size);
        Desk desk;
        MainWindow window(desk.workbench, MainWindow::Memory::Forget);
        window.resize(size);
        window.show();
        QVERIFY(desk.workbench.startRun());
        QTRY_COMPARE(desk.workbench.run().state(), std::optional(RunState::Running));
        QCOMPARE(window.size(), size);
        QTest::qWait(1);
        const QPoint stop = placeOf(window, "top.run.stop"), start = placeOf(window, "top.run.start");
        QVERIFY(window.rect().contains(stop) && window.rect().contains(start));
        desk.jobs->end("finished");
        QTRY_VERIFY(!desk.workbench.run().active());
        QTest::qWait(1);
        QVERIFY(clickedOnNoButton(window, stop));
        QTest::qWait(50);
        QVERIFY(!desk.workbench.run().active());
        QCOMPARE(desk.jobs->started.load(), 1);
        QCOMPARE(placeOf(window, "top.run.start"), start);
    }

    /// Stop reading and Open changed places too.
    void onStopOfReading() {
        Desk desk;
        MainWindow window(desk.workbench, MainWindow::Memory::Forget);
        window.show();
        recordRun(desk.path("whole.shardlab"), *desk.document().plan(), 40, 5);
        desk.workbench.openRun(desk.path("whole.shardlab"));
        QVERIFY(desk.workbench.replay().reading());
        QTest::qWait(0);
        const QPoint stop = placeOf(window, "top.replay.cancel");
        if (!window.rect().contains(stop)) QSKIP("the file was read at once");
        QTRY_VERIFY(!desk.workbench.replay().reading());
        QTest::qWait(1);
        QVERIFY(clickedOnNoButton(window, stop));
    }

    void onStopOfAnExperiment_data() {
        QTest::addColumn<QString>("button");
        for (const char* button : {"run.naive", "runAll"}) QTest::addRow("%s", button) << QString::fromLatin1(button);
    }
    void onStopOfAnExperiment() {
        QFETCH(QString, button);
        const auto jobs = std::make_shared<FakeJobs>();
        Classroom room(startFake(jobs));
        QTRY_VERIFY(room.lessons().lesson() != nullptr);
        room.button(button).click();
        QTRY_COMPARE(jobs->started.load(), 1);
        QTest::qWait(400);  // in which a person goes for Stop
        if (button == QStringLiteral("runAll")) room.lessons().stop();
        else room.finish(*jobs);
        if (room.lessons().active()) jobs->end("stopped");
        QTRY_VERIFY(!room.lessons().active());
        QTest::mouseClick(&room.button(button), Qt::LeftButton);
        QTest::keyClick(&room.button(button), Qt::Key_Space);
        QVERIFY(!room.lessons().active());
        QTRY_VERIFY(!static_cast<WorkButton&>(room.button(button)).late());
        QTest::mouseClick(&room.button(button), Qt::LeftButton);  // read by then
        QVERIFY(room.lessons().active());
        QTRY_COMPARE(jobs->started.load(), 2);
        jobs->end("stopped");
        QTRY_VERIFY(!room.lessons().active());
    }

    /// Nobody stops what is over at once: its next start need not wait.
    void shortWorkStartsAgainAtOnce() {
        WorkButton button;
        button.setStops(true);
        button.setStops(false);
        QVERIFY(!button.late());
    }
};

QTEST_MAIN(WorkButtonTest)
#include "work_button_test.moc"
