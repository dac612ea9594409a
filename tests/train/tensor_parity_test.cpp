// SPDX-License-Identifier: Apache-2.0
// Tensor and sequence parallelism, with and without dropout: whatever shares the work, the losses and the weights are
// those of one rank.
#include "engine/layout/check/check.h"
#include "engine/layout/schedule/registry.h"
#include "engine/layout/data/text_generator.h"
#include "tests/support/named.h"
#include "tests/support/seed.h"
#include "tests/train/one_rank.h"
#include "tests/support/wings.h"

#include <QTemporaryDir>
#include <QtTest>
#include <cmath>
#include <fstream>

using namespace shardlab::test;

namespace {

constexpr int steps = 20;

}  // namespace

class TensorParityTest : public QObject {
    Q_OBJECT

private:
    Layout layoutOf(const std::string& model, double dropout, const Split& split) {
        Layout layout;
        layout.model.kind = named(model);
        layout.model.layers = 4;
        layout.model.hidden = 16;
        layout.model.heads = 8;
        layout.model.sequence = 16;
        layout.model.vocabulary = 259;  // divided by no group: members hold parts one row apart
        layout.model.dropout = dropout;
        layout.data.kind = DataKind::Text;
        layout.data.path = folder_.filePath("text.txt").toStdString();
        splitOver(layout, split);
        layout.batch = {8, 1};
        layout.run.steps = steps;
        layout.run.seed = seed_;
        layout.run.validateEvery = 10;
        layout.run.validationBatches = 1;
        return layout;
    }

    QTemporaryDir folder_;
    std::int64_t seed_ = 0;
    OneRank oneRank_;

private Q_SLOTS:
    void initTestCase() {
        seed_ = freshSeed();
        std::ofstream(folder_.filePath("text.txt").toStdString()) << generateText(seed_, 40'000);
    }

    /// It is another function of the same seed, and it learns.
    void dropoutDrops() {
        const std::vector<double> with = oneRank_.trained(layoutOf("gpt", 0.2, {})).counter(EventKind::Loss);
        const std::vector<double> without = oneRank_.trained(layoutOf("gpt", 0, {})).counter(EventKind::Loss);
        QVERIFY(!difference(with, without, 1e-5).isEmpty());
        QVERIFY2(with.back() < with.front() - 0.3, qPrintable(QString::number(with.back())));
    }

    void everyFactorisationOfEightEqualsOneRank_data() {
        QTest::addColumn<QString>("model");
        QTest::addColumn<double>("dropout");
        QTest::addColumn<int>("data");
        QTest::addColumn<int>("pipeline");
        QTest::addColumn<int>("tensor");
        QTest::addColumn<bool>("sequence");
        for (const char* model : {"gpt", "mlp"})
            for (const double dropout : {0.0, 0.2})
                for (const int tensor : {1, 2, 4, 8})
                    for (const int pipeline : {1, 2, 4})  // four layers: no more stages
                        for (const bool sequence : {false, true}) {
                            const int data = 8 / tensor / pipeline;
                            if (data < 1 || (sequence && tensor == 1)) continue;
                            QTest::addRow("%s data %d pipeline %d tensor %d%s%s", model, data, pipeline, tensor,
                                          sequence ? " sequence" : "", dropout > 0 ? " dropout" : "")
                                << model << dropout << data << pipeline << tensor << sequence;
                        }
    }
    void everyFactorisationOfEightEqualsOneRank() {
        QFETCH(QString, model);
        QFETCH(double, dropout);
        QFETCH(int, data);
        QFETCH(int, pipeline);
        QFETCH(int, tensor);
        QFETCH(bool, sequence);
        oneRank_.requireEqual(layoutOf(model.toStdString(), dropout, {data, pipeline, tensor, 1, sequence}));
    }

    /// The one factorisation that four layers are too few for.
    void eightStagesToo() {
        Layout layout = layoutOf("gpt", 0.2, {1, 8});
        layout.model.layers = 8;
        oneRank_.requireEqual(layout);
    }

    void splitBackwardsAndChunksToo_data() {
        QTest::addColumn<QString>("schedule");
        QTest::addColumn<int>("chunks");
        QTest::newRow("zb-h1") << "zb-h1" << 1;
        QTest::newRow("interleaved") << "interleaved-1f1b" << 2;
        QTest::newRow("zb-v") << "zb-v" << 2;
    }
    void splitBackwardsAndChunksToo() {
        QFETCH(QString, schedule);
        QFETCH(int, chunks);
        Layout layout = layoutOf("gpt", 0.2, {2, 2, 2, 1, true});
        layout.schedule.kind = schedule.toStdString();
        layout.schedule.chunks = chunks;
        oneRank_.requireEqual(layout);
    }

    /// Heads with what reads them, columns and weights' shards that no tensor group shares out evenly.
    void unequalSharesToo_data() {
        QTest::addColumn<QString>("model");
        QTest::addColumn<int>("tensor");
        QTest::addColumn<bool>("sequence");
        QTest::addColumn<int>("zero");
        for (const char* model : {"gpt", "llama"})
            for (const int tensor : {2, 3, 4, 5})
                for (const bool sequence : {false, true})
                    for (const int zero : {0, 3}) {
                        if (zero > 0 && tensor > 3) continue;  // ten ranks without replicas
                        QTest::addRow("%s tensor %d%s ZeRO %d", model, tensor, sequence ? " sequence" : "", zero)
                            << model << tensor << sequence << zero;
                    }
    }
    void unequalSharesToo() {
        QFETCH(QString, model);
        QFETCH(int, tensor);
        QFETCH(bool, sequence);
        QFETCH(int, zero);
        Layout layout = layoutOf(model.toStdString(), 0.2, {tensor < 4 ? 2 : 1, 2, tensor, 1, sequence, zero});
        layout.model.heads = 7;
        if (model == "llama") {
            layout.model.heads = 14;
            layout.model.block.kvHeads = 7;
        }
        layout.model.hidden = 4 * layout.model.heads;
        layout.model.sequence = 60;
        layout.model.feedForward = {61, 63, 11, 98};
        layout.memory.recompute = RecomputeKind::Selective;
        const Plan plan = planOf(layout);
        const RunOutcome run = runInProcess(plan);
        oneRank_.requireEqual(layout, run);
        if (QTest::currentTestFailed()) return;
        for (std::size_t rank = 0; rank < run.ranks.size(); ++rank)
            for (const Event& event : run.ranks[rank].events)
                if (event.kind == peakKind(MemoryCategory::Parameters) && event.step == 1)
                    QCOMPARE(event.bytes,
                             plan.memory[rank].bytes[static_cast<std::size_t>(MemoryCategory::Parameters)]);
    }

    void inputsInPartsToo_data() {
        QTest::addColumn<QString>("model");
        QTest::addColumn<QString>("recompute");
        QTest::addColumn<int>("tensor");
        const auto row = [](const char* model, const char* recompute, int tensor) {
            QTest::addRow("%s %s %d", model, recompute, tensor) << model << recompute << tensor;
        };
        row("gpt", "full", 2);
        row("gpt", "every", 4);
        row("gpt", "sqrt", 2);
        row("mlp", "full", 4);
    }
    void inputsInPartsToo() {
        QFETCH(QString, model);
        QFETCH(QString, recompute);
        QFETCH(int, tensor);
        Layout layout = layoutOf(model.toStdString(), 0.2, {4 / tensor, 2, tensor});
        layout.memory.recompute = named(recompute);
        layout.memory.partitionActivations = true;
        const RunOutcome run = runInProcess(planOf(layout));
        QVERIFY(run.count(EventKind::TensorAllGather) > 0);
        oneRank_.requireEqual(layout, run);
    }

    /// Over tensor, pipeline and data the norm is one rank's, and so is what clipping makes of the updates: weights
    /// that were clipped hard end up the same. The learning rate falls on the way.
    void clippingIsByTheNormOfTheWholeModel() {
        const auto trained = [&](const Split& split, int micro) {
            Layout layout = layoutOf("gpt", 0.2, split);
            layout.batch.micro = micro;
            layout.optimizer.kind = OptimizerKind::Sgd;
            layout.optimizer.learningRate = 0.5;
            layout.optimizer.warmup = 3;
            layout.optimizer.schedule = RateSchedule::Cosine;
            layout.optimizer.clip = 0.1;
            return runInProcess(planOf(layout));
        };
        const RunOutcome wanted = trained({}, 8);
        const std::vector<double> norms = wanted.counter(EventKind::GradientNorm);
        QVERIFY(std::ranges::min(norms) > 0.1);  // every update is clipped
        const std::vector<double> rates = wanted.counter(EventKind::LearningRate);
        QCOMPARE(rates.size(), std::size_t{steps});
        QVERIFY(std::abs(rates[2] - 0.5) < 1e-12 && rates[10] < rates[9] && rates.back() < 1e-12);
        for (const Split& split : {Split{2, 2, 2, 1, false}, Split{2, 2, 2, 1, true}, Split{1, 2, 4, 1, true}}) {
            const RunOutcome got = trained(split, 2);
            QVERIFY2(got.error.empty(), got.error.c_str());
            QString wrong = difference(got.counter(EventKind::GradientNorm), norms, 1e-4);
            QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
            wrong = difference(got.counter(EventKind::Loss), wanted.counter(EventKind::Loss), 1e-5);
            QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
            QCOMPARE(got.counter(EventKind::LearningRate), rates);
        }
    }

    /// Gradients too: plain gradient descent without clipping writes them into the weights.
    void weightsAreThoseOfOneRank() {
        const auto trained = [&](const Split& split, int micro) {
            Layout layout = layoutOf("gpt", 0.2, split);
            layout.batch.micro = micro;
            layout.optimizer.kind = OptimizerKind::Sgd;
            layout.optimizer.learningRate = 0.05;
            layout.optimizer.warmup = 0;
            layout.optimizer.clip = 0;
            const RunOutcome run = runInProcess(planOf(layout));
            if (!run.error.empty()) throw std::runtime_error(run.error);
            return wholeWeights(run);
        };
        const auto wanted = trained({}, 8);
        for (const Split& split : {Split{1, 1, 4, 1, false}, Split{1, 1, 4, 1, true}, Split{2, 2, 2, 1, true}}) {
            const auto got = trained(split, 2);
            QCOMPARE(got.size(), wanted.size());
            for (const auto& [name, values] : wanted) {
                const std::vector<float>& other = got.at(name);
                QCOMPARE(other.size(), values.size());
                double largest = 0, off = 0;
                for (std::size_t i = 0; i < values.size(); ++i) {
                    largest = std::max(largest, std::abs(double(values[i])));
                    off = std::max(off, std::abs(double(values[i]) - other[i]));
                }
                QVERIFY2(off <= 1e-5 * largest,
                         qPrintable(QString("%1 of data %2 pipeline %3 tensor %4: off by %5 of %6")
                                        .arg(name.c_str())
                                        .arg(split.data)
                                        .arg(split.pipeline)
                                        .arg(split.tensor)
                                        .arg(off)
                                        .arg(largest)));
            }
        }
    }

    /// Every collective that plan names is a span of the run, with its bytes and its layer, inside its action.
    void collectivesAreThoseOfThePlan_data() {
        QTest::addColumn<bool>("paced");
        QTest::newRow("full speed") << false;
        QTest::newRow("paced") << true;
    }
    void collectivesAreThoseOfThePlan() {
        QFETCH(bool, paced);
        for (const bool sequence : {false, true}) {
            Layout layout = layoutOf("gpt", 0.1, {1, 2, 2, 1, sequence});
            layout.run.steps = 2;
            layout.run.validateEvery = 0;
            if (paced) layout.cluster.pace = PaceSpec{"h100-sxm", 1.0};
            const Plan plan = planOf(layout);
            const RunOutcome run = runInProcess(plan);
            QVERIFY2(run.error.empty(), run.error.c_str());
            using Key = std::tuple<ActionId, EventKind, int, std::int64_t>;
            for (int rank = 0; rank < plan.mesh.ranks(); ++rank) {
                std::map<Key, int> measured, predicted;
                std::map<ActionId, std::pair<std::int64_t, std::int64_t>> actions;
                const auto collect = [&](const Event& event, std::map<Key, int>& into) {
                    if (isTensorCollective(event.kind))
                        ++into[{event.action, event.kind, static_cast<int>(event.value), event.bytes}];
                };
                const auto& events = run.ranks[static_cast<std::size_t>(rank)].events;
                for (const Event& event : events)
                    if (event.step == 1 && isCompute(event.kind)) actions[event.action] = {event.begin, event.end};
                for (const Event& event : events) {
                    if (event.step != 1) continue;
                    collect(event, measured);
                    if (!isTensorCollective(event.kind)) continue;
                    // A paced action may begin late, and then its modelled collectives lie before it in part.
                    QVERIFY(paced || event.begin >= actions.at(event.action).first);
                    QVERIFY(event.begin <= event.end && event.end <= actions.at(event.action).second);
                }
                for (const Event& event : plan.simulation.events)
                    if (event.rank == rank) collect(event, predicted);
                QVERIFY(!predicted.empty());
                QVERIFY2(measured == predicted, qPrintable(QString("rank %1").arg(rank)));
            }
        }
    }

    void whatCannotBeSharedIsRefused() {
        const auto faultAt = [&](auto change) {
            Layout layout = layoutOf("gpt", 0, {1, 1, 2});
            change(layout);
            const std::vector<Fault> faults = check(layout, scheduleMethods());
            return faults.size() == 1 ? faults.front().pointer + ": " + faults.front().what.english() : toText(faults);
        };
        QCOMPARE(faultAt([](Layout& l) { l.model.heads = 1; }),
                 std::string("/parallel/tensor: 2 members cannot divide 1 head"));
        QCOMPARE(faultAt([](Layout& l) {
                     l.model.kind = ModelKind::Llama;
                     l.model.block.kvHeads = 2;
                     l.parallel.tensor = 3;
                     l.cluster.hosts.front().devices = 3;
                 }),
                 std::string("/parallel/tensor: 3 members cannot divide 2 heads of keys"));
        QCOMPARE(faultAt([](Layout& l) {
                     l.model.feedForward = {64, 1, 64, 64};
                 }),
                 std::string("/parallel/tensor: 2 members cannot divide 1 column of a feed-forward block"));
        QCOMPARE(faultAt([](Layout& l) {
                     l.parallel.sequence = true;
                     l.model.sequence = 15;
                 }),
                 std::string("/parallel/sequence: 1 samples of 15 tokens do not divide into 2 shares"));
        QCOMPARE(faultAt([](Layout& l) {
                     l.parallel.tensor = 1;
                     l.parallel.data = 2;
                     l.parallel.sequence = true;
                 }),
                 std::string("/parallel/sequence: there is no tensor group whose members could split the tokens"));
    }
};

QTEST_GUILESS_MAIN(TensorParityTest)
#include "tensor_parity_test.moc"
