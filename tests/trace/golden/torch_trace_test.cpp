// SPDX-License-Identifier: Apache-2.0
// A trace that PyTorch's profiler records now, on two ranks, becomes a run: what Python counts in its files is there.
// Skipped where no Python with torch is found (python3, or SHARDLAB_TORCH_PYTHON).
#include "engine/trace/interchange/import.h"
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
#include <set>

using namespace shardlab;
using namespace shardlab::test;

class TorchTraceTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aProfileOfTwoRanksIsARun() {
        if (const QString why = test::whyWithout(test::currentTorch); !why.isEmpty()) QSKIP(qPrintable(why));
        QTemporaryDir folder;
        QVERIFY(folder.isValid());
        QProcess recorder;
        recorder.start(test::referencePython(),
                       {QStringLiteral(SHARDLAB_SOURCE_DIR "/tests/trace/golden/torch_trace.py"), folder.path()});
        QVERIFY(recorder.waitForFinished(patience));
        QVERIFY2(recorder.exitCode() == 0, recorder.readAllStandardError().constData());
        const QJsonArray told = QJsonDocument::fromJson(recorder.readAllStandardOutput()).array();
        QCOMPARE(told.size(), 2);

        const auto path = [&](const char* name) { return folder.filePath(name).toStdString(); };
        const auto made = importRun({{path("rank1.json.gz"), path("rank0.json")}, path("run.shardlab"), ""});
        QVERIFY2(made, made ? "" : made.error().text().c_str());
        const auto run = RunReader::open(path("run.shardlab"));
        QVERIFY(run);
        std::vector<Event> events;
        QVERIFY((*run)->readEvents([&](std::span<const Event> block) {
            events.insert(events.end(), block.begin(), block.end());
            return true;
        }));
        std::int64_t flows = 0;
        for (int rank = 0; rank < 2; ++rank) {
            const QJsonObject file = told[rank].toObject();
            QCOMPARE(file["rank"].toInt(), rank);
            QCOMPARE((*run)->ranks()[static_cast<std::size_t>(rank)].host, file["host"].toString().toStdString());
            flows += file["flows"].toInt();
            std::vector<Event> mine;
            std::ranges::copy_if(events, std::back_inserter(mine),
                                 [&](const Event& event) { return event.rank == rank; });
            const auto count = [&](auto&& is) { return static_cast<int>(std::ranges::count_if(mine, is)); };
            const auto of = [&](EventKind kind) {
                return count([&](const Event& event) { return event.kind == kind; });
            };
            QCOMPARE(count([](const Event& event) { return isSpan(event.kind); }), file["spans"].toInt());
            QCOMPARE(of(EventKind::Collective), file["collectives"].toInt());
            QCOMPARE(of(EventKind::NamedCounter), file["memory"].toInt());
            QCOMPARE(of(EventKind::Step), file["steps"].toInt());
            QVERIFY(of(EventKind::Step) > 0);
            // Forward, backward and update are on the compute lane, as outermost operations that do not overlap.
            QVERIFY(of(EventKind::Kernel) > 0 && of(EventKind::Backward) > 0 && of(EventKind::Optimizer) > 0);
            std::set<std::string_view> names;
            int step = 0;
            for (const Event& event : mine) {
                if (!isSpan(event.kind)) continue;
                if (event.action != 0) names.insert((*run)->names().of(event.action));
                if (event.kind == EventKind::Step)
                    QVERIFY(std::abs(static_cast<double>(event.end - event.begin) * 1e-9 -
                                     file["step_seconds"][step++].toDouble()) < 2e-9);
            }
            QCOMPARE(static_cast<int>(names.size()), file["names"].toInt());
        }
        const auto ignored = std::ranges::find_if(
            made->ignored, [](const ImportCount& each) { return each.what.starts_with("arrows"); });
        QCOMPARE(ignored == made->ignored.end() ? 0 : ignored->count, flows);
        // Both ranks are on one clock: that of the first begin of all is 0.
        const auto earliest = std::ranges::min(events, {}, &Event::begin);
        QCOMPARE(earliest.begin, std::int64_t{0});
    }
};

QTEST_GUILESS_MAIN(TorchTraceTest)
#include "torch_trace_test.moc"
