// SPDX-License-Identifier: Apache-2.0
// The loopback backend against the conformance suite, and what only it can show: lost peers, wrong sizes, rendezvous.
#include "engine/train/comm/communication_error.h"
#include "tests/support/seed.h"
#include "tests/train/communicator_suite.h"
#include "tests/train/rank_threads.h"
#include "tests/support/wings.h"

#include <QtTest>
#include <atomic>

using namespace shardlab;
using namespace shardlab::test;

class CommunicatorTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void conforms_data() {
        QTest::addColumn<int>("ranks");
        for (const int ranks : {1, 2, 3, 4, 7}) QTest::addRow("%d ranks", ranks) << ranks;
    }
    void conforms() {
        QFETCH(int, ranks);
        const std::string fault = conformance::faultOf(freshSeed(), [&](const auto& check) {
            return runRanks(ranks, [&](int, Communicator& world) { check(world); });
        });
        QVERIFY2(fault.empty(), fault.c_str());
    }

    void lostPeerEndsTheOthers() {
        std::atomic<int> told = 0;
        const std::string error = runRanks(3, [&](int rank, Communicator& world) {
            if (rank == 1) throw std::runtime_error("out of luck");
            std::vector<float> data(10);
            try {
                world.allReduce(data, ReduceOp::Sum);
            } catch (const CommunicationError& lost) {
                if (std::string(lost.what()).find("rank 1: out of luck") != std::string::npos) ++told;
                throw;
            }
        });
        QCOMPARE(QString::fromStdString(error), "rank 1: out of luck");
        QCOMPARE(told.load(), 2);
    }

    void wrongSizeIsNamed() {
        const std::string error = runRanks(2, [](int rank, Communicator& world) {
            std::vector<std::byte> data(rank == 0 ? 8 : 12);
            if (rank == 0) world.send(data, 1, 4);
            else world.receive(data, 0, 4);
        });
        const std::string wanted = "from rank 0 to rank 1, tag 4: sent 8 bytes, expected 12";
        QVERIFY2(error.find(wanted) != std::string::npos, error.c_str());
    }

    /// A long message is not done before its receiver has asked for it.
    void longSendsWaitForTheReceiver() {
        const std::string error = runRanks(2, [](int rank, Communicator& world) {
            std::vector<std::byte> data(LoopbackWorld::bufferedBytes + 1);
            if (rank == 0) {
                const RequestPtr sent = world.isend(data, 1, 0);
                if (sent->test()) throw std::runtime_error("done before it was received");
                world.barrier();
                sent->wait();
            } else {
                world.barrier();
                world.receive(data, 0, 0);
            }
        });
        QVERIFY2(error.empty(), error.c_str());
    }
};

QTEST_GUILESS_MAIN(CommunicatorTest)
#include "communicator_test.moc"
