// SPDX-License-Identifier: Apache-2.0
// Real ranks that hang: stopped by a signal at a random moment, or one message never sent. Twenty times of each the
// report is right and in time, and nothing is left. What only takes its time is left alone.
#include "engine/launch/job/run_summary.h"
#include "engine/predict/plan/plan.h"
#include "engine/trace/record/flight_record.h"
#include "tests/support/command.h"
#include "tests/support/places.h"
#include "tests/support/processes.h"
#include "tests/support/seed.h"
#include "tests/support/watched_job.h"
#include "tests/support/wings.h"

#include <QJsonArray>
#include <QRandomGenerator>
#include <QRegularExpression>
#include <QTest>

#include <csignal>

using namespace shardlab::test;

namespace {

constexpr int deadline = 6;             // s; the test machine may be busy
constexpr int reported = 3 * deadline;  // s; likewise
constexpr int rounds = 5;
constexpr int atOnce = 4;

/// A very small gpt, pipeline × data; it goes on until something ends it.
Layout endless(int pipeline, int data) {
    Layout layout;
    layout.name = "endless";
    layout.model.layers = 4;
    layout.model.hidden = 16;
    layout.model.heads = 2;
    layout.model.sequence = 8;
    layout.parallel.pipeline = pipeline;
    layout.parallel.data = data;
    layout.cluster.hosts.front().devices = pipeline * data;
    layout.batch = {4 * data, 1};
    layout.run.steps = 1'000'000;
    layout.run.validateEvery = 0;
    return layout;
}

/// A job of real ranks.
class RealJob : public WatchedJob {
public:
    explicit RealJob(const Layout& layout) {
        options.layout = layout;
        options.layout.run.deadline = deadline;
        options.rankProgram = SHARDLAB_BIN_DIR "/shardlab-rank";
    }
    bool allJoined() const {
        for (int rank = 0; rank < rankCount(options.layout); ++rank)
            if (!witness.rankJoined(rank)) return false;
        return true;
    }
    std::optional<Event> fault() const {
        for (const Event& event : witness.events())
            if (event.kind == EventKind::Fault) return event;
        return std::nullopt;
    }
    /// Seconds from the last that was heard of a rank (-1: of any).
    double reportedAfter(int rank) const {
        std::int64_t last = 0;
        for (const Event& event : witness.events())
            if (event.kind != EventKind::Fault && (rank < 0 || event.rank == rank)) last = std::max(last, event.end);
        return static_cast<double>(fault()->begin - last) * 1e-9;
    }
    std::string reason() const { return witness.ends().empty() ? "" : witness.ends().front().reason; }
};

}  // namespace

class RankHangTest : public QObject {
    Q_OBJECT
private:
    /// Ended, with one report in the file too, and nothing is left.
    void verifyAftermath(const RealJob& job, int culprit) {
        QCOMPARE(job.witness.ends().size(), std::size_t{1});
        QCOMPARE(job.witness.ends().front().outcome, std::string("failed"));
        const auto fault = job.fault();
        QVERIFY(fault);
        QCOMPARE(static_cast<int>(fault->rank), culprit);
        const auto reader = job.reader();
        QVERIFY(reader);
        QCOMPARE(reader->end().reason, job.reason());
        const auto summary = summarize(*reader);
        QVERIFY(summary);
        for (const auto& [rank, record] : job.witness.ranks()) {
            QTRY_VERIFY(!running(record.pid));  // a killed process is seen while the kernel takes it apart
            QVERIFY2(record.end.starts_with(rank == culprit ? "hung" : "ended with the run"), record.end.c_str());
            const int number = rank;
            QVERIFY(std::ranges::any_of(summary->flight, [&](const LogLine& line) { return line.rank == number; }));
        }
    }

private Q_SLOTS:
    void stoppedRanks() {
        const quint32 seed = freshSeed();
        QRandomGenerator random(seed);
        for (int round = 0; round < rounds && !QTest::currentTestFailed(); ++round) {
            std::vector<std::unique_ptr<RealJob>> jobs;
            std::vector<int> victims;
            for (int i = 0; i < atOnce; ++i) {
                jobs.push_back(std::make_unique<RealJob>(i % 2 == 0 ? endless(2, 1) : endless(2, 2)));
                if (i == 3) jobs.back()->options.layout.parallel.zero = 3;
                QVERIFY2(jobs.back()->start(), jobs.back()->error.text().c_str());
            }
            for (const auto& job : jobs) QVERIFY2(job->reaches(1), job->story());
            for (const auto& job : jobs) {
                QTest::qSleep(static_cast<unsigned>(random.bounded(1, 300)));
                victims.push_back(static_cast<int>(random.bounded(rankCount(job->options.layout))));
                QCOMPARE(::kill(job->witness.ranks().at(victims.back()).pid, SIGSTOP), 0);
            }
            for (const auto& job : jobs) job->job->wait();
            for (std::size_t i = 0; i < jobs.size(); ++i) {
                const QByteArray context = QString("seed %1, round %2, job %3: ").arg(seed).arg(round).arg(i).toUtf8() +
                                           jobs[i]->reason().c_str();
                const QString reason = QString::fromStdString(jobs[i]->reason());
                const QString named = QString("rank %1 stands still (stopped by a signal) at step ").arg(victims[i]);
                QVERIFY2(reason.startsWith(named), context);
                const QRegularExpression waited(
                    QString("; rank \\d waits at step \\d+ .*for ranks? [^;]*%1\\b").arg(victims[i]));
                QVERIFY2(waited.match(reason).hasMatch(), context);
                verifyAftermath(*jobs[i], victims[i]);
                QVERIFY2(jobs[i]->reportedAfter(victims[i]) < reported, context);
            }
        }
    }

    void messagesNeverSent() {
        const quint32 seed = freshSeed();
        QRandomGenerator random(seed);
        for (int round = 0; round < rounds && !QTest::currentTestFailed(); ++round) {
            std::vector<std::unique_ptr<RealJob>> jobs;
            std::vector<std::string> wanted;
            std::vector<int> culprits;
            for (int i = 0; i < atOnce; ++i) {
                const Layout layout = i % 2 == 0 ? endless(4, 1) : endless(2, 2);
                const auto plan = makePlan(layout);
                QVERIFY(plan);
                const int rank = static_cast<int>(random.bounded(plan->mesh.ranks()));
                std::vector<Action> sends =
                    plan->lowered.ranks[static_cast<std::size_t>(plan->mesh.coordinate(rank, Axis::Pipeline))];
                std::erase_if(sends, [](const Action& action) { return !isSend(action.kind); });
                const std::string send = toText(sends[random.bounded(static_cast<quint32>(sends.size()))]);
                const int step = static_cast<int>(random.bounded(1, 20));
                qputenv("SHARDLAB_TEST_LOSE", QString("%1 %2 %3").arg(rank).arg(step).arg(send.c_str()).toUtf8());
                jobs.push_back(std::make_unique<RealJob>(layout));
                const bool started = jobs.back()->start();
                qunsetenv("SHARDLAB_TEST_LOSE");
                QVERIFY2(started, jobs.back()->error.text().c_str());
                culprits.push_back(rank);
                wanted.push_back("rank " + std::to_string(rank) + " has not sent " + send + " at step " +
                                 std::to_string(step) + ", rank ");
            }
            for (const auto& job : jobs) job->job->wait();
            for (std::size_t i = 0; i < jobs.size(); ++i) {
                const QByteArray context = QString("seed %1, round %2, job %3: ").arg(seed).arg(round).arg(i).toUtf8() +
                                           wanted[i].c_str() + ": " + jobs[i]->reason().c_str();
                QVERIFY2(jobs[i]->reason().starts_with(wanted[i]), context);
                verifyAftermath(*jobs[i], culprits[i]);
                QVERIFY2(jobs[i]->reportedAfter(-1) < reported, context);
            }
        }
    }

    void pausesAndLongValidationsAreNoHangs() {
        Layout layout = endless(2, 1);
        layout.run.validateEvery = 1;
        layout.run.validationBatches = 400;
        RealJob validating(layout);
        validating.options.layout.run.deadline = 2;
        QVERIFY2(validating.start(), validating.error.text().c_str());
        RealJob paused(endless(2, 1));
        paused.options.layout.run.deadline = 2;
        QVERIFY2(paused.start(), paused.error.text().c_str());
        QVERIFY2(paused.reaches(1), paused.story());
        paused.job->send(Command::Pause);
        QTRY_COMPARE(paused.job->state(), RunState::Paused);
        QTest::qSleep(6000);
        QCOMPARE(paused.job->state(), RunState::Paused);
        paused.job->send(Command::Stop);
        paused.job->wait();
        QCOMPARE(paused.witness.ends().front().outcome, std::string("stopped"));
        const auto validated = [&] {
            for (const Event& event : validating.witness.events())
                if (event.kind == EventKind::Validation && event.end > event.begin) return true;
            return !validating.witness.ends().empty();
        };
        QTRY_VERIFY_WITH_TIMEOUT(validated(), 60000);
        QVERIFY2(validating.witness.ends().empty(), validating.reason().c_str());
    }

    /// As a person sees it.
    void theCommandLineSaysIt() {
        QTemporaryDir folder;
        const QString file = folder.filePath("run.shardlab");
        const QString layout = writeFile(folder.filePath("small.layout.json"), smallLayout(1000000));
        QProcess process;
        process.start(program(), {"run", layout, "--deadline", "3", "--out", file});
        QByteArray said;
        QVERIFY2(waitForSteps(process, said), said);
        const std::vector<int> mpirun = childrenOf(static_cast<int>(process.processId()));
        QCOMPARE(mpirun.size(), std::size_t{1});
        const std::vector<int> ranks = childrenOf(mpirun.front());
        QCOMPARE(ranks.size(), std::size_t{2});
        ::kill(ranks[1], SIGSTOP);
        QVERIFY(process.waitForFinished(patience));
        QCOMPARE(process.exitCode(), 1);
        said += process.readAllStandardError();
        QVERIFY2(said.contains(" stands still (stopped by a signal) "), said);
        const QByteArray told = run({"info", file}).out;
        QVERIFY2(told.contains("Last messages and collectives of each rank\n  rank 0   step "), told);
        QVERIFY2(told.contains("stands still (stopped by a signal)"), told);
        QVERIFY(run({"info", file, "--json"}).json().value("flight_record").toArray().size() >= 2);
    }
};

QTEST_GUILESS_MAIN(RankHangTest)
#include "rank_hang_test.moc"
