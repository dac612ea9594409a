// SPDX-License-Identifier: Apache-2.0
// Child processes and the folders and processes a job could leave behind.
#include "engine/launch/job/process.h"
#include "engine/launch/job/stray_processes.h"
#include "engine/launch/job/temporary_folder.h"
#include "tests/support/processes.h"
#include "tests/support/wings.h"

#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <fcntl.h>
#include <fstream>
#include <map>
#include <thread>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace shardlab::test;

namespace {

ProcessSpec shell(const std::string& script) { return {"/bin/sh", {"-c", script}, {}}; }

std::vector<OutputLine> readToEnd(Process& process) {
    std::vector<OutputLine> all;
    while (!process.exitStatus())
        for (OutputLine& line : process.read(20)) all.push_back(std::move(line));
    for (OutputLine& line : process.readRest()) all.push_back(std::move(line));
    return all;
}

/// A shell that waits and starts nothing: one that forks is, until its child has its own name, two processes of a job.
const std::string waits = "kill -STOP $$";

/// As a launcher that was killed leaves it: nobody holds the lock, and it is not young.
std::filesystem::path abandonedFolder(const std::filesystem::path& base, const char* name) {
    const std::filesystem::path folder = base / name;
    std::filesystem::create_directory(folder);
    std::ofstream(folder / "lock") << "";
    std::filesystem::last_write_time(folder, std::filesystem::file_time_type::clock::now() - std::chrono::hours(1));
    return folder;
}

}  // namespace

class ProcessTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void readsLinesOfBothStreams() {
        auto process = Process::start(shell("echo one; echo two >&2; printf three"));
        QVERIFY(process);
        const std::vector<OutputLine> lines = readToEnd(*process);
        QCOMPARE(lines.size(), std::size_t{3});
        std::map<std::string, bool> error;
        for (const OutputLine& line : lines) error[line.text] = line.error;
        QCOMPARE(error, (std::map<std::string, bool>{{"one", false}, {"two", true}, {"three", false}}));
    }

    void endIsSeenWhereChildrenAreNotReported() {
        const auto former = std::signal(SIGCHLD, SIG_IGN);
        auto process = Process::start(shell("exit 3"));
        QVERIFY(process);
        const bool ended = QTest::qWaitFor([&] { return process->exitStatus().has_value(); });
        std::signal(SIGCHLD, former);
        QVERIFY(ended);
    }

    void readsManyAndEndlessLines() {
        auto process = Process::start(shell("seq 1 20000; head -c 100000 /dev/zero | tr '\\0' x"));
        QVERIFY(process);
        const std::vector<OutputLine> lines = readToEnd(*process);
        QVERIFY(lines.size() > 20000);
        QCOMPARE(lines[19999].text, std::string("20000"));
        std::size_t rest = 0;
        for (std::size_t i = 20000; i < lines.size(); ++i) rest += lines[i].text.size();
        QCOMPARE(rest, std::size_t{100000});
    }

    void tellsHowItEnded() {
        auto exits = Process::start(shell("exit 7"));
        readToEnd(*exits);
        QCOMPARE(exits->exitStatus()->text(), std::string("exit code 7"));
        auto dies = Process::start(shell("kill -SEGV $$"));
        readToEnd(*dies);
        QCOMPARE(dies->exitStatus()->text(), std::string("SIGSEGV"));
        QVERIFY(!dies->exitStatus()->success());
    }

    void addsToTheEnvironmentAndClosesInput() {
        ProcessSpec spec = shell("echo $SHARDLAB_PROBE $HOME; cat; echo end");
        spec.environment = {{"SHARDLAB_PROBE", "a b"}, {"HOME", "/elsewhere"}};
        auto process = Process::start(spec);
        const std::vector<OutputLine> lines = readToEnd(*process);
        QCOMPARE(lines.size(), std::size_t{2});
        QCOMPARE(lines.front().text, std::string("a b /elsewhere"));
    }

    void refusesWhatCannotBeExecuted() {
        const auto process = Process::start({"/nonexistent/program", {}, {}});
        QVERIFY(!process);
        QVERIFY(process.error().text().find("/nonexistent/program") != std::string::npos);
        QVERIFY(!process.error().why.empty());
    }

    void signalsTheWholeGroup() {
        auto process = Process::start(shell("sleep 60 & echo $!; wait"));
        std::vector<OutputLine> lines;
        while (lines.empty()) lines = process->read(100);
        const int grandchild = std::stoi(lines.front().text);
        QVERIFY(running(grandchild));
        process->signal(SIGKILL);
        readToEnd(*process);
        QTRY_VERIFY(!running(grandchild));
    }

    void destructorLeavesNothing() {
        int child = 0;
        {
            auto process = Process::start(shell("exec sleep 60"));
            child = process->pid();
            QVERIFY(running(child));
        }
        QVERIFY(!running(child));
    }

    void endsWithTheThreadThatStartedIt() {
        std::optional<Process> process;
        std::thread([&] { process.emplace(std::move(*Process::start(shell("exec sleep 60")))); }).join();
        QTRY_VERIFY(process->exitStatus());
        QCOMPARE(process->exitStatus()->text(), std::string("SIGTERM"));
        ProcessSpec deaf = shell("trap '' TERM; exec sleep 60");
        deaf.orphaned = SIGKILL;
        std::optional<Process> other;
        std::thread([&] { other.emplace(std::move(*Process::start(deaf))); }).join();
        QTRY_VERIFY(other->exitStatus());
        QCOMPARE(other->exitStatus()->text(), std::string("SIGKILL"));
    }

    /// As nohup has it; mpirun has a handler of its own, so that the signal must not reach it at all.
    void anIgnoredHangupStaysIgnored() {
        const auto bits = [](const char* which) {
            auto process = Process::start({"/bin/grep", {which, "/proc/self/status"}, {}});  // a shell would unblock it
            const std::vector<OutputLine> lines = process ? readToEnd(*process) : std::vector<OutputLine>();
            return lines.empty() ? 0ul : std::stoul(lines.front().text.substr(7), nullptr, 16);
        };
        const auto former = std::signal(SIGHUP, SIG_DFL);
        QCOMPARE((bits("SigIgn") | bits("SigBlk")) & 1, 0ul);
        std::signal(SIGHUP, SIG_IGN);
        QCOMPARE(bits("SigIgn") & bits("SigBlk") & 1, 1ul);
        std::signal(SIGHUP, former);
    }

    void findsJobsByTheirFolder() {
        QTemporaryDir base;
        const std::string folder = base.filePath("shardlab-abcdef").toStdString();
        auto rank = Process::start({"/bin/sh", {"-c", waits, "rank", "--folder", folder}, {}});
        auto other = Process::start({"/bin/sh", {"-c", waits, "less", folder + "/0.spool"}, {}});
        QTRY_COMPARE(processesOfJob(folder), std::vector<int>{rank->pid()});
        killProcesses(processesOfJob(folder));
        QTRY_VERIFY(rank->exitStatus());
        QVERIFY(!other->exitStatus());
    }

    /// Open MPI 4 and 5 name the folder of their session files otherwise to the daemons that they start.
    void findsDaemonsByTheirSessionFolder() {
        QTemporaryDir base;
        const std::string folder = base.filePath("shardlab-abcdef").toStdString();
        std::vector<int> started;
        std::vector<Process> daemons;
        for (const std::vector<std::string>& words :
             {std::vector<std::string>{"orted", "-mca", "orte_tmpdir_base", folder},
              {"prted", "--prtemca", "prte_tmpdir_base", folder, "--prtemca", "plm", "ssh"},
              {"mpirun", "--mca", "orte_tmpdir_base", folder, "--mca", "prte_tmpdir_base", folder}}) {
            ProcessSpec spec{"/bin/sh", {"-c", waits}, {}};
            spec.arguments.insert(spec.arguments.end(), words.begin(), words.end());
            daemons.push_back(std::move(*Process::start(spec)));
            started.push_back(daemons.back().pid());
        }
        auto other = Process::start({"/bin/sh", {"-c", waits, "prted", "prte_tmpdir_base", folder + "/inside"}, {}});
        const auto found = [&folder] {
            std::vector<int> processes = daemonsOfJob(folder);
            std::ranges::sort(processes);
            return processes;
        };
        std::ranges::sort(started);
        QTRY_COMPARE(found(), started);
        killProcesses(daemonsOfJob(folder));
        for (Process& daemon : daemons) QTRY_VERIFY(daemon.exitStatus());
        QVERIFY(!other->exitStatus());
    }

    /// What the kernel tells of a process may be gone between opening and reading it.
    void looksAtProcessesThatEnd() {
        std::atomic<bool> done = false;
        std::thread starts([&done] {
            for (int i = 0; i < 300; ++i) {
                const pid_t child = fork();
                if (child == 0) _exit(0);
                waitpid(child, nullptr, 0);
            }
            done = true;
        });
        std::size_t found = 0;
        while (!done) found += processesOfJob("/nonexistent/shardlab-job").size();
        starts.join();
        QCOMPARE(found, std::size_t{0});
    }

    void temporaryFolderIsPrivateAndGoes() {
        QTemporaryDir base;
        std::filesystem::path path;
        {
            auto folder = TemporaryFolder::create(base.path().toStdString());
            QVERIFY(folder);
            const TemporaryFolder moved = std::move(*folder);
            path = moved.path();
            struct stat data {};
            QCOMPARE(stat(path.c_str(), &data), 0);
            QCOMPARE(data.st_mode & 0777u, 0700u);
            std::filesystem::create_directories(path / "a/b");
        }
        QVERIFY(!std::filesystem::exists(path));
    }

    /// The forwarder of a run's former attempt may still be leaving when that of the next one comes.
    void aFolderPassesFromOneAttemptToTheNext() {
        QTemporaryDir base;
        const std::filesystem::path path = std::filesystem::path(base.path().toStdString()) / "shardlab-job-passed";
        {
            auto made = TemporaryFolder::createAs(path, "host-1");
            std::optional<TemporaryFolder> former(std::move(*made));
            const auto shared = TemporaryFolder::createAs(path, "host-2");
            QVERIFY(shared);
            std::filesystem::create_directory(path / "host-1");
            std::atomic<bool> asked = false;
            std::jthread leaving([&] {
                while (!asked) std::this_thread::yield();
                former->close();
                std::this_thread::sleep_for(std::chrono::milliseconds(50));
                former.reset();
            });
            asked = true;
            const auto next = TemporaryFolder::createAs(path, "host-1");
            QVERIFY(next);
            QVERIFY(!std::filesystem::exists(path / "host-1"));
        }
        QVERIFY(!std::filesystem::exists(path));
    }

    /// A shell that is about to start a daemon has the daemon's whole command line in one word.
    void daemonsAreFoundBeforeTheyBegin() {
        const std::string folder = "/tmp/shardlab-job-daemon" + std::to_string(getpid());
        const auto starting = [](const std::string& named) {
            return Process::start({"/bin/sh", {"-c", waits, "sh -c orted -mca orte_tmpdir_base " + named}, {}});
        };
        auto quoted = starting("\"" + folder + "\" -mca plm rsh");
        auto plain = starting(folder);
        auto longer = starting(folder + "er");
        QVERIFY(quoted && plain && longer);
        QTRY_COMPARE(daemonsOfJob(folder).size(), std::size_t{2});
        QCOMPARE(killJob(folder, folder, std::chrono::seconds(5)), 2);
        QTRY_VERIFY(quoted->exitStatus() && plain->exitStatus());
        QVERIFY(!longer->exitStatus());
        QCOMPARE(killJob(folder + "er", folder + "er", std::chrono::seconds(5)), 1);
    }

    /// A process that is just ending may make files in it and take them away.
    void aFolderGoesThoughFilesStillComeAndGo() {
        QTemporaryDir base;
        std::filesystem::path path;
        std::atomic<bool> busy = false;
        std::jthread other;
        {
            const auto folder = TemporaryFolder::create(base.path().toStdString());
            QVERIFY(folder);
            path = folder->path();
            other = std::jthread([&busy, inside = path / "segments"] {
                const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(200);
                for (int turn = 0; std::chrono::steady_clock::now() < until; ++turn) {
                    std::error_code ignored;
                    std::filesystem::create_directory(inside, ignored);
                    std::ofstream(inside / std::to_string(turn)) << turn;
                    std::filesystem::remove(inside / std::to_string(turn - 3), ignored);
                    busy = true;
                }
            });
            while (!busy) std::this_thread::yield();
        }
        other.join();
        QVERIFY(!std::filesystem::exists(path));
    }

    void unwritableBaseIsOneClearError() {
        const auto folder = TemporaryFolder::create("/proc");
        QVERIFY(!folder);
        QVERIFY(folder.error().text().find("/proc") != std::string::npos);
    }

    void sweepsOnlyWhatNobodyHolds() {
        QTemporaryDir base;
        const std::filesystem::path root = base.path().toStdString();
        const std::filesystem::path gone = abandonedFolder(root, "shardlab-job-gone01");
        const std::filesystem::path stranger = abandonedFolder(root, "somebody-else");
        const auto held = TemporaryFolder::create(root);
        QVERIFY(held);
        std::filesystem::last_write_time(held->path(),
                                         std::filesystem::file_time_type::clock::now() - std::chrono::hours(1));
        const std::filesystem::path young = root / "shardlab-job-young1";
        std::filesystem::create_directory(young);
        const std::filesystem::path unlocked = abandonedFolder(root, "shardlab-job-other1");
        std::filesystem::remove(unlocked / "lock");  // not made by us
        std::filesystem::last_write_time(unlocked,
                                         std::filesystem::file_time_type::clock::now() - std::chrono::hours(1));
        auto orphan = Process::start({"/bin/sh", {"-c", waits, "rank", "--folder", gone.string()}, {}});
        QTRY_COMPARE(processesOfJob(gone).size(), std::size_t{1});

        sweepAbandonedFolders(root);

        QVERIFY(!std::filesystem::exists(gone));
        QTRY_VERIFY(orphan->exitStatus());
        QVERIFY(std::filesystem::exists(stranger));
        QVERIFY(std::filesystem::exists(held->path()));
        QVERIFY(std::filesystem::exists(young));
        QVERIFY(std::filesystem::exists(unlocked));
    }
};

QTEST_GUILESS_MAIN(ProcessTest)
#include "process_test.moc"
