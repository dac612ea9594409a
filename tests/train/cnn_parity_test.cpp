// SPDX-License-Identifier: Apache-2.0
// The cnn under every kind of parallelism that it takes: whatever shares the work, losses are those of one rank.
#include "engine/trace/checkpoint/checkpoint_folder.h"
#include "engine/predict/plan/packed_activations.h"
#include "tests/support/named.h"
#include "tests/support/seed.h"
#include "tests/train/one_rank.h"
#include "tests/support/wings.h"

#include <QTemporaryDir>
#include <QtTest>

#include <algorithm>

using namespace shardlab::test;

namespace {

constexpr int steps = 10;

/// Roundings of sums part layouts by 1e-7 of a weight, and now and then one tips a ReLU or a pool.
constexpr CurveTolerance tipped{1e-4, 1e-2};

}  // namespace

class CnnParityTest : public QObject {
    Q_OBJECT

private:
    Layout layoutOf(const Split& split) const {
        Layout layout;
        layout.model = {ModelKind::Cnn, 4, 4};
        layout.model.cnn.image = 16;
        layout.model.cnn.channels = 3;
        layout.model.cnn.classes = 5;
        splitOver(layout, split);
        layout.batch = {16, 2};
        layout.run.steps = steps;
        layout.run.seed = seed_;
        layout.run.validateEvery = 5;
        layout.run.validationBatches = 1;
        return layout;
    }

    std::int64_t seed_ = 0;
    OneRank oneRank_;

private Q_SLOTS:
    void initTestCase() { seed_ = freshSeed(); }

    /// Far below what guessing costs, and what it has learned holds for images that it has not seen.
    void itLearns() {
        Layout layout = layoutOf({});
        layout.batch.micro = 16;
        layout.model.hidden = 8;
        layout.run.steps = 120;
        layout.run.validateEvery = 0;
        layout.run.validationBatches = 8;
        const RunOutcome run = runInProcess(planOf(layout));
        QVERIFY2(run.error.empty(), run.error.c_str());
        const double guessed = std::log(layout.model.cnn.classes);
        QVERIFY2(run.counter(EventKind::ValidationLoss).back() < 0.7 * guessed,
                 qPrintable(QString("%1, seed %2").arg(run.counter(EventKind::ValidationLoss).back()).arg(seed_)));
    }

    void everyLayoutEqualsOneRank_data() {
        QTest::addColumn<int>("data");
        QTest::addColumn<int>("pipeline");
        QTest::addColumn<int>("zero");
        const auto row = [](const char* name, const Split& split) {
            QTest::newRow(name) << split.data << split.pipeline << split.zero;
        };
        row("microbatches", {});
        row("data 4", {4});
        row("pipeline 4", {1, 4});
        row("data 2 pipeline 2", {2, 2});
        row("data 4, ZeRO 1", {.data = 4, .zero = 1});
        row("data 2 pipeline 2, ZeRO 2", {.data = 2, .pipeline = 2, .zero = 2});
        row("data 2 pipeline 2, ZeRO 3", {.data = 2, .pipeline = 2, .zero = 3});
        row("data 4, ZeRO 3", {.data = 4, .zero = 3});
    }
    void everyLayoutEqualsOneRank() {
        QFETCH(int, data);
        QFETCH(int, pipeline);
        QFETCH(int, zero);
        oneRank_.requireEqual(layoutOf({.data = data, .pipeline = pipeline, .zero = zero}), tipped);
    }

    void stagesOfOtherLengthsToo() {
        Layout layout = layoutOf({1, 2});
        layout.schedule.stages = {1, 3};
        oneRank_.requireEqual(layout, tipped);
    }

    void everyScheduleToo_data() {
        QTest::addColumn<QString>("schedule");
        QTest::addColumn<int>("chunks");
        for (const char* kind : {"gpipe", "zb-h1", "zb-greedy"}) QTest::newRow(kind) << kind << 1;
        for (const char* kind : {"interleaved-1f1b", "looped-bfs", "zb-v", "dualpipe-v"})
            QTest::newRow(kind) << kind << 2;
    }
    void everyScheduleToo() {
        QFETCH(QString, schedule);
        QFETCH(int, chunks);
        Layout layout = layoutOf({1, 2});
        layout.schedule.kind = schedule.toStdString();
        layout.schedule.chunks = chunks;
        oneRank_.requireEqual(layout, tipped);
    }

    void recomputationToo_data() {
        QTest::addColumn<QString>("recompute");
        for (const char* kind : {"full", "sqrt", "every"}) QTest::newRow(kind) << kind;
    }
    void recomputationToo() {
        QFETCH(QString, recompute);
        Layout layout = layoutOf({2, 2});
        const RunOutcome whole = runInProcess(planOf(layout));
        layout.memory.recompute = named(recompute);
        const RunOutcome run = runInProcess(planOf(layout));
        QVERIFY2(run.error.empty(), run.error.c_str());
        QCOMPARE(run.counter(EventKind::Loss), whole.counter(EventKind::Loss));  // to the bit
        oneRank_.requireEqual(layout, run, tipped);
    }

    /// In 16 bits what is rounded where differs between layouts, each time by 2⁻⁹ of an activation.
    void sixteenBits_data() {
        QTest::addColumn<QString>("compute");
        QTest::addColumn<QString>("weights");
        QTest::newRow("bf16") << "bf16"
                              << "master";
        QTest::newRow("bf16, weights in fp32") << "bf16"
                                               << "fp32";
        QTest::newRow("fp16") << "fp16"
                              << "master";
    }
    void sixteenBits() {
        QFETCH(QString, compute);
        QFETCH(QString, weights);
        Layout layout = layoutOf({.data = 2, .pipeline = 2, .zero = 1});
        layout.precision.compute = named(compute);
        layout.precision.weights = named(weights);
        layout.precision.gradients = GradientFormat::Fp32;
        if (compute == "fp16") {
            layout.precision.lossScale = LossScaling::Dynamic;
            layout.precision.scale = 1024;
        }
        const RunOutcome run = runInProcess(planOf(layout));
        QVERIFY2(run.error.empty(), run.error.c_str());
        const QString wrong =
            difference(run.counter(EventKind::Loss), oneRank_.trained(layoutOf({})).counter(EventKind::Loss), 0.1);
        QVERIFY2(wrong.isEmpty(), qPrintable(QString("seed %1: %2").arg(seed_).arg(wrong)));
    }

    void otherOptimizersToo_data() {
        QTest::addColumn<QString>("optimizer");
        QTest::addColumn<QString>("partition");
        QTest::newRow("adafactor") << "adafactor"
                                   << "layers";
        QTest::newRow("sm3") << "sm3"
                             << "layers";
        QTest::newRow("sgd") << "sgd"
                             << "flat";
    }
    void otherOptimizersToo() {
        QFETCH(QString, optimizer);
        QFETCH(QString, partition);
        const auto trained = [&](const Split& split) {
            Layout layout = layoutOf(split);
            layout.optimizer.kind = named(optimizer);
            if (split.zero == 3) layout.parallel.partition = named(partition);
            return runInProcess(planOf(layout));
        };
        const RunOutcome one = trained({}), many = trained({.data = 2, .pipeline = 2, .zero = 3});
        QVERIFY2(one.error.empty() && many.error.empty(), (one.error + many.error).c_str());
        // Steps are as long whatever the gradient, so that rounding grows with each of them: sharp at first, then
        // coarse.
        const std::vector<double> got = many.counter(EventKind::Loss), wanted = one.counter(EventKind::Loss);
        const auto first = [](const std::vector<double>& losses) {
            return std::vector<double>(losses.begin(), losses.begin() + std::min(losses.size(), std::size_t{4}));
        };
        for (const QString& wrong : {difference(first(got), first(wanted), 2e-4), difference(got, wanted, 5e-3)})
            QVERIFY2(wrong.isEmpty(), qPrintable(QString("seed %1: %2").arg(seed_).arg(wrong)));
    }

    /// Codes and maps without their zeros lose nothing: to the bit. Of maps of fewer bits the loss differs a little,
    /// and less the more bits they have; what is kept, and what the plan says of it, is less.
    void keptInFewerBits_data() {
        QTest::addColumn<QString>("activations");
        QTest::addColumn<double>("tolerance");
        QTest::addColumn<int>("pipeline");
        QTest::addColumn<QString>("schedule");
        QTest::newRow("lossless") << "lossless" << 0.0 << 1 << "naive";
        QTest::newRow("lossless, pipeline") << "lossless" << 0.0 << 2 << "1f1b";
        QTest::newRow("lossless, split backward") << "lossless" << 0.0 << 2 << "zb-h1";
        QTest::newRow("16 bits") << "lossy-16" << 0.01 << 1 << "naive";
        QTest::newRow("16 bits, split backward") << "lossy-16" << 0.01 << 2 << "zb-h1";
        QTest::newRow("10 bits") << "lossy-10" << 0.15 << 1 << "naive";
        QTest::newRow("8 bits") << "lossy-8" << 0.2 << 2 << "1f1b";
    }
    void keptInFewerBits() {
        QFETCH(QString, activations);
        QFETCH(double, tolerance);
        QFETCH(int, pipeline);
        QFETCH(QString, schedule);
        Layout layout = layoutOf({1, pipeline});
        layout.schedule.kind = schedule.toStdString();
        const Plan plain = planOf(layout);
        const RunOutcome whole = runInProcess(plain);
        layout.memory.activations = named(activations);
        const Plan plan = planOf(layout);
        const RunOutcome run = runInProcess(plan);
        QVERIFY2(run.error.empty(), run.error.c_str());
        const QString wrong = difference(run.counter(EventKind::Loss), whole.counter(EventKind::Loss), tolerance);
        QVERIFY2(wrong.isEmpty(), qPrintable(QString("seed %1: %2").arg(seed_).arg(wrong)));
        const bool lossless = activations == "lossless";
        if (lossless) QCOMPARE(run.counter(EventKind::GradientNorm), whole.counter(EventKind::GradientNorm));
        const auto activationsOf = [](const Plan& of, std::size_t rank) {
            return of.memory[rank].bytes[static_cast<std::size_t>(MemoryCategory::Activations)];
        };
        std::int64_t packed = 0, instead = 0;
        for (std::size_t rank = 0; rank < plan.memory.size(); ++rank) {
            QVERIFY(activationsOf(plan, rank) < activationsOf(plain, rank));
            if (lossless) QVERIFY(run.ranks[rank].parameters == whole.ranks[rank].parameters);
            for (const Event& event : run.ranks[rank].events) {
                if (event.step != 1 || event.kind != EventKind::PackedActivations) continue;
                packed += event.bytes;
                instead += static_cast<std::int64_t>(event.value);
            }
        }
        const PackedActivations planned = packedActivations(layout);
        QVERIFY(planned.kept > 0 && 2 * planned.kept <= planned.plain);
        // How many zeros maps have, data decide: at most a map stays as it was.
        if (lossless) QVERIFY(packed > 0 && packed < instead);
        else QCOMPARE(packed, microbatches(layout) * planned.kept);
        QCOMPARE(instead, microbatches(layout) * planned.plain);
        QCOMPARE(whole.count(EventKind::PackedActivations), 0);
    }

    /// What rounding takes from gradients is little: it learns as it would.
    void itLearnsFromFewBits() {
        Layout layout = layoutOf({});
        layout.batch.micro = 16;
        layout.model.hidden = 8;
        layout.run.steps = 120;
        layout.run.validateEvery = 0;
        layout.run.validationBatches = 8;
        layout.memory.activations = ActivationStorage::Lossy8;
        const RunOutcome run = runInProcess(planOf(layout));
        QVERIFY2(run.error.empty(), run.error.c_str());
        QVERIFY2(run.counter(EventKind::ValidationLoss).back() < 0.7 * std::log(layout.model.cnn.classes),
                 qPrintable(QString("%1, seed %2").arg(run.counter(EventKind::ValidationLoss).back()).arg(seed_)));
    }

    /// Without a pipeline, whose messages are held for longer where a neighbour is late.
    void memoryIsThatOfThePlan_data() {
        QTest::addColumn<QString>("compute");
        QTest::addColumn<QString>("recompute");
        QTest::addColumn<QString>("activations");
        QTest::newRow("fp32") << "fp32"
                              << "none"
                              << "kept";
        QTest::newRow("bf16") << "bf16"
                              << "none"
                              << "kept";
        QTest::newRow("recomputed") << "fp32"
                                    << "full"
                                    << "kept";
        QTest::newRow("lossless") << "fp32"
                                  << "none"
                                  << "lossless";
        QTest::newRow("10 bits") << "bf16"
                                 << "none"
                                 << "lossy-10";
        QTest::newRow("8 bits") << "fp32"
                                << "none"
                                << "lossy-8";
    }
    void memoryIsThatOfThePlan() {
        QFETCH(QString, compute);
        QFETCH(QString, recompute);
        QFETCH(QString, activations);
        Layout layout = layoutOf({});
        layout.memory.activations = named(activations);
        if (activations == "lossless") layout.model.cnn.convolutions = 1;  // no map whose zeros would be left out
        layout.precision.compute = named(compute);
        layout.memory.recompute = named(recompute);
        const Plan plan = planOf(layout);
        const RunOutcome run = runInProcess(plan);
        QVERIFY2(run.error.empty(), run.error.c_str());
        std::int64_t peak = 0;
        for (const Event& event : run.ranks[0].events)
            if (event.kind == EventKind::MemoryPeak && event.step == 1) peak = std::max(peak, event.bytes);
        QCOMPARE(peak, plan.memory[0].peak);
    }

    void checkpointsReshard() {
        QTemporaryDir folder;
        Layout first = layoutOf({1, 4}), second = layoutOf({.data = 2, .zero = 3});
        first.run.steps = steps / 2;
        first.checkpoint.every = steps / 2;
        const auto into = [&](int, TrainerServices& services) { services.checkpoints = folder.path().toStdString(); };
        const RunOutcome begun = runInProcess(planOf(first), {}, into);
        QVERIFY2(begun.error.empty(), begun.error.c_str());
        const auto newest = findCheckpoint(folder.path().toStdString());
        QVERIFY(newest.has_value());
        const auto from = [&](int, TrainerServices& services) { services.resume = *newest; };
        const RunOutcome rest = runInProcess(planOf(second), {}, from);
        QVERIFY2(rest.error.empty(), rest.error.c_str());
        const std::vector<double> straight = oneRank_.trained(second).counter(EventKind::Loss);
        const QString wrong =
            difference(rest.counter(EventKind::Loss), {straight.begin() + steps / 2, straight.end()}, 1e-4);
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
    }
};

QTEST_GUILESS_MAIN(CnnParityTest)
#include "cnn_parity_test.moc"
