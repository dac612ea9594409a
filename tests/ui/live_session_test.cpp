// SPDX-License-Identifier: GPL-3.0-or-later
// A run that is served elsewhere, in the desktop: shown by the same views, copied, its connection lost and found again.
#include "desktop_fixture.h"
#include "engine/base/token.h"
#include "engine/launch/serve/run_server.h"
#include "recorded_run.h"
#include "tests/support/places.h"
#include "tests/ui/sample_run.h"
#include "tests/support/wings.h"

#include "ui/window/connect_panel.h"
#include "ui/window/main_window.h"
#include "ui/window/message_area.h"

#include <QDir>
#include <QImage>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QProcess>
#include <QPushButton>
#include <QSignalSpy>
#include <QStandardPaths>
#include <QtTest>

using namespace shardlab;
using namespace shardlab::test;

namespace {

/// A run as another machine records it.
struct Elsewhere {
    Elsewhere(std::filesystem::path path, int steps)
        : file(std::move(path)), plan(sample::plan(sample::layout(2, 4, 8))), events(syntheticRun(plan, steps, 7)) {
        auto made = RunWriter::create(file, headerOf(plan));
        if (!made) throw std::runtime_error(made.error().text());
        writer = std::move(*made);
        for (const RankRecord& record : syntheticRanks(plan)) static_cast<void>(writer->setRank(record));
        static_cast<void>(writer->appendPredicted(plan.simulation.events));
        static_cast<void>(writer->append(LogLine{1, -1, LogLevel::Warning, "said elsewhere"}));
        static_cast<void>(writer->flush());
    }
    void serve(std::uint16_t port = 0) {
        ServeOptions options;
        options.address.port = port;
        options.pass = plainPass(token);
        auto made = RunServer::listen(options);
        for (int i = 0; i < 100 && !made; ++i) {  // somebody else's connection may go out from that port meanwhile
            QTest::qSleep(100);
            made = RunServer::listen(options);
        }
        if (!made) throw std::runtime_error(made.error().text());
        server = std::move(*made);
        server->serve(file);
    }
    void record(double share) {
        const auto until = static_cast<std::size_t>(static_cast<double>(events.size()) * share);
        static_cast<void>(writer->append(std::span(events).subspan(recorded, until - recorded)));
        static_cast<void>(writer->flush());
        recorded = until;
    }
    void end(const RunEnd& how) {
        server->release();
        static_cast<void>(writer->finish(how));
        server->conclude(how, std::atomic<bool>(false));
    }

    const std::string token = "0123456789abcdef0123456789abcdef";
    const std::filesystem::path file;
    const Plan plan;
    const std::vector<Event> events;
    std::size_t recorded = 0;
    std::unique_ptr<RunWriter> writer;
    std::unique_ptr<RunServer> server;
};

void save(const QWidget& widget, const QString& name) {
    const QString folder = QCoreApplication::applicationDirPath() + QStringLiteral("/screenshots");
    QVERIFY(QDir().mkpath(folder));
    QVERIFY(const_cast<QWidget&>(widget).grab().save(folder + QLatin1Char('/') + name + QStringLiteral(".png")));
}

QString saidBy(const QWidget& window) {
    QString all;
    for (const QLabel* label : window.findChildren<QLabel*>())
        all += label->text() + QLatin1Char('\n') + label->toolTip() + QLatin1Char('\n');
    return all;
}

}  // namespace

class LiveSessionTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aWatchedRunIsShownFromItsStartAndCopied() {
        Desk desk;
        Elsewhere run(desk.path("elsewhere.shardlab"), 12);
        run.serve();
        run.record(0.6);
        LiveSession& live = desk.workbench.live();
        RunModel& model = desk.workbench.model(Workspace::Run);
        QSignalSpy ended(&live, &LiveSession::ended);
        QVERIFY(desk.workbench.connectTo(run.server->address(), plainPass(run.token)));
        QVERIFY(desk.workbench.runTaken());
        QVERIFY(!desk.workbench.startRun());  // one at a time
        QVERIFY(!desk.workbench.connectTo(run.server->address(), plainPass(run.token)));
        QTRY_COMPARE_WITH_TIMEOUT(model.recorded().events, static_cast<std::int64_t>(run.recorded), 20000);
        QTRY_COMPARE(live.status().state, WatchStatus::State::Live);
        QCOMPARE(model.ranks(), run.plan.mesh.ranks());
        QVERIFY(model.prediction().end() > 0);
        QCOMPARE(model.report().log().size(), std::size_t{1});
        QCOMPARE(model.report().ranks().size(), static_cast<std::size_t>(model.ranks()));
        run.record(1);
        run.end({"finished", ""});
        QTRY_COMPARE_WITH_TIMEOUT(ended.count(), 1, 20000);
        QCOMPARE(model.recorded().events, static_cast<std::int64_t>(run.events.size()));
        QVERIFY(model.report().end() && model.report().end()->outcome == "finished");
        QVERIFY(!live.active() && live.shown());
        // The copy is a run like any other.
        desk.workbench.openRun(live.file());
        RunModel& replayed = desk.workbench.model(Workspace::Replay);
        QTRY_COMPARE_WITH_TIMEOUT(replayed.recorded().events, static_cast<std::int64_t>(run.events.size()), 20000);
        QCOMPARE(replayed.steps().all().size(), model.steps().all().size());
        // Afterwards a run of this machine may begin.
        QVERIFY(desk.workbench.startRun());
        QVERIFY(!live.shown());
    }

    void aLostConnectionIsShownAndGoesOn() {
        Desk desk;
        Elsewhere run(desk.path("elsewhere.shardlab"), 12);
        run.serve();
        run.record(0.5);
        MainWindow window(desk.workbench, MainWindow::Memory::Forget);
        window.resize(1280, 720);
        window.show();
        LiveSession& live = desk.workbench.live();
        RunModel& model = desk.workbench.model(Workspace::Run);
        const TcpAddress address = run.server->address();
        QVERIFY(desk.workbench.connectTo(address, plainPass(run.token)));
        QTRY_COMPARE_WITH_TIMEOUT(live.status().state, WatchStatus::State::Live, 20000);
        QTRY_COMPARE(model.recorded().events, static_cast<std::int64_t>(run.recorded));
        QVERIFY2(saidBy(window).contains(live.place()), qPrintable(saidBy(window)));
        QTest::qWait(200);
        save(window, QStringLiteral("watching-1280"));
        window.resize(2560, 1440);
        desk.workbench.theme().setDark(false);
        QTest::qWait(300);
        save(window, QStringLiteral("watching-light-2560"));
        window.resize(1280, 720);
        run.server.reset();
        QTRY_COMPARE_WITH_TIMEOUT(live.status().state, WatchStatus::State::Lost, 20000);
        QTRY_VERIFY(saidBy(window).contains(QStringLiteral("connection lost")));
        QTest::qWait(100);
        save(window, QStringLiteral("watching-lost-1280"));
        run.record(0.8);
        run.serve(address.port);
        QTRY_COMPARE_WITH_TIMEOUT(live.status().state, WatchStatus::State::Live, 20000);
        QTRY_COMPARE_WITH_TIMEOUT(model.recorded().events, static_cast<std::int64_t>(run.recorded), 20000);
        QCOMPARE(run.server->counts().resumed, 1);
        // Left by a person: the run goes on, what arrived stays.
        window.commands()["live.stop"].trigger();
        QVERIFY(!live.active());
        QVERIFY(!model.empty());
        QTRY_VERIFY(RunReader::open(live.file()) && !(*RunReader::open(live.file()))->end().reason.empty());
        run.record(1);
        run.end({"finished", ""});
    }

    void aProgramIsShownWhileItRuns() {
        const QString python = QStandardPaths::findExecutable(QStringLiteral("python3"));
        if (python.isEmpty()) QSKIP("no python3");
        Desk desk;
        MainWindow window(desk.workbench, MainWindow::Memory::Forget);
        window.resize(1280, 720);
        window.show();
        LiveSession& live = desk.workbench.live();
        RunModel& model = desk.workbench.model(Workspace::Run);
        QSignalSpy ended(&live, &LiveSession::ended);
        window.commands()["file.listen"].trigger();
        QVERIFY(live.active() && live.listening());
        QTRY_COMPARE(window.messageArea().count(), 1);
        const QString token = QString::fromStdString(live.file().string()) + QStringLiteral(".token");
        QVERIFY(saidBy(window.messageArea()).contains(token));
        QVERIFY(QFile::exists(token));
        QTest::qWait(300);
        save(window, QStringLiteral("listening-1280"));
        std::vector<std::unique_ptr<QProcess>> ranks;
        for (int rank = 0; rank < 2; ++rank) {
            ranks.push_back(std::make_unique<QProcess>());
            ranks.back()->setEnvironment(
                QProcess::systemEnvironment() +
                QStringList{QStringLiteral("RANK=%1").arg(rank), QStringLiteral("WORLD_SIZE=2"),
                            QStringLiteral("SHARDLAB_ADDRESS=") + live.place(),
                            QStringLiteral("SHARDLAB_TOKEN_FILE=") + token,
                            QStringLiteral("PYTHONPATH=" SHARDLAB_SOURCE_DIR "/resources/live"),
                            QStringLiteral("PYTHONDONTWRITEBYTECODE=1")});
            ranks.back()->start(
                python, {QStringLiteral(SHARDLAB_SOURCE_DIR "/tests/launch/dist/live/sender.py"), QStringLiteral("6")});
        }
        QTRY_COMPARE_WITH_TIMEOUT(ended.count(), 1, 60000);
        for (const auto& rank : ranks) rank->waitForFinished(patience);
        QVERIFY(model.report().end() && model.report().end()->outcome == "finished");
        QCOMPARE(model.ranks(), 2);
        QCOMPARE(model.steps().all().size(), std::size_t{6});
        QVERIFY(model.steps().all().back().complete);
        QCOMPARE(model.store().lane(1, Lane::Compute).all().size(), std::size_t{6 * 9});
        QCOMPARE(model.points().of(EventKind::Loss).size(), std::size_t{6});
        QVERIFY(!model.report().names().empty());
        QVERIFY(!QFile::exists(token));
        QTest::qWait(300);
        save(window, QStringLiteral("listened-1280"));
        desk.workbench.openRun(live.file());
        QTRY_COMPARE_WITH_TIMEOUT(desk.workbench.model(Workspace::Replay).recorded().events, model.recorded().events,
                                  20000);
        // Nobody comes: nothing is left behind.
        window.commands()["file.listen"].trigger();
        const std::filesystem::path unused = live.file();
        window.commands()["live.stop"].trigger();
        QTRY_VERIFY(!std::filesystem::exists(unused) &&
                    !QFile::exists(QString::fromStdString(unused.string()) + QStringLiteral(".token")));
    }

    void whatCannotBeWatchedIsSaid() {
        Desk desk;
        Elsewhere run(desk.path("elsewhere.shardlab"), 2);
        run.serve();
        MainWindow window(desk.workbench, MainWindow::Memory::Forget);
        window.show();
        QVERIFY(desk.workbench.connectTo(run.server->address(), plainPass("guess")));
        QTRY_COMPARE_WITH_TIMEOUT(window.messageArea().count(), 1, 20000);
        QVERIFY2(saidBy(window.messageArea()).contains(QStringLiteral("wrong token")),
                 qPrintable(saidBy(window.messageArea())));
        QVERIFY(!desk.workbench.runTaken());
        QVERIFY(desk.workbench.model(Workspace::Run).empty());
        QCOMPARE(run.server->counts().wrongToken, 1);
    }

    void thePanelConnects() {
        Desk desk;
        Elsewhere run(desk.path("elsewhere.shardlab"), 4);
        run.serve();
        run.record(1);
        MainWindow window(desk.workbench, MainWindow::Memory::Forget);
        window.resize(1280, 720);
        window.show();
        auto* panel = window.findChild<ConnectPanel*>();
        QVERIFY(panel);
        window.commands()["file.connect"].trigger();
        QVERIFY(panel->isVisible());
        QTest::keyClicks(&panel->address(), QStringLiteral("node:port"));
        panel->go().click();
        QVERIFY(panel->note().text().contains(QStringLiteral("no number")));
        panel->address().setText(QString::fromStdString(run.server->address().text()));
        panel->go().click();
        QVERIFY(panel->note().text().contains(QStringLiteral("token is missing")));
        QTest::qWait(200);
        save(window, QStringLiteral("connect-dark-1280"));
        panel->token().setText(QString::fromStdString(desk.path("none.token").string()));
        panel->go().click();
        QVERIFY(panel->note().text().contains(QStringLiteral("cannot read the token")));
        panel->token().setText(QStringLiteral("tls0123"));
        panel->go().click();
        QVERIFY(panel->note().text().contains(QStringLiteral("the token is damaged")));
        const std::filesystem::path file = desk.path("run.token");
        QVERIFY(writeToken(file, run.token));
        panel->token().setText(QString::fromStdString(file.string()));
        QCOMPARE(panel->token().echoMode(), QLineEdit::Normal);
        panel->go().click();
        QVERIFY(!panel->isVisible());
        QTRY_COMPARE_WITH_TIMEOUT(desk.workbench.live().status().state, WatchStatus::State::Live, 20000);
        QVERIFY(!window.commands()["file.connect"].isEnabled());
        QVERIFY(!window.commands()["run.start"].isEnabled());
        desk.workbench.live().stop();

        // The place and the token's file are remembered, a token itself is not.
        window.commands()["file.connect"].trigger();
        QCOMPARE(panel->recent().count(), 1);
        panel->token().setText(QString::fromStdString(run.token));
        QCOMPARE(panel->token().echoMode(), QLineEdit::Password);
        desk.workbench.theme().setDark(false);
        QTest::qWait(200);
        save(window, QStringLiteral("connect-light-1280"));
        panel->go().click();
        QTRY_COMPARE_WITH_TIMEOUT(desk.workbench.live().status().state, WatchStatus::State::Live, 20000);
        desk.workbench.live().stop();
        QVERIFY(!QSettings()
                     .value(QStringLiteral("live/recent"))
                     .toStringList()
                     .join(QLatin1Char(' '))
                     .contains(QString::fromStdString(run.token)));
        QVERIFY(panel->token().text().isEmpty());
    }
};

QTEST_MAIN(LiveSessionTest)
#include "live_session_test.moc"
