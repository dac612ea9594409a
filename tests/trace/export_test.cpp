// SPDX-License-Identifier: Apache-2.0
// Exports read back by other means: CSV by splitting, Chrome traces by a JSON parser.
#include "engine/trace/interchange/export.h"

#include "engine/layout/mesh/mesh.h"
#include "tests/support/faulty_files.h"
#include "tests/support/seed.h"
#include "tests/trace/random_events.h"
#include "tests/support/wings.h"

#include <QDir>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

using namespace shardlab::test;

namespace {

using Json = nlohmann::json;

/// Data 2 × pipeline 3, two microbatches, forward and backward with their messages, made lane by lane.
struct SampleRun {
    Layout layout;
    std::vector<Event> events;
    int messages = 0;
};

SampleRun sampleRun(RandomEvents& random, int steps) {
    SampleRun run;
    run.layout.name = "an \"export\"";
    run.layout.parallel.data = 2;
    run.layout.parallel.pipeline = 3;
    run.layout.batch = {16, 4};  // two microbatches
    const auto add = [&](int rank, Lane lane, ActionKind kind, int stage, int microbatch, int step, std::int64_t begin,
                         std::int64_t end) {
        run.events.push_back({begin, end, isSend(kind) ? 4096 : 0, 0, actionId({kind, stage, microbatch}), step,
                              static_cast<std::int16_t>(rank), lane, eventKind(kind)});
    };
    for (int step = 0; step < steps; ++step) {
        for (int rank = 0; rank < 6; ++rank) {
            const int stage = rank / 2;
            for (int microbatch = 0; microbatch < 2; ++microbatch) {
                std::int64_t time = step * 100'000 + microbatch * 10'000 + random.below(1000);
                add(rank, Lane::Compute, ActionKind::Forward, stage, microbatch, step, time, time + 1500);
                add(rank, Lane::Compute, ActionKind::Backward, stage, microbatch, step, time + 50'000, time + 53'001);
                // Receives are posted early: they overlap.
                if (stage > 0)
                    add(rank, Lane::Comm, ActionKind::RecvForward, stage, microbatch, step, step * 100'000, time);
                if (stage < 2)
                    add(rank, Lane::Comm, ActionKind::SendForward, stage, microbatch, step, time + 1500, time + 1600);
                if (stage < 2)
                    add(rank, Lane::Comm, ActionKind::RecvBackward, stage, microbatch, step, step * 100'000 + 20'000,
                        time + 50'000);
                if (stage > 0)
                    add(rank, Lane::Comm, ActionKind::SendBackward, stage, microbatch, step, time + 53'001,
                        time + 53'100);
                run.messages += (stage < 2) + (stage > 0);
            }
            Event counter;
            counter.rank = static_cast<std::int16_t>(rank);
            counter.lane = Lane::Host;
            counter.step = step;
            counter.begin = counter.end = step * 100'000 + 90'000;
            counter.kind = memoryKind(MemoryCategory::Activations);
            counter.bytes = 1000 * (rank + 1);
            run.events.push_back(counter);
            counter.bytes = 0;
            counter.kind = EventKind::Loss;
            counter.value = step == 1 ? std::nan("") : 4.0 / (step + 1);
            if (rank == 5) run.events.push_back(counter);
        }
    }
    return run;
}

}  // namespace

class ExportTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() {
        folder_ = std::make_unique<QTemporaryDir>();
        QVERIFY(folder_->isValid());
    }

    void formatsAreFoundByName() {
        QCOMPARE(findExportFormat("csv")->extension, std::string_view(".csv"));
        QCOMPARE(findExportFormat("chrome")->extension, std::string_view(".json"));
        const auto unknown = findExportFormat("xls");
        QVERIFY(!unknown);
        QVERIFY(unknown.error().text().find("csv, chrome") != std::string::npos);
    }

    void csvHoldsEveryEvent() {
        RandomEvents random(freshSeed());
        const SampleRun run = sampleRun(random, 3);
        std::vector<Event> extreme = random.extreme(500);
        const auto reader = record(run.layout, run.events, extreme);
        QVERIFY(reader);
        QVERIFY(exportRun(*reader, *findExportFormat("csv"), out()));
        std::ifstream in(out());
        std::string line;
        std::getline(in, line);
        QCOMPARE(line, std::string("source,rank,lane,kind,action,step,begin_ns,end_ns,bytes,value"));
        std::vector<std::string> rows;
        while (std::getline(in, line)) rows.push_back(line);
        std::vector<std::string> expected;
        const auto expect = [&](const char* source, const Event& event) {
            std::ostringstream row;
            row << source << ',' << event.rank << ',' << name(event.lane) << ',' << name(event.kind) << ','
                << (event.action == 0 ? "" : toText(actionFromId(event.action))) << ',' << event.step << ','
                << event.begin << ',' << event.end << ',' << event.bytes << ',';
            expected.push_back(row.str());
        };
        for (const Event& event : extreme) expect("predicted", event);
        for (const Event& event : run.events) expect("measured", event);
        // The value is the last field; it must read back as the same number.
        std::multimap<std::string, double> values;
        for (const Event& event : extreme) {
            if (std::isfinite(event.value))
                values.emplace(expected[static_cast<std::size_t>(&event - extreme.data())], event.value);
        }
        for (std::string& row : rows) {
            const std::size_t comma = row.rfind(',') + 1;
            const std::string value = row.substr(comma);
            row.resize(comma);
            const auto [first, last] = values.equal_range(row);
            if (first == last) continue;
            QVERIFY(std::any_of(
                first, last, [&](const auto& entry) { return entry.second == std::strtod(value.c_str(), nullptr); }));
        }
        std::ranges::sort(rows);
        std::ranges::sort(expected);
        QVERIFY(rows == expected);
    }

    void chromeTraceParsesAndItsArrowsArePaired() {
        RandomEvents random(freshSeed());
        const SampleRun run = sampleRun(random, 4);
        std::vector<Event> predicted;
        std::ranges::copy_if(run.events, std::back_inserter(predicted),
                             [](const Event& event) { return event.step == 0; });
        const auto reader = record(run.layout, run.events, predicted);
        QVERIFY(reader);
        QVERIFY(exportRun(*reader, *findExportFormat("chrome"), out()));
        std::ifstream in(out());
        const Json trace = Json::parse(in, nullptr, false);
        QVERIFY(!trace.is_discarded());
        QCOMPARE(trace["otherData"]["layout"].get<std::string>(), run.layout.name);

        std::map<std::int64_t, std::vector<Json>> starts, ends;
        std::map<std::pair<int, int>, std::vector<std::pair<double, double>>> threads;
        std::map<int, std::string> processes;
        int spans = 0, lossValues = 0, lossInstants = 0, memory = 0;
        for (const Json& item : trace["traceEvents"]) {
            const std::string phase = item["ph"];
            const std::string title = item["name"];
            const int pid = item["pid"];
            if (phase == "M" && title == "process_name") processes[pid] = item["args"]["name"];
            if (phase == "s") starts[item["id"]].push_back(item);
            if (phase == "f") ends[item["id"]].push_back(item);
            if (phase == "C" && title == "loss") ++lossValues;
            if (phase == "i" && title == "loss") ++lossInstants;
            if (phase == "C" && title == "memory") {
                ++memory;
                QCOMPARE(item["args"]["activations"].get<int>(), 1000 * (pid % 100000 + 1));
                QCOMPARE(item["args"].size(), std::size_t{memoryCategoryCount});
            }
            if (phase != "X") continue;
            ++spans;
            QVERIFY(item["args"].contains("step") && item["args"].contains("action"));
            QCOMPARE(parseAction(item["args"]["action"].get<std::string>()).has_value(), true);
            threads[{pid, item["tid"]}].emplace_back(item["ts"], item["ts"].get<double>() + item["dur"].get<double>());
        }
        QCOMPARE(processes.size(), std::size_t{12});
        QCOMPARE(processes[3], std::string("rank 3 (dp1 pp1)"));
        QCOMPARE(processes[100003], std::string("predicted rank 3 (dp1 pp1)"));
        QCOMPARE(spans, static_cast<int>(std::ranges::count_if(run.events, isSpan, &Event::kind) +
                                         std::ranges::count_if(predicted, isSpan, &Event::kind)));
        QCOMPARE(lossValues, 4);  // of steps 0, 2, 3 and the predicted one
        QCOMPARE(lossInstants, 1);
        QCOMPARE(memory, 6 * 5);

        QCOMPARE(starts.size(), static_cast<std::size_t>(run.messages + run.messages / 4));
        QCOMPARE(ends.size(), starts.size());
        for (const auto& [id, from] : starts) {
            QCOMPARE(from.size(), std::size_t{1});
            QCOMPARE(ends[id].size(), std::size_t{1});
            const Json& send = from[0];
            const Json& receive = ends[id][0];
            // Neighbouring stages of the same replica: ranks differ by 2 (data is the faster axis).
            QCOMPARE(std::abs(send["pid"].get<int>() - receive["pid"].get<int>()), 2);
            QVERIFY(encloses(threads[{send["pid"], send["tid"]}], send["ts"]));
            QVERIFY(encloses(threads[{receive["pid"], receive["tid"]}], receive["ts"]));
        }
        for (auto& [thread, intervals] : threads) {
            std::ranges::sort(intervals);
            for (std::size_t i = 1; i < intervals.size(); ++i)
                QVERIFY(intervals[i].first >= intervals[i - 1].second - 1e-6);
        }
    }

    /// Anything that an event may hold gives legal JSON.
    void chromeTraceOfExtremesParses() {
        RandomEvents random(freshSeed());
        const auto reader = record({}, random.extreme(3000), random.extreme(300));
        QVERIFY(reader);
        QVERIFY(exportRun(*reader, *findExportFormat("chrome"), out()));
        std::ifstream in(out());
        QVERIFY(!Json::parse(in, nullptr, false).is_discarded());
    }

    void aFailedExportLeavesNothing() {
        RandomEvents random(freshSeed());
        const auto reader = record({}, random.plausible(20000, 0), {});
        QVERIFY(reader);
        for (const ExportFormat& format : exportFormats()) {
            for (FileCall call : {FileCall::Open, FileCall::Write, FileCall::Sync, FileCall::Rename}) {
                FaultyFileSystem files({call, call == FileCall::Write ? 3 : 1});
                const Status status = exportRun(files, *reader, format, out());
                QVERIFY(!status);
                QVERIFY(status.error().text().find(out()) != std::string::npos);
                QVERIFY(status.error().text().find("No space left") != std::string::npos);
                QCOMPARE(QDir(folder_->path()).entryList(QDir::Files), QStringList{"run.shardlab"});
            }
        }
    }

private:
    std::string out() const { return folder_->filePath("exported").toStdString(); }

    std::unique_ptr<RunReader> record(const Layout& layout, std::span<const Event> measured,
                                      std::span<const Event> predicted) const {
        const std::string file = folder_->filePath("run.shardlab").toStdString();
        RunHeader header;
        header.layout = layout;
        auto writer = RunWriter::create(file, header);
        if (!writer) return nullptr;
        const Mesh mesh(layout);
        for (int rank = 0; rank < mesh.ranks(); ++rank)
            static_cast<void>((*writer)->setRank({rank, "host", 1, mesh.label(rank), "finished"}));
        if (!(*writer)->appendPredicted(predicted) || !(*writer)->append(measured) ||
            !(*writer)->finish({"finished", ""}))
            return nullptr;
        auto reader = RunReader::open(file);
        return reader ? std::move(*reader) : nullptr;
    }

    /// A span without a length encloses its moment.
    static bool encloses(const std::vector<std::pair<double, double>>& intervals, double time) {
        return std::ranges::any_of(intervals, [&](const auto& interval) {
            return interval.first == time || (interval.first < time && time < interval.second);
        });
    }

    std::unique_ptr<QTemporaryDir> folder_;
};

QTEST_GUILESS_MAIN(ExportTest)
#include "export_test.moc"
