// SPDX-License-Identifier: Apache-2.0
// Training on GPUs against training on the processor, one rank and several that share a GPU.
#include "engine/train/model/host_copy.h"
#include "engine/train/model/stage.h"
#include "tests/support/named.h"
#include "tests/train/gpu/gpu_runs.h"
#include "tests/train/loss_curves.h"
#include "tests/support/wings.h"

#include <QtTest>

#include <algorithm>
#include <cmath>
#include <random>

using namespace shardlab::test;

class GpuTrainingTest : public QObject, GpuRuns {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() {
        const std::string lack = open();
        if (!lack.empty()) QSKIP(lack.c_str());
    }

    void followsTheProcessor_data() {
        QTest::addColumn<int>("data");
        QTest::addColumn<int>("pipeline");
        QTest::addColumn<int>("tensor");
        QTest::addColumn<int>("zero");
        QTest::addColumn<QString>("compute");
        const auto row = [](int d, int p, int t, int zero, const char* compute) {
            QTest::addRow("%s data %d pipeline %d tensor %d zero %d", compute, d, p, t, zero)
                << d << p << t << zero << compute;
        };
        row(1, 1, 1, 0, "fp32");
        row(2, 2, 1, 0, "fp32");
        row(1, 2, 2, 0, "fp32");
        row(2, 1, 2, 0, "fp32");
        for (int zero : {1, 2, 3}) row(2, 2, 1, zero, "fp32");
        row(1, 1, 1, 0, "bf16");
        row(1, 1, 1, 0, "fp16");
        row(2, 2, 1, 0, "fp16");
        row(2, 2, 1, 3, "bf16");
        for (int zero : {0, 3}) row(4, 1, 1, zero, "bf16");  // sums of more than two are rounded by themselves
    }
    void followsTheProcessor() {
        QFETCH(int, data);
        QFETCH(int, pipeline);
        QFETCH(int, tensor);
        QFETCH(int, zero);
        QFETCH(QString, compute);
        const Plan plan = planOf(layoutOf(data, pipeline, tensor, zero, compute.toStdString()));
        const RunOutcome near = runInProcess(plan);
        const RunOutcome far = runOnGpus(plan);
        QVERIFY2(near.error.empty(), near.error.c_str());
        QVERIFY2(far.error.empty(), far.error.c_str());
        const std::vector<double> wanted = near.counter(EventKind::Loss), got = far.counter(EventKind::Loss);
        QCOMPARE(got.size(), wanted.size());
        const double tolerance = compute == "fp32" ? 1e-4 : compute == "bf16" ? 2e-2 : 4e-3;
        for (std::size_t i = 0; i < got.size(); ++i)
            QVERIFY2(
                std::abs(got[i] - wanted[i]) < tolerance * wanted[i],
                qPrintable(
                    QString("step %1: %2, the processor %3").arg(i).arg(got[i], 0, 'g', 9).arg(wanted[i], 0, 'g', 9)));
        if (compute == "fp16") QVERIFY(far.count(EventKind::Overflow) > 0);
    }

    /// What a whole backward sums on the way of the input's gradient (norms' weights, biases) has the bits of the half
    /// that takes weights' gradients.
    void halvesEqualTheWholeBackward_data() {
        QTest::addColumn<QString>("compute");
        QTest::addColumn<double>("dropout");
        for (const char* const compute : {"fp32", "bf16"})
            for (const double dropout : {0.0, 0.1})
                QTest::addRow("%s dropout %g", compute, dropout) << compute << dropout;
    }
    void halvesEqualTheWholeBackward() {
        QFETCH(QString, compute);
        QFETCH(double, dropout);
        const Layout layout = layoutOf(1, 1, 1, 0, compute.toStdString());
        StageSpec spec;
        spec.model = layout.model;
        spec.model.dropout = dropout;
        spec.precision = layout.precision;
        spec.layers = layout.model.layers;
        spec.samples = 5;
        const DeviceOrReason gpu = openCudaDevice(0);
        Arena arena(*gpu.device);
        Stage whole(spec, arena), split(spec, arena);
        std::minstd_rand random(freshSeed());
        for (const int microbatch : {0, 1}) {
            std::vector<std::int32_t> tokens(static_cast<std::size_t>(spec.samples * spec.model.sequence));
            for (std::int32_t& token : tokens) token = static_cast<std::int32_t>(random() % 256);
            for (Stage* each : {&whole, &split}) each->forward(microbatch, {tokens, tokens}, {});
            whole.backward(microbatch, {}, 0.5f);
            split.inputGrad(microbatch, {}, 0.5f);
            split.weightGrad(microbatch);
        }
        const auto gradients = download(*gpu.device, whole.gradientBlock());
        QVERIFY(gradients == download(*gpu.device, split.gradientBlock()));
        QVERIFY(std::ranges::any_of(gradients, [](float g) { return g != 0; }));
    }

    void otherOptimizersToo_data() {
        QTest::addColumn<QString>("optimizer");
        QTest::addColumn<int>("tensor");
        for (const char* optimizer : {"adafactor", "sm3", "adamw-8bit"})
            for (const int tensor : {1, 2}) QTest::addRow("%s tensor %d", optimizer, tensor) << optimizer << tensor;
    }
    void otherOptimizersToo() {
        QFETCH(QString, optimizer);
        QFETCH(int, tensor);
        Layout layout = layoutOf(1, 2, tensor, 0, "fp32");
        layout.optimizer.kind = named(optimizer);
        const Plan plan = planOf(layout);
        const RunOutcome near = runInProcess(plan);
        const RunOutcome far = runOnGpus(plan);
        QVERIFY2(near.error.empty(), near.error.c_str());
        QVERIFY2(far.error.empty(), far.error.c_str());
        const QString wrong = difference(far.counter(EventKind::Loss), near.counter(EventKind::Loss), 1e-4);
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
    }

    /// Logits of a piece of the tokens at a time, in the forward and again in the backward.
    void lossInPiecesToo_data() {
        QTest::addColumn<QString>("compute");
        QTest::addColumn<int>("tensor");
        for (const char* compute : {"fp32", "bf16"})
            for (const int tensor : {1, 2}) QTest::addRow("%s tensor %d", compute, tensor) << compute << tensor;
    }
    void lossInPiecesToo() {
        QFETCH(QString, compute);
        QFETCH(int, tensor);
        Layout layout = layoutOf(1, 2, tensor, 0, compute.toStdString());
        layout.memory.lossPieces = 3;
        const Plan plan = planOf(layout);
        const RunOutcome near = runInProcess(plan);
        const RunOutcome far = runOnGpus(plan);
        QVERIFY2(near.error.empty(), near.error.c_str());
        QVERIFY2(far.error.empty(), far.error.c_str());
        const double tolerance = compute == "fp32" ? 1e-4 : 2e-2;
        const QString wrong = difference(far.counter(EventKind::Loss), near.counter(EventKind::Loss), tolerance);
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
    }

    /// Gradients travel as codes that the GPUs make, and what is lost of them stays there.
    void codedExchangesToo_data() {
        QTest::addColumn<QString>("format");
        QTest::addColumn<int>("data");
        QTest::addColumn<int>("pipeline");
        QTest::addColumn<int>("zero");
        QTest::addColumn<QString>("compute");
        QTest::addColumn<int>("shard");
        const auto row = [](const char* format, int d, int p, int zero, const char* compute, int shard = 0) {
            QTest::addRow("%s data %d pipeline %d zero %d %s%s", format, d, p, zero, compute,
                          shard > 0 ? ", copies" : "")
                << format << d << p << zero << compute << shard;
        };
        row("8-bit", 2, 2, 0, "fp32");
        row("4-bit", 4, 1, 1, "fp32");
        row("1-bit", 4, 1, 0, "bf16");
        row("8-bit", 2, 1, 3, "bf16");
        row("8-bit", 4, 1, 2, "fp32", 2);
    }
    void codedExchangesToo() {
        QFETCH(QString, format);
        QFETCH(int, data);
        QFETCH(int, pipeline);
        QFETCH(int, zero);
        QFETCH(QString, compute);
        QFETCH(int, shard);
        Layout layout = layoutOf(data, pipeline, 1, zero, compute.toStdString());
        layout.optimizer.learningRate = 0.02;
        layout.optimizer.warmup = 0;
        layout.parallel.shard = shard;
        const std::vector<double> inFull = runInProcess(planOf(layout)).counter(EventKind::Loss);
        layout.precision.exchange = named(format);
        const Plan plan = planOf(layout);
        const RunOutcome near = runInProcess(plan);
        const RunOutcome far = runOnGpus(plan);
        QVERIFY2(near.error.empty(), near.error.c_str());
        QVERIFY2(far.error.empty(), far.error.c_str());
        // Where orders of sums differ, so do some codes.
        const double tolerance = compute == "fp32" ? 2e-3 : 2e-2;
        const std::vector<double> wanted = near.counter(EventKind::Loss);
        const QString wrong = difference(far.counter(EventKind::Loss), wanted, tolerance);
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
        QVERIFY(wanted != inFull);
    }

    /// Factors of 8 bits, which tensor cores multiply where the GPU has their scales.
    void productsIn8BitsToo_data() {
        QTest::addColumn<QString>("products");
        QTest::addColumn<QString>("compute");
        for (const char* products : {"fp8", "fp8-rows", "fp8-blocks", "mxfp8"})
            for (const char* compute : {"fp32", "bf16"})
                QTest::addRow("%s %s", products, compute) << products << compute;
    }
    void productsIn8BitsToo() {
        QFETCH(QString, products);
        QFETCH(QString, compute);
        Layout layout = layoutOf(1, 1, 1, 0, compute.toStdString());
        layout.precision.products = named(products);
        const Plan plan = planOf(layout);
        const RunOutcome near = runInProcess(plan);
        const RunOutcome far = runOnGpus(plan);
        QVERIFY2(near.error.empty(), near.error.c_str());
        QVERIFY2(far.error.empty(), far.error.c_str());
        // Where orders of sums differ, so do some codes of what comes after.
        const QString wrong = difference(far.counter(EventKind::Loss), near.counter(EventKind::Loss), 2e-2);
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
    }

    /// What is kept in parts between GPUs, or staged between the members that share one, comes together again.
    void inputsInPartsToo_data() {
        QTest::addColumn<QString>("compute");
        for (const char* compute : {"fp32", "bf16"}) QTest::newRow(compute) << compute;
    }
    void inputsInPartsToo() {
        QFETCH(QString, compute);
        Layout layout = layoutOf(1, 2, 2, 0, compute.toStdString());
        layout.memory.recompute = RecomputeKind::Full;
        const RunOutcome whole = runOnGpus(planOf(layout));
        layout.memory.partitionActivations = true;
        const Plan plan = planOf(layout);
        const RunOutcome parts = runOnGpus(plan);
        QVERIFY2(whole.error.empty() && parts.error.empty(), (whole.error + parts.error).c_str());
        QCOMPARE(parts.count(EventKind::TensorAllGather),
                 layout.run.steps *
                     int(std::ranges::count(plan.simulation.events, EventKind::TensorAllGather, &Event::kind)));
        QVERIFY(parts.count(EventKind::TensorAllGather) > 0);
        QVERIFY(parts.counter(EventKind::Loss) == whole.counter(EventKind::Loss));
    }

    /// Keys and values, and their gradients, go round from GPU to GPU, or tokens are exchanged for heads; as many hops
    /// or exchanges are told as on the processor.
    void contextToo_data() {
        QTest::addColumn<int>("pipeline");
        QTest::addColumn<int>("tensor");
        QTest::addColumn<int>("context");
        QTest::addColumn<QString>("compute");
        QTest::addColumn<bool>("exchanges");
        QTest::addColumn<double>("dropout");
        const auto row = [](int p, int t, int c, const char* compute, bool exchanges = false, double dropout = 0) {
            QTest::addRow("%s pipeline %d tensor %d context %d%s%s", compute, p, t, c, exchanges ? ", ulysses" : "",
                          dropout > 0 ? ", dropout" : "")
                << p << t << c << compute << exchanges << dropout;
        };
        row(1, 1, 4, "fp32");
        row(1, 1, 2, "bf16");
        row(2, 1, 2, "fp32");
        row(1, 2, 2, "fp32");
        row(1, 2, 2, "fp32", false, 0.2);
        row(1, 1, 2, "bf16", false, 0.2);
        row(1, 1, 4, "fp32", true);
        row(2, 1, 2, "bf16", true);
        row(1, 2, 2, "fp32", true);
        row(1, 2, 2, "fp32", true, 0.2);
    }
    void contextToo() {
        QFETCH(int, pipeline);
        QFETCH(int, tensor);
        QFETCH(int, context);
        QFETCH(QString, compute);
        QFETCH(bool, exchanges);
        QFETCH(double, dropout);
        Layout layout = layoutOf(1, pipeline, tensor, 0, compute.toStdString());
        layout.model.kind = ModelKind::Gpt;  // its attention goes by blocks, without tensor cores
        layout.model.dropout = dropout;
        if (emulated()) {
            layout.model.sequence = 8;
            layout.run.steps = 2;
        }
        layout.parallel.context = context;
        if (exchanges) {
            layout.parallel.contextKind = ContextKind::Ulysses;
            layout.model.heads = std::max(layout.model.heads, tensor * context);
        }
        layout.cluster.hosts[0].devices = pipeline * tensor * context;
        const Plan plan = planOf(layout);
        const RunOutcome near = runInProcess(plan), far = runOnGpus(plan);
        QVERIFY2(near.error.empty(), near.error.c_str());
        QVERIFY2(far.error.empty(), far.error.c_str());
        const double tolerance = compute == "fp32" ? 1e-4 : 2e-2;
        const QString wrong = difference(far.counter(EventKind::Loss), near.counter(EventKind::Loss), tolerance);
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
        const EventKind kind = exchanges ? EventKind::ExchangeHeads : EventKind::KeyValueHop;
        QVERIFY(far.count(kind) > 0);
        QCOMPARE(far.count(kind), near.count(kind));
    }

    /// Rows of logits lie further apart than the vocabulary is long, and a tensor group cuts it into unequal parts.
    void oddVocabularyToo_data() {
        QTest::addColumn<int>("tensor");
        QTest::addColumn<QString>("compute");
        for (const int tensor : {1, 2})
            for (const char* const compute : {"fp32", "bf16"})
                QTest::addRow("%s tensor %d", compute, tensor) << tensor << compute;
    }
    void oddVocabularyToo() {
        QFETCH(int, tensor);
        QFETCH(QString, compute);
        Layout layout = layoutOf(1, 1, tensor, 0, compute.toStdString());
        layout.model.vocabulary = 257;
        layout.model.dropout = 0;
        const Plan plan = planOf(layout);
        const RunOutcome near = runInProcess(plan), far = runOnGpus(plan);
        QVERIFY2(near.error.empty(), near.error.c_str());
        QVERIFY2(far.error.empty(), far.error.c_str());
        const QString wrong =
            difference(far.counter(EventKind::Loss), near.counter(EventKind::Loss), compute == "fp32" ? 1e-4 : 2e-2);
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
    }

    void llamaToo_data() {
        QTest::addColumn<int>("pipeline");
        QTest::addColumn<int>("tensor");
        QTest::addColumn<int>("context");
        QTest::addColumn<QString>("compute");
        QTest::addColumn<bool>("latent");
        const auto row = [](int p, int t, int c, const char* compute, bool latent = false) {
            QTest::addRow("%s pipeline %d tensor %d context %d%s", compute, p, t, c, latent ? ", latent attention" : "")
                << p << t << c << compute << latent;
        };
        row(1, 1, 1, "fp32");
        row(1, 2, 1, "bf16");
        row(1, 1, 2, "fp32");
        row(2, 1, 2, "bf16");
        row(1, 2, 2, "fp32");
        row(1, 1, 1, "bf16", true);
        row(1, 1, 2, "fp32", true);
        row(1, 2, 2, "bf16", true);
    }
    void llamaToo() {
        QFETCH(int, pipeline);
        QFETCH(int, tensor);
        QFETCH(int, context);
        QFETCH(QString, compute);
        QFETCH(bool, latent);
        if (emulated() && context == 1) QSKIP("the attention of a whole sample is made for tensor cores");
        Layout layout = layoutOf(1, pipeline, tensor, 0, compute.toStdString());
        layout.model.kind = ModelKind::Llama;
        layout.model.heads = 4;
        layout.model.block.kvHeads = 2;
        layout.model.block.attentionCap = layout.model.block.logitCap = 5;
        layout.model.block.sinks = true;
        if (tensor > 1) {  // in unequal shares
            layout.model.heads = 9;
            layout.model.block.kvHeads = compute == "fp32" ? 1 : 3;  // which the members share, or have some of
            layout.model.block.headWidth = 8;
            layout.model.feedForward = {75};
            layout.model.block.activation = ActivationKind::ClampedSwiGlu;
            layout.model.block.gluLimit = 0.1;
            layout.model.block.rotary.scaling = RotaryScaling::Yarn;
            layout.model.block.rotary.truncate = false;
        }
        if (pipeline > 1) layout.model.block.positions = PositionKind::Alibi;
        if (latent) {
            layout.model.block.kvRank = 24;
            layout.model.block.queryRank = tensor > 1 ? 0 : 16;
            layout.model.block.headWidth = 10;
            layout.model.block.ropeWidth = 6;
            layout.model.block.valueWidth = 12;
        }
        layout.model.dropout = 0;
        if (emulated()) {
            layout.model.sequence = 8;
            layout.batch.global = 4;
            layout.run.steps = 2;
        }
        layout.parallel.context = context;
        layout.cluster.hosts[0].devices = pipeline * tensor * context;
        const Plan plan = planOf(layout);
        const RunOutcome near = runInProcess(plan), far = runOnGpus(plan);
        QVERIFY2(near.error.empty(), near.error.c_str());
        QVERIFY2(far.error.empty(), far.error.c_str());
        const double tolerance = compute == "fp32" ? 1e-4 : 2e-2;
        const QString wrong = difference(far.counter(EventKind::Loss), near.counter(EventKind::Loss), tolerance);
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
    }

    void cnnToo_data() {
        QTest::addColumn<int>("data");
        QTest::addColumn<int>("pipeline");
        QTest::addColumn<int>("zero");
        QTest::addColumn<QString>("compute");
        QTest::addColumn<QString>("activations");
        const auto row = [](int d, int p, int zero, const char* compute, const char* activations) {
            QTest::addRow("%s data %d pipeline %d zero %d", compute, d, p, zero)
                << d << p << zero << compute << activations;
        };
        row(1, 1, 0, "fp32", "lossy-16");
        row(1, 2, 0, "bf16", "kept");
        row(2, 2, 3, "fp32", "lossless");
    }
    void cnnToo() {
        QFETCH(int, data);
        QFETCH(int, pipeline);
        QFETCH(int, zero);
        QFETCH(QString, compute);
        QFETCH(QString, activations);
        Layout layout = layoutOf(data, pipeline, 1, zero, compute.toStdString());
        layout.memory.activations = named(activations);
        layout.model = {ModelKind::Cnn, 2, 4};
        layout.model.cnn.image = 8;
        if (emulated()) layout.run.steps = 3;
        const Plan plan = planOf(layout);
        const RunOutcome near = runInProcess(plan), far = runOnGpus(plan);
        QVERIFY2(near.error.empty(), near.error.c_str());
        QVERIFY2(far.error.empty(), far.error.c_str());
        const double tolerance = compute == "fp32" ? 1e-4 : 2e-2;
        const QString wrong = difference(far.counter(EventKind::Loss), near.counter(EventKind::Loss), tolerance);
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
        if (activations != "lossless") return;
        layout.memory.activations = ActivationStorage::Kept;
        const RunOutcome kept = runOnGpus(planOf(layout));
        QVERIFY2(kept.error.empty(), kept.error.c_str());
        QCOMPARE(far.counter(EventKind::Loss), kept.counter(EventKind::Loss));
        for (std::size_t rank = 0; rank < kept.ranks.size(); ++rank)
            QVERIFY(far.ranks[rank].parameters == kept.ranks[rank].parameters);
    }

    /// A GPU's run tells as much of what runs beside compute as a processor's; what it waited for is what is exposed.
    void toldBesideCompute_data() {
        QTest::addColumn<int>("zero");
        QTest::addColumn<QString>("schedule");
        for (const int zero : {0, 1, 2, 3}) QTest::addRow("zero %d", zero) << zero << "1f1b";
        for (const char* kind : {"pipedream", "pipedream-2bw"}) QTest::newRow(kind) << 0 << kind;
    }
    void toldBesideCompute() {
        QFETCH(int, zero);
        QFETCH(QString, schedule);
        const bool flushes = schedule == "1f1b";
        Layout layout = layoutOf(2, flushes ? 1 : 2, 1, zero, "fp32");
        layout.schedule.kind = schedule.toStdString();
        if (!flushes) layout.optimizer.clip = 0;
        const Plan plan = planOf(layout);
        const RunOutcome near = runInProcess(plan), far = runOnGpus(plan);
        QVERIFY2(far.error.empty(), far.error.c_str());
        const QString wrong = difference(far.counter(EventKind::Loss), near.counter(EventKind::Loss), 1e-4);
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
        for (const EventKind kind :
             {EventKind::ReduceBuckets, EventKind::ScatterGradients, EventKind::GatherParameters})
            QCOMPARE(far.count(kind), near.count(kind));
        for (const RankOutcome& rank : far.ranks) {
            std::map<int, double> waited, moved;
            for (const Event& event : rank.events) {
                const double seconds = static_cast<double>(event.end - event.begin) * 1e-9;
                if (!isBesideCompute(actionFromId(event.action).kind)) continue;
                if (event.kind == EventKind::Wait) waited[event.step] += seconds;
                if (event.lane == Lane::Comm) moved[event.step] += seconds;
            }
            QCOMPARE(static_cast<int>(moved.size()), plan.layout.run.steps);
            for (const Event& event : rank.events) {
                if (event.kind == EventKind::ExposedComm) QVERIFY(std::abs(event.value - waited[event.step]) < 1e-9);
                if (event.kind == EventKind::HiddenComm)
                    QVERIFY(std::abs(event.value - std::max(0.0, moved[event.step] - waited[event.step])) < 1e-9);
            }
        }
    }

    /// In the middle of a step: nobody waits for a GPU that will not come to an end.
    void lostReplicaEndsTheRun_data() {
        QTest::addColumn<int>("zero");
        for (const int zero : {0, 3}) QTest::addRow("zero %d", zero) << zero;
    }
    void lostReplicaEndsTheRun() {
        QFETCH(int, zero);
        if (!emulated()) QSKIP("NCCL holds a GPU until its process is ended, and all ranks are in one here");
        const Plan plan = planOf(layoutOf(2, 2, 1, zero, "fp32"));
        const RunOutcome run = runOnGpus(plan, [](int rank, TrainerServices& services) {
            if (rank != 0) return;
            services.loses = [](int step, const Action& send) -> bool {
                if (step == 1 && send.microbatch == 1) throw std::runtime_error("this GPU is lost");
                return false;
            };
        });
        // Whoever tells first, it or one of those that notice.
        QVERIFY2(run.error.find("this GPU is lost") != std::string::npos ||
                     run.error.find("remote process exited") != std::string::npos,
                 run.error.c_str());
    }
};

QTEST_GUILESS_MAIN(GpuTrainingTest)
#include "gpu_training_test.moc"
