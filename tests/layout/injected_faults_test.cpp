// SPDX-License-Identifier: Apache-2.0
// The text form of faults on purpose, and what of a layout's list is refused.
#include "engine/launch/job/elastic_world.h"
#include "engine/trace/record/rank_arguments.h"
#include "engine/layout/check/check.h"
#include "engine/layout/injected_fault.h"
#include "engine/predict/plan/plan.h"
#include "engine/layout/schedule/registry.h"
#include "tests/support/seed.h"
#include "tests/support/wings.h"

#include <QTest>

#include <random>

using namespace shardlab::test;

class InjectedFaultsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void textAndBack() {
        std::mt19937 random(freshSeed());
        for (int i = 0; i < 300; ++i) {
            InjectedFault fault{static_cast<InjectedFaultKind>(random() % 3), static_cast<int>(random() % 1000),
                                static_cast<int>(random())};
            if (!fault.happensOnce()) fault.factor = std::uniform_real_distribution<>(1, largestSlowdown)(random);
            const auto read = parseInjectedFault(toText(fault));
            QVERIFY2(read, toText(fault).c_str());
            QCOMPARE(*read, fault);
        }
        QCOMPARE(*parseInjectedFault("  slow   2 after 7 by 2.5 "),
                 (InjectedFault{InjectedFaultKind::Slow, 2, 7, 2.5}));
    }

    void wrongTexts_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("why");
        QTest::addColumn<QString>("legal");
        QTest::newRow("nothing") << " "
                                 << "it says nothing"
                                 << "kill 1 after 12";
        QTest::newRow("another word") << "halt 1 after 2"
                                      << "'halt' is no fault"
                                      << "kill, hang or slow";
        QTest::newRow("near") << "hangs 1 after 2"
                              << "'hangs' is no fault"
                              << "did you mean hang?";
        QTest::newRow("no steps") << "kill 1"
                                  << "another form"
                                  << "kill RANK after STEPS";
        QTest::newRow("too many words") << "kill 1 after 2 by 3"
                                        << "another form"
                                        << "kill RANK after STEPS";
        QTest::newRow("slow without a factor") << "slow 1 after 2"
                                               << "another form"
                                               << "slow RANK after STEPS by FACTOR";
        QTest::newRow("no rank") << "kill one after 2"
                                 << "'one' is no rank"
                                 << "";
        QTest::newRow("half a rank") << "kill 1.5 after 2"
                                     << "'1.5' is no rank"
                                     << "";
        QTest::newRow("steps beyond an integer") << "kill 1 after 99999999999"
                                                 << "'99999999999' is no number of steps"
                                                 << "";
        QTest::newRow("quicker") << "slow 1 after 2 by 0.5"
                                 << "'0.5' is no factor"
                                 << "1 to 1000";
        QTest::newRow("not a number") << "slow 1 after 2 by nan"
                                      << "'nan' is no factor"
                                      << "1 to 1000";
    }
    void wrongTexts() {
        QFETCH(QString, text);
        QFETCH(QString, why);
        QFETCH(QString, legal);
        const auto read = parseInjectedFault(text.toStdString());
        QVERIFY(!read);
        QVERIFY2(QString::fromStdString(read.error().why.english()).contains(why), read.error().why.english().c_str());
        QVERIFY2(QString::fromStdString(read.error().legal.english()).contains(legal),
                 read.error().legal.english().c_str());
    }

    void layoutsAreCheckedLineByLine() {
        Layout layout;
        layout.run.steps = 20;
        layout.run.faults = {"kill 3 after 19", "kill 4 after 0", "slow 0 after 20 by 2", "nonsense",
                             "hang -1 after -1"};
        std::vector<std::string> found;
        for (const Fault& fault : check(layout, scheduleMethods()))
            found.push_back(fault.pointer + ": " + fault.what.english() + "; " + fault.legal.english());
        QCOMPARE(found.size(), 5u);
        QCOMPARE(found[0], std::string("/run/faults/1: there is no rank 4; rank 0 to 3"));
        QCOMPARE(found[1], std::string("/run/faults/2: a fault after 20 steps would never happen; after 0 to 19"));
        QCOMPARE(found[2],
                 std::string("/run/faults/3: 'nonsense' is no fault that can be brought about; kill, hang or slow"));
        QCOMPARE(found[3], std::string("/run/faults/4: there is no rank -1; rank 0 to 3"));
        QCOMPARE(found[4], std::string("/run/faults/4: a fault after -1 steps would never happen; after 0 to 19"));
    }

    void ranksAreToldOnTheirCommandLine() {
        RankArguments arguments;
        arguments.layout = "a";
        arguments.folder = "b";
        arguments.socket = "c";
        arguments.faults = {{InjectedFaultKind::Kill, 1, 12}, {InjectedFaultKind::Slow, 0, 3, 2.5}};
        const auto read = parseRankArguments(toArgv(arguments));
        QVERIFY(read);
        QCOMPARE(read->faults, arguments.faults);
    }

    /// The started ranks of a run with fewer replicas have other numbers than in the run file.
    void ranksThatAreThereHaveTheirNumbers() {
        Layout layout;
        layout.parallel.data = 2;
        layout.parallel.pipeline = 2;
        layout.run.minData = 1;
        layout.checkpoint.every = 5;
        const auto plan = makePlan(layout);
        QVERIFY(plan);
        ElasticWorld world(*plan);
        std::vector<InjectedFault> faults;
        for (int rank = 0; rank < 4; ++rank) faults.push_back({InjectedFaultKind::Kill, rank, 10 + rank});
        QCOMPARE(world.started(faults), faults);
        QVERIFY(world.resize(1));
        const std::vector<InjectedFault> there = world.started(faults);
        QCOMPARE(there.size(), 2u);
        for (const InjectedFault& fault : there) QCOMPARE(world.placeOf(fault.rank), fault.after - 10);
    }
};

QTEST_GUILESS_MAIN(InjectedFaultsTest)
#include "injected_faults_test.moc"
