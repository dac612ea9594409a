// SPDX-License-Identifier: Apache-2.0
// A job's life from its start to its run file, with fake ranks under the real mpirun.
#include "engine/launch/job/run_summary.h"
#include "tests/support/processes.h"
#include "tests/support/watched_job.h"
#include "tests/support/wings.h"

#include <QTest>

#include <csignal>
#include <sys/resource.h>

using namespace shardlab::test;

namespace {

/// From the last word on rank 1, which comes when all else is written, no file of this process may grow.
class WritesFailAtTheEnd : public Witness {
public:
    WritesFailAtTheEnd() : signal_(std::signal(SIGXFSZ, SIG_IGN)) { getrlimit(RLIMIT_FSIZE, &limit_); }
    ~WritesFailAtTheEnd() override { lift(); }

    void rankChanged(const RankRecord& record) override {
        Witness::rankChanged(record);
        if (record.rank != 1 || ++words_ < 4) return;  // expected, joined, said goodbye, judged
        const rlimit none{0, limit_.rlim_max};
        setrlimit(RLIMIT_FSIZE, &none);
    }
    void lift() {
        setrlimit(RLIMIT_FSIZE, &limit_);
        std::signal(SIGXFSZ, signal_);
    }

private:
    rlimit limit_{};
    void (*signal_)(int);
    int words_ = 0;
};

bool said(const WatchedJob& watched, const std::string& text) {
    return std::ranges::any_of(watched.witness.log(), [&](const LogLine& line) { return line.text == text; });
}

}  // namespace

class JobTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void finishes() {
        WatchedJob watched({.steps = 8});
        QVERIFY2(watched.start(), watched.error.text().c_str());
        watched.job->wait();

        QCOMPARE(watched.job->state(), RunState::Ended);
        const std::vector<RunEnd> ends = watched.witness.ends();
        QCOMPARE(ends.size(), std::size_t{1});
        QCOMPARE(ends.front().outcome, std::string("finished"));
        const std::vector<RunState> states = watched.witness.states();
        QCOMPARE(states, (std::vector{RunState::Starting, RunState::Running, RunState::Ended}));

        const auto reader = watched.reader();
        QVERIFY(reader);
        QCOMPARE(reader->end().outcome, std::string("finished"));
        QCOMPARE(reader->ranks().size(), std::size_t{2});
        for (const RankRecord& rank : reader->ranks()) {
            QCOMPARE(rank.end, std::string("finished"));
            QVERIFY(rank.pid > 0 && !rank.host.empty() && !rank.label.empty());
        }
        QCOMPARE(reader->eventCount(), static_cast<std::int64_t>(watched.witness.events().size()));
        QVERIFY(!reader->predicted()->empty());
        int said = 0;
        const auto log = reader->log();
        QVERIFY(log);
        for (const LogLine& line : *log) said += line.text.starts_with("fake rank") ? 1 : 0;
        QCOMPARE(said, 2);
    }

    void summaryIsThatOfTheEvents() {
        WatchedJob watched({.steps = 6});
        QVERIFY2(watched.start(), watched.error.text().c_str());
        watched.job->wait();
        const auto reader = watched.reader();
        QVERIFY(reader);
        const auto summary = summarize(*reader);
        QVERIFY(summary);
        QCOMPARE(summary->losses.size(), std::size_t{6});
        for (int step = 0; step < 6; ++step)
            QCOMPARE(summary->losses[static_cast<std::size_t>(step)], 1.0 / (1 + step));
        QVERIFY(summary->stepSeconds >= 0.020);
        QCOMPARE(summary->tokensPerSecond,
                 static_cast<double>(tokensPerStep(watched.options.layout)) / summary->stepSeconds);
        QCOMPARE(summary->ranks.size(), std::size_t{2});
        QCOMPARE(summary->ranks[1].memory[0], std::int64_t{1001});
        QCOMPARE(summary->ranks[1].peak, std::int64_t{5001});
        QVERIFY(summary->ranks[1].predictedPeak > 0);
        QVERIFY(summary->predictedStepSeconds > 0);

        RunFigures live(reader->header());
        live.add(watched.witness.events());
        QCOMPARE(live.summary().losses, summary->losses);
        QCOMPARE(live.summary().stepSeconds, summary->stepSeconds);
    }

    void stopsAtAStepsEnd() {
        WatchedJob watched({.steps = 100000});
        QVERIFY2(watched.start(), watched.error.text().c_str());
        QVERIFY2(watched.reaches(2), watched.story());
        watched.job->send(Command::Stop);
        watched.job->wait();
        QCOMPARE(watched.witness.ends().front().outcome, std::string("stopped"));
        const auto reader = watched.reader();
        for (const RankRecord& rank : reader->ranks()) QCOMPARE(rank.end, std::string("stopped"));
        int commands = 0;
        QVERIFY(reader->readEvents([&](std::span<const Event> events) {
            for (const Event& event : events)
                if (event.kind == EventKind::Command && event.value == static_cast<double>(Command::Stop)) ++commands;
            return true;
        }));
        QCOMPARE(commands, 1);
    }

    void pausesAndResumes() {
        WatchedJob watched({.steps = 100000});
        QVERIFY2(watched.start(), watched.error.text().c_str());
        QTRY_COMPARE(watched.job->state(), RunState::Running);
        watched.job->send(Command::Pause);
        QTRY_COMPARE(watched.job->state(), RunState::Paused);
        // What was under way arrives, and then nothing more: fifty steps would pass in each of these seconds.
        int paused = -1;
        for (int second = 0; second < 60 && watched.witness.lastStep() != paused; ++second) {
            paused = watched.witness.lastStep();
            QTest::qWait(1000);
        }
        QCOMPARE(watched.witness.lastStep(), paused);
        watched.job->send(Command::Resume);
        QVERIFY2(watched.reaches(paused + 3), watched.story());
        QTRY_COMPARE(watched.job->state(), RunState::Running);
        watched.job->send(Command::Stop);
        watched.job->wait();
        QCOMPARE(watched.witness.ends().front().outcome, std::string("stopped"));
    }

    void killEndsAtOnce() {
        WatchedJob watched({.steps = 100000, .stepMilliseconds = 60000});
        QVERIFY2(watched.start(), watched.error.text().c_str());
        QTRY_VERIFY(said(watched, "step 0 of rank 0") && said(watched, "step 0 of rank 1"));
        watched.job->send(Command::Stop);  // in vain: a step lasts a minute
        QTest::qWait(200);
        QCOMPARE(watched.job->state(), RunState::Stopping);
        watched.job->kill();
        watched.job->wait();
        const RunEnd end = watched.witness.ends().front();
        QCOMPARE(end.outcome, std::string("stopped"));
        QVERIFY2(end.reason.find("at step 0 in 0F2") != std::string::npos, end.reason.c_str());
        QVERIFY(watched.reader());
    }

    void destroyingAJobEndsIt() {
        int rank = 0;
        WatchedJob watched({.steps = 100000, .stepMilliseconds = 60000});
        QVERIFY2(watched.start(), watched.error.text().c_str());
        QTRY_VERIFY(watched.witness.rankJoined(1));
        rank = watched.witness.ranks().at(1).pid;
        watched.job.reset();
        QCOMPARE(watched.witness.ends().size(), std::size_t{1});
        QVERIFY(!running(rank));
        const RunEnd end = watched.reader()->end();
        QCOMPARE(end.outcome, std::string("stopped"));  // the step, which lasts a minute, is not waited for
        QCOMPARE(end.outcome, watched.witness.ends().front().outcome);
    }

    void lastBytesThatCannotBeWrittenAreAFailure() {
        WatchedJob watched({.steps = 3});
        WritesFailAtTheEnd observer;
        auto job = Job::start(watched.options, observer);
        QVERIFY(job);
        (*job)->wait();
        job->reset();
        observer.lift();
        const RunEnd end = observer.ends().front();
        QCOMPARE(end.outcome, std::string("failed"));
        QVERIFY2(end.reason.find("cannot write the run file") != std::string::npos, end.reason.c_str());
        QVERIFY(watched.reader());
    }

    void stopWhileRanksStartIsNoFailure() {
        WatchedJob watched({.steps = 100000});
        QVERIFY2(watched.start(), watched.error.text().c_str());
        watched.job->send(Command::Stop);
        watched.job->wait();
        const RunEnd end = watched.witness.ends().front();
        QVERIFY2(end.outcome == "stopped", end.reason.c_str());
        QCOMPARE(watched.reader()->end().outcome, std::string("stopped"));
    }

    void twoJobsAtOnceDoNotDisturbEachOther() {
        WatchedJob one({.steps = 20}), other({.steps = 20});
        QVERIFY2(one.start(), one.error.text().c_str());
        QVERIFY2(other.start(), other.error.text().c_str());
        one.job->wait();
        other.job->wait();
        QCOMPARE(one.witness.ends().front().outcome, std::string("finished"));
        QCOMPARE(other.witness.ends().front().outcome, std::string("finished"));
    }
};

SHARDLAB_FAKE_RANK_MAIN(JobTest)
#include "job_test.moc"
