// SPDX-License-Identifier: Apache-2.0
// mpirun's argv and its last words.
#include "engine/launch/job/forwarder_setup.h"
#include "engine/launch/job/mpirun.h"
#include "engine/launch/job/mpirun_report.h"
#include "tests/launch/mpirun_words.h"
#include "tests/support/wings.h"

#include <QDir>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>

using namespace shardlab::test;

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
};

QTEST_GUILESS_MAIN(MpirunTest)
#include "mpirun_test.moc"
