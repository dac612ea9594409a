// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/record/flight_record.h"

#include "engine/base/file.h"
#include "tests/support/seed.h"
#include "tests/trace/random_events.h"
#include "tests/support/wings.h"

#include <QTemporaryDir>
#include <QTest>

#include <csignal>
#include <sys/wait.h>
#include <unistd.h>

using namespace shardlab::test;

namespace {

/// All fields follow from one number, so that a mixture of two entries shows.
FlightEntry entryOf(std::int32_t number) {
    FlightEntry entry;
    entry.kind = EventKind::SendForward;
    entry.action = actionId({ActionKind::SendForward, number % 100, number % 1000, -1});
    entry.step = number;
    entry.peer = number % 17 - 1;
    entry.bytes = std::int64_t{number} * 3;
    entry.begin = std::int64_t{number} << 20;
    return entry;
}

bool consistent(FlightEntry entry) {
    FlightEntry right = entryOf(entry.step);
    right.number = entry.number;
    right.end = entry.end;
    return entry == right && static_cast<std::int32_t>(entry.number) == entry.step;
}

}  // namespace

class FlightRecordTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void beginsAndCompletes() {
        auto record = FlightRecord::create(file());
        QVERIFY2(record, record ? "" : record.error().text().c_str());
        QVERIFY(readFlight(file())->empty());
        record->begin(entryOf(1));
        record->begin(entryOf(2));
        FlightEntry over = entryOf(1);
        over.end = over.begin + 5000;
        record->complete(over);
        FlightEntry never = entryOf(3);  // begin() was not called for it
        never.end = never.begin + 7;
        record->complete(never);
        const auto read = *readFlight(file());
        QCOMPARE(read.size(), std::size_t{3});
        QCOMPARE(read[0].end, over.end);
        QCOMPARE(read[1].end, 0);
        QCOMPARE(read[2].end, never.end);
        for (const FlightEntry& entry : read) QVERIFY(consistent(entry));
    }

    /// The span of a paced message, or of one that a device times, has a begin of its own; the message may have been
    /// there before begin() was called.
    void anOperationLastsAsLongAsItsSpan() {
        auto record = FlightRecord::create(file());
        record->begin(entryOf(1));
        FlightEntry early = entryOf(1);
        early.begin -= 300;
        early.end = early.begin + 200;
        record->complete(early);
        const auto read = *readFlight(file());
        QCOMPARE(read.size(), std::size_t{1});
        QCOMPARE(read[0].begin, early.begin);
        QCOMPARE(read[0].end, early.end);
        const std::string told = toText(read[0], early.end + 1000);
        QVERIFY2(told.ends_with(", took 200 ns"), told.c_str());
    }

    void remembersTheLast() {
        auto record = FlightRecord::create(file());
        const std::int32_t count = 1000;
        for (std::int32_t i = 1; i <= count; ++i) record->begin(entryOf(i));
        FlightEntry forgotten = entryOf(1);
        forgotten.end = 99;
        record->complete(forgotten);  // its slot is another's now, and stays so
        const auto read = *readFlight(file());
        QCOMPARE(read.size(), FlightRecord::capacity);
        for (std::size_t i = 0; i < read.size(); ++i) {
            QVERIFY(consistent(read[i]));
            QCOMPARE(read[i].step,
                     count - static_cast<std::int32_t>(FlightRecord::capacity) + 1 + static_cast<std::int32_t>(i));
            QCOMPARE(read[i].end, 0);
        }
    }

    void survivesTheWriter() {
        RandomEvents random(freshSeed());
        for (int round = 0; round < 20; ++round) {
            std::filesystem::remove(file());
            const pid_t child = ::fork();
            if (child == 0) {
                auto record = FlightRecord::create(file());
                for (std::int32_t i = 1; record; ++i) {
                    FlightEntry entry = entryOf(i);
                    entry.end = entry.begin + 1;
                    record->complete(entry);
                }
                ::_exit(1);
            }
            while (!readFlight(file()) || readFlight(file())->size() < FlightRecord::capacity - 1) ::usleep(100);
            ::usleep(static_cast<unsigned>(random.below(2000)));
            ::kill(child, SIGKILL);
            ::waitpid(child, nullptr, 0);
            const auto read = *readFlight(file());
            QVERIFY(read.size() >= FlightRecord::capacity - 1);  // all but the one being written
            for (const FlightEntry& entry : read) QVERIFY(consistent(entry));
        }
    }

    void strangersAreRefused() {
        QVERIFY(!readFlight(folder_.filePath("none").toStdString()));
        QVERIFY(replaceFile(file(), "short"));
        QVERIFY(!readFlight(file()));
        QVERIFY(replaceFile(file(), std::string(1 << 16, 'x')));
        const auto stranger = readFlight(file());
        QVERIFY(!stranger);
        QVERIFY(stranger.error().text().find(file()) != std::string::npos);
    }

    void text() {
        FlightEntry entry{
            1, EventKind::RecvForward, actionId({ActionKind::RecvForward, 1, 3, -1}), 12, 0, 65536, 1'000'000'000, 0};
        QCOMPARE(toText(entry, 6'000'000'000),
                 std::string("step 12: 1RECV_F3 from rank 0, 64.0 KiB, under way for 5.00 s"));
        entry.end = 1'001'500'000;
        QCOMPARE(toText(entry, 6'000'000'000), std::string("step 12: 1RECV_F3 from rank 0, 64.0 KiB, took 1.50 ms"));
        entry.end = 0;  // told of by a host whose clock is ahead of the reader's
        QCOMPARE(toText(entry, 999'000'000), std::string("step 12: 1RECV_F3 from rank 0, 64.0 KiB, under way for 0 s"));
        const FlightEntry tensor{2, EventKind::TensorAllReduce, actionId({ActionKind::Forward, 1, 3, -1}), 4, -1, 0, 1,
                                 0};
        QCOMPARE(toText(tensor, 1'000'000'001), std::string("step 4: 1F3, tensor all-reduce, under way for 1.00 s"));
    }

private:
    std::string file() const { return folder_.filePath("0.flight").toStdString(); }
    QTemporaryDir folder_;
};

QTEST_GUILESS_MAIN(FlightRecordTest)
#include "flight_record_test.moc"
