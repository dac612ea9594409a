// SPDX-License-Identifier: Apache-2.0
// Training in 16 bits: what master weights and a scaled loss are for, and that all ranks agree on what overflows.
#include "engine/trace/event/exponents.h"
#include "engine/layout/layout_file.h"
#include "engine/train/model/stage.h"
#include "engine/train/run/loss_scale.h"
#include "tests/support/named.h"
#include "tests/support/places.h"
#include "tests/support/seed.h"
#include "tests/train/run_in_process.h"
#include "tests/support/wings.h"

#include <QtTest>
#include <cmath>
#include <limits>
#include <set>

using namespace shardlab::test;

namespace {

Layout small(const std::string& compute) {
    Layout layout;
    layout.name = "precision";
    layout.model = {ModelKind::Gpt, 2, 32, 2, 16, 256, 0.0};
    layout.batch = {8, 4};
    layout.precision.compute = named(compute);
    layout.run = {12, 5, 0, 1};
    return layout;
}

Layout spread(Layout layout, int data, int pipeline, int tensor) {
    layout.cluster.hosts = {{"localhost", data * pipeline * tensor}};
    layout.parallel.data = data;
    layout.parallel.pipeline = pipeline;
    layout.parallel.tensor = tensor;
    layout.batch.micro = layout.batch.global / data / 2;
    return layout;
}

/// Elements of each weight of the model, by name.
std::map<std::string, std::int64_t> parameterCounts(const Layout& layout) {
    StageSpec spec;
    spec.model = layout.model;
    spec.layers = layout.model.layers;
    Arena arena;
    Stage stage(spec, arena);
    std::map<std::string, std::int64_t> counts;
    for (const Parameter& parameter : stage.parameters())
        counts[parameter.name] = static_cast<std::int64_t>(parameter.value.size());
    return counts;
}

double last(const std::vector<double>& values) { return values.empty() ? NAN : values.back(); }

}  // namespace

class PrecisionTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { seed_ = freshSeed() % 10000; }

    /// 16 bits follow fp32 as far as they can, in every layout; replicas stay equal to the bit.
    void followsFp32_data() {
        QTest::addColumn<QString>("compute");
        QTest::addColumn<QString>("weights");
        QTest::addColumn<QString>("gradients");
        QTest::addColumn<int>("data");
        QTest::addColumn<int>("pipeline");
        QTest::addColumn<int>("tensor");
        QTest::addColumn<int>("zero");
        const auto row = [](const char* compute, const char* weights, const char* gradients, int d, int p, int t,
                            int zero) {
            QTest::addRow("%s, weights %s, gradients %s, data %d pipeline %d tensor %d zero %d", compute, weights,
                          gradients, d, p, t, zero)
                << compute << weights << gradients << d << p << t << zero;
        };
        for (const char* compute : {"bf16", "fp16"}) {
            row(compute, "master", "compute", 1, 1, 1, 0);
            row(compute, "master", "fp32", 1, 1, 1, 0);
            row(compute, "fp32", "fp32", 1, 1, 1, 0);
            row(compute, "fp32", "compute", 1, 2, 2, 0);
            row(compute, "master", "compute", 2, 2, 1, 0);
            row(compute, "master", "compute", 1, 2, 2, 0);
            for (int zero : {1, 2, 3}) row(compute, "master", "compute", 2, 2, 1, zero);
            row(compute, "master", "fp32", 2, 1, 1, 3);
        }
    }
    void followsFp32() {
        QFETCH(QString, compute);
        QFETCH(QString, weights);
        QFETCH(QString, gradients);
        QFETCH(int, data);
        QFETCH(int, pipeline);
        QFETCH(int, tensor);
        QFETCH(int, zero);
        Layout plain = small("fp32");
        plain.run.seed = seed_;
        Layout layout = spread(small(compute.toStdString()), data, pipeline, tensor);
        layout.run.seed = seed_;
        layout.precision.weights = named(weights);
        layout.precision.gradients = named(gradients);
        layout.parallel.zero = zero;
        if (compute == "fp16") {
            layout.precision.lossScale = LossScaling::Static;
            layout.precision.scale = 1024;
        }
        const std::vector<double> wanted = runInProcess(planOf(plain)).counter(EventKind::Loss);
        const RunOutcome run = runInProcess(planOf(layout));
        QVERIFY2(run.error.empty(), run.error.c_str());
        const std::vector<double> got = run.counter(EventKind::Loss);
        QCOMPARE(got.size(), wanted.size());
        const double tolerance = compute == "bf16" ? 2e-2 : 4e-3;
        double moved = 0;
        for (std::size_t i = 0; i < got.size(); ++i) {
            QVERIFY2(std::abs(got[i] - wanted[i]) < tolerance * wanted[i],
                     qPrintable(QString("step %1: %2, fp32 %3").arg(i).arg(got[i]).arg(wanted[i])));
            moved = std::max(moved, std::abs(got[i] - wanted[i]));
        }
        QVERIFY(moved > 0);  // it did compute in 16 bits
        if (data == 2 && zero == 0)
            for (std::size_t rank = 0; rank < run.ranks.size(); ++rank) {
                const Plan plan = planOf(layout);
                const int first = plan.mesh.group(static_cast<int>(rank), Axis::Data).front();
                QVERIFY(run.ranks[rank].parameters == run.ranks[static_cast<std::size_t>(first)].parameters);
            }
    }

    /// Updates far below a step of the format: lost where they are added to 16 bits, kept where a copy in fp32 adds
    /// them up.
    void masterWeightsKeepSmallUpdates() {
        Layout layout = small("bf16");
        layout.run.seed = seed_;
        layout.run.steps = 100;
        layout.optimizer.warmup = 0;
        layout.optimizer.weightDecay = 0;
        const auto weights = [&](const char* kept, double rate) {
            layout.precision.weights = named(kept);
            layout.optimizer.learningRate = rate;
            return runInProcess(planOf(layout)).ranks[0].parameters.at("0/h.0.ln_1.weight");
        };
        // AdamW moves each weight by about its rate a step; beside 1 that is a hundredth of a step of bf16.
        const auto moved = [](const std::vector<float>& values) {
            double sum = 0;
            for (const float value : values) sum += std::abs(double(value) - 1);
            return sum / double(values.size());
        };
        const double rate = 4e-5;
        QCOMPARE(moved(weights("alone", rate)), 0.0);
        QVERIFY(moved(weights("fp32", rate)) > 3e-4);
        // Layers see nothing yet of weights that moved less than half a step of bf16; what moved farther arrives.
        layout.run.steps = 250;
        QCOMPARE(moved(weights("alone", rate)), 0.0);
        QVERIFY(moved(weights("master", rate)) > 1e-3);
    }

    /// The shipped preset: without a scale every gradient vanishes below 2^-24 and teaches nothing; with one it learns
    /// what it learns in fp32, where nothing vanishes.
    void gradientsThatVanishTeachNothing() {
        const auto parsed = readLayout(SHARDLAB_SOURCE_DIR "/resources/presets/fp16-underflow.layout.json");
        QVERIFY(parsed && parsed->faults.empty());
        Layout layout = parsed->layout;
        layout.cluster.pace.reset();
        layout.run.seed = seed_;
        layout.run.steps = 41;
        layout.run.validateEvery = 0;
        const auto share = [](const RunOutcome& run, std::int64_t bin) {
            double there = 0, all = 0;
            for (const RankOutcome& rank : run.ranks)
                for (const Event& event : rank.events) {
                    if (event.kind != EventKind::GradientExponents) continue;
                    all += event.value;
                    if (event.bytes == bin) there += event.value;
                }
            return there / all;
        };
        QCOMPARE(layout.precision.lossScale, LossScaling::None);
        const RunOutcome vanishing = runInProcess(planOf(layout));
        QVERIFY2(vanishing.error.empty(), vanishing.error.c_str());
        layout.precision.lossScale = LossScaling::Dynamic;
        layout.precision.scale = 16777216;
        const RunOutcome scaled = runInProcess(planOf(layout));
        layout.precision = {};
        const RunOutcome wide = runInProcess(planOf(layout));
        const std::vector<double> still = vanishing.counter(EventKind::Loss), falls = scaled.counter(EventKind::Loss),
                                  should = wide.counter(EventKind::Loss);
        // A scaled step that does not fit is left out, and is a tenth of a nat behind; all that is learned is more than
        // three.
        const double learned = should.front() - last(should), behind = last(falls) - last(should);
        QVERIFY2(std::abs(behind) < 0.1 * learned, qPrintable(QString("%1 of %2 behind").arg(behind).arg(learned)));
        QVERIFY2(share(vanishing, zeroBin) > 0.99, qPrintable(QString::number(share(vanishing, zeroBin))));
        QVERIFY2(share(scaled, zeroBin) < 0.2, qPrintable(QString::number(share(scaled, zeroBin))));
        QVERIFY2(std::abs(last(still) - still.front()) < 0.03 * learned, qPrintable(QString::number(last(still))));
        QVERIFY2(last(falls) < falls.front() - 1, qPrintable(QString::number(last(falls))));
    }

    void dynamicScaleFindsItsSize_data() {
        QTest::addColumn<int>("data");
        QTest::addColumn<int>("pipeline");
        QTest::addColumn<int>("tensor");
        QTest::addColumn<int>("zero");
        QTest::newRow("one rank") << 1 << 1 << 1 << 0;
        QTest::newRow("data x pipeline") << 2 << 2 << 1 << 0;
        QTest::newRow("pipeline x tensor") << 1 << 2 << 2 << 0;
        QTest::newRow("ZeRO 2") << 2 << 2 << 1 << 2;
    }
    /// A scale that is far too large: steps are left out on all ranks alike until it fits; each is told with its place.
    void dynamicScaleFindsItsSize() {
        QFETCH(int, data);
        QFETCH(int, pipeline);
        QFETCH(int, tensor);
        QFETCH(int, zero);
        Layout layout = spread(small("fp16"), data, pipeline, tensor);
        layout.run.seed = seed_;
        layout.run.steps = 30;
        layout.parallel.zero = zero;
        layout.precision.lossScale = LossScaling::Dynamic;
        layout.precision.scale = 16777216;
        layout.precision.scaleWindow = 8;
        const Plan plan = planOf(layout);
        const RunOutcome run = runInProcess(plan);
        QVERIFY2(run.error.empty(), run.error.c_str());
        const std::vector<double> scales = run.counter(EventKind::LossScale);
        const std::vector<double> losses = run.counter(EventKind::Loss);
        QCOMPARE(scales.size(), std::size_t(30));
        std::set<int> overflowed;
        for (std::size_t rank = 0; rank < run.ranks.size(); ++rank)
            for (const Event& event : run.ranks[rank].events) {
                if (event.kind != EventKind::Overflow) continue;
                overflowed.insert(event.step);
                const Action action = actionFromId(event.action);
                if (action.kind == ActionKind::Backward)
                    QVERIFY(action.microbatch >= 0 && action.microbatch < plan.lowered.microbatches);
                else QCOMPARE(action.kind, ActionKind::ReduceGradients);  // finite on each replica, but not their sum
                QCOMPARE(plan.lowered.rankOfStage.at(static_cast<std::size_t>(action.stage)),
                         plan.mesh.coordinate(static_cast<int>(rank), Axis::Pipeline));
                QVERIFY(event.value >= -2 && event.value < layout.model.layers);
            }
        QVERIFY(!overflowed.empty());
        // Each tenth step tells the exponents of all gradients: as many as there are parameters.
        std::map<int, double> counted;
        std::int64_t parameters = 0;
        for (const RankOutcome& rank : run.ranks)
            for (const Event& event : rank.events)
                if (event.kind == EventKind::GradientExponents) counted[event.step] += event.value;
        for (const auto& [name, count] : parameterCounts(layout)) parameters += count;
        const int replicas = zero > 0 ? 1 : data;
        QCOMPARE(counted.size(), std::size_t(3));
        for (const auto& [step, count] : counted) QCOMPARE(count, double(parameters * replicas));
        for (int step = 1; step < 30; ++step) {
            const double before = scales[std::size_t(step - 1)], now = scales[std::size_t(step)];
            if (overflowed.contains(step - 1)) QCOMPARE(now, before / 2);
            else QVERIFY(now >= before);
        }
        QVERIFY(*std::ranges::max_element(scales) == scales.front());
        // A step left out changes nothing; the first good one does.
        std::size_t good = 0;
        while (overflowed.contains(static_cast<int>(good))) ++good;
        QVERIFY(good > 0 && good < 29);
        QVERIFY2(last(losses) < losses.front() - 0.2, qPrintable(QString::number(last(losses))));
        for (std::size_t rank = 0; rank < run.ranks.size(); ++rank)
            for (const auto& [name, values] : run.ranks[rank].parameters)
                QVERIFY2(std::ranges::all_of(values, [](float v) { return std::isfinite(v); }), name.c_str());
    }

    /// The scaled run equals the unscaled one where neither loses anything: a power of two changes no bit of fp32.
    void aScaleChangesNothingInFp32() {
        Layout layout = small("fp32");
        layout.run.seed = seed_;
        const RunOutcome plain = runInProcess(planOf(layout));
        layout.precision.lossScale = LossScaling::Static;
        layout.precision.scale = 4096;
        const RunOutcome scaled = runInProcess(planOf(layout));
        QVERIFY(plain.ranks[0].parameters == scaled.ranks[0].parameters);
    }

    void scaleRules() {
        PrecisionSpec precision;
        precision.lossScale = LossScaling::Dynamic;
        precision.scale = 8;
        precision.scaleWindow = 3;
        LossScale scale(precision);
        QCOMPARE(scale.value(), 8.0f);
        scale.stepped(true);
        QCOMPARE(scale.value(), 4.0f);
        QCOMPARE(scale.skipped(), 1);
        for (int i = 0; i < 2; ++i) scale.stepped(false);
        LossScale resumed(precision);
        resumed.restore(scale.numbers());
        QCOMPARE(resumed.value(), 4.0f);
        resumed.stepped(false);  // the third good step in a row
        QCOMPARE(resumed.value(), 8.0f);
        for (int i = 0; i < 5; ++i) resumed.stepped(true);
        QCOMPARE(resumed.value(), 1.0f);  // never below
        QCOMPARE(resumed.skipped(), 6);
        resumed.restore({{"skipped steps", 1e300}, {"steps since overflow", -5}});  // by other hands
        QVERIFY(resumed.skipped() >= 6 && resumed.skipped() < std::numeric_limits<int>::max());
    }

private:
    std::int64_t seed_ = 1;
};

QTEST_GUILESS_MAIN(PrecisionTest)
#include "precision_test.moc"
