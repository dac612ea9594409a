// SPDX-License-Identifier: Apache-2.0
// Judgements of the watchdog over made-up statuses: a pipeline of four stages twice (data 2), 1F1B.
#include "engine/launch/job/watchdog.h"

#include "engine/predict/plan/plan.h"
#include "tests/support/wings.h"

#include <QTest>

#include <map>

using namespace shardlab::test;

namespace {

constexpr std::int64_t look = 100'000'000;  // ns between judgements

Layout layoutOfEight(double bucket) {
    Layout layout;
    layout.model.layers = 4;
    layout.parallel.data = 2;
    layout.parallel.pipeline = 4;
    layout.parallel.bucket = bucket;
    layout.cluster.hosts.front().devices = 8;
    layout.batch = {16, 1};
    return layout;
}

/// Drives a watchdog as a job does that has trained `steps`.
class Watched {
public:
    explicit Watched(int deadline = 5, double predicted = 0.1, double bucket = 0, int steps = 3)
        : plan_(*makePlan(layoutOfEight(bucket))) {
        dog.emplace(WatchdogSetup{plan_.mesh, plan_.lowered, deadline, predicted, false});
        for (int step = 0; step < steps; ++step) dog->measured(predicted);
        for (int rank = 0; rank < 8; ++rank) is(rank, RankPhase::Compute, 3, "");
        for (auto& [rank, status] : statuses_) status.pulse = 1;
    }

    void is(int rank, RankPhase phase, int step, const std::string& action, int peer = -1) {
        RankStatus& status = statuses_[rank];
        status.phase = phase;
        status.step = step;
        status.action = action.empty() ? 0 : actionId(*parseAction(action));
        status.peer = peer;
        ++status.heartbeat;
    }
    void freeze(int rank) { frozen_[rank] = true; }
    void works(int rank) { ++statuses_[rank].heartbeat; }

    /// Seconds until something is found, at most `most`; `each` is done before every look.
    double untilFound(double most, const std::function<void()>& each = {}) {
        for (std::int64_t begin = now_; now_ - begin < static_cast<std::int64_t>(most * 1e9);) {
            if (each) each();
            for (auto& [rank, status] : statuses_) {
                if (!frozen_[rank]) ++status.pulse;
                dog->see(rank, status);
            }
            found = dog->judge(now_ += look);
            if (found) return static_cast<double>(now_ - begin) * 1e-9;
        }
        return -1;
    }
    int at(int pipeline, int data) const { return plan_.mesh.rank({pipeline, data, 0, 0, 0}); }
    std::string report(HangEvidence evidence = {}) const { return toText(*found, evidence); }

    std::optional<Watchdog> dog;
    std::optional<Hang> found;

private:
    Plan plan_;
    std::map<int, RankStatus> statuses_;
    std::map<int, bool> frozen_;
    std::int64_t now_ = 1'000'000'000;
};

bool near(double value, double wanted) { return value >= wanted && value <= wanted + 1; }

}  // namespace

class WatchdogTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aFrozenRankIsNamed() {
        Watched run;
        run.freeze(run.at(1, 0));
        run.is(run.at(1, 0), RankPhase::Compute, 3, "1F2");
        run.is(run.at(2, 0), RankPhase::Waiting, 3, "2RECV_F2", run.at(1, 0));
        run.is(run.at(3, 0), RankPhase::Waiting, 3, "3RECV_F2", run.at(2, 0));
        QVERIFY(near(run.untilFound(20), 5));
        QCOMPARE(run.found->rank, run.at(1, 0));
        QCOMPARE(static_cast<int>(run.found->cause), static_cast<int>(Hang::Cause::Frozen));
        const std::string report = run.report({.stopped = true});
        QVERIFY2(report.starts_with("rank 2 stands still (stopped by a signal) at step 3 in 1F2, for 5."),
                 report.c_str());
        QVERIFY2(report.find("; rank 4 waits at step 3 in 2RECV_F2 for rank 2; rank 6 waits") != std::string::npos,
                 report.c_str());
    }

    /// It has reached the collective, and so have all: but it has not done its part.
    void oneFrozenInACollectiveIsWaitedFor() {
        Watched run;
        for (int rank = 0; rank < 8; ++rank)
            run.is(rank, RankPhase::Communicating, 3, std::to_string(rank / 2) + "REDUCE_NORM");
        run.freeze(run.at(2, 1));
        QVERIFY(near(run.untilFound(20), 5));
        const std::string report = run.report();
        QVERIFY2(report.starts_with("rank 5 stands still at step 3 in 2REDUCE_NORM, for "), report.c_str());
        QVERIFY2(report.find("; rank 7 waits at step 3 in 3REDUCE_NORM for rank 5") != std::string::npos,
                 report.c_str());
        QVERIFY2(report.find("rank 0 waits") == std::string::npos, report.c_str());  // another replica's
    }

    /// What runs beside compute is begun within the compute action after its announcement: who has not ended that may
    /// be what others wait for; who has, only where it does not run.
    void aBucketIsWaitedFor_data() {
        QTest::addColumn<QString>("doing");
        QTest::addColumn<bool>("frozen");
        QTest::addColumn<bool>("waitedFor");
        QTest::newRow("before it") << "0B6" << false << true;
        QTest::newRow("within it") << "0B7" << false << true;
        QTest::newRow("after it") << "0STEP" << false << false;
        QTest::newRow("frozen after it") << "0STEP" << true << true;
    }
    void aBucketIsWaitedFor() {
        QFETCH(QString, doing);
        QFETCH(bool, frozen);
        QFETCH(bool, waitedFor);
        Watched run(5, 0.1, 25);
        const int one = run.at(0, 0), other = run.at(0, 1);
        for (int rank = 0; rank < 8; ++rank) run.is(rank, RankPhase::BetweenSteps, 3, "");
        run.is(one, RankPhase::Compute, 3, doing.toStdString());
        run.is(other, RankPhase::Communicating, 3, "0REDUCE_BUCKETS7");
        if (frozen) run.freeze(one);
        QVERIFY(near(run.untilFound(20), 5));
        const std::string report = run.report();
        QVERIFY2((report.find("rank 1 waits at step 3 in 0REDUCE_BUCKETS7 for rank 0") != std::string::npos) ==
                     waitedFor,
                 report.c_str());
    }

    /// The one that skipped the send has gone on and waits itself, as do those behind it: all in a circle.
    void aSkippedSendIsNamed_data() {
        QTest::addColumn<bool>("sent");
        QTest::newRow("not sent") << false;
        QTest::newRow("lost on its way") << true;
    }
    void aSkippedSendIsNamed() {
        QFETCH(bool, sent);
        Watched run;
        run.is(run.at(0, 0), RankPhase::Waiting, 3, "0RECV_B0", run.at(1, 0));
        run.is(run.at(1, 0), RankPhase::Waiting, 3, "1RECV_B0", run.at(2, 0));
        run.is(run.at(2, 0), RankPhase::Waiting, 3, "2RECV_F1", run.at(1, 0));  // 1 has passed 1SEND_F1
        run.is(run.at(3, 0), RankPhase::Waiting, 3, "3RECV_F1", run.at(2, 0));
        for (int stage = 0; stage < 4; ++stage)
            run.is(run.at(stage, 1), RankPhase::Communicating, 3, std::to_string(stage) + "REDUCE_GRAD");
        QVERIFY(near(run.untilFound(20), 5));
        QCOMPARE(static_cast<int>(run.found->cause), static_cast<int>(Hang::Cause::Missing));
        QCOMPARE(run.found->rank, run.at(1, 0));
        const std::string report = run.report({.sent = sent});
        const std::string wanted =
            sent ? "rank 2 has sent, but nobody got, 1SEND_F1 at step 3, rank 4 waits for it, for "
                 : "rank 2 has not sent 1SEND_F1 at step 3, rank 4 waits for it, for ";
        QVERIFY2(report.starts_with(wanted), report.c_str());
        QVERIFY2(report.find("rank 1 waits at step 3 in 0REDUCE_GRAD for rank 0") != std::string::npos, report.c_str());
    }

    void anEndlessActionIsNamed() {
        Watched run;
        run.is(run.at(0, 0), RankPhase::Compute, 3, "0F4");
        run.is(run.at(1, 0), RankPhase::Waiting, 3, "1RECV_F4", run.at(0, 0));
        const auto othersWork = [&] {
            for (int stage = 0; stage < 4; ++stage) run.works(run.at(stage, 1));
            run.works(run.at(2, 0));
            run.works(run.at(3, 0));
        };
        QVERIFY(near(run.untilFound(20, othersWork), 5));
        QCOMPARE(run.found->rank, run.at(0, 0));
        const std::string report = run.report();
        QVERIFY2(report.starts_with("rank 0 does not get on at step 3 in 0F4, for 5."), report.c_str());
    }

    void waitingForOneThatWorksIsNoHang() {
        Watched run;
        for (int rank = 1; rank < 8; ++rank) run.is(rank, RankPhase::BetweenSteps, 3, "");
        run.is(0, RankPhase::Validating, 3, "0F4");
        QCOMPARE(run.untilFound(60, [&] { run.works(0); }), -1.0);
    }

    void aPausedRunIsNoHang() {
        Watched run;
        for (int rank = 0; rank < 8; ++rank) run.is(rank, RankPhase::Paused, 3, "");
        run.freeze(3);
        QCOMPARE(run.untilFound(1000), -1.0);
    }

    /// It was stopped while all were paused; then the others go on.
    void oneThatStaysBehindAPauseIsFound() {
        Watched run;
        for (int rank = 0; rank < 8; ++rank) run.is(rank, RankPhase::Paused, 3, "");
        run.freeze(3);
        QCOMPARE(run.untilFound(100), -1.0);
        for (int rank = 0; rank < 8; ++rank)
            if (rank != 3) run.is(rank, RankPhase::BetweenSteps, 3, "");
        QVERIFY(near(run.untilFound(60), 5));
        QCOMPARE(run.found->rank, 3);
        QVERIFY2(run.report().starts_with("rank 3 stands still"), run.report().c_str());
    }

    /// While one rank's part goes to a slow disk, all the others wait between steps.
    void aSlowCheckpointIsNoHang() {
        Watched run;
        for (int rank = 1; rank < 8; ++rank) run.is(rank, RankPhase::BetweenSteps, 3, "");
        run.is(0, RankPhase::Checkpointing, 3, "");
        QVERIFY(near(run.untilFound(2000), 900));
        QCOMPARE(run.found->rank, 0);
        const std::string report = run.report();
        QVERIFY2(report.starts_with("rank 0 does not get on at step 3, taking a checkpoint"), report.c_str());
    }

    void timeOfTheDogsOwnSleepDoesNotCount() {
        Watched run;
        run.is(0, RankPhase::Compute, 3, "0F4");
        QCOMPARE(run.untilFound(3, {}), -1.0);
        // Everything was suspended for an hour; afterwards the rank goes on.
        QVERIFY(!run.dog->judge(3'700'000'000'000));
    }

    void deadlines() {
        Watched automatic(0, 2.0, 0, 0);
        QCOMPARE(automatic.dog->deadline(RankPhase::Compute), 60.0);
        automatic.dog->measured(7);
        automatic.dog->measured(1);
        QCOMPARE(automatic.dog->deadline(RankPhase::Compute), 70.0);
        QCOMPARE(automatic.dog->deadline(RankPhase::Setup), 300.0);
        QVERIFY(std::isinf(automatic.dog->deadline(RankPhase::Paused)));
        Watched slow(0, 100, 0, 0);
        QCOMPARE(slow.dog->deadline(RankPhase::Waiting), 3000.0);  // a first step may take thirty times as long
        Watched given(7, 100, 0, 0);
        QCOMPARE(given.dog->deadline(RankPhase::Communicating), 60.0);  // and at least this, whatever is given
        given.dog->measured(100);
        QCOMPARE(given.dog->deadline(RankPhase::Communicating), 7.0);
        Watched patient(90, 1, 0, 0);
        QCOMPARE(patient.dog->deadline(RankPhase::Compute), 90.0);
        Watched quick(0, 0.001);
        QCOMPARE(quick.dog->deadline(RankPhase::BetweenSteps), 30.0);
    }

    void aRankThatNeverStartsIsNamed() {
        Watched run;
        run.is(5, RankPhase::Starting, -1, "");
        for (int rank = 0; rank < 8; ++rank)
            if (rank != 5) run.is(rank, RankPhase::Setup, -1, "");
        QVERIFY(near(run.untilFound(1000,
                                    [&] {
                                        for (int rank = 0; rank < 8; ++rank)
                                            if (rank != 5) run.works(rank);
                                    }),
                     300));
        QCOMPARE(run.found->rank, 5);
    }
};

QTEST_GUILESS_MAIN(WatchdogTest)
#include "watchdog_test.moc"
