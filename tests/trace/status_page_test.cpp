// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/record/status_page.h"

#include "engine/base/file.h"
#include "tests/support/seed.h"
#include "tests/trace/random_events.h"
#include "tests/support/wings.h"

#include <QTemporaryDir>
#include <QTest>

#include <atomic>
#include <csignal>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace shardlab::test;

namespace {

/// All fields follow from one number, so that a mixture of two statuses shows.
RankStatus statusOf(std::int32_t number) {
    RankStatus status;
    status.pid = number;
    status.phase = static_cast<RankPhase>(number % 10);
    status.step = number;
    status.action = static_cast<ActionId>(number) * 1'000'003;
    status.peer = number % 17 - 1;
    status.heartbeat = std::int64_t{number} << 20;
    return status;
}

bool consistent(const RankStatus& status) {
    const RankStatus right = statusOf(status.step);
    return status.pid == right.pid && status.phase == right.phase && status.action == right.action &&
           status.peer == right.peer && status.heartbeat == right.heartbeat;
}

}  // namespace

class StatusPageTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() { QVERIFY(folder_.isValid()); }

    void roundTrip() {
        auto page = StatusPage::create(file());
        QVERIFY2(page, page ? "" : page.error().text().c_str());
        QCOMPARE(readStatus(file())->pid, static_cast<int>(::getpid()));
        QCOMPARE(readStatus(file())->step, -1);
        RankStatus status = statusOf(77);
        status.peer = -1;
        status.step = -1;
        page->set(status);
        const auto read = readStatus(file());
        QVERIFY(read);
        QCOMPARE(read->pid, 77);
        QCOMPARE(read->phase, status.phase);
        QCOMPARE(read->step, -1);
        QCOMPARE(read->peer, -1);
        QCOMPARE(read->action, status.action);
        QCOMPARE(read->heartbeat, status.heartbeat);
    }

    void beats() {
        auto page = StatusPage::create(file());
        QVERIFY(page);
        QCOMPARE(readStatus(file())->pulse, std::uint64_t{0});
        page->beat();
        page->beat();
        page->set(statusOf(3));
        QCOMPARE(readStatus(file())->pulse, std::uint64_t{2});
        QVERIFY(consistent(*readStatus(file())));
    }

    void neverTorn() {
        auto page = StatusPage::create(file());
        QVERIFY(page);
        page->set(statusOf(1));
        std::atomic<bool> done{false};
        std::atomic<int> reads{0};
        std::int32_t written = 0;
        std::thread writer([&] {  // however late the reader gets a core
            while (written < 300000 || reads < 100) page->set(statusOf(++written));
            done = true;
        });
        bool whole = true;
        std::int32_t last = 0;
        while (!done) {
            const auto status = readStatus(file());
            whole = whole && status && consistent(*status) && status->step >= last;
            if (status) last = status->step;
            ++reads;
        }
        writer.join();
        QVERIFY(whole);
        QCOMPARE(readStatus(file())->step, written);
    }

    /// The launcher learns a killed rank's last step and action, wherever the kill struck.
    void outlivesAKilledWriter() {
        RandomEvents random(freshSeed());
        for (int round = 0; round < 30; ++round) {
            std::filesystem::remove(file());
            const pid_t child = ::fork();
            if (child == 0) {
                auto page = StatusPage::create(file());
                for (std::int32_t i = 0; page; ++i) page->set(statusOf(i % 1'000'000));
                ::_exit(1);
            }
            while (!readStatus(file()) || readStatus(file())->step < 0) std::this_thread::yield();
            std::this_thread::sleep_for(std::chrono::microseconds(random.below(2000)));
            ::kill(child, SIGKILL);
            ::waitpid(child, nullptr, 0);
            const auto status = readStatus(file());
            QVERIFY(status);
            QVERIFY(consistent(*status));
        }
    }

    void strangersAreRefused() {
        QVERIFY(!readStatus(folder_.filePath("none").toStdString()));
        QVERIFY(replaceFile(file(), "short"));
        QVERIFY(!readStatus(file()));
        QVERIFY(replaceFile(file(), std::string(4096, 'x')));
        const auto stranger = readStatus(file());
        QVERIFY(!stranger);
        QVERIFY(stranger.error().text().find(file()) != std::string::npos);
        QVERIFY(!StatusPage::create(folder_.filePath("no/folder").toStdString()));
    }

    void damageIsNoticed() {
        {
            auto page = StatusPage::create(file());
            QVERIFY(page);
            page->set(statusOf(5));
        }
        const std::string whole = *readFile(file());
        RandomEvents random(freshSeed());
        for (int round = 0; round < 100; ++round) {
            std::string bytes = whole;
            bytes[static_cast<std::size_t>(random.below(16))] ^=
                static_cast<char>(1 + random.below(255));  // magic, published
            QVERIFY(replaceFile(file(), bytes));
            const auto read = readStatus(file());
            if (read) QVERIFY(consistent(*read) || read->step == -1);  // the other slot at most
        }
    }

private:
    std::string file() const { return folder_.filePath("0.status").toStdString(); }
    QTemporaryDir folder_;
};

QTEST_GUILESS_MAIN(StatusPageTest)
#include "status_page_test.moc"
