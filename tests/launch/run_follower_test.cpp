// SPDX-License-Identifier: Apache-2.0
// A run file that grows is followed from any position on: every row once, in order, whatever the steps are.
#include "engine/trace/run_file/run_follower.h"

#include "engine/trace/run_file/row_fields.h"
#include "engine/launch/serve/run_copy.h"
#include "tests/support/seed.h"
#include "tests/launch/served_run.h"
#include "tests/support/wings.h"

#include <QTemporaryDir>
#include <QTest>

using namespace shardlab::test;

namespace {

/// Remembers in which order things came.
struct Order : RunObserver {
    int measured = 0, predicted = 0, lateForecasts = 0, restarts = 0, lateRestarts = 0;
    void predictedArrived(std::span<const Event> events) override {
        predicted += static_cast<int>(events.size());
        lateForecasts += measured > 0;
    }
    void restartsKnown(std::span<const Event> known) override { restarts = static_cast<int>(known.size()); }
    void eventsArrived(std::span<const Event> events) override {
        measured += static_cast<int>(events.size());
        for (const Event& event : events) lateRestarts += event.kind == EventKind::Restart && restarts == 0;
    }
};

}  // namespace

class RunFollowerTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void everyRowComesOnceWhateverTheSteps() {
        const QTemporaryDir folder;
        ServedRun run(folder.filePath("run.shardlab").toStdString(), freshSeed());
        const std::filesystem::path copied = folder.filePath("copy.shardlab").toStdString();
        RunCopy copy(copied);
        RowDecoder decoder(copy);
        RunCursor cursor;
        auto follower = RunFollower::open(run.file);
        QVERIFY2(follower, follower ? "" : follower.error().text().c_str());
        const auto follow = [&](int steps) {
            for (int i = 0; i < steps; ++i) {
                const auto more =
                    follower->step(cursor, static_cast<std::size_t>(1 + run.random().below(100'000)), decoder);
                QVERIFY2(more, more ? "" : more.error().text().c_str());
                if (!*more) return;
            }
        };
        for (int round = 0; round < 30; ++round) {
            run.grow();
            if (round == 12) run.restart(1'000'000'000'000, 3);
            follow(static_cast<int>(run.random().below(20)));
            // As a viewer that comes back: all but the position is forgotten, over the wire and with a new reader.
            if (run.random().below(4) == 0) {
                const auto place = decode<RunPosition>(encode(cursor.place));
                QVERIFY(place);
                QVERIFY(*place == cursor.place);
                cursor = {*place};
                follower = RunFollower::open(run.file);
                QVERIFY(follower);
            }
        }
        follow(1'000'000);
        QVERIFY(!decoder.error());
        QVERIFY(!decoder.end());
        follower = fail({});
        run.finish({"stopped", "asked to"});
        follower = RunFollower::open(run.file);
        QVERIFY(follower);
        follow(1'000'000);
        QVERIFY(decoder.end());
        QCOMPARE(decoder.end()->outcome, std::string("stopped"));
        copy.ended(*decoder.end());
        QVERIFY(!copy.error());
        const auto original = WholeRun::read(run.file);
        const auto watched = WholeRun::read(copied);
        QVERIFY(original && watched);
        QVERIFY(original->events > 10'000);
        QCOMPARE(original->restarts, std::size_t{1});
        QVERIFY(*original == *watched);
    }

    void forecastsAndRestartsComeFirst() {
        const QTemporaryDir folder;
        ServedRun run(folder.filePath("run.shardlab").toStdString(), freshSeed());
        for (int i = 0; i < 4; ++i) run.grow();
        run.restart(1'000'000'000'000, 1);
        run.grow();
        Order order;
        RowDecoder decoder(order);
        RunCursor cursor;
        auto follower = RunFollower::open(run.file);
        QVERIFY(follower);
        while (*follower->step(cursor, 1, decoder)) {}
        QVERIFY(order.predicted > 0 && order.measured > 0);
        QCOMPARE(order.lateForecasts, 0);
        QCOMPARE(order.restarts, 1);
        QCOMPARE(order.lateRestarts, 0);
    }

    /// A step of a cursor that has everything reads nothing, and sees what comes then.
    void aCursorThatHasEverythingWaits() {
        const QTemporaryDir folder;
        ServedRun run(folder.filePath("run.shardlab").toStdString(), freshSeed());
        Order order;
        RowDecoder decoder(order);
        RunCursor cursor;
        auto follower = RunFollower::open(run.file);
        QVERIFY(follower);
        while (*follower->step(cursor, 1 << 20, decoder)) {}
        const RunPosition before = cursor.place;
        QVERIFY(!*follower->step(cursor, 1 << 20, decoder));
        QVERIFY(cursor.place == before);
        const int measured = order.measured;
        while (WholeRun::read(run.file)->events <= measured) run.grow();
        while (*follower->step(cursor, 1 << 20, decoder)) {}
        QVERIFY(order.measured > measured);
    }

    void positionsOfAnotherRunAreRefused() {
        const QTemporaryDir folder;
        ServedRun run(folder.filePath("run.shardlab").toStdString(), freshSeed());
        run.grow();
        RunObserver nobody;
        RowDecoder decoder(nobody);
        auto follower = RunFollower::open(run.file);
        QVERIFY(follower);
        RunCursor cursor;
        cursor.place.lanes[{EventSource::Measured, 2, Lane::Comm}] = {1'000'000, 5};
        const auto refused = follower->step(cursor, 1 << 20, decoder);
        QVERIFY(!refused);
        QVERIFY(refused.error().text().find("not of this run") != std::string::npos);
        RunCursor good;
        while (*follower->step(good, 1 << 20, decoder)) {}  // one reader's mistake is not another's
    }
};

QTEST_GUILESS_MAIN(RunFollowerTest)
#include "run_follower_test.moc"
