// SPDX-License-Identifier: Apache-2.0
// Reports of Nsight Systems of programs that train in a pipeline: NVTX ranges of Megatron and of PyTorch become
// actions, and no table of a report is passed over in silence.
#include "engine/launch/job/run_header.h"
#include "engine/trace/analysis/run_comparison.h"
#include "engine/trace/run_file/sqlite.h"
#include "tests/support/seed.h"
#include "tests/support/wings.h"
#include "tests/trace/imported.h"
#include "tests/trace/nsight_report.h"
#include "tests/trace/random_events.h"

#include <QTemporaryDir>
#include <QTest>

#include <fmt/format.h>
#include <map>
#include <set>

using namespace shardlab::test;

namespace {

/// The rows of one process: what its host asks for, and what its device does for it later.
class ProcessRows {
public:
    explicit ProcessRows(int pid) : global_(process(pid)) {}

    void range(const std::string& name, std::int64_t begin, std::int64_t end) {
        sql_ +=
            fmt::format("INSERT INTO NVTX_EVENTS VALUES({}, {}, 59, '{}', {}, NULL);", begin, end, name, global_ + 5);
    }
    /// A kernel that any thread of the process asks for.
    void kernel(std::int64_t asked, std::int64_t begin, std::int64_t end, bool message, int thread = 5) {
        ++launch_;
        sql_ += fmt::format("INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES({}, {}, {}, 3, {});", asked, asked + 1,
                            global_ + thread, launch_);
        sql_ += fmt::format("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES({}, {}, 0, 7, {}, {}, {});", begin, end,
                            launch_, global_, message ? 5 : 1);
    }
    const std::string& sql() const { return sql_; }

private:
    std::int64_t global_;
    int launch_ = 0;
    std::string sql_ = "INSERT OR IGNORE INTO StringIds VALUES(5, 'ncclDevKernel_SendRecv');";
};

std::string actionOf(const Event& event) { return toText(actionFromId(event.action)); }

Layout pipelineOf(int ranks, int microbatches) {
    Layout layout;
    layout.name = "pipeline";
    layout.model.kind = ModelKind::Mlp;
    layout.model.layers = ranks;
    layout.model.hidden = 64;
    layout.cluster.hosts = {{"localhost", ranks}};
    layout.parallel.data = 1;
    layout.parallel.pipeline = ranks;
    layout.batch.micro = 1;
    layout.batch.global = microbatches;
    return layout;
}

/// Megatron's 1F1B as it names its ranges: a send of one direction and a receive of the other are one call.
std::string megatron(int rank, int ranks, int microbatches, int steps, std::int64_t& now) {
    ProcessRows rows(100 + rank);
    const std::string p2p = "megatron.core.pipeline_parallel.p2p_communication.";
    const auto call = [&](const std::string& name, bool exchanges) {
        rows.range(p2p + name, now, now + 10);
        if (exchanges) rows.kernel(now + 1, now + 1003, now + 1008, true);
        now += 20;
    };
    const auto compute = [&](const char* name, int thread) {
        rows.range(name, now, now + 100);
        rows.kernel(now + 10, now + 1010, now + 1040, false, thread);
        rows.kernel(now + 50, now + 1060, now + 1095, false, thread);
        now += 120;
    };
    const bool first = rank == 0, last = rank == ranks - 1;
    const int warm = std::min(ranks - rank - 1, microbatches);
    for (int step = 3; step < 3 + steps; ++step) {
        const std::int64_t begin = now;
        now += 5;
        for (int i = 0; i < warm; ++i) {
            call("recv_forward", !first);
            compute("megatron.core.pipeline_parallel.schedules.forward_step", 5);
            call("send_forward", !last);
        }
        if (warm < microbatches) call("recv_forward", !first);
        for (int i = warm; i < microbatches; ++i) {
            compute("megatron.core.pipeline_parallel.schedules.forward_step", 5);
            call("send_forward_recv_backward", !last);
            compute("backward-compute", 9);  // autograd's thread asks for it
            if (i + 1 < microbatches) call("send_backward_recv_forward", !first);
            else call("send_backward", !first);
        }
        for (int i = 0; i < warm; ++i) {
            call("recv_backward", !last);
            compute("backward-compute", 9);
            call("send_backward", !first);
        }
        now += 5;
        rows.range(fmt::format("iteration {}", step), begin, now);
    }
    return rows.sql();
}

}  // namespace

class NsightActionsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() {
        folder_ = std::make_unique<QTemporaryDir>();
        QVERIFY(folder_->isValid());
    }

    /// Every forward, backward and message of a step once, in every step, with the time of the device; with a layout
    /// they are compared with its prediction.
    void megatronsRangesAreActions() {
        RandomEvents random(freshSeed());
        const int ranks = 2 + static_cast<int>(random.below(3)),
                  microbatches = ranks + static_cast<int>(random.below(4));
        const int steps = 4;
        auto database = Database::open(path("report.sqlite"), DatabaseMode::Create);
        QVERIFY(database && database->run(report));
        for (int rank = 0; rank < ranks; ++rank) {
            std::int64_t now = 1'000'000;
            const std::string rows = megatron(rank, ranks, microbatches, steps, now);
            QVERIFY2(database->run(("BEGIN;" + rows + "COMMIT;").c_str()), database->error("").why.english().c_str());
        }
        QVERIFY(database->close());
        std::map<std::string, int> wanted;
        for (int stage = 0; stage < ranks; ++stage)
            for (int i = 0; i < microbatches; ++i) {
                std::set<std::string> actions{"F", "B"};
                if (stage > 0) actions.insert({"RECV_F", "SEND_B"});
                if (stage + 1 < ranks) actions.insert({"SEND_F", "RECV_B"});
                for (const std::string& action : actions)
                    for (int step = 3; step < 3 + steps; ++step)
                        wanted[fmt::format("{} {}{}{}", step, stage, action, i)] = 1;
            }
        for (const bool withLayout : {false, true}) {
            ImportRequest request{{path("report.sqlite")}, path("run.shardlab"), ""};
            if (withLayout) {
                auto expected = expectedRun(pipelineOf(ranks, microbatches), {});
                QVERIFY(expected);
                request.expected = std::move(*expected);
            }
            const Imported made = importAll(request);
            QVERIFY(made.run);
            QCOMPARE(made.report.steps, steps);
            std::map<std::string, int> found;
            for (const Event& event : made.events) {
                if (event.action == 0 || nameNumber(event.action) != 0) continue;
                ++found[fmt::format("{} {}", event.step, actionOf(event))];
                const bool computes = isCompute(event.kind);
                QCOMPARE(event.end - event.begin, computes ? 85 : 5);  // the device's, not the host's
                QCOMPARE(event.lane, computes ? Lane::Compute : Lane::Comm);
                QCOMPARE(actionFromId(event.action).stage, static_cast<int>(event.rank));
            }
            QCOMPARE(found, wanted);
            QCOMPARE(made.of(EventKind::Kernel).size(), std::size_t{0});  // they are within actions
            QCOMPARE(std::ranges::count_if(made.report.notes,
                                           [](const std::string& note) {
                                               return note.find("number no microbatches") != std::string::npos;
                                           }),
                     withLayout ? std::ptrdiff_t{0} : std::ptrdiff_t{1});
            QCOMPARE(made.run->header().hasLayout(), withLayout);
            if (!withLayout) continue;
            const auto comparison = compareWithPrediction(*made.run);
            QVERIFY2(comparison, comparison ? "" : comparison.error().text().c_str());
            int compared = 0;
            for (const RunComparison::Kind& kind : comparison->kinds)
                if (kind.kind == EventKind::Forward || kind.kind == EventKind::Backward ||
                    kind.kind == EventKind::SendForward || kind.kind == EventKind::SendBackward) {
                    QCOMPARE(kind.count.b.value_or(-1), kind.count.a.value_or(-2));
                    ++compared;
                }
            QCOMPARE(compared, 4);
        }
    }

    void programsThatDoMoreThanTheLayoutAreRefused() {
        auto database = Database::open(path("report.sqlite"), DatabaseMode::Create);
        QVERIFY(database && database->run(report));
        for (int rank = 0; rank < 2; ++rank) {
            std::int64_t now = 0;
            QVERIFY(database->run(("BEGIN;" + megatron(rank, 2, 5, 1, now) + "COMMIT;").c_str()));
        }
        QVERIFY(database->close());
        const auto refused = [&](int ranks, int microbatches) {
            auto expected = expectedRun(pipelineOf(ranks, microbatches), {});
            return importError({{path("report.sqlite")}, path("out.shardlab"), "", std::move(*expected)});
        };
        const std::string more = refused(2, 4), ranks = refused(3, 5);
        QVERIFY2(more.find("recorded more than 4 × forward in step 3") != std::string::npos, more.c_str());
        QVERIFY2(ranks.find("the program has 2 ranks, the layout “pipeline” has 3") != std::string::npos,
                 ranks.c_str());
        QVERIFY(!std::filesystem::exists(path("out.shardlab")));
        QVERIFY(refused(2, 5).empty());
    }

    /// What PyTorch's schedules call their ranges says stage and microbatch; a range within one is part of it, and one
    /// for which the device did nothing is none. Without a device the host's ranges are the actions.
    void rangesWithAndWithoutADevice() {
        for (const bool device : {true, false}) {
            const std::string file = device ? "device.sqlite" : "host.sqlite";
            auto database = Database::open(path(file), DatabaseMode::Create);
            QVERIFY(database && database->run(report));
            ProcessRows rows(7);
            rows.range("PP:1F3", 100, 200);
            rows.range("forward_step", 110, 190);
            if (device) rows.kernel(150, 300, 350, false);
            rows.range("PP:1B3", 210, 290);
            QVERIFY(database->run(rows.sql().c_str()) && database->close());
            const Imported made = importAll({{path(file)}, path("run.shardlab"), ""});
            QVERIFY(made.run);
            const auto forward = made.of(EventKind::Forward), backward = made.of(EventKind::Backward);
            QCOMPARE(forward.size(), std::size_t{1});
            QCOMPARE(actionOf(forward[0]), std::string("1F3"));
            QCOMPARE(forward[0].end - forward[0].begin, device ? 50 : 100);
            QCOMPARE(backward.size(), device ? std::size_t{0} : std::size_t{1});
        }
    }

    /// Graphs, MPI, calls of the system and waits are read; of what is not it is told how much there was.
    void everyTableIsReadOrTold() {
        auto database = Database::open(path("report.sqlite"), DatabaseMode::Create);
        QVERIFY(database && database->run(report));
        const std::int64_t a = process(11), b = process(12);
        const std::string more = fmt::format(
            R"sql(
CREATE TABLE CUPTI_ACTIVITY_KIND_GRAPH_TRACE(start INTEGER, end INTEGER, deviceId INTEGER, correlationId INTEGER, globalPid INTEGER, graphId INTEGER);
INSERT INTO CUPTI_ACTIVITY_KIND_GRAPH_TRACE VALUES(500, 900, 0, 40, {0}, 17);
INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES(120, 130, {2}, 3, 40);
INSERT INTO NVTX_EVENTS VALUES(100, 200, 59, 'PP:0F0', {2}, NULL);
CREATE TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION(start INTEGER, end INTEGER, globalPid INTEGER, syncType INTEGER);
INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION VALUES(600, 950, {0}, 3);
INSERT INTO StringIds VALUES(10, 'MPI_Isend'), (11, 'MPI_Allreduce'), (12, 'MPI_Wait'), (13, 'MPI_Init'), (14, 'poll');
CREATE TABLE MPI_P2P_EVENTS(start INTEGER, end INTEGER, globalTid INTEGER, textId INTEGER, size INTEGER);
INSERT INTO MPI_P2P_EVENTS VALUES(300, 310, {2}, 10, 4096);
CREATE TABLE MPI_COLLECTIVES_EVENTS(start INTEGER, end INTEGER, globalTid INTEGER, textId INTEGER, size INTEGER);
INSERT INTO MPI_COLLECTIVES_EVENTS VALUES(320, 380, {3}, 11, 64);
CREATE TABLE MPI_START_WAIT_EVENTS(start INTEGER, end INTEGER, globalTid INTEGER, textId INTEGER);
INSERT INTO MPI_START_WAIT_EVENTS VALUES(311, 315, {2}, 12);
CREATE TABLE MPI_OTHER_EVENTS(start INTEGER, end INTEGER, globalTid INTEGER);
INSERT INTO MPI_OTHER_EVENTS VALUES(1, 2, {2}), (3, 4, {2});
CREATE TABLE MPI_RANKS(globalTid INTEGER, rank INTEGER);
INSERT INTO MPI_RANKS VALUES({2}, 1), ({3}, 0);
CREATE TABLE OSRT_API(start INTEGER, end INTEGER, globalTid INTEGER, nameId INTEGER);
INSERT INTO OSRT_API VALUES(10, 90, {3}, 14);
CREATE TABLE GPU_METRICS(timestamp INTEGER, typeId INTEGER, metricId INTEGER, value INTEGER);
INSERT INTO GPU_METRICS VALUES(1, 2, 3, 4), (2, 2, 3, 5), (3, 2, 3, 6);
CREATE TABLE "odd "" table"(a INTEGER);
INSERT INTO "odd "" table" VALUES(1);
CREATE TABLE TARGET_INFO_GPU(id INTEGER);
INSERT INTO TARGET_INFO_GPU VALUES(0);
CREATE TABLE EMPTY_EVENTS(start INTEGER);
)sql",
            a, b, a + 5, b + 5);
        QVERIFY2(database->run(more.c_str()), database->error("").why.english().c_str());
        QVERIFY(database->close());
        const Imported made = importAll({{path("report.sqlite")}, path("run.shardlab"), ""});
        QVERIFY(made.run);
        QCOMPARE(made.of(EventKind::Forward, 1).size(), std::size_t{1});  // MPI says that process 11 is rank 1
        QCOMPARE(made.of(EventKind::Forward, 1)[0].end - made.of(EventKind::Forward, 1)[0].begin, 400);
        QCOMPARE(made.named("CUDA graph 17").at(0).lane, Lane::Host);  // within the action
        QCOMPARE(made.named("synchronisation of type 3").at(0).kind, EventKind::Operation);
        QCOMPARE(made.named("MPI_Isend").at(0).bytes, 4096);
        QCOMPARE(made.named("MPI_Isend").at(0).lane, Lane::Comm);
        QCOMPARE(made.named("MPI_Allreduce").at(0).rank, 0);
        QCOMPARE(made.named("MPI_Wait").at(0).lane, Lane::Host);
        QCOMPARE(made.named("poll").at(0).kind, EventKind::Operation);
        QCOMPARE(made.ignored("rows of the table MPI_OTHER_EVENTS"), 2);    // it has no texts
        QCOMPARE(made.named("metric 3, device 2").size(), std::size_t{3});  // no table says what it is called
        QCOMPARE(made.ignored("rows of the table odd \" table"), 1);
        QCOMPARE(made.report.ignored.size(), std::size_t{2});
    }

    /// What the counters of a GPU showed belongs to the rank whose kernels ran there, each counter by its name.
    void countersOfGpusAreThoseOfTheirRanks() {
        auto database = Database::open(path("metrics.sqlite"), DatabaseMode::Create);
        QVERIFY(database && database->run(report));
        QVERIFY(database->run(fmt::format(R"sql(
INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES(100, 900, 0, 7, 1, {0}, 1), (100, 900, 1, 7, 2, {1}, 1);
CREATE TABLE TARGET_INFO_GPU_METRICS(typeId INTEGER, sourceId INTEGER, typeName TEXT, metricId INTEGER, metricName TEXT);
INSERT INTO TARGET_INFO_GPU_METRICS VALUES(768, 1, 'General Metrics', 5, 'SMs Active [Throughput %]'),
    (769, 1, 'General Metrics', 5, 'SMs Active [Throughput %]'), (769, 1, 'General Metrics', 6, 'DRAM Read Bandwidth [Throughput %]');
CREATE TABLE GPU_METRICS(rawTimestamp INTEGER, timestamp INTEGER, typeId INTEGER, metricId INTEGER, value INTEGER);
INSERT INTO GPU_METRICS VALUES(0, 200, 768, 5, 71), (0, 300, 768, 5, 93), (0, 200, 769, 5, 12), (0, 200, 769, 6, 44);
)sql",
                                          process(11), process(12))
                                  .c_str()));
        QVERIFY(database->close());
        const Imported made = importAll({{path("metrics.sqlite")}, path("run.shardlab"), ""});
        QVERIFY(made.run);
        const auto first = made.named("SMs Active [Throughput %], device 0");
        QCOMPARE(first.size(), std::size_t{2});
        QCOMPARE(first[0].rank, 0);
        QCOMPARE(first[0].value, 71.0);
        QCOMPARE(first[1].value, 93.0);
        QCOMPARE(first[1].begin - first[0].begin, 100);
        QCOMPARE(first[0].kind, EventKind::NamedCounter);
        QCOMPARE(made.named("SMs Active [Throughput %], device 1").at(0).rank, 1);
        QCOMPARE(made.named("DRAM Read Bandwidth [Throughput %], device 1").at(0).value, 44.0);
        QVERIFY(made.report.ignored.empty());
    }

private:
    std::string path(const std::string& name) const {
        return folder_->filePath(QString::fromStdString(name)).toStdString();
    }
    std::unique_ptr<QTemporaryDir> folder_;
};

QTEST_GUILESS_MAIN(NsightActionsTest)
#include "nsight_actions_test.moc"
