// SPDX-License-Identifier: Apache-2.0
// Pipelines of two ranks that PyTorch trains and profiles now, in two cycles each: every action that its annotations
// name is one of the run, once for each time, and every message has its bytes. Skipped where no Python with torch is
// found (python3, or SHARDLAB_TORCH_PYTHON).
#include "engine/launch/job/run_header.h"
#include "engine/trace/analysis/run_comparison.h"
#include "engine/trace/interchange/import.h"
#include "engine/trace/interchange/pipeline_spans.h"
#include "engine/trace/run_file/run_file.h"
#include "tests/support/places.h"
#include "tests/support/reference_python.h"
#include "tests/support/wings.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <map>

using namespace shardlab;
using namespace shardlab::test;

class TorchPipelineTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void everyNamedActionIsOne_data() {
        QTest::addColumn<QString>("schedule");
        QTest::addColumn<int>("stages");
        QTest::newRow("Forward 3") << "gpipe" << 2;
        QTest::newRow("PP:2F3") << "interleaved" << 4;
    }

    void everyNamedActionIsOne() {
        QFETCH(const QString, schedule);
        QFETCH(const int, stages);
        if (const QString why = test::whyWithout(test::currentTorch); !why.isEmpty()) QSKIP(qPrintable(why));
        QTemporaryDir folder;
        QVERIFY(folder.isValid());
        QProcess recorder;
        recorder.start(test::referencePython(),
                       {QStringLiteral(SHARDLAB_SOURCE_DIR "/tests/trace/golden/torch_pipeline_trace.py"),
                        folder.path(), schedule});
        QVERIFY(recorder.waitForFinished(patience));
        QVERIFY2(recorder.exitCode() == 0, recorder.readAllStandardError().constData());
        const QJsonArray told = QJsonDocument::fromJson(recorder.readAllStandardOutput().split('\n').first()).array();
        QCOMPARE(told.size(), 2);

        ImportRequest request{.out = folder.filePath("run.shardlab").toStdString()};
        std::map<std::string, int> wanted;  // rank and action
        for (int rank = 0; rank < 2; ++rank) {
            const QJsonObject files = told[rank].toObject();
            QCOMPARE(files["files"].toArray().size(), 2);
            for (const auto& file : files["files"].toArray())
                request.files.push_back(folder.filePath(file.toString()).toStdString());
            for (const auto& annotation : files["annotations"].toArray()) {
                auto name = pipelineName(annotation.toString().toStdString());
                if (!name) continue;
                if (!name->stageNamed) name->action.stage = rank;
                ++wanted[std::to_string(rank) + ": " + toText(name->action)];
                if (name->stageNamed) continue;
                const bool forward = name->action.kind == ActionKind::Forward;
                const ActionKind message = forward ? (rank == 0 ? ActionKind::SendForward : ActionKind::RecvForward)
                                                   : (rank == 0 ? ActionKind::RecvBackward : ActionKind::SendBackward);
                ++wanted[std::to_string(rank) + ": " + toText({message, rank, name->action.microbatch, -1})];
            }
        }
        // In each of two cycles each stage runs 4 microbatches forward and backward, and each message has two ends.
        QCOMPARE(static_cast<int>(wanted.size()), stages * 8 + (stages - 1) * 16);

        const auto made = importRun(request);
        QVERIFY2(made, made ? "" : made.error().text().c_str());
        QCOMPARE(made->ranks, 2);
        QCOMPARE(made->steps, 2);
        const auto run = RunReader::open(request.out);
        QVERIFY(run);
        std::map<std::string, int> found;
        std::vector<Event> computing;
        int withBytes = 0;
        QVERIFY((*run)->readEvents([&](std::span<const Event> block) {
            for (const Event& event : block) {
                if (event.kind == EventKind::Collective) withBytes += event.bytes == 100 * 4;
                if (event.kind == EventKind::Wait || event.action == 0 || nameNumber(event.action) != 0) continue;
                const Action action = actionFromId(event.action);
                ++found[std::to_string(event.rank) + ": " + toText(action)];
                if (isCompute(event.kind)) computing.push_back(event);
                else if (event.bytes != 2 * 32 * 4) qWarning("%s has other bytes", toText(action).c_str());
                else ++withBytes;
            }
            return true;
        }));
        QCOMPARE(found, wanted);
        QCOMPARE(withBytes, 4 + (stages - 1) * 16 * 2);  // an all-reduce of each rank and cycle, and all messages
        std::ranges::sort(computing, {}, [](const Event& event) { return std::pair(event.rank, event.begin); });
        for (std::size_t i = 1; i < computing.size(); ++i)
            QVERIFY(computing[i].rank != computing[i - 1].rank || computing[i].begin >= computing[i - 1].end);
        QVERIFY(!(*run)->header().hasLayout());
        comparesWithItsLayout(request, stages);
    }

private:
    /// The layout that the script trains gives the run a prediction, action by action; another one is refused.
    static void comparesWithItsLayout(ImportRequest request, int stages) {
        Layout layout;
        layout.model.kind = ModelKind::Mlp;
        layout.model.layers = stages;
        layout.model.hidden = 32;
        layout.cluster.hosts = {{"localhost", 2}};
        layout.parallel.data = 1;
        layout.parallel.pipeline = 2;
        layout.batch.micro = 2;
        layout.batch.global = 8;
        layout.schedule.kind = stages == 2 ? "gpipe" : "interleaved-1f1b";
        layout.schedule.chunks = stages / 2;
        auto expected = expectedRun(layout, {});
        QVERIFY2(expected, expected ? "" : toText(expected.error()).c_str());
        request.expected = std::move(*expected);
        const auto made = importRun(request);
        QVERIFY2(made, made ? "" : made.error().text().c_str());
        const auto run = RunReader::open(request.out);
        QVERIFY(run && (*run)->header().hasLayout());
        QCOMPARE((*run)->ranks()[1].label, std::string("pp1"));
        const auto comparison = compareWithPrediction(**run);
        QVERIFY2(comparison, comparison ? "" : comparison.error().text().c_str());
        int compared = 0;
        for (const RunComparison::Kind& kind : comparison->kinds) {
            if (kind.kind != EventKind::Forward && kind.kind != EventKind::Backward &&
                kind.kind != EventKind::SendForward && kind.kind != EventKind::SendBackward)
                continue;
            QCOMPARE(kind.count.b.value_or(-1), kind.count.a.value_or(-2));
            ++compared;
        }
        QCOMPARE(compared, 4);
        layout.batch.global = 4;
        request.expected = std::move(*expectedRun(layout, {}));
        const auto refused = importRun(request);
        QVERIFY(!refused);
        QVERIFY2(refused.error().text().find("has 2 microbatches (0 to 1)") != std::string::npos,
                 refused.error().text().c_str());
    }
};

QTEST_GUILESS_MAIN(TorchPipelineTest)
#include "torch_pipeline_test.moc"
