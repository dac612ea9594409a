// SPDX-License-Identifier: Apache-2.0
// The trainer against a loop anyone can read: forward, backward, clip, update, on one stage. Parity between layouts
// cannot see what every layout does wrong alike.
#include "engine/train/optim/optimizer.h"
#include "engine/layout/data/corpus.h"
#include "engine/train/model/stage.h"
#include "engine/layout/data/sampler.h"
#include "tests/support/seed.h"
#include "tests/train/run_in_process.h"
#include "tests/support/wings.h"

#include <QtTest>
#include <cmath>

using namespace shardlab::test;

namespace {

Layout smallLayout(std::int64_t seed, double clip, int warmup) {
    Layout layout;
    layout.model = {ModelKind::Gpt, 2, 16, 2, 16, 256, 0.0};
    layout.cluster.hosts = {{"localhost", 1}};
    layout.parallel.data = layout.parallel.pipeline = 1;
    layout.batch = {4, 4};
    layout.optimizer.clip = clip;
    layout.optimizer.warmup = warmup;
    layout.run = {12, seed, 0, 1};
    return layout;
}

struct LoopStep {
    double loss;
    double norm;
};

std::vector<LoopStep> plainLoop(const Layout& layout) {
    const auto corpus = Corpus::load(layout);
    if (!corpus) throw std::runtime_error(corpus.error().text());
    Sampler sampler(*corpus, layout, 0);
    Arena arena;
    StageSpec spec;
    spec.model = layout.model;
    spec.seed = layout.run.seed;
    spec.layers = layout.model.layers;
    spec.samples = layout.batch.micro;
    Stage stage(spec, arena);
    std::vector<LoopStep> steps;
    const auto optimizer = makeOptimizer({layout.optimizer}, stage.parameters(), arena);
    for (int step = 0; step < layout.run.steps; ++step) {
        const MicrobatchTokens tokens = sampler.train(step, 0);
        stage.zeroGradients();
        stage.forward(0, tokens.batch(), {});
        stage.backward(0, {}, 1);
        double squares = 0;
        for (const float gradient : stage.gradientBlock().floats()) squares += double{gradient} * gradient;
        const double norm = std::sqrt(squares);
        const double limit = layout.optimizer.clip;
        optimizer->update(stage.parameters(), step + 1,
                          limit > 0 && norm > limit ? static_cast<float>(limit / norm) : 1.0f);
        steps.push_back({stage.loss(0), norm});
    }
    return steps;
}

}  // namespace

class PlainLoopTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { seed_ = freshSeed() % 100000; }

    void trainerEqualsTheLoop_data() {
        QTest::addColumn<double>("clip");
        QTest::addColumn<int>("warmup");
        QTest::newRow("clipped often") << 0.3 << 0;
        QTest::newRow("clipped at first, warm-up") << 1.5 << 6;
        QTest::newRow("not clipped") << 0.0 << 0;
    }
    void trainerEqualsTheLoop() {
        QFETCH(double, clip);
        QFETCH(int, warmup);
        const Layout layout = smallLayout(seed_, clip, warmup);
        const auto wanted = plainLoop(layout);
        const RunOutcome run = runInProcess(planOf(layout));
        QVERIFY2(run.error.empty(), run.error.c_str());
        const auto losses = run.counter(EventKind::Loss);
        const auto norms = run.counter(EventKind::GradientNorm);
        QCOMPARE(losses.size(), wanted.size());
        for (std::size_t i = 0; i < wanted.size(); ++i) {
            const auto where = QString("seed %1, step %2: %3 instead of %4").arg(seed_).arg(i);
            QVERIFY2(std::abs(losses[i] - wanted[i].loss) <= 1e-5 * wanted[i].loss,
                     qPrintable(where.arg(losses[i], 0, 'g', 9).arg(wanted[i].loss, 0, 'g', 9)));
            if (clip > 0)
                QVERIFY2(std::abs(norms[i] - wanted[i].norm) <= 1e-4 * wanted[i].norm,
                         qPrintable(where.arg(norms[i], 0, 'g', 9).arg(wanted[i].norm, 0, 'g', 9)));
        }
    }

    void warmUpRisesInEqualSteps() {
        const Layout layout = smallLayout(seed_, 1.0, 8);
        const RunOutcome run = runInProcess(planOf(layout));
        QVERIFY2(run.error.empty(), run.error.c_str());
        const auto rates = run.counter(EventKind::LearningRate);
        QCOMPARE(rates.size(), std::size_t(layout.run.steps));
        for (std::size_t i = 0; i < rates.size(); ++i)
            QCOMPARE(rates[i], layout.optimizer.learningRate * std::min(1.0, double(i + 1) / 8));
    }

private:
    std::int64_t seed_ = 1;
};

QTEST_GUILESS_MAIN(PlainLoopTest)
#include "plain_loop_test.moc"
