// SPDX-License-Identifier: Apache-2.0
// Traces of torch.profiler, read by us and by HolisticTraceAnalysis: idle time, time of compute and of communication,
// and how much of the communication is hidden agree. Skipped where SHARDLAB_HTA_PYTHON names no Python with that
// package.
#include "engine/trace/metrics/summary.h"
#include "tests/support/places.h"
#include "tests/support/reference_python.h"
#include "tests/support/seed.h"
#include "tests/support/wings.h"
#include "tests/trace/imported.h"
#include "tests/trace/random_events.h"

#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include <fmt/format.h>
#include <fstream>
#include <nlohmann/json.hpp>

using namespace shardlab::test;

namespace {

using Json = nlohmann::json;
using Intervals = std::vector<std::pair<std::int64_t, std::int64_t>>;

/// Without overlaps, ascending.
Intervals merged(Intervals all) {
    std::ranges::sort(all);
    Intervals apart;
    for (const auto& [begin, end] : all) {
        if (apart.empty() || begin > apart.back().second) apart.emplace_back(begin, end);
        else apart.back().second = std::max(apart.back().second, end);
    }
    return apart;
}

std::int64_t length(const Intervals& apart) {
    std::int64_t sum = 0;
    for (const auto& [begin, end] : apart) sum += end - begin;
    return sum;
}

std::int64_t common(const Intervals& a, const Intervals& b) {
    Intervals both = a;
    both.insert(both.end(), b.begin(), b.end());
    return length(a) + length(b) - length(merged(both));
}

/// A rank's step of kernels of three streams that overlap at will, whole microseconds all of them: HTA rounds.
Json rankTrace(int rank, RandomEvents& random) {
    Json events = Json::array();
    std::int64_t number = 0;
    const auto device = [&](const char* category, const std::string& name, int stream, std::int64_t at,
                            std::int64_t lasts) {
        ++number;
        events.push_back({{"ph", "X"},
                          {"cat", "cuda_runtime"},
                          {"name", "cudaLaunchKernel"},
                          {"pid", 100 + rank},
                          {"tid", 1},
                          {"ts", 10 + number},
                          {"dur", 1},
                          {"args", {{"correlation", number}}}});
        events.push_back({{"ph", "X"},
                          {"cat", category},
                          {"name", name},
                          {"pid", 0},
                          {"tid", stream},
                          {"ts", at},
                          {"dur", lasts},
                          {"args", {{"correlation", number}, {"stream", stream}, {"device", 0}}}});
    };
    std::int64_t compute = 1000, comm = 1000, copy = 1000;
    for (int i = 0; i < 60; ++i) {
        compute += random.below(40);
        const std::int64_t lasts = 1 + random.below(60);
        device("kernel", fmt::format("gemm_{}", i % 7), 7, compute, lasts);
        compute += lasts;
        if (random.below(3) == 0) {
            comm = std::max(comm, compute - random.below(80)) + 1;
            const std::int64_t takes = 1 + random.below(70);
            device("kernel", "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)", 20, comm,
                   takes);
            comm += takes;
        }
        if (random.below(4) == 0) {
            copy = std::max(copy, compute + random.below(30)) + 1;
            device("gpu_memcpy", "Memcpy HtoD (Pinned -> Device)", 22, copy, 1 + random.below(20));
            copy += 21;
        }
    }
    const std::int64_t end = std::max({compute, comm, copy}) + 100;
    events.push_back({{"ph", "X"},
                      {"cat", "user_annotation"},
                      {"name", "ProfilerStep#4"},
                      {"pid", 100 + rank},
                      {"tid", 1},
                      {"ts", 1},
                      {"dur", end},
                      {"args", Json::object()}});
    events.push_back({{"ph", "X"},
                      {"cat", "cpu_op"},
                      {"name", "aten::mm"},
                      {"pid", 100 + rank},
                      {"tid", 1},
                      {"ts", 2},
                      {"dur", end - 10},
                      {"args", {{"External id", 1}}}});
    return {{"schemaVersion", 1},
            {"deviceProperties", {{{"id", 0}, {"name", "GPU"}, {"totalGlobalMem", 1}}}},
            {"distributedInfo", {{"rank", rank}, {"world_size", 2}, {"backend", "nccl"}}},
            {"traceEvents", events}};
}

}  // namespace

class HtaAgreementTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void timesAgree() {
        const QString python = qEnvironmentVariable("SHARDLAB_HTA_PYTHON");
        if (python.isEmpty()) QSKIP("SHARDLAB_HTA_PYTHON names no Python with HolisticTraceAnalysis");
        QTemporaryDir folder;
        QVERIFY(folder.isValid());
        const auto path = [&](const std::string& name) {
            return folder.filePath(QString::fromStdString(name)).toStdString();
        };
        RandomEvents random(freshSeed());
        QStringList arguments{QStringLiteral(SHARDLAB_SOURCE_DIR "/tests/trace/golden/hta_figures.py")};
        std::vector<std::filesystem::path> files;
        for (int rank = 0; rank < 2; ++rank) {
            files.emplace_back(path(fmt::format("rank{}.json", rank)));
            std::ofstream(files.back()) << rankTrace(rank, random);
            arguments << QString::fromStdString(files.back().string());
        }
        QProcess process;
        process.start(python, arguments);
        QVERIFY(process.waitForFinished(patience));
        if (process.exitCode() == 3) QSKIP("HolisticTraceAnalysis 0.5 needs a pandas below 3");
        QVERIFY2(process.exitCode() == 0, process.readAllStandardError().constData());
        const Json told = Json::parse(process.readAllStandardOutput().toStdString());
        const Imported made = importAll({files, path("run.shardlab"), ""});
        QVERIFY(made.run);
        Summarizer summary(2);
        summary.add(made.events);
        QCOMPARE(summary.steps().size(), std::size_t{1});
        for (int rank = 0; rank < 2; ++rank) {
            const auto on = [&](std::initializer_list<Lane> lanes) {
                Intervals all;
                for (const Event& event : made.events)
                    if (event.rank == rank && isSpan(event.kind) && std::ranges::find(lanes, event.lane) != lanes.end())
                        all.emplace_back(event.begin / 1000, event.end / 1000);
                return merged(std::move(all));
            };
            const Intervals compute = on({Lane::Compute}), comm = on({Lane::Comm});
            const Intervals busy = on({Lane::Compute, Lane::Comm, Lane::Copy});
            const std::int64_t whole = busy.back().second - busy.front().first;
            const Json& hta = told.at(static_cast<std::size_t>(rank));
            QCOMPARE(static_cast<double>(length(compute)), hta.at("compute").get<double>());
            QCOMPARE(static_cast<double>(whole - length(busy)), hta.at("idle").get<double>());
            QCOMPARE(static_cast<double>(length(busy) - length(compute)), hta.at("rest").get<double>());
            QVERIFY(length(comm) > 0);
            const double hidden =
                100.0 * static_cast<double>(common(comm, compute)) / static_cast<double>(length(comm));
            QVERIFY2(std::abs(hidden - hta.at("overlap").get<double>()) < 0.006,
                     qPrintable(QStringLiteral("%1 and %2").arg(hidden).arg(hta.at("overlap").get<double>())));
            // What the views and info show of a step's compute.
            QCOMPARE(summary.steps()[0].ranks[static_cast<std::size_t>(rank)].busy, length(compute) * 1000);
        }
    }
};

QTEST_GUILESS_MAIN(HtaAgreementTest)
#include "hta_agreement_test.moc"
