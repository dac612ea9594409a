// SPDX-License-Identifier: Apache-2.0
// Chrome's traces of programs whose threads say what they are, and whose spans go on beside one another.
#include "engine/trace/interchange/lane_names.h"
#include "tests/support/seed.h"
#include "tests/support/wings.h"
#include "tests/trace/imported.h"
#include "tests/trace/random_events.h"

#include <QTemporaryDir>
#include <QTest>

#include <fmt/format.h>
#include <fstream>
#include <map>

using namespace shardlab::test;

class ChromeImportTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() {
        folder_ = std::make_unique<QTemporaryDir>();
        QVERIFY(folder_->isValid());
    }

    void namesSayWhichLane_data() {
        QTest::addColumn<QString>("name");
        QTest::addColumn<int>("lane");
        const auto row = [](const char* name, int lane) { QTest::newRow(name) << QString::fromUtf8(name) << lane; };
        for (const char* name : {"stream 7", "Stream #14(Compute,MemcpyD2D)", "XLA Ops", "GPU compute", "Kernels"})
            row(name, static_cast<int>(Lane::Compute));
        for (const char* name : {"NCCL stream", "communication", "Stream #20(NCCL)", "network", "comm 0"})
            row(name, static_cast<int>(Lane::Comm));
        for (const char* name : {"Stream #21(MemcpyH2D)", "copy engine", "MemcpyD2H", "DMA 0"})
            row(name, static_cast<int>(Lane::Copy));
        for (const char* name : {"python", "pt_autograd_0", "main", "upstream"}) row(name, -1);
    }
    void namesSayWhichLane() {
        QFETCH(const QString, name);
        QFETCH(const int, lane);
        const auto named = laneNamedBy(name.toStdString());
        QCOMPARE(named ? static_cast<int>(*named) : -1, lane);
    }

    /// Names may come after the spans; a thread that no name puts anywhere is on the host once another computes.
    void threadsAreLanes() {
        const auto thread = [](int number, const char* name) {
            return fmt::format(R"({{"ph": "M", "name": "thread_name", "pid": 1, "tid": {}, "args": {{"name": "{}"}}}})",
                               number, name);
        };
        const auto span = [](int number, const char* name, int begin, int lasts) {
            return fmt::format(R"({{"ph": "X", "name": "{}", "pid": 1, "tid": {}, "ts": {}, "dur": {}}})", name, number,
                               begin, lasts);
        };
        write(thread(1, "python") + ',' + span(1, "step", 0, 100) + ',' + span(2, "matmul", 10, 20) + ',' +
              span(2, "tile", 12, 5) + ',' + span(3, "all_reduce", 30, 9) + ',' + span(4, "upload", 5, 4) + ',' +
              thread(2, "Stream #14(Compute)") + ',' + thread(3, "nccl") + ',' + thread(4, "Stream #15(MemcpyH2D)"));
        const Imported made = importTrace();
        QVERIFY(made.run);
        const auto is = [&](const char* name, EventKind kind, Lane lane) {
            const auto found = made.named(name);
            return found.size() == 1 && found[0].kind == kind && found[0].lane == lane;
        };
        QVERIFY(is("matmul", EventKind::Kernel, Lane::Compute));
        QVERIFY(is("tile", EventKind::Operation, Lane::Host));
        QVERIFY(is("all_reduce", EventKind::Collective, Lane::Comm));
        QVERIFY(is("upload", EventKind::MemoryCopy, Lane::Copy));
        QVERIFY(is("step", EventKind::Operation, Lane::Host));
    }

    void asynchronousSpansAreSpans() {
        write(R"({"ph": "b", "cat": "io", "id": "0x1", "name": "load", "pid": 1, "tid": 1, "ts": 10},
                 {"ph": "b", "cat": "io", "id": 2, "name": "load", "pid": 1, "tid": 1, "ts": 12},
                 {"ph": "n", "cat": "io", "id": 2, "name": "half", "pid": 1, "tid": 1, "ts": 13},
                 {"ph": "e", "cat": "io", "id": "0x1", "name": "load", "pid": 1, "tid": 2, "ts": 20},
                 {"ph": "e", "cat": "other", "id": 2, "name": "load", "pid": 1, "tid": 1, "ts": 21},
                 {"ph": "e", "cat": "io", "id": 2, "name": "load", "pid": 1, "tid": 1, "ts": 30},
                 {"ph": "b", "cat": "net", "id2": {"local": "7"}, "name": "a", "pid": 1, "tid": 1, "ts": 40},
                 {"ph": "b", "cat": "net", "id2": {"local": "7"}, "name": "a", "pid": 2, "tid": 1, "ts": 41},
                 {"ph": "e", "cat": "net", "id2": {"local": "7"}, "name": "a", "pid": 1, "tid": 1, "ts": 45},
                 {"ph": "S", "cat": "old", "id": 9, "name": "before", "pid": 1, "tid": 1, "ts": 50},
                 {"ph": "T", "cat": "old", "id": 9, "name": "before", "pid": 1, "tid": 1, "ts": 51},
                 {"ph": "F", "cat": "old", "id": 9, "name": "before", "pid": 1, "tid": 1, "ts": 53})");
        const Imported made = importTrace();
        QVERIFY(made.run);
        const auto loads = made.named("load");
        QCOMPARE(loads.size(), std::size_t{2});
        QCOMPARE(loads[0].end - loads[0].begin, 10'000);
        QCOMPARE(loads[1].end - loads[1].begin, 18'000);
        QCOMPARE(loads[0].kind, EventKind::Operation);
        QCOMPARE(made.named("half").at(0).kind, EventKind::Mark);
        QCOMPARE(made.named("a").size(), std::size_t{1});
        QCOMPARE(made.named("a")[0].end - made.named("a")[0].begin, 5'000);
        QCOMPARE(made.of(EventKind::Operation).size(), std::size_t{4});
        QCOMPARE(made.named("before").size(), std::size_t{2});  // and the mark on its way
        QCOMPARE(made.ignored("e without b"), 1);
        QCOMPARE(made.ignored("b without e"), 1);
        QCOMPARE(made.report.ignored.size(), std::size_t{2});
    }

    /// However many overlap in however many processes, each ends where its own end is.
    void overlappingSpansStayApart() {
        RandomEvents random(freshSeed());
        struct Open {
            int process, id;
            std::int64_t begin;
        };
        std::vector<Open> open;
        std::map<std::string, std::int64_t> wanted;  // by name
        std::string text = R"({"ph": "i", "name": "zero", "pid": 0, "tid": 0, "ts": 0})";
        const auto put = [&](char phase, const Open& span, std::int64_t at) {
            text += fmt::format(
                ",\n{{\"ph\": \"{}\", \"cat\": \"c\", \"id\": {}, \"name\": \"{}\", \"pid\": {}, \"tid\": {}, "
                "\"ts\": {}}}",
                phase, span.id % 5, span.id, span.process, random.below(3), at);
        };
        std::int64_t now = 1;
        for (int id = 0; id < 200; ++id) {
            now += random.below(4);
            open.push_back({static_cast<int>(random.below(3)), id, now});
            put('b', open.back(), now);
            while (!open.empty() && random.below(2) == 0) {
                const auto which = open.begin() + random.below(static_cast<std::int64_t>(open.size()));
                now += random.below(3);
                put('e', *which, now);
                wanted[std::to_string(which->id)] = (now - which->begin) * 1000;
                open.erase(which);
            }
        }
        write(text);
        const Imported made = importTrace();
        QVERIFY(made.run);
        std::map<std::string, std::int64_t> found;
        for (const Event& event : made.of(EventKind::Operation))
            found[std::string(made.name(event))] = event.end - event.begin;
        QCOMPARE(found, wanted);
        QCOMPARE(made.ignored("b without e"), static_cast<std::int64_t>(open.size()));
    }

private:
    std::string path(const char* name) const { return folder_->filePath(name).toStdString(); }
    void write(const std::string& entries) const { std::ofstream(path("trace.json")) << '[' << entries << ']'; }
    Imported importTrace() const { return importAll({{path("trace.json")}, path("run.shardlab"), ""}); }

    std::unique_ptr<QTemporaryDir> folder_;
};

QTEST_GUILESS_MAIN(ChromeImportTest)
#include "chrome_import_test.moc"
