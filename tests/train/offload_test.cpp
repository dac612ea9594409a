// SPDX-License-Identifier: Apache-2.0
// An optimizer on the host (ZeRO-Offload, arXiv 2101.06840): losses and weights stay what they are, to the bit; device
// and host hold what the ledgers say, to the byte; every copy is on the timeline, where the plan has it.
#include "engine/base/random.h"
#include "engine/layout/check/check.h"
#include "engine/layout/schedule/registry.h"
#include "tests/support/named.h"
#include "tests/support/sanitizer.h"
#include "tests/support/seed.h"
#include "tests/train/distant_device.h"
#include "tests/train/told_of_host.h"
#include "tests/support/wings.h"

#include <QtTest>

#include <algorithm>
#include <cmath>
#include <map>

using namespace shardlab::test;

namespace {

std::int64_t ofState(const MemoryBytes& bytes) {
    std::int64_t sum = 0;
    for (const MemoryCategory category :
         {MemoryCategory::Parameters, MemoryCategory::Gradients, MemoryCategory::Optimizer})
        sum += bytes[static_cast<std::size_t>(category)];
    return sum;
}

}  // namespace

class OffloadTest : public QObject {
    Q_OBJECT

private:
    RandomStream random_{freshSeed(), "offload"};
    int below(int most) { return static_cast<int>(random_.below(static_cast<std::uint64_t>(most))); }

    /// Fresh sizes; four steps, dropout, several microbatches, gradients that are clipped.
    Layout layoutOf(int data, int pipeline, int tensor, int zero) {
        Layout layout;
        layout.model.kind = ModelKind::Gpt;
        layout.model.layers = pipeline * (1 + below(3));
        layout.model.heads = tensor * (1 + below(2));
        layout.model.hidden = layout.model.heads * (3 + below(5));
        layout.model.sequence = 4 + below(4);
        layout.model.dropout = 0.1;
        layout.parallel.data = data;
        layout.parallel.pipeline = pipeline;
        layout.parallel.tensor = tensor;
        layout.parallel.zero = zero;
        layout.parallel.bucket = below(3) == 0 ? 25 : 0.005;
        layout.cluster.hosts = {{"localhost", data * pipeline * tensor}};
        layout.batch = {2 * data * std::max(2, pipeline), 1 + below(2)};
        layout.optimizer.clip = 0.5;
        layout.optimizer.warmup = 0;
        layout.run.steps = 4;
        layout.run.seed = below(1 << 30);
        layout.run.validateEvery = 2;
        return layout;
    }

    static Layout offloaded(Layout layout) {
        layout.memory.offload = OffloadKind::Optimizer;
        return layout;
    }

    /// With the optimizer on the host and without: same bits, and what is held is what was predicted.
    static void requireSameRun(const Layout& layout, const RunOutcome& wanted, const RunOutcome& got) {
        QVERIFY2(wanted.error.empty(), wanted.error.c_str());
        QVERIFY2(got.error.empty(), got.error.c_str());
        QCOMPARE(got.counter(EventKind::Loss).size(), static_cast<std::size_t>(layout.run.steps));
        for (const EventKind counter :
             {EventKind::Loss, EventKind::ValidationLoss, EventKind::GradientNorm, EventKind::LossScale})
            QVERIFY2(got.counter(counter) == wanted.counter(counter), std::string(name(counter)).c_str());
        QCOMPARE(got.count(EventKind::Overflow), wanted.count(EventKind::Overflow));
        for (std::size_t rank = 0; rank < got.ranks.size(); ++rank) {
            QVERIFY(!got.ranks[rank].parameters.empty());
            QVERIFY(got.ranks[rank].parameters == wanted.ranks[rank].parameters);
        }
    }

    static void requireLedger(const Plan& plan, const RunOutcome& run) {
        for (std::size_t rank = 0; rank < run.ranks.size(); ++rank) {
            const RankMemory& predicted = plan.memory[rank];
            QVERIFY(total(predicted.host) > 0);
            QVERIFY(toldHostBytes(run.ranks[rank]) == predicted.host);
            QCOMPARE(predicted.bytes[static_cast<std::size_t>(MemoryCategory::Optimizer)], std::int64_t{0});
            // At full speed messages may lie longer or shorter: of what stays throughout every byte is told.
            const MemoryBytes held = toldBytes(run.ranks[rank], EventKind::MemoryUsed);
            QCOMPARE(ofState(held), ofState(predicted.bytes));
        }
    }

    /// Each stage's gradients go once a step, on all of its ranks, and its weights come back.
    static void requireCopies(const Plan& plan, const RunOutcome& run) {
        for (const EventKind kind : {EventKind::OffloadGradients, EventKind::ReloadWeights}) {
            std::map<std::pair<int, std::uint64_t>, std::int64_t> predicted, measured;
            for (const Event& event : plan.simulation.events)
                if (event.kind == kind) predicted[{event.rank, event.action}] += event.bytes * plan.layout.run.steps;
            for (std::size_t rank = 0; rank < run.ranks.size(); ++rank)
                for (const Event& event : run.ranks[rank].events)
                    if (event.kind == kind) {
                        QVERIFY(event.lane == Lane::Copy);
                        measured[{static_cast<int>(rank), event.action}] += event.bytes;
                    }
            QVERIFY(!predicted.empty());
            QVERIFY(measured == predicted);
        }
    }

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
        requireSameRun(layout, wanted, got);
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
        requireSameRun(layout, runInProcess(planOf(layout)), got);
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
        requireSameRun(layout, runInProcess(planOf(layout)), got);
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
        QTest::addRow("adamw, gradients in fp32") << "adamw"
                                                  << "master"
                                                  << "fp32";
    }
    void everyOptimizerAndFormatTrainsTheSame() {
        QFETCH(QString, optimizer);
        QFETCH(QString, weights);
        QFETCH(QString, gradients);
        Layout layout = layoutOf(2, 1, 1, below(3));
        layout.optimizer.kind = named(optimizer);
        layout.optimizer.momentum = 0.9;
        layout.precision = {NumberFormat::Bf16, named(weights), named(gradients)};
        const Plan plan = planOf(offloaded(layout));
        const RunOutcome got = runInProcess(plan);
        requireSameRun(layout, runInProcess(planOf(layout)), got);
        if (QTest::currentTestFailed()) return;
        requireLedger(plan, got);
    }

    /// The distant device's memory is not the processor's, and nothing of it is read but by copies.
    void aDistantDeviceTrainsTheSame_data() {
        QTest::addColumn<int>("data");
        QTest::addColumn<int>("zero");
        for (const int zero : {0, 2, 3}) QTest::addRow("data 2 zero %d", zero) << 2 << zero;
        QTest::addRow("one rank") << 1 << 0;
    }
    void aDistantDeviceTrainsTheSame() {
        QFETCH(int, data);
        QFETCH(int, zero);
        Layout layout = layoutOf(data, 1, 1, zero);
        layout.precision.compute = NumberFormat::Bf16;
        std::vector<std::unique_ptr<Device>> devices;
        for (int rank = 0; rank < data; ++rank) devices.push_back(std::make_unique<DistantDevice>());
        const Plan plan = planOf(offloaded(layout));
        const RunOutcome got = runInProcess(plan, {}, [&](int rank, TrainerServices& services) {
            services.device = devices[static_cast<std::size_t>(rank)].get();
        });
        requireSameRun(layout, runInProcess(planOf(layout)), got);
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
