// SPDX-License-Identifier: Apache-2.0
// Pipelines in traces of PyTorch: annotations become actions with stage and microbatch, messages theirs, cycles of a
// profiler one rank, and shapes bytes.
#include "engine/trace/interchange/import.h"
#include "engine/trace/interchange/pipeline_spans.h"
#include "engine/trace/interchange/tensor_bytes.h"
#include "engine/trace/run_file/run_file.h"
#include "tests/support/wings.h"

#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fstream>
#include <functional>
#include <memory>
#include <optional>

using namespace shardlab;
using namespace shardlab::test;

namespace {

/// "forward 1F0 100-200", in microseconds.
std::string told(const Event& event) {
    const bool named = event.action == 0 || nameNumber(event.action) != 0;
    return fmt::format("{} {} {}-{}", name(event.kind), named ? std::string("-") : toText(actionFromId(event.action)),
                       event.begin / 1000, event.end / 1000);
}

std::string span(const char* category, const char* name, int begin, int duration, const char* thread,
                 const std::string& arguments = "") {
    return fmt::format(
        R"({{"ph": "X", "cat": "{}", "name": "{}", "pid": 7, "tid": "{}", "ts": {}, "dur": {}, "args": {{{}}}}})",
        category, name, thread, begin, duration, arguments);
}

const std::string shape = R"("Input Dims": [[2, 32]], "Input type": ["float"])";

}  // namespace

class PipelineImportTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() {
        folder_ = std::make_unique<QTemporaryDir>();
        QVERIFY(folder_->isValid());
    }

    void annotationsThatAreActions() {
        const auto named = [](std::string_view text) {
            const auto name = pipelineName(text);
            return name ? fmt::format("{}{}", toText(name->action), name->stageNamed ? "" : " of the rank")
                        : std::string();
        };
        QCOMPARE(named("PP:2F13"), std::string("2F13"));
        QCOMPARE(named("PP:0I1"), std::string("0I1"));
        QCOMPARE(named("PP:0W1"), std::string("0W1"));
        QCOMPARE(named("PP:0SEND_F0"), std::string("0SEND_F0"));
        QCOMPARE(named("PP:3RECV_B7"), std::string("3RECV_B7"));
        QCOMPARE(named("Forward 3"), std::string("0F3 of the rank"));
        QCOMPARE(named("Backward 12"), std::string("0B12 of the rank"));
        for (const char* other :
             {"PP:0UNSHARD", "PP:0WAIT_SEND_F0", "PP:2REDUCE_GRAD", "PP:", "PP:F", "PP:0F0@v1",
              "PP:(0F0;1B0)OVERLAP_F_B", "PP:99999999999F0", "PP:0F99999999999", "PP:70000F0", "Forward", "Forward ",
              "Forward -1", "Forward 3 ", "Forward pass", "Forward 99999999"})
            QCOMPARE(named(other), std::string());
    }

    void bytesOfTensors() {
        QCOMPARE(tensorBytes("[[2,32],[100]]", "[float,long int]"), std::int64_t{2 * 32 * 4 + 800});
        QCOMPARE(tensorBytes("[[]]", "[c10::BFloat16]"), std::int64_t{2});
        QCOMPARE(tensorBytes("[[],[7]]", "[,unsigned char]"), std::int64_t{7});
        QCOMPARE(tensorBytes("[[[2,2],[2]]]", "[TensorList]"), std::int64_t{0});
        QCOMPARE(tensorBytes("[[2,32]", "[float]"), std::int64_t{0});
        QCOMPARE(tensorBytes("[[4000000000,4000000000]]", "[float]"), std::int64_t{0});
        QCOMPARE(tensorBytes("[[-3]]", "[float]"), std::int64_t{0});
        QCOMPARE(tensorBytes("", ""), std::int64_t{0});
    }

    /// Without a device the annotations are the host's: an action begins when its message is there.
    void actionsOfTheHost() {
        const auto made = import(
            {trace(1, 0,
                   {span("user_annotation", "ProfilerStep#4", 0, 1000, "7"),
                    span("user_annotation", "the whole step", 10, 900, "7"),
                    span("user_annotation", "PP:1RECV_F0", 100, 20, "7"),
                    span("user_annotation", "gloo:recv", 110, 90, "7", shape),
                    span("user_annotation", "PP:1F0", 150, 150, "7"), span("cpu_op", "aten::linear", 210, 50, "7"),
                    span("user_annotation", "PP:1SEND_F0", 300, 20, "7"),
                    span("user_annotation", "gloo:send", 310, 200, "7", shape),
                    span("user_annotation", "PP:1B0", 600, 100, "7"),
                    span("cpu_op", "autograd::engine::evaluate_function: AddmmBackward0", 610, 50, "7"),
                    span("cpu_op", "aten::randn", 800, 10, "7"),
                    span("user_annotation", "gloo:all_reduce", 820, 10, "8", shape)})});
        QVERIFY(made);
        QCOMPARE(tellAll(*made, [](const Event& event) { return event.lane == Lane::Compute; }),
                 std::string("wait 1RECV_F0 150-200, forward 1F0 200-300, backward 1B0 600-700, kernel - 800-810"));
        const auto onComm = [](const Event& event) { return event.lane == Lane::Comm; };
        QCOMPARE(tellAll(*made, onComm),
                 std::string("receive forward 1RECV_F0 110-200, send forward 1SEND_F0 310-510, collective - 820-830"));
        for (const Event& event : *made)
            if (onComm(event)) QCOMPARE(event.bytes, std::int64_t{256});
        // What the program named stays there, nested, on the host's lane.
        QCOMPARE(tellAll(*made, [](const Event& event) { return event.kind == EventKind::Annotation; }),
                 std::string("annotation - 10-910, annotation - 100-120, annotation - 150-300, annotation - 300-320, "
                             "annotation - 600-700"));
        QVERIFY(std::ranges::all_of(*made, [](const Event& event) { return event.step == 4; }));
    }

    /// On a device an action lasts as long as its kernels, which are part of it, and belongs to the step that asked.
    void actionsOfADevice() {
        const auto made = import({trace(
            0, 0,
            {span("user_annotation", "ProfilerStep#4", 0, 100, "7"),
             span("user_annotation", "PP:0F0", 10, 20, "7", R"("External id": 5)"),
             span("user_annotation", "PP:0SEND_F0", 40, 20, "7", R"("External id": 6)"),
             span("kernel", "gemm", 200, 50, "stream 7"), span("kernel", "gelu", 260, 40, "stream 7"),
             span("gpu_user_annotation", "PP:0F0", 200, 100, "stream 7", R"("External id": 5)"),
             span("gpu_user_annotation", "PP:0F0", 150, 20, "stream 20", R"("External id": 5)"),
             span("kernel", "ncclDevKernel_AllGather", 150, 20, "stream 20"),
             span("gpu_user_annotation", "PP:0SEND_F0", 300, 60, "stream 22", R"("External id": 6)"),
             span("kernel", "ncclDevKernel_SendRecv", 300, 60, "stream 22",
                  R"("In msg nelems": 64, "Out msg nelems": 64, "dtype": "BFloat16")"),
             span("kernel", "later", 400, 5, "stream 7"), span("gpu_user_annotation", "PP:0B0", 500, 30, "stream 7"),
             span("kernel", "one", 500, 30, "stream 7")})});
        QVERIFY(made);
        QCOMPARE(tellAll(*made, [](const Event& event) { return event.lane == Lane::Compute; }),
                 std::string("forward 0F0 200-300, kernel - 400-405, backward 0B0 500-530"));
        QCOMPARE(tellAll(*made, [](const Event& event) { return event.lane == Lane::Comm; }),
                 std::string("collective - 150-170, send forward 0SEND_F0 300-360"));
        for (const Event& event : *made) {
            if (event.kind == EventKind::SendForward) QCOMPARE(event.bytes, std::int64_t{128});
            if (event.kind == EventKind::Forward) QCOMPARE(event.step, 4);
        }
    }

    /// "Forward 3" names no stage, and is an action only where a pipeline's message lies in one.
    void stagesOfTheRank() {
        std::vector<std::filesystem::path> files;
        for (int rank = 0; rank < 2; ++rank)
            files.push_back(trace(rank, 0,
                                  {span("user_annotation", "Forward 3", 0, 100, "7"),
                                   span("user_annotation", rank == 0 ? "gloo:send" : "gloo:recv", 10, 30, "7"),
                                   span("user_annotation", "Backward 3", 200, 100, "7"),
                                   span("user_annotation", rank == 0 ? "gloo:recv" : "gloo:send", 250, 30, "7")}));
        const auto made = import(files);
        QVERIFY(made);
        const auto act = [](const Event& event) { return event.kind != EventKind::Annotation; };
        QCOMPARE(tellAll(*made, [&](const Event& event) { return act(event) && event.rank == 0; }),
                 std::string("forward 0F3 0-100, send forward 0SEND_F3 10-40, wait 0RECV_B3 200-280, "
                             "receive backward 0RECV_B3 250-280, backward 0B3 280-300"));
        QCOMPARE(tellAll(*made, [&](const Event& event) { return act(event) && event.rank == 1; }),
                 std::string("wait 1RECV_F3 0-40, receive forward 1RECV_F3 10-40, forward 1F3 40-100, "
                             "backward 1B3 200-300, send backward 1SEND_B3 250-280"));
        QVERIFY(
            std::ranges::any_of(notes_, [](const std::string& note) { return note.find("no stages") != note.npos; }));
        const auto alone = import({trace(0, 0, {span("user_annotation", "Forward 3", 0, 100, "7")})});
        QVERIFY(alone);
        QCOMPARE(tellAll(*alone, act), std::string());
    }

    void cyclesOfAProcessAreOneRank() {
        const auto file = [&](int rank, int cycle, int begin) {
            return trace(rank, cycle,
                         {span("user_annotation", ("ProfilerStep#" + std::to_string(cycle)).c_str(), begin, 50, "7")});
        };
        const auto made = import({file(1, 2, 200), file(0, 1, 0), file(0, 2, 200), file(1, 1, 0)});
        QVERIFY(made);
        QCOMPARE(ranks_, std::size_t{2});
        QCOMPARE(made->size(), std::size_t{4});
        for (int rank = 0; rank < 2; ++rank)
            QCOMPARE(tellAll(*made, [&](const Event& event) { return event.rank == rank; }),
                     std::string("step - 0-50, step - 200-250"));
        // Those that overlap, or of another process, are not.
        QVERIFY(!import({file(0, 1, 0), file(0, 2, 49)}));
        QVERIFY2(error_.find("rank 0, and so does") != std::string::npos, error_.c_str());
        pid_ = 8;
        const auto restarted = file(0, 2, 200);
        pid_ = 7;
        QVERIFY(!import({file(0, 1, 0), restarted}));
    }

    /// A program of one process does not say that it is rank 0.
    void cyclesOfAProcessWithoutARankAreOneRank() {
        const auto file = [&](int cycle, int begin) {
            return trace(-1, cycle, {span("user_annotation", "ProfilerStep#1", begin, 50, "7")});
        };
        QVERIFY(import({file(2, 200), file(1, 0)}));
        QCOMPARE(ranks_, std::size_t{1});
        // Those that overlap, or of another process, are ranks of their own.
        QVERIFY(import({file(1, 0), file(2, 49)}));
        QCOMPARE(ranks_, std::size_t{2});
        pid_ = 8;
        const auto other = file(2, 200);
        pid_ = 7;
        QVERIFY(import({file(1, 0), other}));
        QCOMPARE(ranks_, std::size_t{2});
    }

private:
    /// Without a rank where it is -1.
    std::filesystem::path trace(int rank, int cycle, const std::vector<std::string>& items) {
        const std::filesystem::path file =
            folder_->filePath(QStringLiteral("rank%1-%2.json").arg(rank).arg(cycle)).toStdString();
        std::ofstream(file) << fmt::format(
            R"({{"schemaVersion": 1, {}"host_name": "h", "traceEvents": [)"
            R"({{"ph": "M", "name": "process_labels", "pid": {}, "tid": 0, "ts": 0, "args": {{"labels": "CPU"}}}}, {}]}})",
            rank < 0 ? std::string() : fmt::format(R"("distributedInfo": {{"rank": {}}}, )", rank), pid_,
            fmt::join(items, ", "));
        return file;
    }

    std::optional<std::vector<Event>> import(std::vector<std::filesystem::path> files) {
        const std::filesystem::path out = folder_->filePath("out.shardlab").toStdString();
        const auto report = importRun({std::move(files), out, ""});
        if (!report) {
            error_ = report.error().text();
            return std::nullopt;
        }
        notes_ = report->notes;
        const auto run = RunReader::open(out);
        if (!run) return std::nullopt;
        ranks_ = (*run)->ranks().size();
        std::vector<Event> events;
        static_cast<void>((*run)->readEvents([&](std::span<const Event> block) {
            events.insert(events.end(), block.begin(), block.end());
            return true;
        }));
        std::ranges::stable_sort(events, {}, &Event::begin);
        return events;
    }

    static std::string tellAll(const std::vector<Event>& events, const std::function<bool(const Event&)>& wanted) {
        std::vector<std::string> all;
        for (const Event& event : events)
            if (wanted(event)) all.push_back(told(event));
        return fmt::format("{}", fmt::join(all, ", "));
    }

    std::unique_ptr<QTemporaryDir> folder_;
    int pid_ = 7;
    std::vector<std::string> notes_;
    std::size_t ranks_ = 0;
    std::string error_;
};

QTEST_GUILESS_MAIN(PipelineImportTest)
#include "pipeline_import_test.moc"
