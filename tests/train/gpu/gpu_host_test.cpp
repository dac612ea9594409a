// SPDX-License-Identifier: Apache-2.0
// Training on GPUs with an optimizer, parameters or activations on their host.
#include "tests/support/named.h"
#include "tests/train/gpu/gpu_runs.h"
#include "tests/train/loss_curves.h"
#include "tests/support/wings.h"

#include <QtTest>

#include <algorithm>

using namespace shardlab::test;

class GpuHostTest : public QObject, GpuRuns {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() {
        const std::string lack = open();
        if (!lack.empty()) QSKIP(lack.c_str());
    }

    /// Gradients go to pinned memory of the host, where the processor updates, and weights come back: as if the GPU
    /// updated.
    void offloadToo_data() {
        QTest::addColumn<int>("data");
        QTest::addColumn<int>("zero");
        QTest::addColumn<QString>("compute");
        const auto row = [](int d, int zero, const char* compute) {
            QTest::addRow("%s data %d zero %d", compute, d, zero) << d << zero << compute;
        };
        row(1, 0, "fp32");
        row(2, 0, "bf16");
        row(2, 1, "fp32");
        row(2, 2, "fp16");
        row(2, 3, "bf16");
    }
    void offloadToo() {
        QFETCH(int, data);
        QFETCH(int, zero);
        QFETCH(QString, compute);
        Layout layout = layoutOf(data, 2, 1, zero, compute.toStdString());
        layout.memory.offload = OffloadKind::Optimizer;
        const Plan plan = planOf(layout);
        const RunOutcome near = runInProcess(plan), far = runOnGpus(plan);
        QVERIFY2(near.error.empty(), near.error.c_str());
        QVERIFY2(far.error.empty(), far.error.c_str());
        const double tolerance = compute == "fp32" ? 1e-4 : compute == "bf16" ? 2e-2 : 4e-3;
        const QString wrong = difference(far.counter(EventKind::Loss), near.counter(EventKind::Loss), tolerance);
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
        for (const EventKind kind : {EventKind::OffloadGradients, EventKind::ReloadWeights}) {
            QCOMPARE(far.count(kind), layout.run.steps * plan.mesh.ranks());
            for (const RankOutcome& rank : far.ranks)
                for (const Event& event : rank.events)
                    if (event.kind == kind) QVERIFY(event.lane == Lane::Copy && event.end >= event.begin);
        }
        for (std::size_t rank = 0; rank < far.ranks.size(); ++rank) {
            std::int64_t held = 0;
            for (const Event& event : far.ranks[rank].events)
                if (event.kind == EventKind::HostMemory) held += event.bytes;
            QCOMPARE(held, total(plan.memory[rank].host));
        }
    }

    /// Each layer's weights come from pinned memory beside the kernels of the layer before: where there are replicas to
    /// gather from, to the bit as with the optimizer alone on the host. One replica has nobody to exchange with, and
    /// its copies follow the GPU too.
    void parametersToo_data() {
        QTest::addColumn<int>("data");
        QTest::addColumn<int>("pipeline");
        QTest::addColumn<QString>("compute");
        const auto row = [](int d, int p, const char* compute) {
            QTest::addRow("%s data %d pipeline %d", compute, d, p) << d << p << compute;
        };
        row(1, 1, "fp32");
        row(1, 2, "bf16");
        row(2, 1, "fp32");
        row(2, 2, "bf16");
        row(3, 1, "fp16");
    }
    void parametersToo() {
        QFETCH(int, data);
        QFETCH(int, pipeline);
        QFETCH(QString, compute);
        Layout layout = layoutOf(data, pipeline, 1, data > 1 ? 3 : 0, compute.toStdString());
        layout.batch.global = 4 * data * layout.batch.micro;
        layout.memory.offload = OffloadKind::Optimizer;
        const RunOutcome without = runOnGpus(planOf(layout));
        layout.memory.offload = OffloadKind::Parameters;
        layout.parallel.zero = 3;
        const Plan plan = planOf(layout);
        const RunOutcome with = runOnGpus(plan);
        QVERIFY2(without.error.empty() && with.error.empty(), (without.error + with.error).c_str());
        const double tolerance = data > 1 ? 0 : compute == "fp32" ? 1e-4 : 2e-2;
        const QString wrong = difference(with.counter(EventKind::Loss), without.counter(EventKind::Loss), tolerance);
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
        QCOMPARE(with.count(EventKind::FetchWeights),
                 layout.run.steps *
                     int(std::ranges::count(plan.simulation.events, EventKind::FetchWeights, &Event::kind)));
        QVERIFY(with.count(EventKind::FetchWeights) > 0);
        QCOMPARE(with.count(EventKind::ReloadWeights), 0);
        QCOMPARE(with.count(EventKind::GatherParameters) > 0, data > 1);
        for (std::size_t rank = 0; rank < with.ranks.size(); ++rank) {
            std::int64_t held = 0, copied = 0;
            for (const Event& event : with.ranks[rank].events) {
                if (event.kind == EventKind::HostMemory) held += event.bytes;
                if (event.kind != EventKind::FetchWeights) continue;
                QVERIFY(event.lane == Lane::Copy && event.begin >= copied && event.end >= event.begin);
                copied = event.end;
            }
            QCOMPARE(held, total(plan.memory[rank].host));
        }
    }

    /// What forwards leave goes to pinned memory of the host and comes back, both beside the kernels: to the bit as
    /// without.
    void swapToo_data() {
        QTest::addColumn<QString>("model");
        QTest::addColumn<int>("tensor");
        QTest::addColumn<QString>("compute");
        QTest::addColumn<QString>("recompute");
        QTest::addColumn<QString>("offload");
        const auto row = [](const char* model, int t, const char* compute, const char* recompute, const char* offload) {
            QTest::addRow("%s %s tensor %d recompute %s offload %s", model, compute, t, recompute, offload)
                << model << t << compute << recompute << offload;
        };
        row("blocks", 1, "fp32", "none", "none");
        row("blocks", 2, "bf16", "full", "none");
        row("blocks", 1, "bf16", "every", "optimizer");
        row("cnn", 1, "fp32", "none", "none");
    }
    void swapToo() {
        QFETCH(QString, model);
        QFETCH(int, tensor);
        QFETCH(QString, compute);
        QFETCH(QString, recompute);
        QFETCH(QString, offload);
        Layout layout = layoutOf(1, 2, tensor, 0, compute.toStdString());
        if (model == "cnn") {
            layout.model = {ModelKind::Cnn, 2, 4};
            layout.model.cnn.image = 8;
        }
        layout.schedule.kind = "gpipe";
        layout.batch.global = 6 * layout.batch.micro;
        layout.memory.recompute = named(recompute);
        layout.memory.offload = named(offload);
        if (emulated()) layout.run.steps = 3;
        const RunOutcome kept = runOnGpus(planOf(layout));
        layout.memory.swap = SwapKind::Activations;
        const Plan plan = planOf(layout);
        const RunOutcome swapped = runOnGpus(plan);
        QVERIFY2(kept.error.empty(), kept.error.c_str());
        QVERIFY2(swapped.error.empty(), swapped.error.c_str());
        QVERIFY(swapped.counter(EventKind::Loss) == kept.counter(EventKind::Loss));
        for (const EventKind kind : {EventKind::SwapOut, EventKind::SwapIn}) {
            QCOMPARE(swapped.count(kind),
                     layout.run.steps * int(std::ranges::count(plan.simulation.events, kind, &Event::kind)));
            QVERIFY(swapped.count(kind) > 0);
            for (const RankOutcome& rank : swapped.ranks)
                for (const Event& event : rank.events)
                    if (event.kind == kind)
                        QVERIFY(event.lane == Lane::Copy && event.end >= event.begin && event.bytes > 0);
        }
        for (std::size_t rank = 0; rank < swapped.ranks.size(); ++rank) {
            std::int64_t held = 0;
            for (const Event& event : swapped.ranks[rank].events)
                if (event.kind == EventKind::HostMemory) held += event.bytes;
            QCOMPARE(held, total(plan.memory[rank].host));
        }
    }
};

QTEST_GUILESS_MAIN(GpuHostTest)
#include "gpu_host_test.moc"
