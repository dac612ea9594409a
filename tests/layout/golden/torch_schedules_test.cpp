// SPDX-License-Identifier: Apache-2.0
// The generated orders against those that torch.distributed.pipelining computes, action by action. The orders are kept
// as files; where a Python with torch is found (python3, or SHARDLAB_TORCH_PYTHON) they are also computed anew.
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>
#include <cstdio>
#include <sstream>

#include "engine/layout/schedule/registry.h"
#include "engine/layout/schedule/text.h"
#include "tests/support/golden.h"
#include "tests/support/places.h"
#include "tests/support/reference_python.h"
#include "tests/support/wings.h"

using namespace shardlab;
using namespace shardlab::test;

namespace {

const QStringList kinds{"gpipe", "1f1b", "interleaved-1f1b", "looped-bfs", "zb-h1", "zb-v", "dualpipe-v"};

}  // namespace

class TorchSchedulesTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void ordersAreThoseOfTorch_data() {
        QTest::addColumn<QString>("kind");
        for (const QString& kind : kinds) QTest::newRow(qPrintable(kind)) << kind;
    }
    void ordersAreThoseOfTorch() {
        QFETCH(QString, kind);
        std::istringstream file(readGolden("layout/golden/torch/" + kind + ".txt"));
        std::string line;
        int cases = 0;
        while (std::getline(file, line)) {
            ScheduleShape shape;
            QVERIFY2(std::sscanf(line.c_str(), "p=%d v=%d m=%d", &shape.ranks, &shape.chunks, &shape.microbatches) == 3,
                     line.c_str());
            const auto ours = generateSchedule(kind.toStdString(), shape);
            QVERIFY2(ours.has_value(), ours ? "" : (line + ": " + ours.error().text()).c_str());
            const QStringList lists = QString::fromStdString(toCsv(*ours)).split('\n');
            for (int rank = 0; rank < shape.ranks; ++rank) {
                std::string theirs;
                QVERIFY(std::getline(file, theirs));
                QVERIFY2(lists[rank].toStdString() == theirs, (line + " rank " + std::to_string(rank) + "\n ours  " +
                                                               lists[rank].toStdString() + "\n torch " + theirs)
                                                                  .c_str());
            }
            ++cases;
        }
        QVERIFY2(cases >= 25, qPrintable(QString("%1 cases").arg(cases)));
    }

    void torchStillComputesThem() {
        if (const QString why = test::whyWithout(test::currentTorch); !why.isEmpty())
            QSKIP(qPrintable(why + ": the kept orders are not computed anew"));
        QTemporaryDir folder;
        QProcess process;
        process.start(test::referencePython(),
                      {QStringLiteral(SHARDLAB_SOURCE_DIR "/tests/layout/golden/torch_schedules.py"), folder.path()});
        QVERIFY2(process.waitForFinished(patience) && process.exitCode() == 0,
                 process.readAllStandardError().constData());
        for (const QString& kind : kinds) {
            QFile computed(folder.filePath(kind + ".txt"));
            QVERIFY2(computed.open(QIODevice::ReadOnly), qPrintable(computed.fileName()));
            const QString difference =
                differenceFromGolden("layout/golden/torch/" + kind + ".txt", computed.readAll().toStdString());
            QVERIFY2(difference.isEmpty(), qPrintable(difference));
        }
    }
};

QTEST_GUILESS_MAIN(TorchSchedulesTest)
#include "torch_schedules_test.moc"
