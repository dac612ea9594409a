// SPDX-License-Identifier: GPL-3.0-or-later
// Opening recorded runs: whole ones, large ones while the window lives, and files that are none.
#include "desktop_fixture.h"
#include "engine/launch/job/run_header.h"
#include "synthetic_run.h"
#include "status_text.h"
#include "tests/support/seed.h"
#include "tests/support/wings.h"
#include "ui/views/replay/player.h"
#include "ui/views/replay/replay_view.h"
#include "ui/window/dock_panel.h"
#include "ui/window/main_window.h"
#include "ui/window/workspace_area.h"

#include <QFile>
#include <QRandomGenerator>
#include <QSignalSpy>
#include <QToolButton>
#include <QtTest>

using namespace shardlab::test;

class ReplaySessionTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aRunIsReadWhole();
    void anOpenedRunIsDrawnPlainly();
    void readingCanBeCancelled();
    void badFilesAreOneMessage_data();
    void badFilesAreOneMessage();
    void aBadFileLeavesTheOpenRunAlone();
    void openingAnotherDropsTheFirst();
    void howARunEndedIsSaidAtOnce_data();
    void howARunEndedIsSaidAtOnce();
    void aFileOfNoKindIsSaidToBeNone_data();
    void aFileOfNoKindIsSaidToBeNone();

private:
    static std::int64_t record(const std::filesystem::path& file, int steps, const RunEnd& end = {"finished", ""}) {
        const auto plan = makePlan(Layout{});
        auto writer = RunWriter::create(file, headerOf(*plan));
        const auto events = syntheticRun(*plan, steps, freshSeed());
        [[maybe_unused]] const bool written = (*writer)->appendPredicted(plan->simulation.events).has_value() &&
                                              (*writer)->append(std::span(events)).has_value() &&
                                              (*writer)->append(LogLine{0, -1, LogLevel::Info, "began"}).has_value() &&
                                              (*writer)->finish(end).has_value();
        Q_ASSERT(written);
        return static_cast<std::int64_t>(events.size());
    }
};

void ReplaySessionTest::aRunIsReadWhole() {
    Desk desk;
    const auto file = desk.path("whole.shardlab");
    const std::int64_t events = record(file, 30);
    ReplaySession& replay = desk.workbench.replay();
    QSignalSpy finished(&replay, &ReplaySession::finished);
    desk.workbench.open(file);
    QVERIFY(replay.reading());
    QVERIFY(finished.wait(10000));
    const RunModel& model = desk.workbench.model(Workspace::Replay);
    QCOMPARE(model.recorded().events, events);
    QCOMPARE(model.steps().all().size(), std::size_t{30});
    QCOMPARE(model.report().log().size(), std::size_t{1});
    QCOMPARE(model.report().end()->outcome, std::string("finished"));
    QCOMPARE(replay.progress(), 1.0);
    QVERIFY(desk.workbench.recent().files().front().endsWith(QStringLiteral("whole.shardlab")));
}

/// No moment is chosen until somebody plays or clicks: nothing is veiled as yet to come, memory is that of a whole
/// step.
void ReplaySessionTest::anOpenedRunIsDrawnPlainly() {
    Desk desk;
    const auto file = desk.path("plain.shardlab");
    record(file, 6);
    MainWindow window(desk.workbench, MainWindow::Memory::Forget);
    window.resize(1280, 720);
    window.show();
    QSignalSpy finished(&desk.workbench.replay(), &ReplaySession::finished);
    desk.workbench.open(file);
    QVERIFY(finished.wait(10000));
    QTest::qWait(120);
    const RunModel& model = desk.workbench.model(Workspace::Replay);
    const Selection& selection = desk.workbench.selection(Workspace::Replay);
    QCOMPARE(selection.cursor(), -1);
    QVERIFY(selection.visible().end >= model.recorded().last);
    auto& transport = static_cast<ReplayView&>(window.area(Workspace::Replay).panel(QStringLiteral("replay"))->view());
    QTest::mouseClick(&transport.playButton(), Qt::LeftButton);
    QVERIFY(transport.player().playing());
    QVERIFY(selection.cursor() >= model.recorded().first && selection.cursor() < model.steps().extents()[1].begin);
    QVERIFY(selection.visible().begin <= selection.cursor() && selection.cursor() <= selection.visible().end);
}

void ReplaySessionTest::readingCanBeCancelled() {
    Desk desk;
    const auto file = desk.path("long.shardlab");
    const std::int64_t events = record(file, 4000);
    ReplaySession& replay = desk.workbench.replay();
    QSignalSpy opened(&replay, &ReplaySession::opened);
    desk.workbench.open(file);
    QVERIFY(opened.wait(10000));
    replay.cancel();
    QVERIFY(!replay.reading());
    const RunModel& model = desk.workbench.model(Workspace::Replay);
    const double seen = replay.progress();
    QVERIFY(seen < 1);
    QTest::qWait(100);
    QCOMPARE(replay.progress(), seen);
    // What was not seen is read where it is looked at.
    QCOMPARE(model.recorded().events, events);
    QVERIFY(model.store()
                .lane(0, Lane::Compute)
                .previous(model.recorded().last, [](const Event&) { return true; })
                .has_value());
}

void ReplaySessionTest::badFilesAreOneMessage_data() {
    QTest::addColumn<QByteArray>("content");
    QTest::addColumn<QString>("name");
    QByteArray noise(4096, '\0');
    const quint32 seed = freshSeed();
    QRandomGenerator random(seed);
    for (char& byte : noise) byte = static_cast<char>(random.bounded(256));
    QTest::newRow("missing") << QByteArray() << "missing.shardlab";
    QTest::newRow("empty") << QByteArray("") << "empty.shardlab";
    QTest::newRow("noise") << noise << "noise.shardlab";
    QTest::newRow("cut off") << QByteArray("SQLite format 3") << "cut.shardlab";
    QTest::newRow("layout that is no JSON") << QByteArray("{ \"model\": ") << "bad.layout.json";
    QTest::newRow("layout that is a list") << QByteArray("[1, 2]") << "list.layout.json";
    QTest::newRow("missing layout") << QByteArray() << "missing.layout.json";
}

void ReplaySessionTest::badFilesAreOneMessage() {
    QFETCH(QByteArray, content);
    QFETCH(QString, name);
    Desk desk;
    const auto path = desk.path(name.toLatin1().constData());
    if (!name.startsWith(QLatin1String("missing"))) {
        QFile file(QString::fromStdString(path.string()));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(content);
    }
    std::vector<Message> messages;
    connect(&desk.workbench.messages(), &Messages::posted,
            [&](const Message& message) { messages.push_back(message); });
    const Layout before = desk.document().layout();
    desk.workbench.open(path);
    QTRY_COMPARE(messages.size(), std::size_t{1});
    QTest::qWait(100);
    QCOMPARE(messages.size(), std::size_t{1});
    QVERIFY(messages[0].level == MessageLevel::Error);
    QVERIFY(messages[0].title.contains(name));
    QVERIFY(!messages[0].detail.isEmpty());
    QVERIFY(!desk.workbench.replay().reading());
    QVERIFY(desk.document().layout() == before);
    QVERIFY(desk.workbench.recent().files().isEmpty());
}

void ReplaySessionTest::howARunEndedIsSaidAtOnce_data() {
    QTest::addColumn<QString>("outcome");
    QTest::addColumn<QString>("reason");
    QTest::addColumn<QString>("said");
    QTest::newRow("finished") << "finished"
                              << ""
                              << "";
    QTest::newRow("stopped") << "stopped"
                             << "stopped on request"
                             << "stopped at step 6 of 200";
    QTest::newRow("failed") << "failed"
                            << "rank 1 was killed"
                            << "failed at step 6 of 200: rank 1 was killed";
    QTest::newRow("cut off") << ""
                             << ""
                             << "the recording was cut off at step 6 of 200";
}

void ReplaySessionTest::howARunEndedIsSaidAtOnce() {
    QFETCH(QString, outcome);
    QFETCH(QString, reason);
    QFETCH(QString, said);
    Desk desk;
    const auto file = desk.path("ended.shardlab");
    record(file, 7, {outcome.toStdString(), reason.toStdString()});
    std::vector<Message> messages;
    connect(&desk.workbench.messages(), &Messages::posted,
            [&](const Message& message) { messages.push_back(message); });
    QSignalSpy finished(&desk.workbench.replay(), &ReplaySession::finished);
    desk.workbench.open(file);
    QVERIFY(finished.wait(10000));
    QCOMPARE(desk.workbench.model(Workspace::Replay).header().layout.run.steps, 200);
    const QString line = statusText(desk.workbench, Workspace::Replay);
    if (said.isEmpty()) QVERIFY2(!line.contains(" at step "), qPrintable(line));
    else QVERIFY2(line.contains("   " + said + "   "), qPrintable(line));
    QCOMPARE(messages.size(), std::size_t(outcome == "failed" ? 1 : 0));
    if (messages.empty()) return;
    QVERIFY(messages[0].level == MessageLevel::Error);
    QCOMPARE(messages[0].detail, said);
}

void ReplaySessionTest::aFileOfNoKindIsSaidToBeNone_data() {
    QTest::addColumn<QByteArray>("content");
    QTest::addColumn<bool>("layout");
    QTest::newRow("words") << QByteArray("a letter to nobody") << false;
    QTest::newRow("empty") << QByteArray() << false;
    QTest::newRow("picture") << QByteArray("\x89PNG\r\n", 6) << false;
    QTest::newRow("a layout with a slip") << QByteArray("\n {\"model\": }") << true;
}

void ReplaySessionTest::aFileOfNoKindIsSaidToBeNone() {
    QFETCH(QByteArray, content);
    QFETCH(bool, layout);
    Desk desk;
    QFile file(QString::fromStdString(desk.path("some.file").string()));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(content);
    file.close();
    std::vector<Message> messages;
    connect(&desk.workbench.messages(), &Messages::posted,
            [&](const Message& message) { messages.push_back(message); });
    desk.workbench.open(desk.path("some.file"));
    QTRY_COMPARE(messages.size(), std::size_t{1});
    const QString detail = messages[0].detail;
    QCOMPARE(detail.contains(QStringLiteral("neither a layout (JSON), a run (.shardlab) nor a trace")), !layout);
    QCOMPARE(detail.contains(QStringLiteral("line 2, column")), layout);
}

void ReplaySessionTest::aBadFileLeavesTheOpenRunAlone() {
    Desk desk;
    const auto good = desk.path("good.shardlab");
    const std::int64_t events = record(good, 3);
    desk.workbench.open(good);
    QSignalSpy finished(&desk.workbench.replay(), &ReplaySession::finished);
    QVERIFY(finished.wait(10000));
    QFile bad(QString::fromStdString(desk.path("bad.shardlab").string()));
    QVERIFY(bad.open(QIODevice::WriteOnly));
    bad.write("no run");
    bad.close();
    QSignalSpy failed(&desk.workbench.replay(), &ReplaySession::failed);
    desk.workbench.open(desk.path("bad.shardlab"));
    QVERIFY(failed.wait(10000));
    QCOMPARE(desk.workbench.model(Workspace::Replay).recorded().events, events);
    QCOMPARE(desk.workbench.replay().file(), good);
}

void ReplaySessionTest::openingAnotherDropsTheFirst() {
    Desk desk;
    record(desk.path("first.shardlab"), 3000);
    const std::int64_t events = record(desk.path("second.shardlab"), 4);
    QSignalSpy finished(&desk.workbench.replay(), &ReplaySession::finished);
    desk.workbench.open(desk.path("first.shardlab"));
    desk.workbench.open(desk.path("second.shardlab"));
    QVERIFY(finished.wait(10000));
    QTest::qWait(200);
    QCOMPARE(finished.count(), 1);
    QCOMPARE(desk.workbench.model(Workspace::Replay).recorded().events, events);
}

QTEST_MAIN(ReplaySessionTest)
#include "replay_session_test.moc"
