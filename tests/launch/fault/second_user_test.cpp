// SPDX-License-Identifier: Apache-2.0
// Another user of the same machine: reads nothing of a run but what its owner leaves readable, reaches none of its
// links, and asks it for nothing. Needs root, to be two users.
#include "engine/base/unix_socket.h"
#include "engine/launch/job/run_request.h"
#include "engine/launch/job/temporary_folder.h"
#include "tests/support/processes.h"
#include "tests/support/watched_job.h"
#include "tests/support/wings.h"

#include <QTest>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace shardlab::test;

namespace {

constexpr unsigned stranger = 65534;  ///< nobody

/// What a process of the other user says by its exit status; 0: nothing was possible.
int asStranger(const std::function<int()>& tries) {
    const pid_t child = ::fork();
    if (child == 0) ::_exit(::setgid(stranger) == 0 && ::setuid(stranger) == 0 ? tries() : 100);
    int status = 0;
    ::waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

std::vector<std::filesystem::path> foldersOfJobs() {
    std::vector<std::filesystem::path> found;
    for (const std::filesystem::path& base : {temporaryBase(), std::filesystem::path("/dev/shm")})
        for (const auto& entry : std::filesystem::directory_iterator(base))
            if (entry.path().filename().string().starts_with("shardlab-job-")) found.push_back(entry.path());
    return found;
}

}  // namespace

class SecondUserTest : public QObject {
    Q_OBJECT
private:
    std::unique_ptr<WatchedJob> watched_;
    std::filesystem::path folder_;  ///< of everybody, as /tmp is

private Q_SLOTS:
    void initTestCase() {
        if (::geteuid() != 0) QSKIP("to be two users needs root");
    }
    void init() {
        watched_ = std::make_unique<WatchedJob>(FakeRun{.steps = 100000});
        folder_ = watched_->folder.path().toStdString();
        QCOMPARE(::chmod(folder_.c_str(), 01777), 0);
        QVERIFY2(watched_->start(), watched_->error.text().c_str());
        QVERIFY2(watched_->reaches(1), watched_->story());
    }
    void cleanup() {
        if (watched_ && watched_->job) {
            watched_->job->kill();
            watched_->job->wait();
        }
        watched_.reset();
    }

    /// Layouts, tokens, spools, status pages, sockets and shared memory lie in folders of the owner alone.
    void sees() {
        std::vector<std::filesystem::path> places;
        for (const std::filesystem::path& folder : foldersOfJobs()) {
            places.push_back(folder);
            std::error_code gone;
            for (std::filesystem::recursive_directory_iterator each(folder, gone), end; !gone && each != end;
                 each.increment(gone))
                places.push_back(each->path());
        }
        QVERIFY(places.size() > 6);
        int sockets = 0;
        for (const std::filesystem::path& place : places) {
            struct stat data {};
            if (::stat(place.c_str(), &data) != 0) continue;  // it has gone meanwhile
            sockets += S_ISSOCK(data.st_mode);
            QCOMPARE(asStranger([&] {
                         if (::open(place.c_str(), O_RDONLY | O_NONBLOCK) >= 0) return 1;
                         if (::open(place.c_str(), O_WRONLY | O_NONBLOCK) >= 0) return 2;
                         return connectUnix(place) ? 3 : 0;
                     }),
                     0);
        }
        QVERIFY(sockets >= 1);
    }

    void stopsNothing() {
        const auto ranks = watched_->witness.ranks();
        for (const auto& [rank, record] : ranks)
            QCOMPARE(asStranger([&] { return ::kill(record.pid, SIGKILL) == 0 ? 1 : 0; }), 0);
        QVERIFY(running(ranks.at(0).pid) && running(ranks.at(1).pid));
    }

    /// In a folder where everybody may make files a request is obeyed by whose it is.
    void asksForNothing() {
        const std::filesystem::path request = runRequestFile(watched_->options.runFile);
        QCOMPARE(
            asStranger([&] {
                return writeRunRequest(watched_->options.runFile, FaultRequest{InjectedFaultKind::Kill, 0}) ? 0 : 1;
            }),
            0);
        const auto told = [&] {
            return std::ranges::any_of(watched_->witness.log(), [](const LogLine& line) {
                return line.text.find("what was asked of the run is ignored") != std::string::npos &&
                       line.text.find("belongs to another user") != std::string::npos;
            });
        };
        QTRY_VERIFY(told());
        const int step = watched_->witness.lastStep();
        QVERIFY2(watched_->reaches(step + 1), watched_->story());
        QVERIFY(running(watched_->witness.ranks().at(0).pid));
    }

    /// What the other user lays out where a run will write is not written through.
    void laysNoTraps() {
        const std::filesystem::path precious = folder_ / "precious", trap = folder_ / "trap.shardlab";
        QVERIFY(replaceFile(precious, "thesis"));
        QCOMPARE(::chmod(precious.c_str(), 0600), 0);
        QCOMPARE(asStranger([&] {
                     if (::symlink(precious.c_str(), trap.c_str()) != 0) return 1;
                     for (const char* suffix : {"-wal", "-shm", "-journal", ".request", ".token"})
                         if (::symlink(precious.c_str(), (trap.string() + suffix).c_str()) != 0) return 2;
                     return 0;
                 }),
                 0);
        WatchedJob second({.steps = 5});
        second.options.runFile = trap;
        if (second.start()) {
            second.job->wait();
            second.job.reset();
        }
        QCOMPARE(*readFile(precious), std::string("thesis"));
    }
};

SHARDLAB_FAKE_RANK_MAIN(SecondUserTest)
#include "second_user_test.moc"
