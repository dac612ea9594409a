// SPDX-License-Identifier: Apache-2.0
// Dumps of PyTorch's flight recorder, written by Python: who waits where, who is missing, and pickles that are no plain
// values.
#include "engine/trace/dumps/flight_dump.h"
#include "engine/trace/dumps/hang_report.h"
#include "engine/trace/interchange/pickle.h"
#include "tests/support/places.h"
#include "tests/support/reference_python.h"
#include "tests/support/seed.h"
#include "tests/support/wings.h"

#include <QDir>
#include <QTemporaryDir>
#include <QTest>

#include <fmt/format.h>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>

using namespace shardlab::test;
using Json = nlohmann::json;
using Where = HangSide::Where;

namespace {

const Json step = {"train.py", 41, "step"}, save = {"save.py", 8, "save"};
const Json fourRanks = {{"0", {"default_pg", {0, 1, 2, 3}}}, {"5", {"tp", {2, 3}}}};

Json dump(const std::string& file, const Json& groups, Json calls, int protocol = 2) {
    return {{"file", file}, {"protocol", protocol}, {"groups", groups}, {"calls", std::move(calls)}};
}

}  // namespace

class FlightDumpTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() {
        folder_ = std::make_unique<QTemporaryDir>();
        QVERIFY(folder_->isValid());
    }

    void oneRankIsMissing_data() {
        QTest::addColumn<int>("protocol");
        for (const int protocol : {0, 2, 3, 4, 5}) QTest::addRow("protocol %d", protocol) << protocol;
    }
    void oneRankIsMissing() {
        QFETCH(const int, protocol);
        Json dumps = Json::array();
        for (int rank = 0; rank < 4; ++rank) {
            Json calls;
            for (int number = 50; number < 57; ++number)
                calls.push_back({"0", "all_reduce", number, "completed", step});
            if (rank >= 2) calls.push_back({"5", "all_gather", 9, "completed", save});
            if (rank != 2) calls.push_back({"0", "all_reduce", 57, "started", step});
            dumps.push_back(dump(fmt::format("trace_rank_{}", rank), fourRanks, calls, protocol));
        }
        const HangReport report = reportOf(dumps);
        QCOMPARE(report.ranks, (std::vector{0, 1, 2, 3}));
        QCOMPARE(report.calls, std::size_t{33});
        QCOMPARE(report.blamed, std::vector{2});
        QCOMPARE(report.groups.size(), std::size_t{1});
        const GroupHang& hang = report.groups[0];
        QCOMPARE(hang.group, std::string("0 (default_pg)"));
        QCOMPARE(hang.call.english(), std::string("all_reduce 57 of Float[4, 8]"));
        QVERIFY(!hang.mismatch);
        QCOMPARE(hang.sides.size(), std::size_t{2});
        QCOMPARE(hang.sides[0].where, Where::Started);
        QCOMPARE(hang.sides[0].ranks, (std::vector{0, 1, 3}));
        QCOMPARE(hang.sides[0].place, std::string("train.py:41 in step"));
        QCOMPARE(hang.sides[1].where, Where::Missing);
        QCOMPARE(hang.sides[1].ranks, std::vector{2});
        QCOMPARE(hang.sides[1].call.english(), std::string("all_reduce 56 of Float[4, 8]"));
        QCOMPARE(hang.sides[1].place, std::string("save.py:8 in save"));
        QCOMPARE(report.quiet.size(), std::size_t{1});
        QCOMPARE(report.quiet[0].group, std::string("5 (tp)"));
        QVERIFY(report.text().starts_with("The others wait for rank 2, which waits for nobody.\n"));
    }

    /// Rank 0 waits for rank 1, which waits for rank 2 in another group: only the last keeps the others waiting.
    void theBlameGoesDownTheChain() {
        const Json groups = {{"0", {"dp", {0, 1}}}, {"1", {"tp", {1, 2}}}};
        const HangReport report = reportOf({dump("d0", groups, {{"0", "all_reduce", 4, "started", step}}),
                                            dump("d1", groups, {{"1", "broadcast", 7, "scheduled", step}}),
                                            dump("d2", groups, {{"1", "broadcast", 6, "completed", save}})});
        QCOMPARE(report.groups.size(), std::size_t{2});
        QCOMPARE(report.blamed, std::vector{2});
    }

    void groupsInDifferentOrders() {
        const Json groups = {{"0", {"dp", {0, 1}}}, {"1", {"tp", {0, 1}}}};
        const HangReport report = reportOf({dump("d0", groups, {{"0", "all_reduce", 1, "started", step}}),
                                            dump("d1", groups, {{"1", "all_reduce", 1, "started", step}})});
        QVERIFY(report.blamed.empty());
        QVERIFY(report.text().find("different orders") != std::string::npos);
    }

    void differentCollectives() {
        const Json groups = {{"0", {"default_pg", {0, 1, 2}}}};
        Json dumps = Json::array();
        for (int rank = 0; rank < 3; ++rank)
            dumps.push_back(dump(fmt::format("d{}.json", rank), groups,
                                 {{"0", rank == 1 ? "broadcast" : "all_reduce", 3, "started", step}}, 0));
        const HangReport report = reportOf(dumps);
        QVERIFY(report.groups[0].mismatch);
        QCOMPARE(report.groups[0].sides.size(), std::size_t{2});
        QCOMPARE(report.groups[0].sides[1].ranks, std::vector{1});
        QCOMPARE(report.groups[0].sides[1].call.english(), std::string("broadcast 3 of Float[4, 8]"));
        QVERIFY(report.text().starts_with("Ranks of group 0 (default_pg) ask for different collectives"));
    }

    void aRankWithoutADump() {
        const Json groups = {{"0", {"default_pg", {0, 1}}}};
        const HangReport report =
            reportOf(Json::array({dump("d0", groups, {{"0", "all_reduce", 3, "started", step}})}));
        QCOMPARE(report.blamed, std::vector{1});
        QCOMPARE(report.groups[0].sides[1].where, Where::NoDump);
        QVERIFY(report.text().starts_with("The others wait for rank 1, of which there is no dump.\n"));
    }

    /// A message names ranks of its group: 0 and 1 of the group are ranks 2 and 3 of the world.
    void messages() {
        const Json groups = {{"5", {"pp", {2, 3}}}};
        const HangReport waits = reportOf({dump("d2", groups, {{"5", "send 0->1", 1, "completed", step}}),
                                           dump("d3", groups, {{"5", "recv 1<-0", 2, "started", step}})});
        QCOMPARE(waits.messages.size(), std::size_t{1});
        QCOMPARE(waits.messages[0].rank, 3);
        QCOMPARE(waits.messages[0].peer, 2);
        QCOMPARE(waits.messages[0].peerStands.english(), std::string("rank 2 waits in no send 0->1"));
        QCOMPARE(waits.blamed, std::vector{2});
        const HangReport meet = reportOf({dump("e2", groups, {{"5", "send 0->1", 1, "started", step}}),
                                          dump("e3", groups, {{"5", "recv 1<-0", 2, "started", step}})});
        QCOMPARE(meet.messages[1].peerStands.english(), std::string("rank 2 waits in send 0->1"));
        QVERIFY(meet.blamed.empty());
    }

    void nothingHangs() {
        const HangReport report = reportOf(Json::array(
            {dump("d0", {{"0", {"default_pg", Json::array({0})}}}, {{"0", "all_reduce", 3, "completed", step}})}));
        QVERIFY(!report.hangs());
        QCOMPARE(report.quiet[0].last, std::string("all_reduce 3"));
    }

    void faults() {
        write({dump("same-1", fourRanks, Json::array()),
               dump("same-1.json", fourRanks, Json::array(), 0),
               {{"file", "old_0"}, {"protocol", 2}, {"version", "1.4"}, {"calls", Json::array()}},
               dump("nameless", fourRanks, Json::array())});
        const auto first = readFlightDump(path("same-1")), second = readFlightDump(path("same-1.json"));
        QVERIFY(first && second);
        const auto twice = reportHang(std::vector{*first, *second});
        QVERIFY(!twice && twice.error().why == "two are of rank 1");
        QVERIFY(!reportHang({}));
        const auto old = readFlightDump(path("old_0"));
        QVERIFY(!old && old.error().why.english().find("format is 1.4") != std::string::npos);
        const auto nameless = readFlightDump(path("nameless"));
        QVERIFY(!nameless && nameless.error().why.english().find("number of a rank") != std::string::npos);
        std::ofstream(path("text_0")) << "no dump";
        QVERIFY(!isFlightDump(path("text_0")) && isFlightDump(path("same-1")) && isFlightDump(path("same-1.json")));
        QVERIFY(!readFlightDump(path("text_0")));
        std::ofstream(path("profile_0"))
            << R"({"distributedInfo": {"pg_config": [{"ranks": [0, 1]}]}, "traceEvents": []})";
        QVERIFY(!isFlightDump(path("profile_0")));
        for (const char* trace : {"kineto-rank0.json", "kineto-h200.json.gz", "chrome-list.json"})
            QVERIFY(!isFlightDump(std::string(SHARDLAB_SOURCE_DIR "/tests/trace/traces/") + trace));
    }

    /// What Python would run when it loads the pickle is named, and not run.
    void aPickleThatWouldRunSomething() {
        for (const int protocol : {2, 3, 4, 5}) {
            write(Json::array({{{"file", "evil_0"}, {"protocol", protocol}, {"evil", path("made")}}}));
            const auto read = readFlightDump(path("evil_0"));
            QVERIFY(!read);
            QVERIFY2(read.error().why.english().find(protocol < 4 ? "GLOBAL of posix.mkdir"
                                                                  : "STACK_GLOBAL of posix.mkdir") != std::string::npos,
                     read.error().text().c_str());
            QVERIFY(!std::filesystem::exists(path("made")));
        }
    }

    /// Every beginning of a pickle is an error, not a smaller dump.
    void cutOff() {
        write(Json::array({dump("whole_0", fourRanks, {{"0", "all_reduce", 3, "started", step}}, 4)}));
        std::ifstream file(path("whole_0"), std::ios::binary);
        const std::string bytes{std::istreambuf_iterator<char>(file), {}};
        QVERIFY(readPickle(bytes, "whole"));
        for (std::size_t size = 0; size < bytes.size(); ++size)
            QVERIFY(!readPickle(std::string_view(bytes).substr(0, size), "cut"));
    }

    void limits() {
        using namespace std::string_literals;
        // A list that holds itself; then one doubled thirty times over by naming it again.
        const auto endless = readPickle("\x80\x02]q\0h\0a."s, "endless");
        QVERIFY(!endless && endless.error().why.english().find("deep") != std::string::npos);
        std::string doubled = "\x80\x02]q\0"s;
        for (char i = 0; i < 30; ++i) doubled += "h"s + i + "\x86q"s + static_cast<char>(i + 1);
        const auto many = readPickle(doubled + ".", "doubled");
        QVERIFY2(!many && many.error().why.english().find("more than 8000000 values") != std::string::npos,
                 many ? "read" : many.error().text().c_str());
        QVERIFY(!readPickle("\x80\x02]].", "left over"));
    }

    /// Any JSON comes back from Python's pickle of it as it was.
    void whatPythonPicklesComesBack() {
        std::mt19937_64 random(freshSeed());
        Json all = Json::array();
        for (int i = 0; i < 300; ++i) {
            const auto bits = static_cast<std::int64_t>(random()) >> (random() % 64);
            all.push_back({{"whole", bits},
                           {"real", static_cast<double>(bits) / 3},
                           {"text", std::string(random() % 300, 'a') + "µ"},
                           {"rest", {nullptr, true, false, Json::array(), Json::object()}}});
        }
        for (const char* protocol : {"2", "3", "4", "5"}) {
            const std::string bytes = pythonPrints(
                {"-c", QString("import json, pickle, sys; sys.stdout.buffer.write(pickle.dumps(json.load(sys.stdin), "
                               "protocol=%1))")
                           .arg(protocol)},
                all.dump());
            const auto read = readPickle(bytes, "python");
            QVERIFY2(read, read ? "" : read.error().text().c_str());
            QVERIFY(*read == all);
        }
    }

private:
    std::string path(const std::string& name) const {
        return folder_->filePath(QString::fromStdString(name)).toStdString();
    }
    void write(const Json& dumps) const {
        pythonPrints({QStringLiteral(SHARDLAB_SOURCE_DIR "/tests/trace/flight_dumps.py"), folder_->path()},
                     dumps.dump());
    }
    HangReport reportOf(const Json& dumps) const {
        write(dumps);
        std::vector<FlightDump> read;
        for (const Json& each : dumps) {
            auto one = readFlightDump(path(each["file"]));
            if (!one) qFatal("%s", one.error().text().c_str());
            read.push_back(std::move(*one));
        }
        auto report = reportHang(read);
        if (!report) qFatal("%s", report.error().text().c_str());
        return std::move(*report);
    }

    std::unique_ptr<QTemporaryDir> folder_;
};

QTEST_GUILESS_MAIN(FlightDumpTest)
#include "flight_dump_test.moc"
