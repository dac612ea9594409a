// SPDX-License-Identifier: Apache-2.0
// mpirun's argv, its last words, and how a run is judged from them.
#include "engine/launch/job/forwarder_setup.h"
#include "engine/launch/job/mpirun.h"
#include "engine/launch/job/mpirun_report.h"
#include "engine/launch/job/rank_ends.h"
#include "tests/support/wings.h"

#include <QDir>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <sstream>

using namespace shardlab::test;

namespace {

MpirunReport reportOf(const char* text) {
    MpirunReport report;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) report.read(line);
    return report;
}

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

const char* killedText = "--------------------------------------------------------------------------\n"
                         "Primary job  terminated normally, but 1 process returned\n"
                         "a non-zero exit code. Per user-direction, the job has been aborted.\n"
                         "--------------------------------------------------------------------------\n"
                         "--------------------------------------------------------------------------\n"
                         "mpirun noticed that process rank 1 with PID 0 on node pc exited on signal 9 (Killed).\n"
                         "--------------------------------------------------------------------------\n";

}  // namespace

class MpirunTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void argvIsAListWithTheProgramBeforeItsArguments() {
        MpirunOptions options;
        options.ranks = 8;
        options.cores = 2;
        options.rankProgram = "/opt/a b/shardlab-rank";
        options.rankArguments = {"--layout", "/tmp/$(x)/layout.json"};
        options.temporary = "/tmp/job";
        const ProcessSpec spec = mpirunCommand("/usr/bin/mpirun", options);
        const auto& argv = spec.arguments;
        const auto program = std::find(argv.begin(), argv.end(), "/opt/a b/shardlab-rank");
        QVERIFY(program != argv.end());
        QCOMPARE(std::vector<std::string>(program + 1, argv.end()), options.rankArguments);
        const auto has = [&](const std::string& key, const std::string& value) {
            const auto found = std::find(argv.begin(), program, key);
            return found != program && *(found + 1) == value;
        };
        QVERIFY(has("-n", "8") && has("--bind-to", "none") && has("btl", "self,vader"));
        QVERIFY(has("btl_vader_single_copy_mechanism", "none") && has("smsc", "^cma,knem,xpmem"));
        QVERIFY(has("odls_base_sigkill_timeout", "0") && has("mpi_yield_when_idle", "1"));
        QCOMPARE(spec.orphaned, SIGKILL);
        QCOMPARE(std::count_if(spec.environment.begin(), spec.environment.end(),
                               [](const auto& variable) { return variable.first.starts_with("OMPI_ALLOW"); }),
                 0);
    }

    void eachHostHasItsRanksArguments() {
        MpirunOptions options;
        options.root = true;
        options.rankProgram = "/opt/shardlab-rank";
        options.temporary = "/tmp/job";
        options.agent = "/tmp/job/agent";
        options.network = "10.1.0.0/16";
        options.hosts = {{"node1", 2, 4, {"--folder", "/tmp/job"}}, {"node2", 1, 8, {"--folder", "/tmp/job/host-1"}}};
        qputenv("SHARDLAB_TEST_WORD", "x");
        qputenv("SHARDLAB_TEST_TOKEN_FILE", "secret");
        const ProcessSpec spec = mpirunCommand("/usr/bin/mpirun", options);
        qunsetenv("SHARDLAB_TEST_WORD");
        qunsetenv("SHARDLAB_TEST_TOKEN_FILE");
        const auto& argv = spec.arguments;
        const auto border = std::find(argv.begin(), argv.end(), ":");
        QVERIFY(border != argv.end());
        QCOMPARE(std::count(argv.begin(), argv.end(), ":"), 1);
        const auto has = [](auto from, auto to, const std::string& key, const std::string& value) {
            for (auto each = from; each != to && each + 1 != to; ++each)
                if (*each == key && *(each + 1) == value) return true;
            return false;
        };
        QVERIFY(has(argv.begin(), border, "--host", "node1:2") && has(border, argv.end(), "--host", "node2:1"));
        QVERIFY(has(argv.begin(), border, "-n", "2") && has(border, argv.end(), "-n", "1"));
        QVERIFY(has(argv.begin(), border, "-x", "OMP_NUM_THREADS=4") &&
                has(border, argv.end(), "-x", "OMP_NUM_THREADS=8"));
        QVERIFY(has(border, argv.end(), "-x", "SHARDLAB_TEST_WORD"));
        QVERIFY(std::none_of(argv.begin(), argv.end(),
                             [](const std::string& word) { return word.find("TOKEN") != std::string::npos; }));
        QCOMPARE(argv.back(), std::string("/tmp/job/host-1"));
        QVERIFY(has(argv.begin(), border, "plm_rsh_agent", "/bin/sh /tmp/job/agent") &&
                has(argv.begin(), border, "btl", "self,vader,tcp"));
        // Open MPI 5 does not hand on what stands in the first part, and its PMIx must not tell of several.
        QVERIFY(has(border, argv.end(), "plm_rsh_agent", "/bin/sh /tmp/job/agent") &&
                has(border, argv.end(), "btl", "self,vader,tcp"));
        QVERIFY(std::ranges::count(spec.environment, std::pair<std::string, std::string>("PMIX_MCA_pmdl", "^ompi")));
        QVERIFY(!has(argv.begin(), border, "mpi_yield_when_idle", "1"));
        options.hosts.back().oversubscribed = true;  // one is enough
        const auto yielding = mpirunCommand("/usr/bin/mpirun", options).arguments;
        QVERIFY(has(yielding.begin(), yielding.end(), "mpi_yield_when_idle", "1"));
        QVERIFY(has(argv.begin(), border, "btl_tcp_if_include", "10.1.0.0/16") &&
                has(argv.begin(), border, "oob_tcp_if_include", "10.1.0.0/16"));
        // A cut link that the launcher and its forwarders would still wait for must not end mpirun.
        QVERIFY(
            has(argv.begin(), border, "oob_tcp_keepalive_intvl", "1") &&
            has(argv.begin(), border, "oob_tcp_keepalive_probes", std::to_string(2 * hostPatience / 1'000'000'000)));
    }

    /// A host has a fabric where the kernel has a port of it that is up, and ompi_info tells of the library for it.
    void fabricsAreThoseWithADeviceAndALibrary() {
        const QTemporaryDir folder;
        const auto write = [&](const QString& name, const QByteArray& text) {
            QDir(folder.path()).mkpath(QFileInfo(name).path());
            QFile file(folder.filePath(name));
            QVERIFY(file.open(QIODevice::WriteOnly) && file.write(text) == text.size());
        };
        const QByteArray path = qgetenv("PATH");
        const auto built = [&](const QByteArray& lines) {
            write("bin/ompi_info", "#!/bin/sh\ntest \"$*\" = --parsable && printf '" + lines + "'\n");
            QFile::setPermissions(folder.filePath("bin/ompi_info"),
                                  QFile::ReadOwner | QFile::ExeOwner | QFile::WriteOwner);
        };
        const auto found = [&] {
            qputenv("PATH", folder.filePath("bin").toUtf8() + ":" + path);
            const Fabrics fabrics = fabricsHere(folder.filePath("sys").toStdString());
            qputenv("PATH", path);
            return fabrics;
        };
        const Fabrics none, ucx{.ucx = true}, ofi{.ofi = true}, both{.ucx = true, .ofi = true};
        const QByteArray all = "mca:pml:ob1:version:\"x\"\\nmca:pml:ucx:version:\"x\"\\nmca:mtl:ofi:version:\"x\"\\n";
        built(all);
        QCOMPARE(found(), none);  // no device, whatever Open MPI has
        write("sys/class/infiniband/mlx5_0/ports/1/state", "1: DOWN\n");
        QCOMPARE(found(), none);
        write("sys/class/infiniband/mlx5_0/ports/1/state", "4: ACTIVE\n");
        QCOMPARE(found(), ucx);
        built("mca:pml:ob1:version:\"x\"\\nmca:btl:ucx:version:\"x\"\\n");
        QCOMPARE(found(), none);
        built(all);
        write("sys/class/infiniband/hfi1_0/ports/1/state", "4: ACTIVE\n");
        QCOMPARE(found(), both);
        QVERIFY(QDir(folder.filePath("sys/class/infiniband")).removeRecursively());
        write("sys/class/cxi/cxi0/device", "");
        QCOMPARE(found(), ofi);
        QFile::remove(folder.filePath("bin/ompi_info"));
        QCOMPARE(builtWith(std::vector<std::string>{}), none);
        QCOMPARE(common(both, ofi), ofi);
        QCOMPARE(common(ucx, ofi), none);
        QCOMPARE(both.text(), std::string("UCX or OFI"));
    }

    /// Only where there are several hosts, all have a fabric, and neither network nor pml is named, Open MPI chooses.
    void openMpiChoosesWhereAllHostsHaveAFabric() {
        const auto pml = [](const MpirunOptions& options) {
            const auto argv = mpirunCommand("/usr/bin/mpirun", options).arguments;
            const auto at = std::ranges::find(argv, "pml");
            return at == argv.end() ? std::string() : *(at + 1);
        };
        MpirunOptions options;
        options.rankProgram = "/opt/shardlab-rank";
        options.fabrics = {.ucx = true};
        QCOMPARE(pml(options), std::string("ob1"));
        options.hosts = {{"node1", 2, 4, {}}, {"node2", 1, 8, {}}};
        QCOMPARE(pml(options), std::string());
        options.fabrics = {.ofi = true};
        QCOMPARE(pml(options), std::string());
        options.network = "10.1.0.0/16";
        QCOMPARE(pml(options), std::string("ob1"));
        options.network.clear();
        options.extras.parameters = {{"pml", "cm"}};
        QCOMPARE(pml(options), std::string("cm"));
        options.extras = {};
        options.fabrics = {};
        QCOMPARE(pml(options), std::string("ob1"));
    }

    void whatTheUserAddsReachesRanks() {
        const auto extras = mpirunExtras({"GREETING=good day", "HOME"}, {"pml=ucx", "btl_tcp_if_include=ib0"});
        QVERIFY(extras);
        MpirunOptions options;
        options.rankProgram = "/opt/shardlab-rank";
        options.extras = *extras;
        options.network = "10.1.0.0/16";
        const auto has = [](const std::vector<std::string>& argv, const std::string& key, const std::string& value) {
            for (std::size_t i = 0; i + 1 < argv.size() && argv[i] != "/opt/shardlab-rank"; ++i)
                if (argv[i] == key && argv[i + 1] == value) return true;
            return false;
        };
        qputenv("NCCL_DEBUG", "INFO");
        qputenv("FI_PROVIDER", "tcp");
        qputenv("GREETING", "the launcher's own");
        for (const bool several : {false, true}) {
            if (several) options.hosts = {{"node1", 2, 4, {}}, {"node2", 1, 8, {}}};
            const auto argv = mpirunCommand("/usr/bin/mpirun", options).arguments;
            QVERIFY(has(argv, "-x", "GREETING=good day") && has(argv, "-x", "HOME"));
            QCOMPARE(std::ranges::count(argv, "pml"), several ? 2 : 1);  // a part of the command line for each host
            QVERIFY(has(argv, "pml", "ucx") && !has(argv, "pml", "ob1"));
            QVERIFY(has(argv, "btl_tcp_if_include", "ib0") && !has(argv, "btl_tcp_if_include", "10.1.0.0/16"));
            if (!several) continue;
            QVERIFY(has(argv, "-x", "NCCL_DEBUG") && has(argv, "-x", "FI_PROVIDER") && !has(argv, "-x", "GREETING"));
            QCOMPARE(std::ranges::count(argv, "GREETING=good day"), 2);
        }
        for (const char* name : {"NCCL_DEBUG", "FI_PROVIDER", "GREETING"}) qunsetenv(name);
    }

    void whatIsNothingToAddIsRefused() {
        for (const char* variable : {"", "=x", "1A=2", "A B=1", "-x"})
            QVERIFY2(!mpirunExtras({variable}, {}), variable);
        for (const char* parameter : {"", "pml", "=ucx", "p ml=ucx", "--pml=ucx"})
            QVERIFY2(!mpirunExtras({}, {parameter}), parameter);
        QVERIFY(!mpirunExtras({}, {"pml=ucx", "pml=ob1"}));
        QVERIFY(mpirunExtras({"A=", "_b=c=d"}, {"pml=", "btl=self,tcp"}));
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

    void rootIsConfirmedTwiceAndEnoughCoresDoNotYield() {
        MpirunOptions options;
        options.ranks = 2;
        options.cores = 2;
        options.root = true;
        const ProcessSpec spec = mpirunCommand("/usr/bin/mpirun", options);
        QCOMPARE(std::count_if(spec.environment.begin(), spec.environment.end(),
                               [](const auto& variable) { return variable.first.starts_with("OMPI_ALLOW"); }),
                 2);
        QCOMPARE(std::count(spec.arguments.begin(), spec.arguments.end(), "mpi_yield_when_idle"), 0);
    }

    void missingMpirunNamesThePackage() {
        const QByteArray path = qgetenv("PATH");
        qputenv("PATH", "/nonexistent");
        const auto found = findMpirun();
        qputenv("PATH", path);
        QVERIFY(!found);
        QVERIFY(found.error().text().find("openmpi-bin") != std::string::npos);
    }

    void readsKilledRank() {
        const MpirunReport report = reportOf(killedText);
        QCOMPARE(report.rank(), 1);
        QCOMPARE(report.signal(), std::optional<int>(9));
        QVERIFY(!report.exitCode());
    }

    void readsExitCode() {
        const MpirunReport report =
            reportOf("-------------------------------\n"
                     "mpirun detected that one or more processes exited with non-zero status, "
                     "thus causing\nthe job to be terminated. The first process to do so was:\n\n"
                     "  Process name: [[18630,1],12]\n  Exit code:    3\n"
                     "-------------------------------\n");
        QCOMPARE(report.rank(), 12);
        QCOMPARE(report.exitCode(), std::optional<int>(3));
    }

    /// Open MPI 5's runtime wraps its sentences, and names a process otherwise.
    void readsOpenMpi5() {
        const MpirunReport killed =
            reportOf("--------------------------------------------------------------------------\n"
                     "prterun noticed that process rank 1 with PID 4379 on node vm exited on\n"
                     "signal 9 (Killed).\n"
                     "--------------------------------------------------------------------------\n");
        QCOMPARE(killed.rank(), 1);
        QCOMPARE(killed.signal(), std::optional<int>(9));
        const MpirunReport wrapped =
            reportOf("----------------------------\nprterun noticed that process\nrank 12 with PID 4 "
                     "on node a-long-name\nexited on signal\n11 (Segmentation fault).\n"
                     "----------------------------\n");
        QCOMPARE(wrapped.rank(), 12);
        QCOMPARE(wrapped.signal(), std::optional<int>(11));
        const MpirunReport ended =
            reportOf("--------------------------------------------------------------------------\n"
                     "prterun detected that one or more processes exited with non-zero status,\n"
                     "thus causing the job to be terminated. The first process to do so was:\n\n"
                     "   Process name: [prterun-vm-4386@1,12]\n"
                     "   Exit code:    3\n"
                     "--------------------------------------------------------------------------\n");
        QCOMPARE(ended.rank(), 12);
        QCOMPARE(ended.exitCode(), std::optional<int>(3));
        // What MPI_Abort says comes from the rank itself there, and the runtime names the rank in words of its own.
        const MpirunReport aborted =
            reportOf("--------------------------------------------------------------------------\n"
                     "prterun has exited due to process rank 12 with PID 0 on node vm calling\n"
                     "\"abort\". This may have caused other processes in the application to be\n"
                     "terminated by signals sent by prterun (as reported here).\n"
                     "--------------------------------------------------------------------------\n");
        QCOMPARE(aborted.rank(), 12);
        QVERIFY(!aborted.signal() && !aborted.exitCode());
        const auto line = parseTagged("[1,13]<stderr>: err 0");
        QVERIFY(line && line->rank == 13 && line->error);
        QCOMPARE(line->text, std::string("err 0"));
    }

    void keepsTheFirstMessageOnOneLine() {
        const MpirunReport report = reportOf("noise\n--------------------------\nThere are not enough slots\n\n  here\n"
                                             "--------------------------\n--------------------------\nsecond\n"
                                             "--------------------------\n");
        QCOMPARE(report.message(), std::string("There are not enough slots here"));
        QCOMPARE(report.rank(), -1);
    }

    void aFramedMessageIsOneLineOfTheLog() {
        MpirunReport report;
        QStringList logged;
        for (const char* line :
             {"a line of its own", "--------------------------", "mpirun noticed that process rank 1 with",
              "  PID 0 on node pc exited on signal 9 (Killed).", "", "--------------------------",
              "4 total processes killed", "--------------------------", "cut", "  off"})
            if (const std::string said = report.read(line); !said.empty()) logged << QString::fromStdString(said);
        QCOMPARE(logged,
                 (QStringList{"a line of its own",
                              "mpirun noticed that process rank 1 with PID 0 on node pc exited on signal 9 (Killed).",
                              "4 total processes killed"}));
        QCOMPARE(report.rest(), std::string("cut off"));
        QCOMPARE(report.rest(), std::string());
    }

    void tellsRanksLinesFromMpiruns() {
        const auto line = parseTagged("[1,13]<stderr>:bad [1,2]<stdout>: thing");
        QVERIFY(line);
        QCOMPARE(line->rank, 13);
        QVERIFY(line->error);
        QCOMPARE(line->text, std::string("bad [1,2]<stdout>: thing"));
        QVERIFY(!parseTagged("4 total processes failed to start"));
        QVERIFY(!parseTagged("[vm:01234] *** Process received signal ***"));
        QVERIFY(!parseTagged(""));
    }

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
};

QTEST_GUILESS_MAIN(MpirunTest)
#include "mpirun_test.moc"
