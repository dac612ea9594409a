// SPDX-License-Identifier: Apache-2.0
// PyTorch's memory snapshots as runs: pickles that Python writes here, as torch.cuda.memory._dump_snapshot() does.
#include "engine/trace/dumps/flight_dump.h"
#include "engine/trace/interchange/memory_snapshot.h"
#include "engine/launch/job/run_summary.h"
#include "tests/support/places.h"
#include "tests/support/reference_python.h"
#include "tests/support/seed.h"
#include "tests/support/wings.h"
#include "tests/trace/imported.h"
#include "tests/trace/random_events.h"

#include <QTemporaryDir>
#include <QTest>

#include <fmt/format.h>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

using namespace shardlab::test;

namespace {

using Json = nlohmann::json;

constexpr const char* allocated = "memory allocated, device 0";

std::int64_t lastOf(const std::vector<Event>& events) { return events.empty() ? -1 : events.back().bytes; }

}  // namespace

class MemoryImportTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() {
        folder_ = std::make_unique<QTemporaryDir>();
        QVERIFY(folder_->isValid());
    }

    void stacksSayWhatMemoryIsFor_data() {
        QTest::addColumn<int>("protocol");
        QTest::addColumn<QString>("file");
        for (const int protocol : {2, 3, 4, 5}) QTest::addRow("protocol %d", protocol) << protocol << "rank_3.pickle";
        QTest::newRow("packed") << 4 << "rank_3.pickle.gz";
    }
    void stacksSayWhatMemoryIsFor() {
        QFETCH(const int, protocol);
        QFETCH(const QString, file);
        const Json entries{
            {"segment_alloc", 1000, 4000, 100, "none"}, {"alloc", 1000, 400, 101, "module"},  // parameters
            {"alloc", 1400, 50, 102, "module"},  // gone before anything else: temporary
            {"free_requested", 1400, 50, 103, "none"},  {"free_completed", 1400, 50, 103, "none"},
            {"alloc", 1400, 100, 110, "forward"},                                             // activations
            {"alloc", 1500, 30, 111, "forward"},                                              // temporary
            {"free_requested", 1500, 30, 112, "none"},  {"alloc", 1600, 400, 120, "engine"},  // gradients
            {"alloc", 2000, 60, 121, "recomputed"},     {"free_requested", 1400, 100, 122, "none"},
            {"alloc", 2100, 20, 123, "backward"},  // temporary
            {"free_requested", 2100, 20, 124, "none"},  {"alloc", 2200, 800, 130, "optimizer"},
            {"alloc", 3000, 7, 131, "script"},     // nobody knows
            {"alloc", 3100, 90, 132, "exchange"},  // buffers
            {"free_requested", 1600, 400, 140, "none"}, {"oom", 0, 1 << 30, 141, "forward"},
            {"annotate", 1000, 0, 142, "none"},         {"snapshot", 0, 0, 150, "none"}};
        const Json segments{{1000,
                             4000,
                             {{400, "active_allocated", "module"},
                              {600, "inactive", "none"},
                              {60, "active_allocated", "recomputed"},
                              {140, "inactive", "none"},
                              {800, "active_allocated", "optimizer"},
                              {7, "active_allocated", "script"},
                              {93, "active_pending_free", "none"},
                              {90, "active_allocated", "exchange"},
                              {1810, "inactive", "none"}}}};
        write({{{"file", file.toStdString()}, {"protocol", protocol}, {"segments", segments}, {"entries", entries}}});
        const Imported made = importAll({{path(file)}, path("run.shardlab"), ""});
        QVERIFY(made.run);
        QCOMPARE(made.report.origin, std::string("PyTorch memory snapshot"));
        const auto used = [&](MemoryCategory category) { return made.of(memoryKind(category)); };
        const auto most = [&](MemoryCategory category) {
            std::int64_t bytes = 0;
            for (const Event& event : used(category)) bytes = std::max(bytes, event.bytes);
            return bytes;
        };
        QCOMPARE(most(MemoryCategory::Parameters), 400);
        QCOMPARE(most(MemoryCategory::Activations), 160);  // 100 of the forward, 60 of the recomputation
        QCOMPARE(most(MemoryCategory::Gradients), 400);
        QCOMPARE(most(MemoryCategory::Optimizer), 800);
        QCOMPARE(most(MemoryCategory::Buffers), 90);
        QCOMPARE(most(MemoryCategory::Temporary), 50);
        QCOMPARE(lastOf(used(MemoryCategory::Gradients)), 0);
        QCOMPARE(lastOf(used(MemoryCategory::Temporary)), 0);
        QCOMPARE(lastOf(made.named("memory of unknown origin, device 0")), 7);
        QCOMPARE(lastOf(made.named("memory reserved, device 0")), 4000);
        QCOMPARE(lastOf(made.named(allocated)), 400 + 60 + 800 + 7 + 90);
        // Times are microseconds from the first entry on.
        QCOMPARE(used(MemoryCategory::Activations).front().begin, std::int64_t{10'000});
        QCOMPARE(made.of(EventKind::MemoryPeak).at(0).bytes, 400 + 400 + 60 + 800 + 7 + 90);
        QCOMPARE(made.of(EventKind::LargestFree).at(0).bytes, 1810);
        QCOMPARE(made.of(EventKind::LargestFree).at(0).value, 600.0 + 140 + 1810);
        QCOMPARE(made.named("out of memory: 1.00 GiB were asked for").size(), std::size_t{1});
        QCOMPARE(made.named("memory snapshot").size(), std::size_t{1});
        QCOMPARE(made.ignored("entries of the allocator: annotate"), 1);
        const std::string& note = made.report.notes.at(0);
        QVERIFY2(note.find("peak 1.72 KiB = parameters 400 B, gradients 400 B, optimizer 800 B, activations 60 B, "
                           "buffers 90 B, unknown 7 B, while 3.91 KiB were reserved; in the end 3.91 KiB are reserved, "
                           "of which 2.49 KiB are free, in blocks of at most 1.77 KiB") != std::string::npos,
                 note.c_str());
        const auto summary = summarize(*made.run);
        QVERIFY(summary);
        QCOMPARE(summary->ranks.at(0).peak, made.of(EventKind::MemoryPeak).at(0).bytes);
    }

    /// A history keeps the last entries alone: what it does not go back to is known by its end.
    void whatTheHistoryDoesNotGoBackTo() {
        const Json entries{{"free_requested", 1000, 300, 10, "none"},  // nobody knows what it was
                           {"segment_alloc", 9000, 500, 11, "none"},
                           {"alloc", 9000, 500, 12, "forward"},
                           {"segment_free", 20'000, 700, 13, "none"}};
        const Json segments{
            {1000, 1000, {{300, "inactive", "none"}, {200, "active_allocated", "module"}, {500, "inactive", "none"}}},
            {9000, 500, {{500, "active_allocated", "forward"}}}};
        write({{{"file", "b.pickle"}, {"segments", segments}, {"entries", entries}}});
        const Imported made = importAll({{path("b.pickle")}, path("run.shardlab"), ""});
        QVERIFY(made.run);
        std::vector<std::int64_t> held, reserved;
        for (const Event& event : made.named(allocated)) held.push_back(event.bytes);
        for (const Event& event : made.named("memory reserved, device 0")) reserved.push_back(event.bytes);
        QCOMPARE(held, (std::vector<std::int64_t>{500, 200, 700}));
        QCOMPARE(reserved, (std::vector<std::int64_t>{1700, 2200, 1500}));
        QCOMPARE(made.of(memoryKind(MemoryCategory::Parameters)).at(0).bytes, 200);
    }

    /// Any order of allocations and frees: the sum after each is that of the blocks that are held.
    void sumsAreThoseOfTheBlocks() {
        RandomEvents random(freshSeed());
        const std::vector<std::string> stacks{"none",   "module",    "forward", "backward",
                                              "engine", "optimizer", "exchange"};
        Json snapshots = Json::array();
        std::vector<std::map<std::int64_t, std::int64_t>> sums;  // by time, the last at each
        for (int rank = 0; rank < 4; ++rank) {
            const bool requests = rank % 2 == 0;
            std::map<std::int64_t, std::int64_t> held;  // by address
            Json entries = Json::array();
            std::int64_t time = 1'700'000'000'000'000, sum = 0;
            sums.emplace_back();
            for (int i = 0; i < 300; ++i) {
                time += random.below(3);
                if (held.empty() || random.below(5) < 3) {
                    const std::int64_t address = 4096 * random.below(64), size = 1 + random.below(5000);
                    if (!held.emplace(address, size).second) continue;
                    entries.push_back(
                        {"alloc", address, size, time,
                         stacks[static_cast<std::size_t>(random.below(static_cast<std::int64_t>(stacks.size())))]});
                    sum += size;
                } else {
                    const auto block = std::next(held.begin(), random.below(static_cast<std::int64_t>(held.size())));
                    for (const char* action : {"free_requested", "free_completed"})
                        if (requests || std::string(action) == "free_completed")
                            entries.push_back({action, block->first, block->second, time, "none"});
                    sum -= block->second;
                    held.erase(block);
                }
                sums.back()[time] = sum;
            }
            Json blocks = Json::array();
            for (const auto& [address, size] : held)
                blocks.push_back({address, size, {{size, "active_allocated", "none"}}});
            snapshots.push_back(
                {{"file", fmt::format("rank{}.pickle", rank)}, {"segments", blocks}, {"entries", entries}});
        }
        write(snapshots);
        const Imported made =
            importAll({{path("rank2.pickle"), path("rank0.pickle"), path("rank3.pickle"), path("rank1.pickle")},
                       path("run.shardlab"),
                       ""});
        QVERIFY(made.run);
        QCOMPARE(made.report.ranks, 4);
        std::int64_t first = std::numeric_limits<std::int64_t>::max();
        for (const auto& ofRank : sums) first = std::min(first, ofRank.begin()->first);
        for (int rank = 0; rank < 4; ++rank) {
            std::map<std::int64_t, std::int64_t> found, parts;  // by time, and what categories add up to
            std::map<std::pair<EventKind, std::string>, std::int64_t> now;
            for (const Event& event : made.events) {
                if (event.rank != rank) continue;
                const std::string name(made.name(event));
                const bool unknown = name.starts_with("memory of unknown origin");
                if (name == allocated) found[first + event.begin / 1000] = event.bytes;
                if (!unknown && !memoryCategory(event.kind, EventKind::MemoryUsed)) continue;
                now[{event.kind, name}] = event.bytes;
                std::int64_t all = 0;
                for (const auto& [of, bytes] : now) all += bytes;
                parts[first + event.begin / 1000] = all;
            }
            // A free and an allocation of as many bytes at once change nothing that an event tells.
            std::int64_t sum = 0, of = 0, peak = 0;
            for (const auto& [time, bytes] : sums[static_cast<std::size_t>(rank)]) {
                if (found.contains(time)) sum = found[time];
                if (parts.contains(time)) of = parts[time];
                QCOMPARE(sum, bytes);
                QCOMPARE(of, bytes);
                peak = std::max(peak, bytes);
            }
            QVERIFY(made.of(EventKind::MemoryPeak, rank).at(0).bytes >= peak);
        }
    }

    void dumpsAreToldApart() {
        write({{{"file", "snapshot_rank_0"}, {"entries", {{"alloc", 1, 2, 3, "none"}}}}});
        QVERIFY(!isFlightDump(path("snapshot_rank_0")));
        QCOMPARE(std::string((*detectImportFormat(path("snapshot_rank_0"))).name), std::string("memory-snapshot"));
        const auto read = readMemorySnapshot(path("snapshot_rank_0"));
        QVERIFY(read);
        QCOMPARE(read->rank.value_or(-1), 0);
    }

    void oldSnapshotsHaveNoTimes() {
        write({{{"file", "old.pickle"},
                {"entries", {{"alloc", 1, 2, nullptr, "none"}, {"alloc", 5, 3, nullptr, "none"}}}}});
        const Imported made = importAll({{path("old.pickle")}, path("run.shardlab"), ""});
        QVERIFY(made.run);
        QVERIFY(made.report.notes.at(0).find("tells no times") != std::string::npos);
        QCOMPARE(lastOf(made.named(allocated)), 5);
    }

    void everyRefusalSaysWhatAndWhere() {
        const auto error = [&](const Json& snapshot) {
            Json described = snapshot;
            described["file"] = "bad.pickle";
            write(Json::array({described}));
            return importError({{path("bad.pickle")}, path("out.shardlab"), ""});
        };
        const auto holds = [](const std::string& text, const char* part) {
            if (text.find(part) == std::string::npos) qWarning("\"%s\" is not in: %s", part, text.c_str());
            return text.find(part) != std::string::npos;
        };
        QVERIFY(holds(error({{"entries", {{"alloc", 1, -5, 3, "none"}}}}), "/device_traces/0/0/size"));
        QVERIFY(holds(error({{"entries", {{"alloc", 1, 5, -3, "none"}}}}), "/device_traces/0/0/time_us"));
        QVERIFY(holds(error({{"segments", {{1, std::int64_t{1} << 60, Json::array()}}}}), "/segments/0/total_size"));
        QVERIFY(holds(error(Json::object()), "no segment and no entry"));
        const std::string trap = path("trap");
        QVERIFY(holds(error({{"evil", trap}}), "which makes more than plain values; nothing of it was run"));
        QVERIFY(!std::filesystem::exists(trap));
        std::ofstream(path("words.pickle")) << "no pickle";
        QVERIFY(
            holds(importError({{path("words.pickle")}, path("out.shardlab"), "memory-snapshot"}), "it is no pickle"));
        QVERIFY(!std::filesystem::exists(path("out.shardlab")));
    }

private:
    std::string path(const QString& name) const { return folder_->filePath(name).toStdString(); }
    std::string path(const char* name) const { return path(QString::fromUtf8(name)); }
    void write(const Json& snapshots) const {
        pythonPrints({QStringLiteral(SHARDLAB_SOURCE_DIR "/tests/trace/memory_snapshots.py"), folder_->path()},
                     snapshots.dump());
    }

    std::unique_ptr<QTemporaryDir> folder_;
};

QTEST_GUILESS_MAIN(MemoryImportTest)
#include "memory_import_test.moc"
