// SPDX-License-Identifier: Apache-2.0
// The Perfetto and SQLite exports, read back by other means: the protobuf by a decoder written here and, where a Python
// with the package perfetto is found (python3, or SHARDLAB_PERFETTO_PYTHON), by Perfetto's own definitions.
#include "engine/trace/interchange/export.h"
#include "engine/trace/interchange/import.h"
#include "engine/trace/run_file/sqlite.h"
#include "tests/support/places.h"
#include "tests/support/wings.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <bit>
#include <fstream>
#include <map>
#include <set>
#include <sqlite3.h>

using namespace shardlab::test;

namespace {

/// The fields of one message: number → what it held.
struct Fields {
    std::multimap<int, std::uint64_t> numbers;
    std::multimap<int, std::string> texts;
    bool whole = true;

    std::uint64_t number(int field) const { return numbers.contains(field) ? numbers.find(field)->second : 0; }
    std::string text(int field) const { return texts.contains(field) ? texts.find(field)->second : std::string(); }
};

Fields decode(const std::string& bytes) {
    Fields fields;
    std::size_t at = 0;
    const auto varint = [&] {
        std::uint64_t value = 0;
        for (int shift = 0; at < bytes.size() && shift < 70; shift += 7) {
            const auto byte = static_cast<unsigned char>(bytes[at++]);
            value |= static_cast<std::uint64_t>(byte & 0x7F) << shift;
            if (byte < 0x80) return value;
        }
        fields.whole = false;
        return value;
    };
    while (at < bytes.size() && fields.whole) {
        const std::uint64_t key = varint();
        const int field = static_cast<int>(key >> 3);
        if ((key & 7) == 0) {
            fields.numbers.emplace(field, varint());
        } else if ((key & 7) == 1 && at + 8 <= bytes.size()) {
            std::uint64_t value = 0;
            for (int i = 7; i >= 0; --i)
                value = value << 8 | static_cast<unsigned char>(bytes[at + static_cast<std::size_t>(i)]);
            fields.numbers.emplace(field, value);
            at += 8;
        } else if ((key & 7) == 2) {
            const std::uint64_t size = varint();
            if (size > bytes.size() - at) fields.whole = false;
            else fields.texts.emplace(field, bytes.substr(at, size));
            at += size;
        } else {
            fields.whole = false;
        }
    }
    return fields;
}

/// One pipeline of two ranks: a forward on each, the message between them, a receive posted early, counters, a mark.
struct Sample {
    std::vector<Event> events;
    Layout layout;
};

Sample sample() {
    Sample made;
    made.layout.name = "two stages";
    made.layout.parallel.data = 1;
    made.layout.parallel.pipeline = 2;
    const auto span = [&](int rank, Lane lane, ActionKind kind, int stage, std::int64_t begin, std::int64_t end,
                          std::int64_t bytes = 0) {
        made.events.push_back({begin, end, bytes, 0, actionId({kind, stage, 0, -1}), 3, static_cast<std::int16_t>(rank),
                               lane, eventKind(kind)});
    };
    span(0, Lane::Compute, ActionKind::Forward, 0, 1000, 2000);
    span(0, Lane::Comm, ActionKind::SendForward, 0, 2000, 2100, 4096);
    span(1, Lane::Comm, ActionKind::RecvForward, 1, 500, 2150);
    span(1, Lane::Compute, ActionKind::Forward, 1, 2200, 3200);
    made.events.push_back({.begin = 3300,
                           .end = 3300,
                           .bytes = 77,
                           .step = 3,
                           .rank = 1,
                           .lane = Lane::Host,
                           .kind = memoryKind(MemoryCategory::Gradients)});
    made.events.push_back(
        {.begin = 3400, .end = 3400, .value = 2.5, .step = 3, .rank = 1, .lane = Lane::Host, .kind = EventKind::Loss});
    made.events.push_back({.begin = 3500,
                           .end = 3500,
                           .value = static_cast<double>(Command::Stop),
                           .rank = 0,
                           .lane = Lane::Host,
                           .kind = EventKind::Command});
    return made;
}

QString python() { return qEnvironmentVariable("SHARDLAB_PERFETTO_PYTHON", QStringLiteral("python3")); }

constexpr const char* readByPerfetto = R"py(
import json, sys
from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as pb
trace = pb.Trace()
trace.ParseFromString(open(sys.argv[1], 'rb').read())
unknown = 0
tracks, slices, counters, flows, ends, instants = {}, [], [], [], [], []
open_ = {}
for packet in trace.packet:
    if packet.HasField('track_descriptor'):
        d = packet.track_descriptor
        tracks[d.uuid] = d.process.process_name if d.HasField('process') else d.name
    elif packet.HasField('track_event'):
        e = packet.track_event
        if e.type == e.TYPE_SLICE_BEGIN:
            open_.setdefault(e.track_uuid, []).append((e.name, packet.timestamp))
            flows += list(e.flow_ids)
        elif e.type == e.TYPE_SLICE_END:
            name, begin = open_[e.track_uuid].pop()
            slices.append([tracks[e.track_uuid], name, begin, packet.timestamp])
            ends += list(e.terminating_flow_ids)
        elif e.type == e.TYPE_COUNTER:
            counters.append([tracks[e.track_uuid], e.counter_value or e.double_counter_value])
        elif e.type == e.TYPE_INSTANT:
            instants.append(e.name)
print(json.dumps({'tracks': sorted(tracks.values()), 'slices': sorted(slices), 'counters': counters, 'flows': flows, 'ends': ends,
                  'instants': instants, 'bytes': trace.ByteSize()}))
)py";

}  // namespace

class TraceExportTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() {
        folder_ = std::make_unique<QTemporaryDir>();
        QVERIFY(folder_->isValid());
    }

    void perfettoHoldsTracksSlicesFlowsAndCounters() {
        const Sample given = sample();
        QVERIFY(record(given));
        QVERIFY(exportRun(**RunReader::open(path("run.shardlab")), *findExportFormat("perfetto"), path("run.pftrace")));
        const Fields trace = decode(content("run.pftrace"));
        QVERIFY(trace.whole);
        std::map<std::uint64_t, std::string> names;
        std::map<std::uint64_t, std::uint64_t> parents;
        std::map<std::uint64_t, std::vector<std::uint64_t>> begun;  // track → begins
        std::set<std::uint64_t> flows, flowEnds;
        std::vector<std::pair<std::uint64_t, std::uint64_t>> slices;
        std::map<std::string, double> counters;
        int instants = 0;
        const auto packets = trace.texts.equal_range(1);
        for (auto packet = packets.first; packet != packets.second; ++packet) {
            const Fields fields = decode(packet->second);
            QVERIFY(fields.whole);
            if (fields.texts.contains(60)) {
                const Fields track = decode(fields.text(60));
                const std::string process = decode(track.text(3)).text(6);
                names[track.number(1)] = process.empty() ? track.text(2) : process;
                if (track.numbers.contains(5)) parents[track.number(1)] = track.number(5);
                continue;
            }
            const Fields event = decode(fields.text(11));
            const std::uint64_t track = event.number(11);
            QVERIFY(names.contains(track));  // described before it is used
            switch (event.number(9)) {
            case 1: begun[track].push_back(fields.number(8)); break;
            case 2:
                QVERIFY(!begun[track].empty());
                slices.emplace_back(begun[track].back(), fields.number(8));
                begun[track].pop_back();
                break;
            case 3: ++instants; break;
            case 4:
                counters[names[track]] = event.numbers.contains(44) ? std::bit_cast<double>(event.number(44))
                                                                    : static_cast<double>(event.number(30));
                break;
            default: QFAIL("an event of an unknown type");
            }
            if (event.numbers.contains(47)) flows.insert(event.number(47));
            if (event.numbers.contains(48)) flowEnds.insert(event.number(48));
        }
        std::vector<std::pair<std::uint64_t, std::uint64_t>> expected;
        for (const Event& event : given.events)
            if (isSpan(event.kind)) expected.emplace_back(event.begin, event.end);
        std::ranges::sort(slices);
        std::ranges::sort(expected);
        QCOMPARE(slices, expected);
        QCOMPARE(flows.size(), std::size_t{1});
        QVERIFY(flows == flowEnds);
        QCOMPARE(counters["loss"], 2.5);
        QCOMPARE(counters["memory: gradients"], 77.0);
        QCOMPARE(instants, 1);
        QCOMPARE(std::ranges::count(names, "rank 1", [](const auto& track) { return track.second; }),
                 std::ptrdiff_t{1});
        for (const auto& [track, parent] : parents) QVERIFY(names[parent].starts_with("rank "));
    }

    void perfettosOwnDefinitionsReadIt() {
        const QString look =
            QStringLiteral("import importlib.util as u, sys; sys.exit(u.find_spec('perfetto') is None)");
        if (QProcess::execute(python(), {"-c", look}) != 0)
            QSKIP("no package perfetto for python3 (or SHARDLAB_PERFETTO_PYTHON)");
        QVERIFY(record(sample()));
        QVERIFY(exportRun(**RunReader::open(path("run.shardlab")), *findExportFormat("perfetto"), path("run.pftrace")));
        QProcess reader;
        reader.start(python(), {"-c", readByPerfetto, folder_->filePath("run.pftrace")});
        QVERIFY(reader.waitForFinished(patience));
        QVERIFY2(reader.exitCode() == 0, reader.readAllStandardError().constData());
        const QJsonObject read = QJsonDocument::fromJson(reader.readAllStandardOutput()).object();
        const auto lines = [](const QJsonValue& value) {
            return QJsonDocument(value.toArray()).toJson(QJsonDocument::Compact);
        };
        QCOMPARE(lines(read["slices"]),
                 QByteArray(R"([["comm","receive forward",500,2150],["comm","send forward",2000,2100],)"
                            R"(["compute","forward",1000,2000],["compute","forward",2200,3200]])"));
        QCOMPARE(lines(read["counters"]), QByteArray(R"([["memory: gradients",77],["loss",2.5]])"));
        QCOMPARE(lines(read["flows"]), lines(read["ends"]));
        QCOMPARE(read["flows"].toArray().size(), 1);
        QCOMPARE(lines(read["instants"]), QByteArray(R"(["command"])"));
        // Nothing in the file that the definitions do not know.
        QCOMPARE(read["bytes"].toInt(), static_cast<int>(content("run.pftrace").size()));
    }

    void aDatabaseHoldsEveryTable() {
        const Sample given = sample();
        QVERIFY(record(given));
        QVERIFY(exportRun(**RunReader::open(path("run.shardlab")), *findExportFormat("sqlite"), path("run.sqlite")));
        auto database = Database::open(path("run.sqlite"), DatabaseMode::Read);
        QVERIFY(database);
        QCOMPARE(*database->number("SELECT count(*) FROM events"), static_cast<std::int64_t>(given.events.size()));
        QCOMPARE(*database->number("SELECT sum(duration_ns) FROM events WHERE kind = 'forward'"), std::int64_t{2000});
        QCOMPARE(*database->number("SELECT bytes FROM events WHERE action = '0SEND_F0'"), std::int64_t{4096});
        QCOMPARE(
            *database->number("SELECT count(*) FROM events WHERE value IS NOT NULL AND kind = 'loss' AND value = 2.5"),
            std::int64_t{1});
        QCOMPARE(*database->number("SELECT count(*) FROM ranks"), std::int64_t{2});
        auto row = database->prepare("SELECT value FROM run WHERE key = 'name'");
        QVERIFY(row && row->next() == SQLITE_ROW);
        QCOMPARE(row->text(0), std::string("two stages"));
    }

    /// Names of an imported run are names in every export.
    void importedNamesAreExported() {
        const std::filesystem::path trace =
            std::filesystem::path(SHARDLAB_SOURCE_DIR) / "tests/trace/traces/kineto-rank0.json";
        QVERIFY(importRun({{trace}, path("run.shardlab"), ""}));
        const auto run = RunReader::open(path("run.shardlab"));
        QVERIFY(run);
        for (const ExportFormat& format : exportFormats()) {
            QVERIFY(exportRun(**run, format, path("out")));
            QVERIFY2(content("out").find("ampere_sgemm_128x64_tn") != std::string::npos,
                     std::string(format.name).c_str());
        }
    }

private:
    std::string path(const char* name) const { return folder_->filePath(name).toStdString(); }
    std::string content(const char* name) const {
        std::ifstream in(path(name), std::ios::binary);
        return {std::istreambuf_iterator<char>(in), {}};
    }
    bool record(const Sample& given) const {
        RunHeader header;
        header.layout = given.layout;
        auto writer = RunWriter::create(path("run.shardlab"), header);
        return writer && (*writer)->setRank({0, "host", 1, "", "finished"}) &&
               (*writer)->setRank({1, "host", 2, "", "finished"}) && (*writer)->append(given.events) &&
               (*writer)->finish({"finished", ""});
    }
    std::unique_ptr<QTemporaryDir> folder_;
};

QTEST_GUILESS_MAIN(TraceExportTest)
#include "trace_export_test.moc"
