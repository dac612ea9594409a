// SPDX-License-Identifier: Apache-2.0
// How the end of a run and of each rank is judged, from what ranks, their links and mpirun said.
#include "engine/launch/job/rank_ends.h"
#include "tests/launch/mpirun_words.h"
#include "tests/support/wings.h"

#include <QTest>

using namespace shardlab::test;

namespace {

RankFate at(RankPhase phase, int step, const char* action, int peer = -1) {
    RankFate fate;
    fate.joined = true;
    fate.status = RankStatus{100, phase, step, actionId(*parseAction(action)), peer, 0};
    return fate;
}

RankFate said(const char* word) {
    RankFate fate;
    fate.joined = true;
    fate.goodbye = word;
    return fate;
}

}  // namespace

class RankEndsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void namesRankStepAndAction() {
        const std::vector<RankFate> ranks{at(RankPhase::Compute, 12, "0F3"), at(RankPhase::Compute, 12, "1F2")};
        const Verdict verdict = judge(ranks, {{false, 137}, reportOf(killedText), false, {}});
        QCOMPARE(verdict.run.outcome, std::string("failed"));
        QCOMPARE(verdict.run.reason, std::string("rank 1 was killed by SIGKILL at step 12 in 1F2"));
        QCOMPARE(verdict.ranks[0], std::string("ended with the run at step 12 in 0F3"));
        QCOMPARE(verdict.ranks[1], std::string("killed by SIGKILL at step 12 in 1F2"));
    }

    void namesWhomARankWaitedFor() {
        QCOMPARE(whereabouts(at(RankPhase::Waiting, 3, "1RECV_F0", 0).status),
                 std::string("at step 3 in 1RECV_F0, waiting for rank 0"));
        QCOMPARE(whereabouts(at(RankPhase::Validating, 7, "1F3").status), std::string("at step 7 in 1F3, validating"));
        QCOMPARE(whereabouts(RankStatus{1, RankPhase::Paused, 7, 0, -1, 0}), std::string("at step 7, paused"));
        QCOMPARE(whereabouts(std::nullopt), std::string());
        QCOMPARE(whereabouts(RankStatus{1, RankPhase::Setup, -1, 0, -1, 0}), std::string("during setup"));
    }

    void mpirunKilled() {
        const std::vector<RankFate> ranks{at(RankPhase::Compute, 5, "0F3"), at(RankPhase::Compute, 5, "1F2")};
        const Verdict verdict = judge(ranks, {{true, 9}, {}, false, {}});
        QCOMPARE(verdict.run.reason, std::string("mpirun was killed by SIGKILL; rank 0 was at step 5 in 0F3"));
    }

    /// Nobody is to blame but mpirun, whatever its end looks like once it has been asked to.
    void mpirunThatStartedNobody() {
        const std::vector<RankFate> ranks(2);
        for (const ExitStatus& end : {ExitStatus{false, 1}, ExitStatus{true, 9}, ExitStatus{false, 0}}) {
            JobFate job;
            job.mpirun = end;
            job.stuck = true;
            job.endedAt = 1000;
            const Verdict verdict = judge(ranks, job);
            QCOMPARE(verdict.rank, -1);
            QCOMPARE(verdict.run.reason,
                     std::string("mpirun started no rank for five minutes, as if a signal had stopped it half-way"));
        }
    }

    /// SIGTERM, SIGINT and SIGHUP have mpirun end all ranks and say nothing; the order in which links break tells
    /// nothing.
    void mpirunEndedFromOutside() {
        std::vector<RankFate> ranks{at(RankPhase::Compute, 5, "0F3"), at(RankPhase::Compute, 5, "1F2")};
        ranks[1].lostAt = 1000;
        ranks[0].lostAt = 2000;
        JobFate job;
        job.mpirun = {false, 1};
        const std::string outside = "mpirun was ended by a signal from outside (SIGTERM, SIGINT or SIGHUP)";
        for (const std::optional<std::int64_t> endedAt :
             {std::optional<std::int64_t>(), std::optional<std::int64_t>(3000)}) {
            job.endedAt = endedAt;  // the launcher may come to it before mpirun is gone
            const Verdict verdict = judge(ranks, job);
            QCOMPARE(verdict.rank, -1);
            QCOMPARE(verdict.run.reason, outside + "; rank 0 was at step 5 in 0F3");
            QCOMPARE(verdict.ranks[1], std::string("ended with the run at step 5 in 1F2"));
        }
        ranks[0].status = RankStatus{1, RankPhase::Setup, -1, 0, -1, 0};
        QCOMPARE(judge(ranks, job).run.reason, outside + " during setup");
        QCOMPARE(judge(std::vector<RankFate>(2), {{false, 1}, {}, false, {}}).run.reason,
                 outside + " while ranks were starting");
        // What it does say may be the reason; a rank that it does not name is not blamed either.
        job.report = reportOf("----------------------\nno more memory\n----------------------\n");
        QCOMPARE(judge(ranks, job).rank, -1);
        QCOMPARE(judge(ranks, job).run.reason, std::string("mpirun failed (exit code 1): no more memory"));
        job.report = reportOf("mpirun: cannot go on\n");
        QCOMPARE(judge(ranks, job).run.reason, std::string("mpirun failed (exit code 1)"));
    }

    /// The launcher ended a mpirun that did not notice: the rank that was lost is to blame.
    void mpirunEndedByTheLauncher() {
        std::vector<RankFate> ranks{at(RankPhase::Compute, 5, "0F3"), at(RankPhase::Compute, 5, "1F2")};
        ranks[1].lostAt = 1000;
        JobFate job;
        job.endedAt = 2000;
        for (const ExitStatus& end : {ExitStatus{false, 1}, ExitStatus{true, 9}}) {
            job.mpirun = end;
            QCOMPARE(judge(ranks, job).rank, 1);
            QCOMPARE(judge(ranks, job).run.reason, std::string("rank 1 died at step 5 in 1F2"));
            ranks[0].lostAt = 2500;  // with the others, as the launcher asked for it
        }
    }

    /// MPI aborts the neighbours of a rank that died, and mpirun may name the first of them.
    void aNeighbourThatMpirunNamesIsNotToBlame() {
        std::vector<RankFate> ranks{at(RankPhase::Compute, 5, "0F3"), at(RankPhase::Compute, 5, "1F2")};
        ranks[0].lostAt = 1000;
        ranks[1].lostAt = 2000;
        JobFate job;
        job.hosts = {"ta", "tb"};
        job.mpirun = {false, 14};
        job.report = reportOf("----------------------\n"
                              "prterun detected that one or more processes exited with non-zero status, thus causing\n"
                              "the job to be terminated. The first process to do so was:\n\n"
                              "   Process name: [prterun-ta-698@1,1]\n"
                              "   Exit code:    14\n"
                              "----------------------\n");
        QCOMPARE(job.report.rank(), 1);
        QCOMPARE(judge(ranks, job).rank, 0);
        QCOMPARE(judge(ranks, job).run.reason, std::string("rank 0 on host ta died at step 5 in 0F3"));
        job.hosts = {};  // on one host both links broke as mpirun ended its ranks, and were seen in that order
        QCOMPARE(judge(ranks, job).rank, 1);
        job.hosts = {"ta", "tb"};
        ranks[0].lostAt = 3000;  // with the others, as mpirun ended them
        QCOMPARE(judge(ranks, job).rank, 1);
        ranks[0].lostAt = 1000;
        job.report = reportOf(killedText);  // a signal is no neighbour's end
        QCOMPARE(judge(ranks, job).run.reason, std::string("rank 1 on host tb was killed by SIGKILL at step 5 in 1F2"));
    }

    /// The daemon was killed, or the connection to it broke: no rank is to blame for that, whichever's link broke
    /// first.
    void aLostDaemonsHostIsNamed() {
        std::vector<RankFate> ranks{at(RankPhase::Compute, 5, "0F3"), at(RankPhase::Compute, 5, "1F2")};
        ranks[1].lostAt = 1000;
        ranks[0].lostAt = 2000;
        const char* texts[] = {// Open MPI 4
                               "----------------------\n"
                               "ORTE has lost communication with a remote daemon.\n\n"
                               "  HNP daemon   : [[44172,0],0] on node ta\n"
                               "  Remote daemon: [[44172,0],1] on node tb\n\n"
                               "This is usually due to either a failure of the TCP network\n"
                               "----------------------\n",
                               // Open MPI 5
                               "----------------------\n"
                               "PRTE has lost communication with a remote daemon.\n\n"
                               "  HNP daemon   : [prterun-ta-698@0,0] on node ta\n"
                               "  Remote daemon: [prterun-ta-698@0,1] on node tb\n\n"
                               "This is usually due to either a failure of the TCP network\n"
                               "----------------------\n"};
        for (int version = 0; version < 2; ++version) {
            JobFate job;
            job.mpirun = {false, version == 0 ? 1 : 0};
            job.report = reportOf(texts[version]);
            QCOMPARE(job.report.lostHost(), std::string("tb"));
            const Verdict verdict = judge(ranks, job);
            QCOMPARE(verdict.run.outcome, std::string("failed"));
            QCOMPARE(verdict.run.reason,
                     std::string("mpirun lost its daemon on host tb, and with it the ranks there; rank 0 was at "
                                 "step 5 in 0F3"));
            QCOMPARE(verdict.rank, -1);
        }
    }

    void mpirunNamesNoRank() {
        const std::vector<RankFate> joined{at(RankPhase::Compute, 5, "0F3"), at(RankPhase::Compute, 5, "1F2")};
        const std::vector<RankFate> starting(2);
        QCOMPARE(judge(joined, {{false, 139}, {}, false, {}}).run.reason,
                 std::string("a rank was killed by SIGSEGV; mpirun does not say which"));
        QCOMPARE(judge(starting, {{false, 137}, {}, false, {}}).run.reason,
                 std::string("a rank was killed by SIGKILL while ranks were starting; mpirun does not say which"));
        QCOMPARE(judge(starting, {{false, 143}, {}, false, {}}).run.reason,
                 std::string("mpirun failed (exit code 143)"));
    }

    void aRanksOwnErrorWinsOverMpirunsExitCode() {
        const std::vector<RankFate> ranks{at(RankPhase::Compute, 0, "0F0"), said("no such file: corpus.txt")};
        const Verdict verdict = judge(ranks, {{false, 1}, {}, false, {}});
        QCOMPARE(verdict.run.reason, std::string("rank 1: no such file: corpus.txt"));
    }

    void finishedStoppedKilledAndUnwritable() {
        const std::vector<RankFate> finished{said("finished"), said("finished")};
        QCOMPARE(judge(finished, {{false, 0}, {}, false, {}}).run.outcome, std::string("finished"));
        QCOMPARE(judge(finished, {{false, 0}, {}, false, {}}).run.reason, std::string());
        const std::vector<RankFate> stopped{said("stopped"), said("stopped")};
        QCOMPARE(judge(stopped, {{false, 0}, {}, false, {}}).run.outcome, std::string("stopped"));
        const std::vector<RankFate> killed{at(RankPhase::Compute, 7, "0F0"), at(RankPhase::Compute, 7, "1F0")};
        const Verdict verdict = judge(killed, {{true, 9}, {}, true, {}});
        QCOMPARE(verdict.run.outcome, std::string("stopped"));
        QCOMPARE(verdict.run.reason, std::string("killed on request at step 7 in 0F0"));
        const Verdict early = judge(std::vector<RankFate>(2), {{false, 143}, {}, true, {}});  // no rank had started
        QCOMPARE(early.run.outcome, std::string("stopped"));
        QCOMPARE(early.run.reason, std::string("killed on request"));
        const Error full{"cannot write", "/mnt/run.shardlab", "No space left on device", {}};
        const Verdict unwritable = judge(killed, {{true, 15}, {}, false, full});
        QCOMPARE(unwritable.run.outcome, std::string("failed"));
        QVERIFY(unwritable.run.reason.find("No space left") != std::string::npos);
    }

    void severalHostsAreNamedInTheReason() {
        JobFate job;
        job.hosts = {"node1", "node1", "node2"};
        job.report = reportOf(killedText);
        job.mpirun = {false, 137};
        const std::vector<RankFate> ranks{at(RankPhase::Compute, 5, "0F1"), at(RankPhase::Compute, 5, "1F1"),
                                          at(RankPhase::Waiting, 5, "2RECV_F1", 1)};
        QCOMPARE(judge(ranks, job).run.reason,
                 std::string("rank 1 on host node1 was killed by SIGKILL at step 5 in 1F1"));
        job.cutOff = "host node2 is cut off";
        QCOMPARE(judge(ranks, job).run.reason, std::string("host node2 is cut off"));
        job.killRequested = true;
        QCOMPARE(judge(ranks, job).run.outcome, std::string("stopped"));
    }
};

QTEST_GUILESS_MAIN(RankEndsTest)
#include "rank_ends_test.moc"
