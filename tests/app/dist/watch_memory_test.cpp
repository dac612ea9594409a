// SPDX-License-Identifier: Apache-2.0
// Who watches a long run takes no more memory than who watches a short one. What is measured is memory, not time.
#include "engine/base/file.h"
#include "engine/base/token.h"
#include "engine/launch/serve/run_server.h"
#include "engine/trace/run_file/run_file.h"
#include "tests/support/command.h"
#include "tests/support/places.h"
#include "tests/support/sanitizer.h"
#include "tests/support/wings.h"

#include <QTemporaryDir>
#include <QTest>

#include <fcntl.h>
#include <spawn.h>
#include <sstream>
#include <sys/wait.h>
#include <thread>

using namespace shardlab::test;

class WatchMemoryTest : public QObject {
    Q_OBJECT
private:
    QTemporaryDir folder_;

    /// The most memory, in KiB, that `shardlab watch` held over a run of so many steps; -1 where it did not see its
    /// end.
    long mostHeld(int steps) const {
        const std::filesystem::path file = folder_.filePath("run.shardlab").toStdString();
        const std::string tokenFile = folder_.filePath("token").toStdString();
        RunHeader header;
        header.layout.parallel.data = 2;
        auto writer = RunWriter::create(file, header);
        if (!writer) return -1;
        std::vector<Event> events;
        for (int step = 0; step < steps; ++step) {
            for (std::int16_t rank = 0; rank < 2; ++rank) {
                Event event;
                event.begin = std::int64_t{1000} * step;
                event.end = event.begin + 900;
                event.step = step;
                event.rank = rank;
                event.lane = Lane::Host;
                event.kind = EventKind::Step;
                events.push_back(event);
            }
        }
        if (!(*writer)->append(events) || !(*writer)->finish({"finished", ""})) return -1;
        writer->reset();

        ServeOptions options;
        options.pass = plainPass(randomToken().value());
        if (!writeToken(tokenFile, options.pass.token)) return -1;
        auto server = RunServer::listen(options);
        if (!server) return -1;
        (*server)->serve(file);
        const std::string name = program().toStdString(), address = (*server)->address().text();
        std::vector<std::string> words{name, "watch", address, "--token-file", tokenFile};
        std::vector<char*> arguments;
        for (std::string& word : words) arguments.push_back(word.data());
        arguments.push_back(nullptr);
        posix_spawn_file_actions_t actions;
        ::posix_spawn_file_actions_init(&actions);
        for (const int stream : {1, 2}) ::posix_spawn_file_actions_addopen(&actions, stream, "/dev/null", O_WRONLY, 0);
        pid_t child = 0;
        const int spawned = ::posix_spawn(&child, name.c_str(), &actions, nullptr, arguments.data(), environ);
        ::posix_spawn_file_actions_destroy(&actions);
        if (spawned != 0) return -1;
        static_cast<void>(QTest::qWaitFor([&] { return (*server)->counts().welcomed > 0; }));
        (*server)->release();
        std::thread end([&] { (*server)->conclude({"finished", ""}, std::atomic<bool>(false)); });
        // What the kernel tells of a child that has ended counts this program's memory, which it shared before it
        // began.
        long most = -1;
        int status = 0;
        while (::waitpid(child, &status, WNOHANG) == 0) {
            std::istringstream lines(readFile("/proc/" + std::to_string(child) + "/status").value_or(""));
            for (std::string word; lines >> word;)
                if (long held = 0; word == "VmHWM:" && lines >> held) most = std::max(most, held);
            QTest::qSleep(2);
        }
        end.join();
        return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? most : -1;
    }

private Q_SLOTS:
    void stepsTakeNone() {
        if (sanitized) QSKIP("a sanitizer keeps memory that was given back");
        const long few = mostHeld(2'000), many = mostHeld(120'000);
        QVERIFY(few > 0);
        qInfo("%ld KiB for 2000 steps, %ld KiB for 120000", few, many);
        QVERIFY2(many > 0 && many < few + 16 * 1024, qPrintable(QString("%1 and %2 KiB").arg(few).arg(many)));
    }
};

QTEST_GUILESS_MAIN(WatchMemoryTest)
#include "watch_memory_test.moc"
