// SPDX-License-Identifier: Apache-2.0
// Files as torch.distributed.pipelining dumps them, compute only and with communication, become schedules that run;
// what we write is what torch loads. The files are kept; where a Python with torch is found (python3, or
// SHARDLAB_TORCH_PYTHON) they are also made anew and ours are read by it.
#include <QDir>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include "engine/layout/schedule/custom.h"
#include "engine/layout/schedule/passes.h"
#include "engine/layout/schedule/registry.h"
#include "engine/layout/schedule/text.h"
#include "tests/support/golden.h"
#include "tests/support/places.h"
#include "tests/support/reference_python.h"
#include "tests/support/wings.h"

using namespace shardlab;
using namespace shardlab::test;

namespace {

struct Case {
    const char* kind;
    ScheduleShape shape;
    bool overlaps = false;  ///< torch runs pairs at once, which its file says and ours does not
};
const Case cases[]{{"interleaved-1f1b", {2, 2, 4}}, {"zb-v", {2, 2, 4}}, {"dualpipe-v", {2, 2, 6}, true}};

/// What the script prints; empty with a message where it fails.
QByteArray run(const QStringList& arguments) {
    QProcess process;
    process.start(test::referencePython(),
                  QStringList{QStringLiteral(SHARDLAB_SOURCE_DIR "/tests/layout/golden/torch_csv.py")} + arguments);
    if (process.waitForFinished(patience) && process.exitCode() == 0) return process.readAllStandardOutput();
    qWarning("%s", process.readAllStandardError().constData());
    return {};
}

}  // namespace

class TorchCsvTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void filesOfTorchAreImported_data() {
        QTest::addColumn<int>("index");
        for (int i = 0; i < static_cast<int>(std::size(cases)); ++i) QTest::newRow(cases[i].kind) << i;
    }
    void filesOfTorchAreImported() {
        QFETCH(int, index);
        const Case& each = cases[index];
        Schedule ours = *generateSchedule(each.kind, each.shape);
        ours.kind = "custom";
        for (const char* form : {"compute", "comms"}) {
            const auto imported =
                importCsv(readGolden(QString("layout/golden/torch/csv/%1-%2.csv").arg(each.kind, form)));
            QVERIFY2(imported.has_value(), imported ? "" : imported.error().text().c_str());
            QCOMPARE(toCsv(imported->compute), toCsv(ours));
            QVERIFY(imported->compute == ours);
            QVERIFY(!findMisfit(imported->compute, each.shape));
            QVERIFY(validate(lower(imported->compute, {true, true, true})).has_value());
            std::string notes;
            for (const Sentence& note : imported->notes) notes += note.english() + "\n";
            const auto says = [&](const char* words) { return notes.find(words) != std::string::npos; };
            const bool lowered = std::string(form) == "comms";
            QVERIFY2(says("OVERLAP_F_B") == each.overlaps, notes.c_str());
            for (const char* word : {"4 RESHARD", "4 UNSHARD", "4 REDUCE_GRAD", " SEND_F", " RECV_B", " WAIT_SEND_F"})
                QVERIFY2(says(word) == lowered, notes.c_str());
        }
    }

    void torchWritesThemAnew() {
        if (const QString why = test::whyWithout(test::currentTorch); !why.isEmpty()) QSKIP(qPrintable(why));
        QTemporaryDir folder;
        run({"write", folder.path()});
        for (const Case& each : cases)
            for (const char* form : {"compute", "comms"}) {
                const QString name = QString("%1-%2.csv").arg(each.kind, form);
                QFile file(folder.filePath(name));
                QVERIFY2(file.open(QIODevice::ReadOnly), qPrintable(name));
                const std::string written = file.readAll().toStdString();
                // Another version of torch may place its messages elsewhere; what we take from the file stays.
                const auto now = importCsv(written), kept = importCsv(readGolden("layout/golden/torch/csv/" + name));
                QVERIFY2(now.has_value(), now ? "" : now.error().text().c_str());
                QVERIFY2(now->compute == kept->compute, qPrintable(name));
                if (std::string(form) == "compute") {
                    const QString difference = differenceFromGolden("layout/golden/torch/csv/" + name, written);
                    QVERIFY2(difference.isEmpty(), qPrintable(difference));
                }
            }
    }

    void torchReadsWhatWeWrite() {
        if (const QString why = test::whyWithout(test::currentTorch); !why.isEmpty()) QSKIP(qPrintable(why));
        QTemporaryDir folder;
        for (const Case& each : cases) {
            // Changed by hand: another place for the first weight gradient, or the last backward, of rank 0.
            Schedule order = *generateSchedule(each.kind, each.shape);
            auto& actions = order.ranks.front();
            const auto split = std::ranges::find(actions, ActionKind::WeightGrad, &Action::kind);
            if (split != actions.end()) std::rotate(split, split + 1, actions.end());
            const std::string text = toCsv(order);
            QFile file(folder.filePath("ours.csv"));
            QVERIFY(file.open(QIODevice::WriteOnly));
            file.write(text.c_str());
            file.close();
            QCOMPARE(run({"read", file.fileName(), QString::number(each.shape.ranks),
                          QString::number(each.shape.chunks), QString::number(each.shape.microbatches)}),
                     QByteArray(text.c_str()));
        }
    }
};

QTEST_GUILESS_MAIN(TorchCsvTest)
#include "torch_csv_test.moc"
