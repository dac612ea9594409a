// SPDX-License-Identifier: Apache-2.0
// The proof of expert parallelism: with experts on several ranks, a run is that of one rank with all of them; and what
// ranks send each other, and hold, is what the plan says. As in experts_parity_test a token that stands between two
// experts may go either way where sums round otherwise: a row that differs is tried again with other seeds.
#include "engine/trace/analysis/traffic_matrix.h"
#include "engine/trace/checkpoint/checkpoint_folder.h"
#include "engine/launch/job/run_header.h"
#include "engine/layout/formats.h"
#include "engine/layout/model_shape.h"
#include "engine/layout/schedule/registry.h"
#include "engine/layout/data/text_generator.h"
#include "tests/support/named.h"
#include "tests/support/seed.h"
#include "tests/train/expert_models.h"
#include "tests/train/outcomes.h"
#include "tests/train/steady_updates.h"
#include "tests/support/wings.h"

#include <QTemporaryDir>
#include <QtTest>

#include <cstring>
#include <fstream>
#include <map>

using namespace shardlab::test;

namespace {

constexpr int globalBatch = 8;
constexpr int attempts = 3;

struct Split {
    const char* schedule = "naive";
    int data = 1;
    int pipeline = 1;
    int expert = 1;
    int micro = globalBatch;
    const char* recompute = "none";
    double bucket = 25;
    int zero = 0;
};

}  // namespace

class ExpertParallelTest : public QObject {
    Q_OBJECT

private:
    Layout layoutOf(const std::string& gate, const Split& split, int steps = 20) {
        Layout layout;
        layout.name = "expert parallel";
        layout.model = expertModel(gate);
        layout.data.kind = DataKind::Text;
        layout.data.path = folder_.filePath("text.txt").toStdString();
        layout.cluster.hosts = {{"localhost", split.data * split.pipeline}};
        layout.parallel.data = split.data;
        layout.parallel.pipeline = split.pipeline;
        layout.parallel.expert = split.expert;
        layout.parallel.bucket = split.bucket;
        layout.parallel.zero = split.zero;
        layout.schedule.kind = split.schedule;
        layout.schedule.chunks = std::max(1, findScheduleMethod(split.schedule)->minChunks);
        layout.memory.recompute = named(split.recompute);
        layout.batch = {globalBatch, split.micro};
        layout.optimizer.kind = OptimizerKind::Sgd;
        layout.optimizer.learningRate = 0.05;
        layout.optimizer.warmup = 0;
        layout.optimizer.momentum = 0.9;
        layout.run = {steps, seed_, 10, 1};
        return layout;
    }

    static RunOutcome runOf(const Layout& layout) { return runInProcess(planOf(layout)); }

    /// Empty: equal.
    QString differs(const RunOutcome& run, const Layout& layout, const RunOutcome& reference) {
        const QString wrong = expertsDiffer(run, reference);
        if (!wrong.isEmpty()) return QString("seed %1, %2").arg(seed_).arg(wrong);
        return layout.parallel.zero == 3 ? QString() : copiesDiffer(run, layout);  // whose ranks hold shards
    }

    const RunOutcome& reference(const std::string& gate) {
        auto [entry, added] = references_.try_emplace({gate, seed_});
        if (added) entry->second = runOf(layoutOf(gate, {}));
        return entry->second;
    }

    void newSeed() {
        seed_ = freshSeed();
        std::ofstream(folder_.filePath("text.txt").toStdString()) << generateText(seed_, 20'000);
    }

    /// compare() tells what differs.
    template <class Compare>
    void requireEqual(Compare compare) {
        QString wrong;
        for (int i = 0; i < attempts; ++i) {
            if (i > 0) newSeed();
            wrong = compare();
            if (wrong.isEmpty()) return;
            qInfo("%s", qPrintable(wrong));
        }
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
    }

    QTemporaryDir folder_;
    std::int64_t seed_ = 0;
    std::map<std::pair<std::string, std::int64_t>, RunOutcome> references_;

private Q_SLOTS:
    void initTestCase() { newSeed(); }

    void everyLayoutEqualsOneRank_data() {
        QTest::addColumn<QString>("gate");
        QTest::addColumn<int>("split");
        const auto add = [&](const char* gate, int i) {
            const Split& s = splits[std::size_t(i)];
            QTest::addRow("%s %s data %d pipeline %d expert %d micro %d %s bucket %g zero %d", gate, s.schedule, s.data,
                          s.pipeline, s.expert, s.micro, s.recompute, s.bucket, s.zero)
                << gate << i;
        };
        RandomStream random(freshSeed(), "splits");
        const int all = int(splits.size()), whole = int(std::ranges::count(splits, 0, &Split::zero));
        for (const char* gate : gatesOfGpts) {
            for (int i = 0; i < whole; ++i) add(gate, i);
            for (const int i : someOf(random, all - whole, 2)) add(gate, whole + i);
        }
        for (const char* gate : gatesOfToday) {
            for (const int i : someOf(random, whole, 3)) add(gate, i);
            for (const int i : someOf(random, all - whole, 4)) add(gate, whole + i);
        }
    }
    void everyLayoutEqualsOneRank() {
        QFETCH(QString, gate);
        QFETCH(int, split);
        requireEqual([&] {
            const RunOutcome& wanted = reference(gate.toStdString());
            const Layout layout = layoutOf(gate.toStdString(), splits[std::size_t(split)]);
            return differs(runOf(layout), layout, wanted);
        });
    }

    void everyScheduleWithAFlush() {
        int run = 0;
        for (const ScheduleMethod& method : generatedMethods()) {
            if (!method.flushes) continue;
            const std::string name(method.name);
            const Split split{name.c_str(), 2, 2, 2, 1};
            const ScheduleShape shape = scheduleShape(layoutOf("switch", split));
            if (method.refusal && method.refusal(shape)) continue;
            ++run;
            requireEqual([&] {
                const RunOutcome& wanted = reference("switch");
                const Layout layout = layoutOf("switch", split);
                const QString wrong = differs(runOf(layout), layout, wanted);
                return wrong.isEmpty() ? wrong : QString("%1: %2").arg(name.c_str(), wrong);
            });
            if (QTest::currentTestFailed()) return;
        }
        QVERIFY2(run >= 8, qPrintable(QString("%1 schedules").arg(run)));
    }

    /// Without a flush the reference is the same pipeline whose replicas hold all experts.
    void withoutAFlush_data() {
        QTest::addColumn<QString>("schedule");
        QTest::addColumn<QString>("gate");
        QTest::newRow("pipedream") << "pipedream"
                                   << "switch";
        QTest::newRow("2bw") << "pipedream-2bw"
                             << "sigmoid-top-k";
    }
    void withoutAFlush() {
        QFETCH(QString, schedule);
        QFETCH(QString, gate);
        requireEqual([&]() -> QString {
            for (const auto& [d, p, e] : {std::tuple(2, 2, 2), std::tuple(4, 1, 2), std::tuple(4, 2, 2)}) {
                const std::string kind = schedule.toStdString();
                const auto layoutWith = [&](int expert, double bucket) {
                    Layout layout = layoutOf(gate.toStdString(), {kind.c_str(), d, p, expert, 1, "none", bucket});
                    layout.optimizer.clip = 0;
                    return layout;
                };
                const Layout layout = layoutWith(e, p == 1 ? 0 : 0.004);
                const Plan plan = planOf(layout);
                const RunOutcome run = runInProcess(plan);
                QString wrong = differs(run, layout, runOf(layoutWith(1, 25)));
                if (wrong.isEmpty()) wrong = sendsOtherwise(run, plan);
                if (!wrong.isEmpty()) return wrong;
            }
            return {};
        });
    }

    /// Experts go round a ring of those that hold the same, or all in one bucket, beside the rest.
    void ringsAndOneBucketToo_data() {
        QTest::addColumn<QString>("kind");
        QTest::addColumn<double>("bucket");
        QTest::addColumn<int>("zero");
        QTest::addRow("a ring, small buckets") << "ring" << 0.01 << 0;
        QTest::addRow("a ring, large buckets") << "ring" << 25.0 << 0;
        QTest::addRow("no buckets") << "backend" << 0.0 << 0;
        QTest::addRow("a ring, no buckets") << "ring" << 0.0 << 0;
        for (const int zero : {1, 2, 3}) QTest::addRow("a ring, zero %d", zero) << "ring" << 0.01 << zero;
    }
    void ringsAndOneBucketToo() {
        QFETCH(QString, kind);
        QFETCH(double, bucket);
        QFETCH(int, zero);
        requireEqual([&]() -> QString {
            for (const auto& [d, p, e] : {std::tuple(4, 1, 2), std::tuple(4, 1, 4), std::tuple(4, 2, 2)}) {
                Layout layout = layoutOf("switch", {"1f1b", d, p, e, 1, "none", bucket, zero});
                layout.parallel.allReduce = named(kind);
                const Plan plan = planOf(layout);
                const RunOutcome run = runInProcess(plan);
                const QString wrong = differs(run, layout, reference("switch"));
                if (!wrong.isEmpty()) return wrong;
                const QString other = sendsOtherwise(run, plan);
                if (!other.isEmpty()) return other;
            }
            return {};
        });
    }

    /// The state of an expert is with the ranks that hold it.
    void everyOptimizer_data() {
        QTest::addColumn<QString>("kind");
        for (const char* kind : {"adamw", "adafactor", "sm3"}) QTest::newRow(kind) << kind;
    }
    void everyOptimizer() {
        QFETCH(QString, kind);
        requireEqual([&]() -> QString {
            const auto layoutWith = [&](const Split& split) {
                Layout layout = layoutOf("switch", split, 6);
                layout.optimizer.kind = named(kind);
                layout.optimizer.momentum = 0;
                layout.optimizer.learningRate = 5e-4;
                steadyUpdates(layout.optimizer);
                return layout;
            };
            const RunOutcome wanted = runOf(layoutWith({}));
            for (const Split& split : {Split{"1f1b", 4, 1, 2, 2}, Split{"1f1b", 2, 2, 2, 2}}) {
                const Layout layout = layoutWith(split);
                const RunOutcome run = runOf(layout);
                if (!run.error.empty()) return QString::fromStdString(run.error);
                QString wrong = difference(run.counter(EventKind::Loss), wanted.counter(EventKind::Loss), 1e-4);
                if (wrong.isEmpty()) wrong = copiesDiffer(run, layout);
                if (!wrong.isEmpty()) return QString("seed %1: %2").arg(seed_).arg(wrong);
            }
            return {};
        });
    }

    /// In 16 bits the first loss is that of plain data parallelism to the bit: tokens travel as they are. All ranks
    /// skip the steps in which any of them, or of the experts, overflows.
    void sixteenBits_data() {
        QTest::addColumn<QString>("compute");
        QTest::addColumn<QString>("weights");
        QTest::addColumn<QString>("gate");
        for (const char* compute : {"bf16", "fp16"}) {
            for (const char* weights : {"master", "fp32", "alone"})
                QTest::addRow("%s %s", compute, weights) << compute << weights << "switch";
            for (const char* gate : {"gshard", "hierarchical", "capped-expert-choice", "sigmoid-in-groups"})
                QTest::addRow("%s %s", compute, gate) << compute << "master" << gate;
        }
    }
    void sixteenBits() {
        QFETCH(QString, compute);
        QFETCH(QString, weights);
        QFETCH(QString, gate);
        requireEqual([&]() -> QString {
            const auto layoutWith = [&](const Split& split) {
                Layout layout = layoutOf(gate.toStdString(), split, 12);
                layout.precision.compute = named(compute);
                layout.precision.weights = named(weights);
                layout.precision.lossScale = LossScaling::Dynamic;
                layout.precision.scale = 16777216;
                layout.optimizer.momentum = 0;
                layout.optimizer.learningRate = 0.01;
                return layout;
            };
            RandomStream random(freshSeed(), "ZeRO");
            for (const auto& [d, p, e] : {std::tuple(2, 1, 2), std::tuple(4, 1, 2), std::tuple(2, 2, 2)}) {
                const int zero = d == 2 && p == 1 ? 0 : int(random.below(4));
                const Layout layout = layoutWith({"1f1b", d, p, e, 1, "none", 25, zero});
                const RunOutcome run = runOf(layout), wanted = runOf(layoutWith({"1f1b", d, p, 1, 1}));
                if (!run.error.empty()) return QString::fromStdString(run.error);
                const auto got = run.counter(EventKind::Loss), losses = wanted.counter(EventKind::Loss);
                if (got.front() != losses.front()) return QStringLiteral("the first loss differs");
                QString wrong = difference(got, losses, 0.02);
                if (wrong.isEmpty())
                    wrong = difference(run.counter(EventKind::LossScale), wanted.counter(EventKind::LossScale), 0);
                if (wrong.isEmpty() && zero < 3) wrong = copiesDiffer(run, layout);
                if (!wrong.isEmpty()) return QString("seed %1, zero %2: %3").arg(seed_).arg(zero).arg(wrong);
                if (compute == "fp16" && run.counter(EventKind::LossScale).back() >= layout.precision.scale)
                    return QStringLiteral("nothing overflowed");
            }
            return {};
        });
    }

    /// All-to-alls, bytes from rank to rank and memory are those of the plan; and of the header's formula.
    void whatIsSentIsPredicted_data() {
        QTest::addColumn<int>("data");
        QTest::addColumn<int>("pipeline");
        QTest::addColumn<int>("expert");
        QTest::addColumn<QString>("gate");
        QTest::addColumn<QString>("recompute");
        QTest::addColumn<bool>("paced");
        QTest::addColumn<int>("zero");
        QTest::newRow("2 ranks") << 2 << 1 << 2 << "switch"
                                 << "none" << false << 0;
        QTest::newRow("2 groups of 2") << 4 << 1 << 2 << "noisy-top-k"
                                       << "none" << false << 0;
        QTest::newRow("a pipeline") << 2 << 2 << 2 << "expert-choice"
                                    << "full" << false << 0;
        QTest::newRow("a cap, bf16") << 4 << 1 << 4 << "capped-expert-choice"
                                     << "full" << false << 0;
        QTest::newRow("hierarchical") << 2 << 2 << 2 << "hierarchical"
                                      << "full" << false << 0;
        QTest::newRow("gshard") << 4 << 1 << 2 << "gshard"
                                << "none" << false << 0;
        QTest::newRow("4 ranks, bf16") << 4 << 1 << 4 << "switch"
                                       << "selective" << false << 0;
        QTest::newRow("a pipeline, paced") << 2 << 2 << 2 << "switch"
                                           << "none" << true << 0;
        for (const int zero : {1, 2, 3})
            for (const int expert : {2, 4})
                QTest::addRow("expert %d zero %d", expert, zero)
                    << 4 << 1 << expert << "sigmoid-top-k" << (zero == 3 ? "full" : "none") << false << zero;
        QTest::newRow("a pipeline, zero 3") << 4 << 2 << 2 << "switch"
                                            << "none" << false << 3;
    }
    void whatIsSentIsPredicted() {
        QFETCH(int, data);
        QFETCH(int, pipeline);
        QFETCH(int, expert);
        QFETCH(QString, gate);
        QFETCH(QString, recompute);
        QFETCH(bool, paced);
        QFETCH(int, zero);
        Layout layout = layoutOf(gate.toStdString(), {"1f1b", data, pipeline, expert, 1}, 2);
        layout.parallel.zero = zero;
        if (zero > 0 && expert == 2) layout.optimizer.kind = OptimizerKind::AdamW8Bit;
        layout.memory.recompute = named(recompute);
        layout.parallel.bucket = 0.004;
        layout.run.validateEvery = 0;
        if (data == expert) layout.checkpoint.every = 2;  // its copy counts too
        if (expert == 4) layout.precision.compute = NumberFormat::Bf16;
        if (paced) layout.cluster.pace = PaceSpec{"h100-sxm", 0.2};
        const Plan plan = planOf(layout);
        QTemporaryDir checkpoints;
        const RunOutcome run = runInProcess(plan, {}, [&](int, TrainerServices& services) {
            if (layout.checkpoint.every > 0) services.checkpoints = checkpoints.path().toStdString();
        });
        QVERIFY2(run.error.empty(), run.error.c_str());

        using Key = std::tuple<ActionId, EventKind, int, std::int64_t>;
        const std::int64_t rows = expertRows(layout.model, 1), bytes = rows * 16 * (expert == 4 ? 2 : 4);
        const int times = recompute == "full" ? 3 : 2;  // a dispatch and a combine each
        TrafficMatrix measuredBytes(headerOf(plan)), predictedBytes(headerOf(plan));
        std::int64_t left = 0;
        for (int rank = 0; rank < plan.mesh.ranks(); ++rank) {
            std::map<Key, int> measured, predicted;
            std::int64_t peak = 0;
            int all = 0;
            for (const Event& event : run.ranks[static_cast<std::size_t>(rank)].events) {
                if (event.kind == EventKind::MemoryPeak) peak = std::max(peak, event.bytes);
                if (event.step != 1) continue;
                measuredBytes.add(event);
                if (!isExpertExchange(event.kind)) continue;
                ++measured[{event.action, event.kind, static_cast<int>(event.value), event.bytes}];
                ++all;
                QCOMPARE(event.bytes, bytes);
                QCOMPARE(event.lane, Lane::Comm);
                left += event.bytes / expert * (expert - 1);
            }
            for (const Event& event : plan.simulation.events)
                if (event.rank == rank && isExpertExchange(event.kind))
                    ++predicted[{event.action, event.kind, static_cast<int>(event.value), event.bytes}];
            QVERIFY2(measured == predicted, qPrintable(QString("rank %1").arg(rank)));
            QCOMPARE(all, 2 * times * plan.lowered.microbatches * layersWithExperts(layout.model) / pipeline);
            // Between pipeline ranks a message that has arrived early is gone from its sender early.
            const std::int64_t most = plan.memory[static_cast<std::size_t>(rank)].peak;
            QVERIFY2(pipeline == 1 ? peak == most : peak > 0 && peak <= most,
                     qPrintable(QString("rank %1 held %2, not %3").arg(rank).arg(peak).arg(most)));
        }
        const auto told = std::ranges::find(plan.traffic, Axis::Expert, &AxisTraffic::axis);
        QVERIFY(told != plan.traffic.end());
        QCOMPARE(told->bytes, left);
        for (const Event& event : plan.simulation.events) predictedBytes.add(event);
        for (int from = 0; from < plan.mesh.ranks(); ++from)
            for (int to = 0; to < plan.mesh.ranks(); ++to) {
                const auto got = measuredBytes.cell(from, to, TrafficMatrix::Part::All);
                const auto wanted = predictedBytes.cell(from, to, TrafficMatrix::Part::All);
                QCOMPARE(got.bytes, wanted.bytes);
                QCOMPARE(got.count, wanted.count);
            }
    }

    /// Any layout goes on from any other's checkpoint, with AdamW's moments.
    void checkpointsReshard_data() {
        QTest::addColumn<QString>("gate");
        QTest::addColumn<int>("from");
        QTest::addColumn<int>("to");
        const auto add = [&](const char* gate, int from, int to) {
            const Split &a = places[std::size_t(from)], &b = places[std::size_t(to)];
            QTest::addRow("%s: %d of %d × %d zero %d to %d of %d × %d zero %d", gate, a.expert, a.data, a.pipeline,
                          a.zero, b.expert, b.data, b.pipeline, b.zero)
                << gate << from << to;
        };
        const int all = int(places.size()), whole = int(std::ranges::count(places, 0, &Split::zero));
        for (int from = 0; from < whole; ++from)
            for (int to = 0; to < whole; ++to)
                if (from != to) add("noisy-top-k", from, to);
        // Each place with ZeRO once from and once to any other.
        RandomStream random(freshSeed(), "places");
        for (int place = whole; place < all; ++place)
            for (const bool to : {false, true}) {
                const int other = (place + 1 + int(random.below(std::uint32_t(all - 1)))) % all;
                add(gatesOfToday[random.below(gatesOfToday.size())], to ? other : place, to ? place : other);
            }
    }
    void checkpointsReshard() {
        QFETCH(QString, gate);
        QFETCH(int, from);
        QFETCH(int, to);
        constexpr int steps = 8;
        const auto layoutWith = [&](const Split& split) {
            Layout layout = layoutOf(gate.toStdString(), split, steps);
            layout.optimizer.kind = OptimizerKind::AdamW;
            layout.optimizer.learningRate = 2e-3;
            steadyUpdates(layout.optimizer);
            return layout;
        };
        const auto keep = [&](const Layout& layout, const QTemporaryDir& folder,
                              const std::filesystem::path& resume = {}) {
            return runInProcess(planOf(layout), {}, [&](int, TrainerServices& services) {
                services.checkpoints = folder.path().toStdString();
                services.resume = resume;
            });
        };
        requireEqual([&]() -> QString {
            QTemporaryDir folder, rest;
            const std::vector<double> straight = runOf(layoutWith({})).counter(EventKind::Loss);
            Layout layout = layoutWith(places[std::size_t(from)]);
            layout.run.steps = steps / 2;
            layout.checkpoint.every = steps / 2;
            const RunOutcome first = keep(layout, folder);
            if (!first.error.empty()) return QString::fromStdString(first.error);
            const auto newest = findCheckpoint(folder.path().toStdString());
            if (!newest) return QStringLiteral("no checkpoint");
            const RunOutcome second = keep(layoutWith(places[std::size_t(to)]), rest, *newest);
            if (!second.error.empty()) return QString::fromStdString(second.error);
            return difference(second.counter(EventKind::Loss), {straight.begin() + steps / 2, straight.end()}, 1e-5);
        });
    }

private:
    const std::vector<Split> splits{{"naive", 2, 1, 2, 4},
                                    {"1f1b", 2, 1, 2, 1},
                                    {"1f1b", 4, 1, 2, 2},
                                    {"1f1b", 4, 1, 4, 1},
                                    {"gpipe", 2, 2, 2, 2},
                                    {"1f1b", 4, 2, 2, 1},
                                    {"zb-h1", 4, 2, 4, 1},
                                    {"interleaved-1f1b", 2, 2, 2, 2},
                                    {"1f1b", 2, 1, 2, 2, "full"},
                                    {"1f1b", 2, 2, 2, 2, "sqrt"},
                                    {"1f1b", 4, 1, 2, 1, "selective", 0.002},
                                    // from here on with ZeRO
                                    {"naive", 2, 1, 2, 4, "none", 25, 1},
                                    {"1f1b", 4, 1, 2, 2, "none", 0.002, 1},
                                    {"zb-h1", 4, 2, 2, 1, "none", 25, 1},
                                    {"1f1b", 2, 2, 2, 1, "full", 25, 2},
                                    {"1f1b", 4, 1, 4, 2, "none", 25, 2},
                                    {"interleaved-1f1b", 4, 2, 2, 1, "none", 25, 2},
                                    {"1f1b", 2, 1, 2, 1, "sqrt", 25, 3},
                                    {"1f1b", 4, 1, 2, 2, "full", 25, 3},
                                    {"1f1b", 4, 2, 2, 1, "none", 25, 3},
                                    {"gpipe", 4, 1, 4, 1, "selective", 25, 3}};
    const std::vector<Split> places{{},
                                    {"1f1b", 2, 2, 2, 2},
                                    {"1f1b", 4, 1, 2, 2},
                                    {"1f1b", 4, 1, 4, 1},
                                    {"1f1b", 2, 2, 2, 1, "none", 25, 1},
                                    {"1f1b", 4, 1, 4, 2, "none", 25, 2},
                                    {"1f1b", 4, 1, 2, 2, "none", 25, 3}};
};

QTEST_GUILESS_MAIN(ExpertParallelTest)
#include "expert_parallel_test.moc"
