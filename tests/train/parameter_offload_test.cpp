// SPDX-License-Identifier: Apache-2.0
// Parameters on the host (ZeRO-Infinity, arXiv 2104.07857): each layer's weights visit the device while it is at work.
// Losses and weights stay what they are, to the bit; device and host hold what the ledgers say, to the byte; every copy
// is on the timeline, where the plan has it.
#include "engine/layout/check/check.h"
#include "engine/layout/layout_file.h"
#include "engine/layout/schedule/registry.h"
#include "engine/layout/schedule/validate.h"
#include "tests/support/sanitizer.h"
#include "tests/train/distant_device.h"
#include "tests/train/offload_runs.h"
#include "tests/train/one_rank.h"

#include <QtTest>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

using namespace shardlab::test;

class ParameterOffloadTest : public QObject, OffloadRuns {
    Q_OBJECT

private:
    template <std::size_t n>
    const char* one(const std::array<const char*, n>& words) {
        return words[static_cast<std::size_t>(below(static_cast<int>(n)))];
    }

    static Layout fetching(Layout layout) { return offloaded(std::move(layout), OffloadKind::Parameters); }

    void drawRecompute(Layout& layout) {
        layout.memory.recompute =
            named(one(std::array{"none", "full", "sqrt", "every", "selective", "mlp", "operations"}));
        layout.memory.recomputeEvery = 1 + below(2);
    }

    /// Runs the layout with its parameters on the host.
    static void requireSameRun(const Layout& layout, const std::function<void(int, TrainerServices&)>& configure = {}) {
        const Plan plan = planOf(fetching(layout));
        const Status valid = validate(plan.lowered);
        QVERIFY2(valid, valid ? "" : valid.error().text().c_str());
        const RunOutcome got = runInProcess(plan, {}, configure);
        requireSameBits(layout, runInProcess(planOf(layout)), got);
        if (QTest::currentTestFailed()) return;
        requireAsPlanned(plan, got);
    }

    static void requireAsPlanned(const Plan& plan, const RunOutcome& got) {
        requireLedger(plan, got);
        const QString memory = memoryDiffers(plan, got);
        QVERIFY2(memory.isEmpty(), qPrintable(memory));
        requireCopies(plan, got, {EventKind::OffloadGradients, EventKind::FetchWeights});
        QCOMPARE(got.count(EventKind::ReloadWeights), 0);
        for (const RankMemory& rank : plan.memory)
            QCOMPARE(rank.bytes[static_cast<std::size_t>(MemoryCategory::Parameters)], std::int64_t{0});
    }

private Q_SLOTS:
    void everyMeshTrainsTheSame_data() {
        QTest::addColumn<int>("data");
        QTest::addColumn<int>("pipeline");
        QTest::addColumn<int>("tensor");
        QTest::addColumn<QString>("compute");
        const auto row = [](int d, int p, int t, const char* compute) {
            QTest::addRow("%s data %d pipeline %d tensor %d", compute, d, p, t) << d << p << t << compute;
        };
        for (const char* compute : {"fp32", "bf16", "fp16"}) {
            row(2, 1, 1, compute);
            row(2, 2, 1, compute);
        }
        row(3, 1, 1, "fp32");
        row(4, 1, 1, "bf16");
        row(2, 1, 2, "bf16");
        row(2, 2, 2, "fp32");
    }
    void everyMeshTrainsTheSame() {
        QFETCH(int, data);
        QFETCH(int, pipeline);
        QFETCH(int, tensor);
        QFETCH(QString, compute);
        Layout layout = layoutOf(data, pipeline, tensor, 3);
        layout.precision.compute = named(compute);
        drawRecompute(layout);
        if (compute == "fp16") {  // its first steps are skipped
            layout.precision.lossScale = LossScaling::Dynamic;
            layout.precision.scale = 16777216;
            layout.run.steps = 8;
        }
        requireSameRun(layout);
    }

    /// One replica fetches and gathers nothing. Without ZeRO gradients are summed in another order where there are
    /// several microbatches, and so is their norm; without both every bit is the same.
    void oneReplicaTrainsTheSame_data() {
        QTest::addColumn<int>("pipeline");
        QTest::addColumn<int>("tensor");
        QTest::addColumn<QString>("compute");
        for (const char* compute : {"fp32", "bf16"}) {
            QTest::addRow("%s, one rank", compute) << 1 << 1 << compute;
            QTest::addRow("%s, pipeline 2", compute) << 2 << 1 << compute;
            QTest::addRow("%s, tensor 2", compute) << 1 << 2 << compute;
        }
    }
    void oneReplicaTrainsTheSame() {
        QFETCH(int, pipeline);
        QFETCH(int, tensor);
        QFETCH(QString, compute);
        for (const bool whole : {true, false}) {
            Layout layout = layoutOf(1, pipeline, tensor, 0);
            layout.precision.compute = named(compute);
            drawRecompute(layout);
            if (whole) layout.batch.global = layout.batch.micro;
            if (whole) layout.optimizer.clip = 0;
            const RunOutcome wanted = runInProcess(planOf(layout));
            Layout host = fetching(layout);
            host.parallel.zero = 3;
            const Plan plan = planOf(host);
            const RunOutcome got = runInProcess(plan);
            const CurveTolerance tolerance = compute == "fp32" ? CurveTolerance{} : CurveTolerance{0.02, 0.2};
            const QString wrong = difference(got, wanted, tolerance);
            QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
            requireAsPlanned(plan, got);
            if (QTest::currentTestFailed()) return;
            QCOMPARE(got.count(EventKind::GatherParameters), 0);
            if (!whole) continue;
            QVERIFY(got.counter(EventKind::Loss) == wanted.counter(EventKind::Loss));
            for (std::size_t rank = 0; rank < got.ranks.size(); ++rank)
                QVERIFY(got.ranks[rank].parameters == wanted.ranks[rank].parameters);
        }
    }

    void everyScheduleTrainsTheSame_data() {
        QTest::addColumn<QString>("schedule");
        for (const ScheduleMethod& method : generatedMethods())
            if (method.flushes) QTest::newRow(method.name.data()) << QString(method.name.data());
    }
    void everyScheduleTrainsTheSame() {
        QFETCH(QString, schedule);
        const ScheduleMethod& method = *findScheduleMethod(schedule.toStdString());
        Layout layout = layoutOf(2, 2, 1, 3);
        layout.schedule.kind = method.name;
        layout.schedule.chunks = method.minChunks;
        layout.model.layers *= method.minChunks;
        while (method.refusal && method.refusal(scheduleShape(layout))) layout.batch.global += 2 * layout.batch.micro;
        requireSameRun(layout);
    }

    /// Whatever else a layout has: context groups, experts, copies, activations that are swapped, formats, optimizers.
    void drawnLayoutsTrainTheSame() {
        for (int round = 0; round < 12; ++round) {
            Layout layout = layoutOf(2, 1 + below(2), 1, 3);
            layout.model.dropout = below(2) ? 0.1 : 0;
            layout.optimizer.kind = named(one(std::array{"adamw", "adamw-8bit", "sgd"}));
            layout.optimizer.momentum = 0.9;
            layout.precision.compute = named(one(std::array{"fp32", "bf16"}));
            if (layout.precision.compute == NumberFormat::Bf16)
                layout.precision.weights = named(one(std::array{"master", "fp32", "alone"}));
            drawRecompute(layout);
            if (below(2)) layout.memory.swap = SwapKind::Activations;
            switch (below(5)) {
            case 0:
                layout.parallel.context = 2;
                layout.model.sequence = 8;
                layout.model.dropout = 0;
                break;
            case 1:
                layout.parallel.expert = 1 + below(2);
                layout.model.kind = ModelKind::LlamaMoe;
                layout.model.layers = 2;
                layout.model.experts.count = 4;
                layout.model.experts.shared = 1;
                layout.model.block.headWidth = 4;  // of pairs, where positions are turned
                layout.model.dropout = 0;
                layout.memory.recompute = RecomputeKind::None;
                break;
            case 2:
                layout.parallel.data = 4;
                layout.parallel.shard = 2;
                layout.batch.global *= 2;
                break;
            case 3: break;
            default:
                layout.model.kind = ModelKind::Mlp;
                layout.memory.recompute = named(one(std::array{"none", "full", "sqrt"}));
            }
            layout.cluster.hosts[0].devices = rankCount(layout);
            const std::vector<Fault> faults = check(fetching(layout), scheduleMethods());
            QVERIFY2(faults.empty(), (toText(faults) + writeLayout(layout)).c_str());
            requireSameRun(layout);
            if (QTest::currentTestFailed()) return qInfo("%s", writeLayout(layout).c_str());
        }
    }

    /// The distant device's memory is not the processor's, and nothing of it is read but by copies.
    void aDistantDeviceTrainsTheSame() {
        Layout layout = layoutOf(2, 1, 1, 3);
        layout.precision.compute = NumberFormat::Bf16;
        std::vector<std::unique_ptr<Device>> devices;
        for (int rank = 0; rank < 2; ++rank) devices.push_back(std::make_unique<DistantDevice>());
        const auto onDevices = [&](int rank, TrainerServices& services) {
            services.device = devices[static_cast<std::size_t>(rank)].get();
        };
        requireSameRun(layout, onDevices);
        if (QTest::currentTestFailed()) return;
        Layout alone = fetching(layoutOf(1, 1, 1, 3));
        const RunOutcome near = runInProcess(planOf(alone)), far = runInProcess(planOf(alone), {}, onDevices);
        requireSameBits(alone, near, far);
    }

    /// 2 of AdamW's 16 bytes a parameter stay on the device, which are gradients. Each part comes for a forward and a
    /// backward of each microbatch; the embedding's backward reads nothing.
    void theDeviceKeepsGradientsAlone() {
        Layout layout = fetching(layoutOf(1, 1, 1, 3));
        layout.precision.compute = NumberFormat::Bf16;
        const Plan plan = planOf(layout);
        const std::int64_t parameters = plan.parameters;
        QCOMPARE(ofState(plan.memory[0].bytes), 2 * parameters);
        QCOMPARE(plan.memory[0].host[static_cast<std::size_t>(MemoryCategory::Parameters)], 2 * parameters);
        QCOMPARE(total(plan.memory[0].host), 16 * parameters);
        const std::int64_t once = 2 * parameters, m = plan.lowered.microbatches;
        QCOMPARE(plan.hosts[0].toHost, once);
        const std::int64_t positions = 2 * std::int64_t{layout.model.sequence} * layout.model.hidden;
        QCOMPARE(plan.hosts[0].fromHost, m * (2 * once - positions));
        QVERIFY(plan.traffic.empty());
        QVERIFY(std::ranges::any_of(plan.notes, [](const Sentence& note) {
            return note.english().find("parameters on the host") != std::string::npos;
        }));
    }

    /// Paced, copies and what waits for them lie where the simulation has them.
    void aPacedRunIsThatOfTheSimulation_data() {
        QTest::addColumn<int>("data");
        QTest::addColumn<int>("pipeline");
        QTest::addRow("one rank") << 1 << 1;
        QTest::addRow("pipeline 2") << 1 << 2;
        QTest::addRow("data 2") << 2 << 1;
    }
    void aPacedRunIsThatOfTheSimulation() {
        SKIP_IF_SANITIZED();
        QFETCH(int, data);
        QFETCH(int, pipeline);
        Layout layout;
        layout.model = {ModelKind::Gpt, 4, 96, 2, 32, 256, 0.0};
        layout.parallel.data = data;
        layout.parallel.pipeline = pipeline;
        layout.parallel.zero = 3;
        layout.cluster.hosts = {{"localhost", data * pipeline}};
        layout.batch = {4 * data, 1};
        layout.run = {4, 1, 0, 1};
        layout.data.validation = 0;
        layout = fetching(std::move(layout));
        // At a slower pace where no step comes close: the machine may be busy otherwise.
        double error = HUGE_VAL;
        for (double seconds = 0.5; error >= 0.03 && seconds <= 4; seconds *= 2) {
            layout.cluster.pace = PaceSpec{"h100-sxm", seconds};
            const Plan plan = planOf(layout);
            for (const HostCopyTimes& times : simulatedCopies(plan))
                QVERIFY2(times.waited > 0.02 * plan.simulation.stepSeconds, "little to compare");
            const RunOutcome run = runInProcess(plan);
            QVERIFY2(run.error.empty(), run.error.c_str());
            requireCopies(plan, run, {EventKind::OffloadGradients, EventKind::FetchWeights});
            error = std::min(error, copiesOff(plan, run));
        }
        QVERIFY2(error < 0.03, "copies, or the waits for them");
    }

    void whatItDoesNotGoWithIsRefused_data() {
        QTest::addColumn<QString>("what");
        QTest::addColumn<QString>("legal");
        QTest::newRow("ZeRO 2") << "zero"
                                << "parallel.zero 3";
        QTest::newRow("whole layers") << "layers"
                                      << "parallel.partition flat";
        QTest::newRow("a server") << "server"
                                  << "parallel.exchange allreduce";
        QTest::newRow("no flush") << "pipedream"
                                  << "a schedule with a flush";
    }
    void whatItDoesNotGoWithIsRefused() {
        QFETCH(QString, what);
        QFETCH(QString, legal);
        Layout layout = fetching(layoutOf(2, 1, 1, 3));
        if (what == "zero") layout.parallel.zero = below(3);
        else if (what == "layers") layout.parallel.partition = PartitionKind::Layers;
        else if (what == "server") layout.parallel.exchange = Exchange::Server;
        else layout.schedule.kind = "pipedream", layout.optimizer.clip = 0;
        const auto told = [&] {
            const std::vector<Fault> faults = check(layout, scheduleMethods());
            return std::ranges::count_if(faults, [&](const Fault& fault) {
                return fault.pointer == "/memory/offload" &&
                       fault.legal.english().find(legal.toStdString()) != std::string::npos;
            });
        };
        QCOMPARE(told(), 1);
        layout.memory.offload = OffloadKind::None;
        QCOMPARE(told(), 0);
    }
};

QTEST_GUILESS_MAIN(ParameterOffloadTest)
#include "parameter_offload_test.moc"
