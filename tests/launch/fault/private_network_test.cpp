// SPDX-License-Identifier: Apache-2.0
// While a run of one host goes on nobody can connect to its mpirun, from another machine or from this one.
#include "engine/base/file.h"
#include "engine/launch/job/private_network.h"
#include "tests/support/processes.h"
#include "tests/support/watched_job.h"
#include "tests/support/wings.h"

#include <QTest>

#include <net/if.h>
#include <sched.h>
#include <set>
#include <sstream>
#include <sys/wait.h>
#include <unistd.h>

using namespace shardlab::test;

namespace {

/// Numbers of the sockets that wait for calls in this process's network.
std::set<std::string> listeners() {
    std::set<std::string> found;
    for (const char* table : {"/proc/self/net/tcp", "/proc/self/net/tcp6"}) {
        std::istringstream lines(readFile(table).value_or(""));
        for (std::string line; std::getline(lines, line);) {
            std::istringstream words(line);
            std::vector<std::string> columns;
            for (std::string word; words >> word;) columns.push_back(word);
            if (columns.size() > 9 && columns[3] == "0A") found.insert(columns[9]);
        }
    }
    return found;
}

/// Numbers of the sockets that a process has open.
std::set<std::string> socketsOf(int process) {
    std::set<std::string> found;
    std::error_code ignored;
    for (const auto& entry : std::filesystem::directory_iterator("/proc/" + std::to_string(process) + "/fd", ignored)) {
        const std::string to = std::filesystem::read_symlink(entry.path(), ignored).string();
        if (to.starts_with("socket:[")) found.insert(to.substr(8, to.size() - 9));
    }
    return found;
}

}  // namespace

class PrivateNetworkTest : public QObject {
    Q_OBJECT
private:
    /// What a child that may do as it likes to itself says by its exit status.
    static int inChild(const std::function<int()>& work) {
        const pid_t child = ::fork();
        if (child == 0) ::_exit(work());
        int status = 0;
        ::waitpid(child, &status, 0);
        return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    }

private Q_SLOTS:
    void nobodyCanCallMpirun() {
        if (!privateNetworkIsAllowed()) QSKIP("no network namespace may be made here");
        WatchedJob watched({.steps = 100000});
        QVERIFY2(watched.start(), watched.error.text().c_str());
        QVERIFY2(watched.reaches(1), watched.story());
        const int mpirun = stateOf(watched.witness.ranks().at(0).pid).parent;
        const std::set<std::string> open = socketsOf(mpirun), waiting = listeners();
        QVERIFY(!open.empty());
        for (const std::string& socket : open) QVERIFY2(!waiting.contains(socket), socket.c_str());
        watched.job->send(Command::Stop);
        watched.job->wait();
        QCOMPARE(watched.witness.ends().front().outcome, std::string("stopped"));
    }

    /// The test looks for what there was to find.
    void withoutItMpirunIsFound() {
        const auto mpirun = findInPath("mpirun");
        QVERIFY(mpirun);
        ProcessSpec spec{.program = *mpirun, .arguments = {"-n", "1", "--host", "localhost:1", "sleep", "60"}};
        if (::geteuid() == 0)
            spec.environment = {{"OMPI_ALLOW_RUN_AS_ROOT", "1"}, {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"}};
        const auto process = Process::start(spec);
        QVERIFY(process);
        const auto found = [&] {
            const std::set<std::string> waiting = listeners();
            return std::ranges::any_of(socketsOf(process->pid()),
                                       [&](const std::string& socket) { return waiting.contains(socket); });
        };
        QTRY_VERIFY(found());
    }

    /// Who is not root is who he was, and has a loopback interface and nothing else.
    void aUserStaysWhoHeIs() {
        if (::geteuid() != 0) QSKIP("to be another user needs root");
        constexpr unsigned nobody = 65534;
        const auto asNobody = [](const std::function<int()>& work) {
            return inChild([&] { return ::setgid(nobody) == 0 && ::setuid(nobody) == 0 ? work() : 100; });
        };
        if (asNobody([] { return privateNetworkIsAllowed() ? 0 : 1; }) != 0) QSKIP("no user may make namespaces here");
        QCOMPARE(asNobody([] {
                     if (enterPrivateNetwork() != 0) return 1;
                     if (::geteuid() != nobody || ::getegid() != nobody) return 2;
                     struct if_nameindex* all = ::if_nameindex();
                     const bool alone = all != nullptr && std::string(all[0].if_name) == "lo" && all[1].if_index == 0;
                     return alone ? 0 : 3;
                 }),
                 0);
    }

    /// A program that may not is not started in the open instead.
    void whereItIsForbiddenNothingStarts() {
        if (::geteuid() != 0) QSKIP("to be forbidden it needs another user, and so root");
        QFile limit("/proc/sys/user/max_net_namespaces");
        if (!limit.open(QIODevice::ReadOnly)) QSKIP("the kernel has no limit of namespaces");
        const auto namespaces = inChild([] { return ::unshare(CLONE_NEWUSER) == 0 ? 0 : 1; });
        if (namespaces != 0) QSKIP("no namespace of users may be made here");
        // Within a namespace of users whose own limit is 0.
        QCOMPARE(inChild([] {
                     if (::unshare(CLONE_NEWUSER) != 0) return 1;
                     QFile own("/proc/sys/user/max_net_namespaces");
                     if (!own.open(QIODevice::WriteOnly) || own.write("0") != 1 || !own.flush()) return 77;
                     if (privateNetworkIsAllowed()) return 2;
                     const auto process = Process::start({.program = "/bin/true", .privateNetwork = true});
                     return process ? 3 : 0;
                 }) % 77,
                 0);
    }
};

SHARDLAB_FAKE_RANK_MAIN(PrivateNetworkTest)
#include "private_network_test.moc"
