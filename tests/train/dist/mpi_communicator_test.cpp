// SPDX-License-Identifier: Apache-2.0
// The MPI backend against the same conformance suite as the loopback one.
#include "tests/train/dist/mpirun.h"
#include "tests/support/places.h"
#include "tests/support/seed.h"
#include "tests/support/wings.h"

#include <QtTest>

using namespace shardlab::test;

class MpiCommunicatorTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() {
        if (!haveMpirun()) QSKIP("mpirun is not installed (package openmpi-bin)");
    }

    void conforms_data() {
        QTest::addColumn<int>("ranks");
        QTest::addColumn<QString>("waiting");
        QTest::addColumn<QString>("largestMessage");
        QTest::addColumn<QString>("by");
        QTest::newRow("1 rank") << 1 << "sleep"
                                << "1073741824"
                                << "messages";
        QTest::newRow("2 ranks, spinning") << 2 << "spin"
                                           << "1073741824"
                                           << "messages";
        QTest::newRow("2 ranks") << 2 << "sleep"
                                 << "1073741824"
                                 << "messages";
        QTest::newRow("3 ranks, messages in parts") << 3 << "sleep"
                                                    << "4099"
                                                    << "messages";
        QTest::newRow("4 ranks") << 4 << "sleep"
                                 << "1073741824"
                                 << "messages";
        QTest::newRow("2 ranks, spinning, shared memory") << 2 << "spin"
                                                          << "1073741824"
                                                          << "shared";
        QTest::newRow("3 ranks, shared memory") << 3 << "sleep"
                                                << "1073741824"
                                                << "shared";
        QTest::newRow("4 ranks, shared memory") << 4 << "sleep"
                                                << "1073741824"
                                                << "shared";
    }
    void conforms() {
        QFETCH(int, ranks);
        QFETCH(QString, waiting);
        QFETCH(QString, largestMessage);
        QFETCH(QString, by);
        const QString seed = QString::number(freshSeed());
        const Finished finished =
            mpirun(ranks, SHARDLAB_PROGRAM_DIR "/communicator_program", {seed, waiting, largestMessage, by});
        QVERIFY2(finished.status == 0, qPrintable("seed " + seed + ": " + finished.errors));
    }
};

QTEST_GUILESS_MAIN(MpiCommunicatorTest)
#include "mpi_communicator_test.moc"
