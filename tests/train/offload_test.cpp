// SPDX-License-Identifier: Apache-2.0
// An optimizer on the host (ZeRO-Offload, arXiv 2101.06840): losses and weights stay what they are, to the bit; device
// and host hold what the ledgers say, to the byte; every copy is on the timeline, where the plan has it.
#include "engine/layout/check/check.h"
#include "engine/layout/schedule/registry.h"
#include "tests/support/sanitizer.h"
#include "tests/train/distant_device.h"
#include "tests/train/offload_runs.h"
#include "tests/support/wings.h"

#include <QtTest>

#include <algorithm>
#include <cmath>

using namespace shardlab::test;

class OffloadTest : public QObject, OffloadRuns {
    Q_OBJECT

private Q_SLOTS:
    void everyMeshTrainsTheSame_data() {
        QTest::addColumn<int>("data");
        QTest::addColumn<int>("pipeline");
        QTest::addColumn<int>("tensor");
        QTest::addColumn<int>("zero");
        QTest::addColumn<QString>("compute");
        const auto row = [](int d, int p, int t, int zero, const char* compute) {
            QTest::addRow("%s data %d pipeline %d tensor %d zero %d", compute, d, p, t, zero)
                << d << p << t << zero << compute;
        };
        for (const char* compute : {"fp32", "bf16", "fp16"}) {
            row(1, 1, 1, 0, compute);
            row(2, 2, 1, 0, compute);
            for (const int zero : {1, 2, 3}) row(2, 1, 1, zero, compute);
        }
        row(3, 1, 1, 2, "bf16");
        row(1, 3, 1, 0, "fp32");
        row(1, 1, 2, 0, "bf16");
        row(2, 2, 2, 0, "fp32");
        row(2, 2, 2, 1, "fp16");
        row(2, 2, 1, 2, "fp32");
        row(2, 2, 1, 3, "bf16");
    }
    void everyMeshTrainsTheSame() {
        QFETCH(int, data);
        QFETCH(int, pipeline);
        QFETCH(int, tensor);
        QFETCH(int, zero);
        QFETCH(QString, compute);
        Layout layout = layoutOf(data, pipeline, tensor, zero);
        layout.precision.compute = named(compute);
        if (compute == "fp16") {  // its first steps are skipped
            layout.precision.lossScale = LossScaling::Dynamic;
            layout.precision.scale = 16777216;
            layout.run.steps = 8;
        }
        const Plan plan = planOf(offloaded(layout));
        const RunOutcome wanted = runInProcess(planOf(layout)), got = runInProcess(plan);
        requireSameBits(layout, wanted, got);
        if (QTest::currentTestFailed()) return;
        if (compute == "fp16") QVERIFY(got.count(EventKind::Overflow) > 0);
        requireLedger(plan, got);
        requireCopies(plan, got);
    }

    void everyScheduleTrainsTheSame_data() {
        QTest::addColumn<QString>("schedule");
        QTest::addColumn<int>("data");
        for (const ScheduleMethod& method : generatedMethods())
            for (const int data : {1, 2})
                if (method.flushes)
                    QTest::addRow("%s data %d", method.name.data(), data) << QString(method.name.data()) << data;
    }
    void everyScheduleTrainsTheSame() {
        QFETCH(QString, schedule);
        QFETCH(int, data);
        const ScheduleMethod& method = *findScheduleMethod(schedule.toStdString());
        Layout layout = layoutOf(data, 2, 1, 0);
        layout.schedule.kind = method.name;
        layout.schedule.chunks = method.minChunks;
        layout.model.layers *= method.minChunks;
        while (method.refusal && method.refusal(scheduleShape(layout)))
            layout.batch.global += layout.batch.micro * data;
        const Plan plan = planOf(offloaded(layout));
        const RunOutcome got = runInProcess(plan);
        requireSameBits(layout, runInProcess(planOf(layout)), got);
        if (QTest::currentTestFailed()) return;
        requireLedger(plan, got);
        requireCopies(plan, got);
    }

    /// Tokens of a sample shared out, or experts: what a rank updates is then not what all replicas hold.
    void otherAxesToo_data() {
        QTest::addColumn<int>("context");
        QTest::addColumn<int>("expert");
        QTest::addColumn<int>("zero");
        QTest::addRow("context 2") << 2 << 1 << 0;
        QTest::addRow("context 2 zero 2") << 2 << 1 << 2;
        for (const int zero : {0, 1, 2, 3}) QTest::addRow("expert 2 zero %d", zero) << 1 << 2 << zero;
    }
    void otherAxesToo() {
        QFETCH(int, context);
        QFETCH(int, expert);
        QFETCH(int, zero);
        Layout layout = layoutOf(2, 1, 1, zero);
        layout.model.dropout = 0;
        layout.model.sequence = 8;
        layout.parallel.context = context;
        layout.parallel.expert = expert;
        layout.cluster.hosts[0].devices = 2 * context;
        if (expert > 1) {
            layout.model.kind = zero > 0 ? ModelKind::LlamaMoe : ModelKind::GptMoe;
            layout.model.layers = 2;
            layout.model.experts.count = 4;
            layout.model.experts.shared = zero > 0 ? 1 : 0;
            layout.model.block.headWidth = 4;  // of pairs, where positions are turned
        }
        const Plan plan = planOf(offloaded(layout));
        const RunOutcome got = runInProcess(plan);
        requireSameBits(layout, runInProcess(planOf(layout)), got);
        if (QTest::currentTestFailed()) return;
        requireLedger(plan, got);
        requireCopies(plan, got);
    }

    void everyOptimizerAndFormatTrainsTheSame_data() {
        QTest::addColumn<QString>("optimizer");
        QTest::addColumn<QString>("weights");
        QTest::addColumn<QString>("gradients");
        for (const char* optimizer : {"adamw", "adamw-8bit", "sgd"})
            for (const char* weights : {"master", "fp32", "alone"})
                QTest::addRow("%s, weights %s", optimizer, weights) << optimizer << weights << "compute";
        for (const char* optimizer : {"adafactor", "sm3"})
            QTest::addRow("%s", optimizer) << optimizer << "master"
                                           << "compute";
        QTest::addRow("adamw, gradients in fp32") << "adamw"
                                                  << "master"
                                                  << "fp32";
    }
    void everyOptimizerAndFormatTrainsTheSame() {
        QFETCH(QString, optimizer);
        QFETCH(QString, weights);
        QFETCH(QString, gradients);
        // Members of a tensor group sum up rows and columns in the hosts' memory.
        const bool factored = optimizer == "adafactor" || optimizer == "sm3";
        Layout layout = factored ? layoutOf(1, 2, 2, 0) : layoutOf(2, 1, 1, below(3));
        layout.optimizer.kind = named(optimizer);
        layout.optimizer.momentum = 0.9;
        layout.precision = {NumberFormat::Bf16, named(weights), named(gradients)};
        const Plan plan = planOf(offloaded(layout));
        const RunOutcome got = runInProcess(plan);
        requireSameBits(layout, runInProcess(planOf(layout)), got);
        if (QTest::currentTestFailed()) return;
        requireLedger(plan, got);
    }

    /// The distant device's memory is not the processor's, and nothing of it is read but by copies.
    void aDistantDeviceTrainsTheSame_data() {
        QTest::addColumn<int>("data");
        QTest::addColumn<int>("zero");
        QTest::addColumn<QString>("optimizer");
        for (const int zero : {0, 2, 3}) QTest::addRow("data 2 zero %d", zero) << 2 << zero << "adamw";
        QTest::addRow("one rank") << 1 << 0 << "adamw";
        for (const char* optimizer : {"adafactor", "sm3"})
            QTest::addRow("tensor 2, %s", optimizer) << 1 << 0 << optimizer;
    }
    void aDistantDeviceTrainsTheSame() {
        QFETCH(int, data);
        QFETCH(int, zero);
        QFETCH(QString, optimizer);
        const int tensor = optimizer == "adamw" ? 1 : 2;
        Layout layout = layoutOf(data, 1, tensor, zero);
        layout.optimizer.kind = named(optimizer);
        layout.precision.compute = NumberFormat::Bf16;
        std::vector<std::unique_ptr<Device>> devices;
        for (int rank = 0; rank < data * tensor; ++rank) devices.push_back(std::make_unique<DistantDevice>());
        const Plan plan = planOf(offloaded(layout));
        const RunOutcome got = runInProcess(plan, {}, [&](int rank, TrainerServices& services) {
            services.device = devices[static_cast<std::size_t>(rank)].get();
        });
        requireSameBits(layout, runInProcess(planOf(layout)), got);
        if (QTest::currentTestFailed()) return;
        requireLedger(plan, got);
        requireCopies(plan, got);
    }

    /// 4 of AdamW's 16 bytes a parameter stay on the device: weights and gradients in 16 bits.
    void theDeviceLosesTwelveOfSixteenBytes() {
        Layout layout = layoutOf(1, 1, 1, 0);
        layout.precision.compute = NumberFormat::Bf16;
        const Plan with = planOf(offloaded(layout)), without = planOf(layout);
        const std::int64_t parameters = with.parameters;
        QCOMPARE(ofState(without.memory[0].bytes), 16 * parameters);
        QCOMPARE(ofState(with.memory[0].bytes), 4 * parameters);
        QCOMPARE(without.memory[0].peak - with.memory[0].peak, 12 * parameters);
        // The host holds the master copy and the moments, and room for gradients and weights on their way.
        QCOMPARE(with.memory[0].host[static_cast<std::size_t>(MemoryCategory::Optimizer)], 12 * parameters);
        QCOMPARE(total(with.memory[0].host), 16 * parameters);
        QCOMPARE(total(without.memory[0].host), std::int64_t{0});
        // What ranks send each other stays what it is.
        QCOMPARE(with.traffic.size(), without.traffic.size());
    }

    /// Paced, copies and what waits for them lie where the simulation has them.
    void aPacedRunIsThatOfTheSimulation_data() {
        QTest::addColumn<int>("data");
        QTest::addColumn<int>("pipeline");
        QTest::addColumn<int>("zero");
        QTest::addRow("one rank") << 1 << 1 << 0;
        QTest::addRow("pipeline 2") << 1 << 2 << 0;
        QTest::addRow("data 2, zero 1") << 2 << 1 << 1;
    }
    void aPacedRunIsThatOfTheSimulation() {
        SKIP_IF_SANITIZED();
        QFETCH(int, data);
        QFETCH(int, pipeline);
        QFETCH(int, zero);
        constexpr int steps = 4;
        Layout layout;
        layout.model = {ModelKind::Gpt, 4, 192, 2, 4, 256, 0.0};  // few tokens: little to hide behind
        layout.parallel.data = data;
        layout.parallel.pipeline = pipeline;
        layout.parallel.zero = zero;
        layout.cluster.hosts = {{"localhost", data * pipeline}};
        layout.batch = {4 * data, 1};
        layout.run = {steps, 1, 0, 1};
        layout.data.validation = 0;
        layout = offloaded(std::move(layout));
        // At a slower pace where no step comes close: the machine may be busy otherwise.
        double error = HUGE_VAL;
        for (double seconds = 0.5; error >= 0.03 && seconds <= 4; seconds *= 2) {
            layout.cluster.pace = PaceSpec{"h100-sxm", seconds};
            const Plan plan = planOf(layout);
            for (const HostCopyTimes& times : simulatedCopies(plan))
                QVERIFY2(times.waited > 0.02 * plan.simulation.stepSeconds, "little to compare");
            const RunOutcome run = runInProcess(plan);
            QVERIFY2(run.error.empty(), run.error.c_str());
            requireCopies(plan, run);
            error = std::min(error, copiesOff(plan, run));
        }
        QVERIFY2(error < 0.03, "copies, or the waits for them");
    }

    void whatItDoesNotGoWithIsRefused_data() {
        QTest::addColumn<QString>("what");
        for (const char* what : {"adafactor", "sm3", "pipedream", "server", "easgd"}) QTest::newRow(what) << what;
    }
    void whatItDoesNotGoWithIsRefused() {
        QFETCH(QString, what);
        Layout layout = offloaded(layoutOf(2, 1, 1, 0));
        const std::string word = what.toStdString();
        if (word == "pipedream") {
            layout.schedule.kind = word;
            layout.optimizer.clip = 0;
        } else if (word == "server" || word == "easgd") {
            layout.parallel.exchange = named(word);
            if (word == "easgd") layout.optimizer.kind = OptimizerKind::Sgd;
        } else {
            layout.optimizer.kind = named(word);
        }
        const std::vector<Fault> faults = check(layout, scheduleMethods());
        const auto told = std::ranges::count(faults, "/memory/offload", &Fault::pointer);
        QCOMPARE(told, 1);
        layout.memory.offload = OffloadKind::None;
        QVERIFY(std::ranges::count(check(layout, scheduleMethods()), "/memory/offload", &Fault::pointer) == 0);
    }
};

QTEST_GUILESS_MAIN(OffloadTest)
#include "offload_test.moc"
