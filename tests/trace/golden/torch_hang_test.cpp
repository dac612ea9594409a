// SPDX-License-Identifier: Apache-2.0
// A hang that PyTorch's own flight recorder records now: its dumps say which rank keeps the others waiting, and where.
// Skipped where no Python with torch is found (python3, or SHARDLAB_TORCH_PYTHON).
#include "engine/trace/dumps/flight_dump.h"
#include "engine/trace/dumps/hang_report.h"
#include "tests/support/places.h"
#include "tests/support/reference_python.h"
#include "tests/support/wings.h"

#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

using namespace shardlab::test;

class TorchHangTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void theRankThatDoesNotComeIsNamed() {
        if (const QString why = whyWithout(currentTorch); !why.isEmpty()) QSKIP(qPrintable(why));
        QTemporaryDir folder;
        QVERIFY(folder.isValid());
        QProcess job;
        job.start(referencePython(),
                  {QStringLiteral(SHARDLAB_SOURCE_DIR "/tests/trace/golden/torch_hang.py"), folder.path()});
        QVERIFY(job.waitForFinished(patience));
        QVERIFY2(job.exitCode() == 0, job.readAllStandardError().constData());
        if (job.readAllStandardOutput().startsWith("no recorder")) QSKIP("this PyTorch records no flights of gloo");
        std::vector<FlightDump> dumps;
        for (int rank = 0; rank < 3; ++rank) {
            const std::string file = folder.filePath(QStringLiteral("hang_rank_%1").arg(rank)).toStdString();
            QVERIFY(isFlightDump(file));
            auto dump = readFlightDump(file);
            QVERIFY2(dump, dump ? "" : dump.error().text().c_str());
            QCOMPARE(dump->calls.size(), rank == 2 ? std::size_t{3} : std::size_t{4});
            dumps.push_back(std::move(*dump));
        }
        const auto report = reportHang(dumps);
        QVERIFY2(report, report ? "" : report.error().text().c_str());
        const std::string text = report->text();
        QVERIFY2(text.starts_with("The others wait for rank 2, which waits for nobody.\n"), text.c_str());
        QCOMPARE(report->groups.size(), std::size_t{1});
        const GroupHang& hang = report->groups[0];
        QCOMPARE(hang.call.english(), std::string("all_reduce 4 of Float[4, 8]"));
        QCOMPARE(hang.sides.size(), std::size_t{2});
        QCOMPARE(hang.sides[0].ranks, (std::vector{0, 1}));
        QVERIFY2(hang.sides[0].place.starts_with("torch_hang.py:"), hang.sides[0].place.c_str());
        QVERIFY2(hang.sides[0].place.ends_with(" in step"), hang.sides[0].place.c_str());
        QCOMPARE(hang.sides[1].where, HangSide::Where::Missing);
        QCOMPARE(hang.sides[1].call.english(), std::string("all_reduce 3 of Float[4, 8]"));
    }
};

QTEST_GUILESS_MAIN(TorchHangTest)
#include "torch_hang_test.moc"
