// SPDX-License-Identifier: Apache-2.0
// Where a run goes back to: its own newest checkpoint that is whole; an older one where it got nowhere from that; what
// it was resumed from before it has any; and no more often than it may.
#include "engine/launch/job/restart_policy.h"
#include "tests/support/sample_checkpoint.h"
#include "tests/support/wings.h"

#include <QTemporaryDir>
#include <QTest>

#include <fstream>

using namespace shardlab::test;

class RestartPolicyTest : public QObject {
    Q_OBJECT
private:
    std::unique_ptr<QTemporaryDir> folder_;
    DiskFileSystem disk_;
    SampleCheckpoint sample_{1};

    std::filesystem::path path() const { return folder_->path().toStdString(); }
    void make(int serial, std::int64_t step) { QVERIFY(sample_.write(disk_, path(), serial, step, 100)); }
    static Layout layoutOf(int restarts) {
        Layout layout;
        layout.run.maxRestarts = restarts;
        layout.checkpoint.every = 10;
        return layout;
    }

private Q_SLOTS:
    void init() { folder_ = std::make_unique<QTemporaryDir>(); }

    void newestOfItsOwn() {
        make(1, 90);  // another run's
        RestartPolicy policy(layoutOf(3), path(), {});
        const auto none = policy.next(true);
        QVERIFY(!none);
        QCOMPARE(none.error().why, std::string("there is no checkpoint to go back to"));
        make(2, 10);
        make(3, 20);
        const auto first = policy.next(true);
        QVERIFY(first);
        QCOMPARE(first->step, std::int64_t{20});
        QCOMPARE(first->number, 1);
        make(4, 30);
        QCOMPARE(policy.next(true)->step, std::int64_t{30});
        QCOMPARE(policy.next(true)->number, 3);
        QCOMPARE(policy.next(true).error().why, std::string("all 3 restarts are used"));
    }

    void anOlderOneWhereNothingCameOfIt() {
        RestartPolicy policy(layoutOf(10), path(), {});
        make(1, 10);
        QCOMPARE(policy.next(true)->step, std::int64_t{10});
        QCOMPARE(policy.next(false)->step, std::int64_t{10});  // there is no other
        make(2, 20);
        QCOMPARE(policy.next(true)->step, std::int64_t{20});
        QCOMPARE(policy.next(false)->step, std::int64_t{10});
        QCOMPARE(policy.next(true)->step, std::int64_t{20});
    }

    void damagedAndFinishedOnesArePassedOver() {
        RestartPolicy policy(layoutOf(10), path(), {});
        make(1, 10);
        make(2, 20);
        make(3, layoutOf(0).run.steps);  // nothing is left to train from there
        QCOMPARE(policy.next(true)->step, std::int64_t{20});
        for (const CheckpointPlace& place : listCheckpoints(path()))
            if (place.serial == 2) std::ofstream(place.path / manifestFile, std::ios::trunc) << "{}";
        QCOMPARE(policy.next(true)->step, std::int64_t{10});
    }

    /// A manifest that is right does not help where a shard is cut short or gone; what is passed over is said.
    void brokenShardsArePassedOverWithAWord() {
        RestartPolicy policy(layoutOf(10), path(), {});
        make(1, 10);
        make(2, 20);
        make(3, 30);
        const auto place = [&](std::size_t index) { return listCheckpoints(path())[index].path; };
        QVERIFY(policy.next(true)->broken.empty());
        const auto shard = place(2) / "rank-1.safetensors";
        std::filesystem::resize_file(shard, std::filesystem::file_size(shard) - 1);
        auto found = policy.next(true);
        QVERIFY(found);
        QCOMPARE(found->step, std::int64_t{20});
        QCOMPARE(found->broken.size(), std::size_t{1});
        QVERIFY2(found->broken[0].find("000003-step-30/rank-1.safetensors") != std::string::npos,
                 found->broken[0].c_str());
        QVERIFY(std::filesystem::remove(place(1) / "rank-0.safetensors"));
        found = policy.next(true);
        QVERIFY(found);
        QCOMPARE(found->step, std::int64_t{10});
        QCOMPARE(found->broken.size(), std::size_t{2});
        QVERIFY(std::filesystem::remove(place(0) / "rank-2.safetensors"));
        const auto none = policy.next(true);
        QVERIFY(!none);
        QVERIFY2(
            none.error().why.english().starts_with("there is no checkpoint to go back to: the checkpoint is damaged"),
            none.error().why.english().c_str());
        QVERIFY(none.error().why.english().find("rank-2.safetensors") != std::string::npos);
    }

    void whatItWasResumedFrom() {
        make(7, 40);
        const auto resumed = findCheckpoint(path());
        QVERIFY(resumed);
        RestartPolicy policy(layoutOf(10), path(), *resumed);
        QCOMPARE(policy.next(true)->checkpoint, *resumed);
        make(8, 50);
        QCOMPARE(policy.next(true)->step, std::int64_t{50});
    }

    /// Asked for another size, it goes on from the newest without a restart being used; before its first step it begins
    /// anew.
    void nothingFailed() {
        RestartPolicy policy(layoutOf(1), path(), {});
        QVERIFY(policy.newest(false)->checkpoint.empty());
        QCOMPARE(policy.newest(true).error().why, std::string("there is no checkpoint to go on from"));
        make(1, 10);
        make(2, 20);
        for (int again = 0; again < 3; ++again) {
            QCOMPARE(policy.newest(true)->step, std::int64_t{20});
            QCOMPARE(policy.newest(true)->number, 0);
        }
        QCOMPARE(policy.next(true)->number, 1);
        QVERIFY(!policy.next(true));
        QCOMPARE(policy.newest(true)->step, std::int64_t{20});
    }

    void noneWherePeopleWantNone() {
        Layout layout = layoutOf(1);
        layout.checkpoint.every = 0;
        RestartPolicy policy(layout, path(), {});
        QCOMPARE(policy.next(true).error().why,
                 std::string("there is no checkpoint to go back to; /checkpoint/every is 0"));
        make(1, 10);  // asked for by hand
        QVERIFY(policy.next(true));
        QCOMPARE(policy.next(true).error().why, std::string("the one restart is used"));
        QVERIFY(!RestartPolicy(layoutOf(0), path(), {}).wanted());
    }
};

QTEST_GUILESS_MAIN(RestartPolicyTest)
#include "restart_policy_test.moc"
