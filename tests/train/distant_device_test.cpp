// SPDX-License-Identifier: Apache-2.0
// Training on a device whose memory is not the processor's: everything goes through its kernels and its copies, and
// every message by way of the host. The kernels are the processor's, so the results are the same to the bit.
#include "engine/train/comm/staged_communicator.h"
#include "tests/support/named.h"
#include "tests/support/seed.h"
#include "tests/train/distant_device.h"
#include "tests/train/run_in_process.h"
#include "tests/support/wings.h"

#include <QTemporaryDir>
#include <QtTest>

using namespace shardlab::test;

namespace {

RunOutcome runOn(const Plan& plan, bool distant, const std::function<void(TrainerServices&)>& prepare = {}) {
    std::vector<std::unique_ptr<Device>> devices;
    for (int rank = 0; rank < plan.mesh.ranks(); ++rank) devices.push_back(std::make_unique<DistantDevice>());
    return runInProcess(plan, {}, [&](int rank, TrainerServices& services) {
        if (distant) services.device = devices[static_cast<std::size_t>(rank)].get();
        if (prepare) prepare(services);
    });
}

}  // namespace

class DistantDeviceTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void trainsTheSame_data() {
        QTest::addColumn<int>("data");
        QTest::addColumn<int>("pipeline");
        QTest::addColumn<int>("tensor");
        QTest::addColumn<int>("zero");
        QTest::addColumn<QString>("schedule");
        QTest::addColumn<QString>("compute");
        QTest::addColumn<QString>("recompute");
        QTest::addColumn<QString>("exchange");
        QTest::addColumn<QString>("allReduce");
        const auto row = [](int d, int p, int t, int zero, const char* schedule, const char* compute,
                            const char* recompute, const char* exchange = "allreduce", const char* kind = "backend") {
            QTest::addRow("data %d pipeline %d tensor %d zero %d %s %s recompute %s, %s, %s", d, p, t, zero, schedule,
                          compute, recompute, exchange, kind)
                << d << p << t << zero << schedule << compute << recompute << exchange << kind;
        };
        row(1, 1, 1, 0, "1f1b", "fp32", "none");
        row(1, 1, 1, 0, "1f1b", "bf16", "selective");
        row(2, 2, 1, 0, "1f1b", "fp32", "none");
        row(1, 2, 2, 0, "zb-h1", "fp32", "full");
        row(2, 1, 2, 0, "gpipe", "fp16", "none");
        row(2, 2, 1, 1, "1f1b", "bf16", "none");
        row(2, 2, 1, 2, "1f1b", "fp32", "none");
        row(2, 2, 1, 3, "1f1b", "fp16", "none");
        row(1, 2, 1, 0, "pipedream", "fp32", "none");
        row(2, 2, 1, 0, "1f1b", "bf16", "none", "server");
        row(2, 2, 1, 0, "pipedream", "bf16", "none");
        row(2, 2, 1, 0, "pipedream-2bw", "fp32", "none", "allreduce", "ring");
        for (const int zero : {0, 1, 2, 3}) row(3, 1, 1, zero, "1f1b", "fp16", "none", "allreduce", "ring");
    }
    void trainsTheSame() {
        QFETCH(int, data);
        QFETCH(int, pipeline);
        QFETCH(int, tensor);
        QFETCH(int, zero);
        QFETCH(QString, schedule);
        QFETCH(QString, compute);
        QFETCH(QString, recompute);
        QFETCH(QString, exchange);
        QFETCH(QString, allReduce);
        Layout layout = small();
        if (data == 3) layout.batch = {12, 2};
        layout.cluster.hosts = {{"localhost", data * pipeline * tensor}};
        layout.parallel.data = data;
        layout.parallel.pipeline = pipeline;
        layout.parallel.tensor = tensor;
        layout.parallel.sequence = tensor > 1;
        layout.parallel.zero = zero;
        layout.parallel.exchange = named(exchange);
        layout.parallel.allReduce = named(allReduce);
        layout.schedule.kind = schedule.toStdString();
        if (schedule.startsWith("pipedream")) layout.optimizer.clip = 0;
        layout.memory.recompute = named(recompute);
        layout.precision.compute = named(compute);
        if (compute == "fp16") layout.precision.lossScale = LossScaling::Dynamic;
        layout.model.dropout = 0.1;
        const Plan plan = planOf(layout);
        const RunOutcome near = runOn(plan, false), far = runOn(plan, true);
        QVERIFY2(near.error.empty(), near.error.c_str());
        QVERIFY2(far.error.empty(), far.error.c_str());
        QCOMPARE(far.counter(EventKind::Loss), near.counter(EventKind::Loss));
        QCOMPARE(far.counter(EventKind::ValidationLoss), near.counter(EventKind::ValidationLoss));
        for (std::size_t rank = 0; rank < far.ranks.size(); ++rank)
            QVERIFY(far.ranks[rank].parameters == near.ranks[rank].parameters);
    }

    /// Codes are made in the device's memory, from which they go by way of the host.
    void codedExchangesToo_data() {
        QTest::addColumn<QString>("format");
        QTest::addColumn<int>("zero");
        QTest::addColumn<int>("shard");
        for (const char* format : {"8-bit", "4-bit", "1-bit"})
            for (const int zero : {0, 1, 2, 3})
                for (const int shard : {0, 2})
                    if (zero > 0 || shard == 0)
                        QTest::addRow("%s zero %d shard %d", format, zero, shard) << format << zero << shard;
    }
    void codedExchangesToo() {
        QFETCH(QString, format);
        QFETCH(int, zero);
        QFETCH(int, shard);
        Layout layout = small();
        layout.cluster.hosts = {{"localhost", 4}};
        layout.parallel.data = 4;
        layout.parallel.pipeline = 1;
        layout.parallel.zero = zero;
        layout.parallel.shard = shard;
        layout.parallel.bucket = 0.01;
        layout.precision.exchange = named(format);
        const Plan plan = planOf(layout);
        const RunOutcome near = runOn(plan, false), far = runOn(plan, true);
        QVERIFY2(near.error.empty(), near.error.c_str());
        QVERIFY2(far.error.empty(), far.error.c_str());
        QCOMPARE(far.counter(EventKind::Loss), near.counter(EventKind::Loss));
        for (std::size_t rank = 0; rank < far.ranks.size(); ++rank)
            QVERIFY(far.ranks[rank].parameters == near.ranks[rank].parameters);
    }

    void expertsToo_data() {
        QTest::addColumn<QString>("gate");
        QTest::addColumn<QString>("compute");
        for (const char* gate :
             {"switch", "noisy-top-k", "hierarchical", "gshard", "expert-choice", "capped-expert-choice"})
            for (const char* compute : {"fp32", "bf16", "fp16"})
                QTest::addRow("%s %s", gate, compute) << gate << compute;
        QTest::newRow("softmax-top-k fp32") << "softmax-top-k"
                                            << "fp32";
        QTest::newRow("top-k-softmax bf16") << "top-k-softmax"
                                            << "bf16";
        QTest::newRow("sigmoid-top-k fp16") << "sigmoid-top-k"
                                            << "fp16";
        QTest::newRow("sigmoid-in-groups fp32") << "sigmoid-in-groups"
                                                << "fp32";
    }
    void expertsToo() {
        QFETCH(QString, gate);
        QFETCH(QString, compute);
        Layout layout = small();
        layout.model.kind = ModelKind::GptMoe;
        layout.model.experts.count = 4;
        layout.model.experts.gate = named(gate);
        layout.model.experts.groups = 2;
        layout.model.dropout = layout.model.experts.dropout = 0.1;
        if (gate.startsWith("softmax") || gate.startsWith("top-k") || gate.startsWith("sigmoid")) {
            layout.model.experts.capacity = layout.model.experts.dropout = 0;
            layout.model.experts.shared = 1;
        }
        layout.precision.compute = named(compute);
        if (compute == "fp16") layout.precision.lossScale = LossScaling::Dynamic;
        layout.run.steps = 20;
        const Plan plan = planOf(layout);
        const RunOutcome near = runOn(plan, false), far = runOn(plan, true);
        QVERIFY2(near.error.empty(), near.error.c_str());
        QVERIFY2(far.error.empty(), far.error.c_str());
        const std::vector<double> losses = far.counter(EventKind::Loss);
        QCOMPARE(losses, near.counter(EventKind::Loss));
        QVERIFY2(losses.back() < losses.front() - 0.2,
                 qPrintable(QString("%1 to %2").arg(losses.front()).arg(losses.back())));
        for (std::size_t rank = 0; rank < far.ranks.size(); ++rank) {
            QVERIFY(far.ranks[rank].parameters == near.ranks[rank].parameters);
            const auto loads = [rank](const RunOutcome& run) {
                std::vector<std::pair<std::int64_t, double>> all;
                for (const Event& event : run.ranks[rank].events)
                    if (event.kind == EventKind::ExpertLoad || event.kind == EventKind::ExpertDropped)
                        all.emplace_back(event.bytes, event.value);
                return all;
            };
            QCOMPARE(loads(far), loads(near));
        }
    }

    void checkpointsGoByWayOfTheHost() {
        Layout layout = small();
        layout.precision.compute = NumberFormat::Fp16;
        layout.precision.lossScale = LossScaling::Dynamic;
        layout.precision.scale = 16777216;  // some steps are left out
        layout.run.steps = 8;
        const RunOutcome whole = runOn(planOf(layout), true);
        QTemporaryDir folder;
        layout.checkpoint.every = 4;
        const auto checkpoints = [&](TrainerServices& services) {
            services.checkpoints = folder.filePath("checkpoints").toStdString();
        };
        const RunOutcome saved = runOn(planOf(layout), true, checkpoints);
        QVERIFY2(saved.error.empty(), saved.error.c_str());
        QVERIFY(saved.ranks[0].parameters == whole.ranks[0].parameters);
        std::filesystem::path middle;
        for (const auto& entry : std::filesystem::directory_iterator(folder.filePath("checkpoints").toStdString()))
            if (middle.empty() || entry.path() < middle) middle = entry.path();
        const RunOutcome resumed =
            runOn(planOf(layout), true, [&](TrainerServices& services) { services.resume = middle; });
        QVERIFY2(resumed.error.empty(), resumed.error.c_str());
        QVERIFY(resumed.ranks[0].parameters == whole.ranks[0].parameters);
        const auto scales = whole.counter(EventKind::LossScale), after = resumed.counter(EventKind::LossScale);
        QCOMPARE(after, std::vector<double>(scales.end() - static_cast<std::ptrdiff_t>(after.size()), scales.end()));
    }

private:
    static Layout small() {
        Layout layout;
        layout.name = "distant";
        layout.model = {ModelKind::Gpt, 2, 32, 2, 16, 256, 0.0};
        layout.batch = {8, 2};
        layout.run = {6, freshSeed() % 10000, 3, 1};
        return layout;
    }
};

QTEST_GUILESS_MAIN(DistantDeviceTest)
#include "distant_device_test.moc"
