// SPDX-License-Identifier: GPL-3.0-or-later
// The live run as the desktop sees it, with jobs of the test's own.
#include "desktop_fixture.h"
#include "synthetic_run.h"
#include "status_text.h"
#include "engine/trace/record/checkpoint_tally.h"
#include "tests/support/seed.h"
#include "tests/support/wings.h"

#include <QSignalSpy>
#include <QtTest>

using namespace shardlab::test;

class RunSessionTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aStartDoesNotBlockAndFeedsTheModel();
    void commandsReachTheJob();
    void anElasticRunIsResized();
    void stoppingWhileStartingStops();
    void aRefusedStartIsOneMessage();
    void aFailedRunIsOneMessageWithItsReason();
    void failedCheckpointsAreToldAtTheEnd();
    void aFaultyLayoutIsNotStarted();
    void aLayoutsAgentIsAskedFor();
    void aSecondStartWaitsForTheFirstToEnd();
    void everyRunGetsItsOwnFile();
    void theNextRunForgetsWhatWasSelected();
};

void RunSessionTest::aStartDoesNotBlockAndFeedsTheModel() {
    Desk desk;
    desk.jobs->startMilliseconds = 300;
    RunModel& model = desk.workbench.model(Workspace::Run);
    QVERIFY(model.empty());
    QVERIFY(desk.workbench.startRun());
    QCOMPARE(desk.workbench.run().state(), std::optional(RunState::Starting));  // still starting: nothing waited
    QCOMPARE(desk.jobs->started.load(), 0);
    QTRY_COMPARE(desk.workbench.run().state(), std::optional(RunState::Running));
    QVERIFY(!model.empty());
    const quint32 seed = freshSeed();
    const auto events = syntheticRun(*desk.document().plan(), 5, seed);
    QSignalSpy appended(&model, &RunModel::appended);
    desk.jobs->say([&](RunObserver& to) {
        const std::size_t half = events.size() / 2;
        to.eventsArrived(std::span(events).first(half));
        to.eventsArrived(std::span(events).subspan(half));
        for (const RankRecord& record : syntheticRanks(*desk.document().plan())) to.rankChanged(record);
        to.logged({0, -1, LogLevel::Info, "hello"});
    });
    QTRY_COMPARE(model.recorded().events, static_cast<std::int64_t>(events.size()));
    QVERIFY2(appended.count() <= 2, "events arrive in batches");
    QCOMPARE(model.steps().all().size(), std::size_t{5});
    QCOMPARE(model.report().ranks().size(), std::size_t{4});
    QCOMPARE(model.report().log().size(), std::size_t{1});
    desk.jobs->end("finished");
    QTRY_COMPARE(desk.workbench.run().state(), std::optional(RunState::Ended));
    QVERIFY(model.report().end().has_value());
    QTRY_COMPARE(desk.jobs->destroyed.load(), 1);
}

void RunSessionTest::theNextRunForgetsWhatWasSelected() {
    Desk desk;
    Selection& selection = desk.workbench.selection(Workspace::Run);
    QVERIFY(desk.workbench.startRun());
    QTRY_VERIFY(desk.workbench.run().state() == RunState::Running);
    QSignalSpy withdrawn(&desk.workbench.messages(), &Messages::withdrawn);
    selection.setCursor(31'000'000'000);
    selection.setRank(1);
    selection.setFollowLive(false);
    desk.jobs->end("failed", "rank 1 was killed");
    QTRY_VERIFY(!desk.workbench.run().active());
    QCOMPARE(selection.rank(), 1);
    desk.workbench.openRun(desk.workbench.run().runFile());
    QVERIFY2(withdrawn.contains(QVariantList{QStringLiteral("run")}), "opened: what the message offered is done");
    QVERIFY(desk.workbench.startRun());
    QTRY_VERIFY(desk.workbench.run().state() == RunState::Running);
    QCOMPARE(selection.cursor(), -1);
    QCOMPARE(selection.rank(), -1);
    QVERIFY(selection.followLive());
    desk.jobs->end("stopped");
    QTRY_VERIFY(!desk.workbench.run().active());
}

void RunSessionTest::commandsReachTheJob() {
    Desk desk;
    RunSession& run = desk.workbench.run();
    QVERIFY(desk.workbench.startRun());
    QTRY_VERIFY(run.state() == RunState::Running);
    run.pause();
    desk.jobs->say([](RunObserver& to) { to.stateChanged(RunState::Paused); });
    QTRY_VERIFY(run.state() == RunState::Paused);
    run.stepOnce();
    run.resume();
    run.stop();
    const std::vector<Command> expected{Command::Pause, Command::StepOnce, Command::Resume, Command::Stop};
    QVERIFY(desk.jobs->told() == expected);
    QVERIFY(run.state() == RunState::Stopping);
    desk.jobs->end("stopped");
    QTRY_VERIFY(!run.active());
}

/// The next smaller and the next larger number of replicas are offered, from what the run has at the moment.
void RunSessionTest::anElasticRunIsResized() {
    Desk desk;
    RunSession& run = desk.workbench.run();
    Layout layout;
    layout.parallel.data = 4;
    layout.parallel.pipeline = 1;
    layout.cluster.hosts = {{"localhost", 4}};
    layout.batch = {12, 1};
    layout.checkpoint.every = 5;
    layout.run.minData = 2;
    run.start(layout, desk.path("elastic.shardlab"));
    QTRY_VERIFY(run.state() == RunState::Running);
    QTRY_COMPARE(run.fewerReplicas(), std::optional(3));
    QVERIFY(!run.moreReplicas());
    run.resize(3);
    const auto resized = [&](int ranks, int number) {
        const std::int64_t time = 1'000'000 * number;
        const Event restart{time, time, ranks, 0, 0, number, -1, Lane::Host, EventKind::Restart};
        desk.jobs->say([&](RunObserver& to) {
            to.stateChanged(RunState::Restarting);
            to.eventsArrived(std::span(&restart, 1));
            to.stateChanged(RunState::Running);
        });
    };
    resized(3, 1);
    QTRY_COMPARE(run.moreReplicas(), std::optional(4));
    QCOMPARE(run.fewerReplicas(), std::optional(2));
    const RunModel& model = desk.workbench.model(Workspace::Run);
    QVERIFY(takesPart(model, 2, 1) && !takesPart(model, 3, 1) && takesPart(model, 3, 0));
    QVERIFY(model.steps().isPredicted(0) && !model.steps().isPredicted(1));
    run.resize(2);
    resized(2, 2);
    QTRY_VERIFY(!run.fewerReplicas());
    QCOMPARE(run.moreReplicas(), std::optional(3));
    resized(4, 3);
    QTRY_VERIFY(!run.moreReplicas());
    QVERIFY(desk.jobs->sizesAsked() == (std::vector<int>{3, 2}));
    desk.jobs->end("stopped");
    QTRY_VERIFY(!run.active());
    QVERIFY(!run.fewerReplicas());
}

void RunSessionTest::stoppingWhileStartingStops() {
    Desk desk;
    desk.jobs->startMilliseconds = 200;
    QVERIFY(desk.workbench.startRun());
    desk.workbench.run().stop();
    QVERIFY(desk.jobs->told().empty());
    QTRY_COMPARE(desk.jobs->started.load(), 1);
    QTRY_VERIFY(desk.jobs->told() == std::vector<Command>{Command::Stop});
    desk.jobs->end("stopped");
    QTRY_VERIFY(!desk.workbench.run().active());
}

void RunSessionTest::aRefusedStartIsOneMessage() {
    Desk desk;
    desk.jobs->refusal =
        Error{"mpirun was not found", "PATH", "Open MPI is not installed", "apt-get install openmpi-bin"};
    std::vector<Message> messages;
    connect(&desk.workbench.messages(), &Messages::posted,
            [&](const Message& message) { messages.push_back(message); });
    QVERIFY(desk.workbench.startRun());
    QTRY_COMPARE(messages.size(), std::size_t{1});
    QVERIFY(messages[0].detail.contains(QStringLiteral("openmpi-bin")));
    QVERIFY(!desk.workbench.run().active());
    QVERIFY(desk.workbench.model(Workspace::Run).empty());
    const auto status = [&] { return statusText(desk.workbench, Workspace::Run); };
    QVERIFY2(status().endsWith(QStringLiteral(" did not start")), qPrintable(status()));
    desk.jobs->refusal.reset();
    QVERIFY(desk.workbench.startRun());
    QTRY_COMPARE(desk.workbench.run().state(), std::optional(RunState::Running));
    QVERIFY2(status().startsWith(QStringLiteral("recording ")), qPrintable(status()));
    desk.jobs->end("finished");
    QTRY_VERIFY(!desk.workbench.run().active());
}

void RunSessionTest::aFailedRunIsOneMessageWithItsReason() {
    Desk desk;
    std::vector<Message> messages;
    connect(&desk.workbench.messages(), &Messages::posted,
            [&](const Message& message) { messages.push_back(message); });
    QVERIFY(desk.workbench.startRun());
    QTRY_VERIFY(desk.workbench.run().state() == RunState::Running);
    desk.jobs->end("failed", "rank 2 was killed by SIGKILL at step 12, 1F3");
    QTRY_COMPARE(messages.size(), std::size_t{1});
    QVERIFY(messages[0].level == MessageLevel::Error);
    QVERIFY(messages[0].detail.contains(QStringLiteral("step 12, 1F3")));
    QCOMPARE(messages[0].choices.size(), std::size_t{1});
}

void RunSessionTest::failedCheckpointsAreToldAtTheEnd() {
    for (const bool some : {false, true}) {
        Desk desk;
        std::vector<Message> messages;
        connect(&desk.workbench.messages(), &Messages::posted,
                [&](const Message& message) { messages.push_back(message); });
        QVERIFY(desk.workbench.startRun());
        QTRY_VERIFY(desk.workbench.run().state() == RunState::Running);
        desk.jobs->say([&](RunObserver& to) {
            to.logged({1, 0, LogLevel::Warning, noCheckpoint(10, "cannot write: no room")});
            if (some) to.logged({2, 0, LogLevel::Info, tookCheckpoint(20, "1 MiB")});
        });
        desk.jobs->end("finished");
        QTRY_COMPARE(messages.size(), std::size_t{1});
        QVERIFY(messages[0].level == MessageLevel::Warning);
        QVERIFY2(messages[0].detail.startsWith(some ? "1 of 2 checkpoints could not be taken"
                                                    : "the one checkpoint, of step 10, could not be taken"),
                 qPrintable(messages[0].detail));
        QVERIFY(messages[0].detail.endsWith("cannot write: no room"));
    }
}

void RunSessionTest::aFaultyLayoutIsNotStarted() {
    Desk desk;
    Layout layout;
    layout.model.heads = 7;
    desk.workbench.newFromPreset(layout);
    QSignalSpy field(&desk.document(), &Document::fieldRequested);
    std::vector<Message> messages;
    connect(&desk.workbench.messages(), &Messages::posted,
            [&](const Message& message) { messages.push_back(message); });
    QVERIFY(!desk.workbench.startRun());
    QCOMPARE(messages.size(), std::size_t{1});
    QCOMPARE(field.front().front().toString(), QStringLiteral("/model/heads"));
    QVERIFY(!desk.workbench.run().state());
}

/// A program that the layout names is started when its text was shown and allowed: once, or from then on.
void RunSessionTest::aLayoutsAgentIsAskedFor() {
    Desk desk;
    Layout layout = desk.document().layout();
    layout.cluster.hosts = {{"localhost", rankCount(layout) - 1}, {"nowhere77", 1}};
    layout.cluster.agent = "sh -c '<b>: > pwned</b>' {host}";
    desk.workbench.newFromPreset(layout);
    std::vector<Message> messages;
    connect(&desk.workbench.messages(), &Messages::posted,
            [&](const Message& message) { messages.push_back(message); });
    const auto ends = [&] {
        QTRY_VERIFY(desk.workbench.run().state() == RunState::Running);
        desk.jobs->end("finished");
        QTRY_VERIFY(!desk.workbench.run().active());
        messages.clear();
    };
    const auto asks = [&] {
        return !desk.workbench.startRun() && !desk.workbench.run().active() && messages.size() == 1 &&
               messages[0].choices.size() == 2 && messages[0].detail.toStdString() == layout.cluster.agent;
    };
    QVERIFY(asks());
    QCOMPARE(desk.jobs->started.load(), 0);
    messages[0].choices[0].act();
    ends();
    QCOMPARE(desk.jobs->options.agent, layout.cluster.agent);
    QVERIFY(asks());
    messages[0].choices[1].act();
    ends();
    QVERIFY(desk.workbench.startRun());
    ends();
    QCOMPARE(desk.jobs->started.load(), 3);
    // Another text is another program; and this machine alone needs none.
    layout.cluster.agent += " ";
    desk.workbench.newFromPreset(layout);
    QVERIFY(asks());
    layout.cluster.hosts = {{"localhost", rankCount(layout)}};
    desk.workbench.newFromPreset(layout);
    QVERIFY(desk.workbench.startRun());
    ends();
}

void RunSessionTest::aSecondStartWaitsForTheFirstToEnd() {
    Desk desk;
    QVERIFY(desk.workbench.startRun());
    QTRY_VERIFY(desk.workbench.run().state() == RunState::Running);
    QVERIFY(!desk.workbench.startRun());
    desk.jobs->end("finished");
    QTRY_VERIFY(!desk.workbench.run().active());
    QVERIFY(desk.workbench.startRun());
    QTRY_COMPARE(desk.jobs->started.load(), 2);
    QTRY_VERIFY(desk.workbench.run().state() == RunState::Running);
    desk.jobs->end("finished");
    QTRY_VERIFY(!desk.workbench.run().active());
}

void RunSessionTest::everyRunGetsItsOwnFile() {
    Desk desk;
    Layout layout;
    layout.name = "../a b/c:ü";
    desk.workbench.newFromPreset(layout);
    const std::filesystem::path first = desk.workbench.nextRunFile(desk.workbench.document().layout());
    QCOMPARE(first.parent_path(), desk.path("runs"));
    std::filesystem::create_directories(first.parent_path());
    QFile file(QString::fromStdString(first.string()));
    QVERIFY(file.open(QIODevice::WriteOnly));
    QVERIFY(desk.workbench.nextRunFile(desk.workbench.document().layout()) != first);
}

QTEST_MAIN(RunSessionTest)
#include "run_session_test.moc"
