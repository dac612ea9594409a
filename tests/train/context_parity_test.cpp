// SPDX-License-Identifier: Apache-2.0
// Context parallelism: however many ranks share the tokens of a sample, and whether keys travel round them or they
// exchange tokens for heads, the losses and the weights are those of one rank.
#include "engine/trace/checkpoint/checkpoint_folder.h"
#include "engine/layout/check/check.h"
#include "engine/layout/schedule/registry.h"
#include "engine/layout/data/text_generator.h"
#include "tests/support/named.h"
#include "tests/support/seed.h"
#include "tests/train/one_rank.h"
#include "tests/support/wings.h"

#include <QTemporaryDir>
#include <QtTest>
#include <array>
#include <cmath>
#include <fstream>

using namespace shardlab::test;

namespace {

constexpr int steps = 20;
constexpr std::array bothMethods{ContextKind::Ring, ContextKind::Ulysses};

}  // namespace

Q_DECLARE_METATYPE(shardlab::layout::ContextKind)

class ContextParityTest : public QObject {
    Q_OBJECT

private:
    Layout layoutOf(const Split& split, const std::string& model = "gpt", double dropout = 0) {
        Layout layout;
        layout.model.kind = named(model);
        layout.model.dropout = dropout;
        layout.model.layers = 4;
        layout.model.hidden = 16;
        layout.model.heads = 8;
        layout.model.sequence = 16;
        layout.model.vocabulary = 259;  // divided by no group
        layout.data.kind = DataKind::Text;
        layout.data.path = folder_.filePath("text.txt").toStdString();
        splitOver(layout, split);
        layout.batch = {8, 2};
        if (8 % (split.data * 2) != 0) layout.batch.micro = 1;
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

    void everyFactorisationOfEightEqualsOneRank_data() {
        QTest::addColumn<QString>("model");
        QTest::addColumn<ContextKind>("method");
        QTest::addColumn<int>("data");
        QTest::addColumn<int>("pipeline");
        QTest::addColumn<int>("tensor");
        QTest::addColumn<int>("context");
        QTest::addColumn<bool>("sequence");
        QTest::addColumn<double>("dropout");
        const auto rows = [](const char* model, ContextKind method, double dropout) {
            for (const int context : {2, 4, 8})
                for (const int tensor : {1, 2, 4})
                    for (const int pipeline : {1, 2, 4})
                        for (const bool sequence : {false, true}) {
                            const int data = 8 / context / tensor / pipeline;
                            if (data < 1 || (sequence && tensor == 1)) continue;
                            if (QString(model) == "mlp" && (context != 2 || tensor == 4)) continue;
                            QTest::addRow("%s %s data %d pipeline %d tensor %d context %d%s%s", model,
                                          wordOf(method).data(), data, pipeline, tensor, context,
                                          sequence ? " sequence" : "", dropout > 0 ? " dropout" : "")
                                << model << method << data << pipeline << tensor << context << sequence << dropout;
                        }
        };
        for (const double dropout : {0.0, 0.2}) {
            for (const ContextKind method : bothMethods) rows("gpt", method, dropout);
            rows("mlp", ContextKind::Ring, dropout);
        }
    }
    void everyFactorisationOfEightEqualsOneRank() {
        QFETCH(QString, model);
        QFETCH(ContextKind, method);
        QFETCH(int, data);
        QFETCH(int, pipeline);
        QFETCH(int, tensor);
        QFETCH(int, context);
        QFETCH(bool, sequence);
        QFETCH(double, dropout);
        oneRank_.requireEqual(
            layoutOf({data, pipeline, tensor, context, sequence, 0, method}, model.toStdString(), dropout));
    }

    /// Three members: rings whose steps all differ, and exchanges with two others.
    void threeMembersToo() {
        for (const ContextKind method : bothMethods)
            for (const double dropout : {0.0, 0.2}) {
                Layout layout = layoutOf({1, 1, 1, 3, false, 0, method}, "gpt", dropout);
                layout.model.sequence = layout.model.hidden = 18;
                layout.model.heads = 6;
                oneRank_.requireEqual(layout);
            }
    }

    /// Gradients too: plain gradient descent without clipping writes them into the weights.
    void weightsAreThoseOfOneRank() {
        const auto trained = [&](const Split& split) {
            Layout layout = layoutOf(split, "gpt", 0.2);
            layout.optimizer.kind = OptimizerKind::Sgd;
            layout.optimizer.learningRate = 0.05;
            layout.optimizer.warmup = 0;
            layout.optimizer.clip = 0;
            const RunOutcome run = runInProcess(planOf(split.ranks() == 1 ? onOneRank(layout) : layout));
            if (!run.error.empty()) throw std::runtime_error(run.error);
            return wholeWeights(run);
        };
        const auto wanted = trained({});
        for (const Split& split :
             {Split{1, 1, 1, 2}, Split{1, 1, 1, 4}, Split{2, 1, 1, 4}, Split{1, 2, 2, 2, true},
              Split{1, 1, 1, 2, false, 0, ContextKind::Ulysses}, Split{2, 1, 1, 4, false, 0, ContextKind::Ulysses},
              Split{1, 2, 2, 2, true, 0, ContextKind::Ulysses}}) {
            const auto got = trained(split);
            QCOMPARE(got.size(), wanted.size());
            for (const auto& [name, values] : wanted) {
                const std::vector<float>& other = got.at(name);
                QCOMPARE(other.size(), values.size());
                double largest = 0, off = 0;
                for (std::size_t i = 0; i < values.size(); ++i) {
                    largest = std::max(largest, std::abs(double(values[i])));
                    off = std::max(off, std::abs(double(values[i]) - other[i]));
                }
                QVERIFY2(off <= 1e-5 * largest, qPrintable(QString("%1, context %2: off by %3 of %4")
                                                               .arg(name.c_str())
                                                               .arg(split.context)
                                                               .arg(off)
                                                               .arg(largest)));
            }
        }
    }

    void everyFlushSchedule_data() {
        QTest::addColumn<QString>("schedule");
        QTest::addColumn<int>("chunks");
        QTest::newRow("gpipe") << "gpipe" << 1;
        QTest::newRow("zb-h1") << "zb-h1" << 1;
        QTest::newRow("interleaved") << "interleaved-1f1b" << 2;
        QTest::newRow("zb-v") << "zb-v" << 2;
    }
    void everyFlushSchedule() {
        QFETCH(QString, schedule);
        QFETCH(int, chunks);
        for (const ContextKind method : bothMethods) {
            Layout layout = layoutOf({1, 2, 2, 2, true, 0, method});
            layout.schedule.kind = schedule.toStdString();
            layout.schedule.chunks = chunks;
            oneRank_.requireEqual(layout);
        }
    }

    /// Without a flush the reference is the same pipeline whose samples nobody shares.
    void pipelinesWithoutAFlush_data() {
        QTest::addColumn<QString>("schedule");
        QTest::newRow("pipedream") << "pipedream";
        QTest::newRow("2bw") << "pipedream-2bw";
    }
    void pipelinesWithoutAFlush() {
        QFETCH(QString, schedule);
        const auto trained = [&](int context, ContextKind method) {
            Layout layout = layoutOf({1, 2, 1, context, false, 0, method});
            layout.schedule.kind = schedule.toStdString();
            layout.optimizer.clip = 0;
            return runInProcess(planOf(layout));
        };
        const RunOutcome wanted = trained(1, ContextKind::Ring);
        for (const ContextKind method : bothMethods) {
            const RunOutcome got = trained(2, method);
            QVERIFY2(got.error.empty(), got.error.c_str());
            for (const EventKind kind : {EventKind::Loss, EventKind::ValidationLoss}) {
                const QString wrong = difference(got.counter(kind), wanted.counter(kind), 1e-5);
                QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
            }
        }
    }

    void shardsAndRecomputation_data() {
        QTest::addColumn<ContextKind>("method");
        QTest::addColumn<int>("zero");
        QTest::addColumn<QString>("partition");
        QTest::addColumn<QString>("recompute");
        for (const ContextKind method : bothMethods)
            for (const int zero : {0, 1, 2, 3})
                for (const char* recompute : {"none", "selective", "full", "pointwise", "operations"})
                    QTest::addRow("%s, zero %d, recompute %s", wordOf(method).data(), zero, recompute)
                        << method << zero << "flat" << recompute;
        QTest::newRow("zero 3, layers") << ContextKind::Ring << 3 << "layers"
                                        << "none";
    }
    void shardsAndRecomputation() {
        QFETCH(ContextKind, method);
        QFETCH(int, zero);
        QFETCH(QString, partition);
        QFETCH(QString, recompute);
        Layout layout = layoutOf({2, 2, 1, 2, false, zero, method});
        layout.parallel.partition = named(partition);
        layout.memory.recompute = named(recompute);
        oneRank_.requireEqual(layout);
    }

    /// The context group alone is enough to share out over.
    void shardsOverTheContextGroup() {
        Layout layout = layoutOf({1, 1, 1, 4});
        layout.parallel.zero = 1;
        oneRank_.requireEqual(layout);
        layout.parallel.zero = 0;
        layout.parallel.allReduce = AllReduceKind::Ring;
        oneRank_.requireEqual(layout);
    }

    /// In 16 bits each sum is rounded at other places: close, and it learns.
    void in16Bits() {
        for (const char* format : {"bf16", "fp16"})
            for (const ContextKind method : bothMethods) {
                Layout layout = layoutOf({1, 1, 2, 2, true, 0, method});
                layout.precision.compute = named(format);
                if (layout.precision.compute == NumberFormat::Fp16) {
                    layout.precision.lossScale = LossScaling::Static;
                    layout.precision.scale = 1024;
                }
                const RunOutcome run = runInProcess(planOf(layout));
                oneRank_.requireEqual(layout, run, {2e-2, 0.3});
                const std::vector<double> losses = run.counter(EventKind::Loss);
                QVERIFY2(losses.back() < losses.front() - 0.3, qPrintable(QString::number(losses.back())));
            }
    }

    /// Every hop and every exchange that plan names is a span of the run, with its bytes and its layer, inside its
    /// action, and what the plan says of the axis is what they send.
    void transfersAreThoseOfThePlan_data() {
        QTest::addColumn<ContextKind>("method");
        QTest::addColumn<bool>("paced");
        QTest::addColumn<QString>("recompute");
        for (const ContextKind method : bothMethods)
            for (const bool paced : {false, true})
                for (const char* recompute : {"none", "selective", "full"})
                    QTest::addRow("%s, %s, recompute %s", wordOf(method).data(), paced ? "paced" : "full speed",
                                  recompute)
                        << method << paced << recompute;
    }
    void transfersAreThoseOfThePlan() {
        QFETCH(ContextKind, method);
        QFETCH(bool, paced);
        QFETCH(QString, recompute);
        const bool exchanges = method == ContextKind::Ulysses;
        for (const Split& split : {Split{2, 2, 1, 2, false, 0, method}, Split{1, 1, 2, 4, true, 0, method}}) {
            Layout layout = layoutOf(split);
            layout.run.steps = 2;
            layout.run.validateEvery = 0;
            layout.memory.recompute = named(recompute);
            if (split.tensor == 2) layout.precision.compute = NumberFormat::Bf16;  // gradients' hops are larger
            if (paced) layout.cluster.pace = PaceSpec{"h100-sxm", 0.2};
            const Plan plan = planOf(layout);
            const RunOutcome run = runInProcess(plan);
            QVERIFY2(run.error.empty(), run.error.c_str());
            using Key = std::tuple<ActionId, EventKind, int, std::int64_t>;
            std::int64_t sent = 0;
            for (int rank = 0; rank < plan.mesh.ranks(); ++rank) {
                std::map<Key, int> measured, predicted;
                std::map<ActionId, std::pair<std::int64_t, std::int64_t>> actions;
                const auto collect = [&](const Event& event, std::map<Key, int>& into) {
                    if (isInsideAction(event.kind))
                        ++into[{event.action, event.kind, static_cast<int>(event.value), event.bytes}];
                };
                const auto& events = run.ranks[static_cast<std::size_t>(rank)].events;
                for (const Event& event : events)
                    if (event.step == 1 && isCompute(event.kind)) {
                        const auto [place, added] = actions.try_emplace(event.action, event.begin, event.end);
                        if (!added) place->second.second = event.end;  // cut where it waits for the data axis
                    }
                for (const Event& event : events) {
                    if (event.step != 1) continue;
                    collect(event, measured);
                    if (event.kind != (exchanges ? EventKind::ExchangeHeads : EventKind::KeyValueHop)) continue;
                    sent += exchanges ? event.bytes / split.context * (split.context - 1) : event.bytes;
                    QVERIFY(paced || event.begin >= actions.at(event.action).first);
                    QVERIFY(event.begin <= event.end && event.end <= actions.at(event.action).second);
                }
                for (const Event& event : plan.simulation.events)
                    if (event.rank == rank) collect(event, predicted);
                QVERIFY(!predicted.empty());
                QVERIFY2(measured == predicted, qPrintable(QString("rank %1").arg(rank)));
            }
            const auto told = std::ranges::find(plan.traffic, Axis::Context, &AxisTraffic::axis);
            QVERIFY(told != plan.traffic.end());
            QCOMPARE(told->bytes, sent);
            // The bytes follow from the formula in the header.
            const std::int64_t n = layout.batch.micro * 16 / split.context, g = 16 / split.tensor;
            const std::int64_t f = split.tensor == 2 ? 2 : 4, c = split.context, forwards = recompute == "none" ? 1 : 2;
            const std::int64_t each = exchanges ? 4 * n * g * f * (forwards + 1) / c * (c - 1)
                                                : 2 * n * g * ((c - 1) * f * (forwards + 1) + 4 * c);
            QCOMPARE(sent, each * 4 * plan.lowered.microbatches * split.data * split.tensor * split.context);
        }
    }

    /// Memory too is what the plan says, and a member's activations are a part of the whole's.
    void activationsAreSharedOut() {
        const auto planned = [&](int context, ContextKind method) {
            return planOf(layoutOf({1, 1, 1, context, false, 0, method}));
        };
        const auto activations = static_cast<std::size_t>(MemoryCategory::Activations);
        const std::int64_t whole = planned(1, ContextKind::Ring).memory[0].bytes[activations];
        for (const ContextKind method : bothMethods)
            for (const int context : {2, 4, 8}) {
                const Plan plan = planned(context, method);
                const RunOutcome run = runInProcess(plan);
                QVERIFY2(run.error.empty(), run.error.c_str());
                // What an exchange keeps beside the rows of its heads is its output.
                const std::int64_t outputs =
                    method == ContextKind::Ulysses ? 4 * std::int64_t{2} * 16 / context * 16 * 4 : 0;
                QVERIFY((plan.memory[0].bytes[activations] - outputs) * context <= whole);
                for (int rank = 0; rank < context; ++rank) {
                    std::int64_t peak = 0;
                    for (const Event& event : run.ranks[static_cast<std::size_t>(rank)].events)
                        if (event.kind == EventKind::MemoryPeak && event.step == 1) peak = std::max(peak, event.bytes);
                    QCOMPARE(peak, plan.memory[static_cast<std::size_t>(rank)].peak);
                }
            }
    }

    void checkpointsReshard() {
        QTemporaryDir folder;
        Layout first = layoutOf({1, 2, 1, 2}), second = layoutOf({2, 1, 1, 4, false, 0, ContextKind::Ulysses});
        first.parallel.zero = 1;
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
            difference(rest.counter(EventKind::Loss), {straight.begin() + steps / 2, straight.end()}, 1e-5);
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
    }

    void whatCannotBeSharedIsRefused() {
        const auto faultAt = [&](auto change) {
            Layout layout = layoutOf({1, 1, 1, 2});
            change(layout);
            const std::vector<Fault> faults = check(layout, scheduleMethods());
            return faults.size() == 1 ? faults.front().pointer + ": " + faults.front().what.english() : toText(faults);
        };
        QCOMPARE(faultAt([](Layout&) {}), std::string());
        QCOMPARE(faultAt([](Layout& l) { l.model.sequence = 18; }),
                 std::string("/parallel/context: a sequence of 18 tokens cannot be cut into 4 equal pieces"));
        QCOMPARE(faultAt([](Layout& l) {
                     l.parallel.tensor = 8;
                     l.parallel.sequence = true;
                     l.model.sequence = 4;
                     l.batch.micro = 2;
                     l.cluster.hosts[0].devices = 16;
                 }),
                 std::string("/parallel/sequence: 2 samples of 2 tokens do not divide into 8 shares"));
        const auto faultOfExchange = [&](auto change) {
            return faultAt([&](Layout& l) {
                l.parallel.contextKind = ContextKind::Ulysses;
                change(l);
            });
        };
        QCOMPARE(faultOfExchange([](Layout&) {}), std::string());
        QCOMPARE(faultOfExchange([](Layout& l) { l.model.heads = 1; }),
                 std::string("/parallel/context: 1 head does not divide into 2 shares"));
        QCOMPARE(faultOfExchange([](Layout& l) {
                     l.model.heads = l.parallel.tensor = 4;
                     l.cluster.hosts[0].devices = 8;
                 }),
                 std::string("/parallel/context: 1 of 4 heads do not divide into 2 shares"));
    }

    void paced() {
        for (const ContextKind method : bothMethods) {
            Layout layout = layoutOf({1, 2, 1, 2, false, 0, method});
            layout.cluster.pace = PaceSpec{"h100-sxm", 0.05};
            oneRank_.requireEqual(layout);
        }
    }
};

QTEST_GUILESS_MAIN(ContextParityTest)
#include "context_parity_test.moc"
