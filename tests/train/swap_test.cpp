// SPDX-License-Identifier: Apache-2.0
// Activations on the host between forward and backward (GeePS): losses and weights stay what they are, to the bit;
// device and host hold what the ledgers say, to the byte; every copy is on the timeline, in its order, where the plan
// has it.
#include "engine/base/random.h"
#include "engine/layout/check/check.h"
#include "engine/layout/kept_activations.h"
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

std::int64_t toldPeak(const RankOutcome& rank) {
    std::int64_t most = 0;
    for (const Event& event : rank.events)
        if (event.kind == EventKind::MemoryPeak) most = std::max(most, event.bytes);
    return most;
}

std::int64_t activations(const MemoryBytes& bytes) {
    return bytes[static_cast<std::size_t>(MemoryCategory::Activations)];
}

}  // namespace

Q_DECLARE_METATYPE(shardlab::layout::ContextKind)

class SwapTest : public QObject {
    Q_OBJECT

private:
    RandomStream random_{freshSeed(), "swap"};
    int below(int most) { return static_cast<int>(random_.below(static_cast<std::uint64_t>(most))); }
    template <class... Words>
    const char* one(const char* first, Words... others) {
        const std::array words{first, others...};
        return words[random_.below(words.size())];
    }

    /// Fresh sizes; three steps, dropout, several microbatches.
    Layout layoutOf(int data, int pipeline, int tensor, int zero, const char* model = "gpt") {
        Layout layout;
        layout.model.kind = named(model);
        layout.model.layers = pipeline * (1 + below(3));
        layout.model.heads = tensor * (1 + below(2));
        layout.model.hidden = layout.model.heads * 2 * (2 + below(3));
        layout.model.sequence = 4 + below(4);
        layout.model.dropout = 0.1;
        layout.parallel.data = data;
        layout.parallel.pipeline = pipeline;
        layout.parallel.tensor = tensor;
        layout.parallel.zero = zero;
        layout.parallel.bucket = below(3) == 0 ? 25 : 0.005;
        layout.schedule.kind = "gpipe";
        layout.cluster.hosts = {{"localhost", data * pipeline * tensor}};
        layout.batch.micro = 1 + below(2);
        layout.batch.global = layout.batch.micro * data * (3 + below(3));
        layout.optimizer.clip = 0.5;
        layout.optimizer.warmup = 0;
        layout.run.steps = 3;
        layout.run.seed = below(1 << 30);
        layout.run.validateEvery = 2;
        if (readsImages(layout.model)) {
            layout.model.hidden = 2 + below(3);
            layout.model.cnn.image = 1 << layout.model.layers;
            layout.model.cnn.convolutions = 1 + below(2);
            layout.model.dropout = 0;
        }
        if (hasExperts(layout.model)) {
            layout.model.layers = 2 * pipeline;
            layout.model.experts.count = 4;
        }
        if (layout.model.kind == ModelKind::LlamaMoe) {
            layout.model.experts.gate = named(one("softmax-top-k", "top-k-softmax", "sigmoid-top-k"));
            layout.model.experts.capacity = below(4) == 0 ? 1 : 0;
            layout.model.experts.shared = below(2);
            layout.model.experts.denseLayers = below(2);
        }
        return layout;
    }

    static Layout swapped(Layout layout) {
        layout.memory.swap = SwapKind::Activations;
        return layout;
    }

    /// How many zeros maps have, a plan cannot know.
    static bool dataDecide(const Layout& layout) {
        return keepsSparsely(layout.memory) && layout.model.cnn.convolutions > 1;
    }

    /// With and without: same bits, the copies that the plan has, in the order of the schedule, and as much on the host
    /// as it says.
    static void requireSameRun(const Layout& layout, const std::function<void(int, TrainerServices&)>& prepare = {}) {
        const Plan plan = planOf(swapped(layout));
        const RunOutcome wanted = runInProcess(planOf(layout)), got = runInProcess(plan, {}, prepare);
        requireSameBits(layout, wanted, got);
        if (QTest::currentTestFailed()) return;
        for (std::size_t rank = 0; rank < got.ranks.size(); ++rank) {
            if (dataDecide(layout)) continue;
            const MemoryBytes held = toldHostBytes(got.ranks[rank]);
            QVERIFY2(held == plan.memory[rank].host, qPrintable(QString("rank %1: %2 on the host, predicted %3")
                                                                    .arg(rank)
                                                                    .arg(total(held))
                                                                    .arg(total(plan.memory[rank].host))));
            // At full speed messages may lie longer or shorter; alone a rank has none.
            if (got.ranks.size() > 1) continue;
            QVERIFY(toldBytes(got.ranks[rank], EventKind::CategoryPeak) == plan.memory[rank].bytes);
            QCOMPARE(toldPeak(got.ranks[rank]), plan.memory[rank].peak);
        }
        requireCopies(plan, got);
    }

    static void requireCopies(const Plan& plan, const RunOutcome& run) {
        bool any = false;
        for (std::size_t rank = 0; rank < run.ranks.size(); ++rank) {
            std::map<std::pair<int, Action>, Event> spans;  // by step
            for (const Event& event : run.ranks[rank].events) {
                const Action action = actionFromId(event.action);
                if (event.kind != eventKind(action.kind) || event.action == 0) continue;
                if (isSwap(action.kind)) QVERIFY(event.lane == Lane::Copy);
                if (const auto [entry, added] = spans.try_emplace({event.step, action}, event); !added)
                    entry->second.end = event.end;  // a compute span may be cut by waits
            }
            const int member = plan.mesh.coordinate(static_cast<int>(rank), Axis::Pipeline);
            for (int step = 0; step < plan.layout.run.steps; ++step)
                for (const Action& action : plan.lowered.ranks[static_cast<std::size_t>(member)]) {
                    if (action.kind != ActionKind::SwapOut) continue;
                    any = true;
                    Action other = action;
                    const auto spanOf = [&](ActionKind kind) {
                        other.kind = kind;
                        const auto found = spans.find({step, other});
                        return found == spans.end() ? Event{} : found->second;
                    };
                    const Event forward = spanOf(ActionKind::Forward), out = spanOf(ActionKind::SwapOut),
                                in = spanOf(ActionKind::SwapIn);
                    Event backward = spanOf(ActionKind::Backward);
                    if (backward.kind == EventKind::None) backward = spanOf(ActionKind::InputGrad);
                    QVERIFY(out.kind == EventKind::SwapOut && in.kind == EventKind::SwapIn &&
                            backward.kind != EventKind::None);
                    QVERIFY(forward.begin <= out.begin && out.begin <= out.end && out.end <= in.begin &&
                            in.begin <= in.end);
                    if (!plan.layout.cluster.pace) QVERIFY(in.end <= backward.end);
                    QCOMPARE(out.bytes, in.bytes);
                    // The plan counts with the member that has most.
                    QVERIFY(out.bytes > 0);
                    if (dataDecide(plan.layout)) continue;
                    QVERIFY(out.bytes <= plan.costs.bytes(action));
                    if (plan.layout.parallel.tensor == 1) QCOMPARE(out.bytes, plan.costs.bytes(action));
                }
        }
        QVERIFY(any);
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
            row(1, 2, 2, 0, compute);
        }
        for (const int zero : {1, 2, 3}) {
            row(2, 1, 1, zero, "fp32");
            row(2, 2, 1, zero, "bf16");
        }
        row(1, 3, 1, 0, "fp32");
        row(2, 2, 2, 3, "fp32");
    }
    void everyMeshTrainsTheSame() {
        QFETCH(int, data);
        QFETCH(int, pipeline);
        QFETCH(int, tensor);
        QFETCH(int, zero);
        QFETCH(QString, compute);
        Layout layout = layoutOf(data, pipeline, tensor, zero);
        layout.precision.compute = named(compute);
        layout.parallel.sequence = tensor > 1 && below(2) == 0;
        if (layout.parallel.sequence) layout.model.sequence = 2 * tensor;
        if (compute == "fp16") {  // its first steps are skipped
            layout.precision.lossScale = LossScaling::Dynamic;
            layout.precision.scale = 16777216;
        }
        requireSameRun(layout);
    }

    void everyScheduleTrainsTheSame_data() {
        QTest::addColumn<QString>("schedule");
        QTest::addColumn<int>("data");
        for (const ScheduleMethod& method : generatedMethods())
            for (const int data : {1, 2})
                if (method.flushes && method.name != "naive")
                    QTest::addRow("%s data %d", method.name.data(), data) << QString(method.name.data()) << data;
    }
    void everyScheduleTrainsTheSame() {
        QFETCH(QString, schedule);
        QFETCH(int, data);
        const ScheduleMethod& method = *findScheduleMethod(schedule.toStdString());
        Layout layout = layoutOf(data, 2, 1, 0);
        if (schedule == "1f1b" || schedule == "zb-h1" ||
            schedule == "zb-greedy") {  // with two stages next to nothing waits
            layout = layoutOf(data, 3, 1, 0);
            layout.batch.global = 6 * data * layout.batch.micro;
        }
        layout.schedule.kind = method.name;
        layout.schedule.chunks = method.minChunks;
        layout.model.layers *= method.minChunks;
        while (method.refusal && method.refusal(scheduleShape(layout)))
            layout.batch.global += layout.batch.micro * data;
        requireSameRun(layout);
    }

    void aScheduleWrittenByHandToo() {
        Layout layout = layoutOf(1, 2, 1, 0);
        layout.model.layers = 2;
        layout.batch = {4, 1};
        layout.schedule.kind = "custom";
        layout.schedule.actions = {"0F0,0F1,0F2,0F3,0I0,0B1,0W0,0B3,0B2", "1F0,1F1,1B0,1F2,1B1,1F3,1B3,1I2,1W2"};
        requireSameRun(layout);
    }

    /// What a forward keeps is another with each model and each way of keeping less.
    void everyModelTrainsTheSame_data() {
        QTest::addColumn<QString>("model");
        QTest::addColumn<QString>("keeps");
        for (const char* model : {"gpt", "llama", "mlp", "gpt-moe", "llama-moe", "cnn"})
            for (const char* keeps : {"none", "selective", "full", "sqrt", "every"}) {
                if (keeps == std::string("selective") && (model == std::string("mlp") || model == std::string("cnn")))
                    continue;
                QTest::addRow("%s recompute %s", model, keeps) << model << keeps;
            }
        for (const char* keeps : {"lossless", "lossy-16", "lossy-10", "lossy-8"})
            QTest::addRow("cnn %s", keeps) << "cnn" << keeps;
    }
    void everyModelTrainsTheSame() {
        QFETCH(QString, model);
        QFETCH(QString, keeps);
        for (const int pipeline : {1, 2}) {
            Layout layout = layoutOf(1, pipeline, 1, 0, qPrintable(model));
            if (keeps.startsWith("loss")) layout.memory.activations = named(keeps);
            else layout.memory.recompute = named(keeps);
            requireSameRun(layout);
            if (QTest::currentTestFailed()) return;
        }
    }

    /// Tokens of a sample shared out, experts, and inputs of segments in parts.
    void otherAxesToo_data() {
        QTest::addColumn<ContextKind>("method");
        QTest::addColumn<int>("context");
        QTest::addColumn<int>("expert");
        QTest::addColumn<int>("tensor");
        QTest::addColumn<int>("zero");
        const auto ring = ContextKind::Ring;
        QTest::addRow("context 2") << ring << 2 << 1 << 1 << 0;
        QTest::addRow("context 2, heads exchanged") << ContextKind::Ulysses << 2 << 1 << 1 << 0;
        for (const int zero : {0, 2, 3}) QTest::addRow("expert 2 zero %d", zero) << ring << 1 << 2 << 1 << zero;
        QTest::addRow("inputs in parts") << ring << 1 << 1 << 2 << 0;
    }
    void otherAxesToo() {
        QFETCH(ContextKind, method);
        QFETCH(int, context);
        QFETCH(int, expert);
        QFETCH(int, tensor);
        QFETCH(int, zero);
        Layout layout = layoutOf(expert, 2, tensor, zero, expert > 1 ? "gpt-moe" : "gpt");
        if (context > 1) {
            layout.model.dropout = 0;
            layout.model.sequence = 8;
            layout.parallel.contextKind = method;
            if (method == ContextKind::Ulysses) layout.model.hidden *= 2, layout.model.heads *= 2;
        }
        layout.parallel.context = context;
        layout.parallel.expert = expert;
        layout.cluster.hosts[0].devices = 2 * context * expert * tensor;
        if (tensor > 1) {
            layout.memory.recompute = named(one("full", "sqrt"));
            layout.memory.partitionActivations = true;
        }
        requireSameRun(layout);
    }

    /// They have one link, and one thread that copies.
    void anOptimizerOnTheHostToo_data() {
        QTest::addColumn<int>("data");
        QTest::addColumn<int>("zero");
        for (const int zero : {0, 1, 2, 3}) QTest::addRow("data 2 zero %d", zero) << 2 << zero;
        QTest::addRow("one replica") << 1 << 0;
    }
    void anOptimizerOnTheHostToo() {
        QFETCH(int, data);
        QFETCH(int, zero);
        Layout layout = layoutOf(data, 2, 1, zero);
        layout.precision.compute = NumberFormat::Bf16;
        layout.memory.offload = OffloadKind::Optimizer;
        layout.schedule.kind = "looped-bfs";
        layout.schedule.chunks = 2;
        layout.model.layers *= 2;
        requireSameRun(layout);
    }

    void otherExchangesToo_data() {
        QTest::addColumn<QString>("exchange");
        for (const char* exchange : {"server", "easgd"}) QTest::newRow(exchange) << exchange;
    }
    void otherExchangesToo() {
        QFETCH(QString, exchange);
        Layout layout = layoutOf(2, 1, 1, 0);
        layout.parallel.exchange = named(exchange);
        if (exchange == "easgd") layout.optimizer.kind = OptimizerKind::Sgd;
        requireSameRun(layout);
    }

    /// The distant device's memory is not the processor's, and nothing of it is read but by copies.
    void aDistantDeviceTrainsTheSame_data() {
        QTest::addColumn<QString>("model");
        for (const char* model : {"gpt", "llama", "gpt-moe", "llama-moe", "cnn"}) QTest::newRow(model) << model;
    }
    void aDistantDeviceTrainsTheSame() {
        QFETCH(QString, model);
        Layout layout = layoutOf(1, 2, 1, 0, qPrintable(model));
        layout.memory.offload = named(one("none", "optimizer"));
        std::vector<std::unique_ptr<Device>> devices;
        for (int rank = 0; rank < 2; ++rank) devices.push_back(std::make_unique<DistantDevice>());
        requireSameRun(layout, [&](int rank, TrainerServices& services) {
            services.device = devices[static_cast<std::size_t>(rank)].get();
        });
    }

    /// A device keeps those of m microbatches in flight that go, come back and are at work.
    void theDeviceKeepsFewMicrobatches() {
        Layout layout = layoutOf(1, 1, 1, 0);
        layout.batch = {12, 1};
        const Plan with = planOf(swapped(layout)), without = planOf(layout);
        const std::int64_t microbatch = with.costs.stages[0].swapBytes;
        QVERIFY(activations(without.memory[0].bytes) >= 12 * microbatch);
        QVERIFY(activations(with.memory[0].bytes) <= activations(without.memory[0].bytes) - 9 * microbatch);
        QCOMPARE(activations(with.memory[0].host), 12 * microbatch);
        QCOMPARE(total(without.memory[0].host), std::int64_t{0});
        QCOMPARE(with.hosts[0].toHost, 12 * microbatch);
        QCOMPARE(with.hosts[0].fromHost, 12 * microbatch);
        QVERIFY(without.hosts.empty());
    }

    /// Paced, copies and what waits for them lie where the simulation has them.
    void aPacedRunIsThatOfTheSimulation_data() {
        QTest::addColumn<int>("data");
        QTest::addColumn<int>("pipeline");
        QTest::addColumn<QString>("offload");
        QTest::addRow("one rank") << 1 << 1 << "none";
        QTest::addRow("pipeline 2") << 1 << 2 << "none";
        QTest::addRow("data 2, optimizer on the host") << 2 << 1 << "optimizer";
    }
    void aPacedRunIsThatOfTheSimulation() {
        SKIP_IF_SANITIZED();
        QFETCH(int, data);
        QFETCH(int, pipeline);
        QFETCH(QString, offload);
        constexpr int steps = 4;
        Layout layout;
        layout.model = {ModelKind::Gpt, pipeline, 64, 2, 128, 256, 0.0};
        layout.parallel.data = data;
        layout.parallel.pipeline = pipeline;
        layout.schedule.kind = "gpipe";
        layout.cluster.hosts = {{"localhost", data * pipeline}};
        layout.batch = {24 * data, 4};
        layout.run = {steps, 1, 0, 1};
        layout.data.validation = 0;
        layout.memory.offload = named(offload);
        layout = swapped(std::move(layout));
        // At a slower pace where no step comes close: the machine may be busy otherwise.
        double error = HUGE_VAL;
        for (double seconds = 0.5; error >= 0.03 && seconds <= 4; seconds *= 2) {
            layout.cluster.pace = PaceSpec{"a100-sxm", seconds};
            const Plan plan = planOf(layout);
            const std::vector<HostCopyTimes> simulated = simulatedCopies(plan);
            for (std::size_t rank = 0; rank < simulated.size(); ++rank) {
                const HostTraffic& told = plan.hosts[rank];
                const double clock = plan.costs.stretch;
                QVERIFY(std::abs(told.exposedSeconds * clock - simulated[rank].waited) < 1e-9);
                QVERIFY(std::abs((told.toHostSeconds + told.fromHostSeconds) * clock - simulated[rank].copied) < 1e-9);
            }
            QVERIFY2(std::ranges::max(simulated, {}, &HostCopyTimes::waited).waited >
                         0.02 * plan.simulation.stepSeconds,
                     "little to compare");
            const RunOutcome run = runInProcess(plan);
            QVERIFY2(run.error.empty(), run.error.c_str());
            requireCopies(plan, run);
            if (QTest::currentTestFailed()) return;
            error = std::min(error, copiesOff(plan, run));
        }
        QVERIFY2(error < 0.03, qPrintable(QString("copies, or the waits for them: %1").arg(error)));
    }

    void whatItDoesNotGoWithIsRefused_data() {
        QTest::addColumn<QString>("what");
        for (const char* what : {"pipedream", "pipedream-2bw", "async-server", "hogwild"}) QTest::newRow(what) << what;
    }
    void whatItDoesNotGoWithIsRefused() {
        QFETCH(QString, what);
        Layout layout = swapped(layoutOf(2, 1, 1, 0));
        if (what.startsWith("pipe")) layout.schedule.kind = what.toStdString();
        else layout.parallel.exchange = named(what);
        const std::vector<Fault> faults = check(layout, scheduleMethods());
        QCOMPARE(std::ranges::count(faults, "/memory/swap", &Fault::pointer), 1);
        layout.memory.swap = SwapKind::None;
        QCOMPARE(std::ranges::count(check(layout, scheduleMethods()), "/memory/swap", &Fault::pointer), 0);
    }
};

QTEST_GUILESS_MAIN(SwapTest)
#include "swap_test.moc"
