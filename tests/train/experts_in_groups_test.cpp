// SPDX-License-Identifier: Apache-2.0
// Experts in tensor and context groups: whatever members share the matrices of experts or the tokens of a sample, alone
// or with groups over which experts are spread, losses, loads and weights are those of one rank; what members send each
// other, and hold, is what the plan says. As in experts_parity_test a token that stands between two experts may go
// either way where sums round otherwise: what differs is tried again with other seeds.
#include "engine/base/random.h"
#include "engine/layout/check/check.h"
#include "engine/layout/schedule/registry.h"
#include "engine/trace/checkpoint/checkpoint_folder.h"
#include "engine/trace/event/experts.h"
#include "tests/support/named.h"
#include "tests/support/seed.h"
#include "tests/support/wings.h"
#include "tests/train/drawn_experts.h"
#include "tests/train/expert_models.h"
#include "tests/train/one_rank.h"
#include "tests/train/seeded_text.h"
#include "tests/train/steady_updates.h"

#include <QTemporaryDir>
#include <QtTest>

#include <cstring>
#include <map>

using namespace shardlab::test;

namespace {

constexpr int globalBatch = 8;
constexpr int mostRanks = 8;

/// The first weight that differs, in words; empty: none. What several ranks hold is the same to the bit.
QString weightsDiffer(const RunOutcome& run, const RunOutcome& reference) {
    const auto wanted = wholeWeights(reference), got = wholeWeights(run);
    if (got.size() != wanted.size()) return QString("%1 weights instead of %2").arg(got.size()).arg(wanted.size());
    for (const auto& [name, values] : wanted) {
        const std::vector<float>& other = got.at(name);
        if (other.size() != values.size()) return QString("%1 has another size").arg(name.c_str());
        double most = 0, off = 0;
        for (std::size_t i = 0; i < values.size(); ++i) {
            most = std::max(most, std::abs(double(values[i])));
            off = std::max(off, std::abs(double(values[i]) - other[i]));
        }
        if (!(off <= 1e-4 * most + 1e-6)) return QString("%1 is off by %2").arg(name.c_str()).arg(off);
    }
    return {};
}

/// Empty: equal.
QString differs(const RunOutcome& run, const RunOutcome& reference, const Layout& layout) {
    if (const QString wrong = difference(run, reference); !wrong.isEmpty()) return wrong;
    for (const EventKind kind : {EventKind::ExpertLoad, EventKind::ExpertDropped})
        if (loads(run, kind) != loads(reference, kind)) return QString("%1 differs").arg(name(kind).data());
    return layout.parallel.zero < 3 ? weightsDiffer(run, reference) : QString();  // a rank has shards
}

}  // namespace

class ExpertsInGroupsTest : public QObject {
    Q_OBJECT

private:
    /// A model with experts over groups, and all that goes with them. `tensor`: the tensor degree, where it is not
    /// drawn.
    Layout draw(RandomStream& random, bool inContext, int tensor = 0) {
        const auto below = [&](int count) { return static_cast<int>(random.below(std::uint32_t(count))); };
        Layout layout;
        layout.name = "experts in groups";
        ParallelSpec& parallel = layout.parallel;
        parallel.tensor = tensor > 0 ? tensor : inContext ? 1 + below(2) : 2 + below(3);
        parallel.context = inContext ? 2 : 1;
        const int inGroup = parallel.tensor * parallel.context;
        parallel.expert = inGroup <= mostRanks / 2 ? 1 + below(2) : 1;
        parallel.data = parallel.expert;
        parallel.pipeline = 1;
        if (2 * parallel.data * inGroup <= mostRanks && below(2)) parallel.data *= 2;
        if (2 * parallel.data * inGroup <= mostRanks && below(2)) parallel.pipeline = 2;
        if (inContext && below(2)) parallel.expert = parallel.data * parallel.context;
        drawFolds(parallel, below);
        drawExperts(layout, below);
        if (inContext && layout.model.heads % inGroup == 0 && below(2)) parallel.contextKind = ContextKind::Ulysses;
        layout.data.kind = DataKind::Text;
        layout.data.path = text_.path();
        layout.cluster.hosts = {{"localhost", inGroup * parallel.data * parallel.pipeline}};
        layout.batch = {globalBatch, 1 << below(parallel.data == 4 ? 2 : 3)};
        if (parallel.pipeline > 1) layout.batch.micro = 1;
        parallel.sequence = parallel.tensor > 1 && below(2) &&
                            layout.batch.micro * (layout.model.sequence / parallel.context) % parallel.tensor == 0;
        parallel.zero = parallel.data * parallel.context > 1 ? below(4) : 0;
        parallel.bucket = below(2) ? 0.004 : 25;
        if (parallel.pipeline > 1) {
            const std::array kinds{"1f1b", "gpipe", "zb-h1", "interleaved-1f1b"};
            layout.schedule.kind = kinds[random.below(kinds.size())];
            layout.schedule.chunks = std::max(1, findScheduleMethod(layout.schedule.kind)->minChunks);
        } else {
            layout.schedule.kind = "1f1b";
        }
        const std::array recomputes{"none", "full", "sqrt", "selective"};
        layout.memory.recompute = named(recomputes[random.below(recomputes.size())]);
        layout.memory.partitionActivations = parallel.tensor > 1 && below(2);
        layout.optimizer.kind = OptimizerKind::Sgd;
        layout.optimizer.learningRate = 0.05;
        layout.optimizer.warmup = 0;
        layout.optimizer.momentum = 0.9;
        layout.run = {4, text_.seed(), 2, 1};
        return layout;
    }

    /// compare() tells what differs.
    template <class Compare>
    void requireEqual(Compare compare) {
        const QString wrong = text_.difference(compare);
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
    }

    static void groupRows() {
        QTest::addColumn<bool>("inContext");
        QTest::newRow("tensor") << false;
        QTest::newRow("context") << true;
    }

    SeededText text_;

private Q_SLOTS:
    void drawnLayoutsEqualOneRank_data() { groupRows(); }
    void drawnLayoutsEqualOneRank() {
        QFETCH(bool, inContext);
        RandomStream random(freshSeed(), "layouts");
        for (int i = 0; i < 8; ++i) {
            Layout layout = draw(random, inContext);
            requireEqual([&]() -> QString {
                layout.run.seed = text_.seed();
                const RunOutcome run = runInProcess(planOf(layout)), wanted = runInProcess(planOf(onOneRank(layout)));
                const QString wrong = differs(run, wanted, layout);
                return wrong.isEmpty() ? wrong : QString("%1: %2").arg(wrong, writeLayout(layout).c_str());
            });
            if (QTest::currentTestFailed()) return;
        }
    }

    /// Collectives inside layers, all-to-alls and memory are those of the plan.
    void whatIsSentIsPredicted_data() { groupRows(); }
    void whatIsSentIsPredicted() {
        QFETCH(bool, inContext);
        RandomStream random(freshSeed(), "layouts");
        for (int i = 0; i < 6; ++i) {
            Layout layout = draw(random, inContext);
            layout.run.steps = 2;
            layout.run.validateEvery = 0;
            if (random.below(2)) layout.precision.compute = NumberFormat::Bf16;
            if (rowsVary(layout)) keepTogether(layout);
            const Plan plan = planOf(layout);
            const RunOutcome run = runInProcess(plan);
            const std::string text = writeLayout(layout);
            QVERIFY2(run.error.empty(), (text + run.error).c_str());
            using Key = std::tuple<ActionId, EventKind, int, std::int64_t>;
            const auto inLayers = [](EventKind kind) { return isTensorCollective(kind) || isExpertExchange(kind); };
            const int experts = expertSpread(layout.parallel);
            std::int64_t left = 0;
            for (int rank = 0; rank < plan.mesh.ranks(); ++rank) {
                std::map<Key, int> measured, predicted;
                std::int64_t peak = 0;
                for (const Event& event : run.ranks[static_cast<std::size_t>(rank)].events) {
                    if (event.kind == EventKind::MemoryPeak) peak = std::max(peak, event.bytes);
                    if (event.step != 1 || !inLayers(event.kind)) continue;
                    ++measured[{event.action, event.kind, static_cast<int>(event.value), event.bytes}];
                    if (isExpertExchange(event.kind)) left += event.bytes / experts * (experts - 1);
                }
                for (const Event& event : plan.simulation.events)
                    if (event.rank == rank && inLayers(event.kind))
                        ++predicted[{event.action, event.kind, static_cast<int>(event.value), event.bytes}];
                QVERIFY2(measured == predicted, qPrintable(QString("%1rank %2").arg(text.c_str()).arg(rank)));
                QVERIFY(layout.parallel.tensor == 1 || !predicted.empty());
                // Between pipeline ranks a message that has arrived early is gone from its sender early.
                const std::int64_t most = plan.memory[static_cast<std::size_t>(rank)].peak;
                QVERIFY2(
                    layout.parallel.pipeline == 1 ? peak == most : peak > 0 && peak <= most,
                    qPrintable(QString("%1rank %2 held %3, not %4").arg(text.c_str()).arg(rank).arg(peak).arg(most)));
            }
            const auto told = std::ranges::find(plan.traffic, Axis::Expert, &AxisTraffic::axis);
            QCOMPARE(told == plan.traffic.end() ? 0 : told->bytes, left);
        }
    }

    /// In 16 bits whoever holds a weight holds the same bits, and losses are near those of one rank.
    void sixteenBits_data() {
        QTest::addColumn<QString>("compute");
        QTest::addColumn<bool>("sequence");
        QTest::addColumn<bool>("folded");
        for (const char* compute : {"bf16", "fp16"})
            for (const bool sequence : {false, true})
                for (const bool folded : {false, true})
                    QTest::addRow("%s%s%s", compute, sequence ? " sequence" : "", folded ? " folded" : "")
                        << compute << sequence << folded;
    }
    void sixteenBits() {
        QFETCH(QString, compute);
        QFETCH(bool, sequence);
        QFETCH(bool, folded);
        requireEqual([&]() -> QString {
            RandomStream random(freshSeed(), "layouts");
            Layout layout = draw(random, false, 2);
            layout.parallel = {.data = 2, .pipeline = 1, .tensor = 2, .expert = 2, .sequence = sequence};
            if (folded)
                layout.parallel.expertTensor = 1, layout.parallel.expert = layout.model.experts.count % 4 ? 2 : 4;
            fitWidth(layout);
            layout.cluster.hosts = {{"localhost", 4}};
            layout.batch.micro = 2;
            layout.schedule = {};
            layout.schedule.kind = "1f1b";
            layout.precision.compute = named(compute);
            layout.precision.lossScale = LossScaling::Dynamic;
            layout.optimizer.momentum = 0;
            layout.optimizer.learningRate = 0.01;
            const RunOutcome run = runInProcess(planOf(layout)), wanted = runInProcess(planOf(onOneRank(layout)));
            if (!run.error.empty()) return QString::fromStdString(run.error);
            wholeWeights(run);  // throws where two ranks differ
            return difference(run.counter(EventKind::Loss), wanted.counter(EventKind::Loss), 0.02);
        });
    }

    /// Any layout goes on from any other's checkpoint, with AdamW's moments.
    void checkpointsReshard_data() {
        QTest::addColumn<int>("from");
        QTest::addColumn<int>("to");
        for (const auto& [from, to] :
             {std::pair(0, 1), std::pair(1, 0), std::pair(1, 2), std::pair(2, 1), std::pair(0, 3), std::pair(3, 2),
              std::pair(4, 0), std::pair(0, 4), std::pair(4, 5), std::pair(5, 3), std::pair(2, 5), std::pair(6, 4)})
            QTest::addRow("%d to %d", from, to) << from << to;
    }
    void checkpointsReshard() {
        QFETCH(int, from);
        QFETCH(int, to);
        const std::array<ParallelSpec, 7> places{
            ParallelSpec{.data = 1, .pipeline = 1},
            ParallelSpec{.data = 2, .pipeline = 1, .tensor = 2, .expert = 2},
            ParallelSpec{.data = 2, .pipeline = 1, .tensor = 4, .sequence = true, .zero = 1},
            ParallelSpec{.data = 2, .pipeline = 2, .tensor = 2, .expert = 2, .sequence = true, .zero = 3},
            ParallelSpec{.data = 2, .pipeline = 1, .tensor = 2, .expert = 4, .sequence = true, .expertTensor = 1},
            ParallelSpec{.data = 2, .pipeline = 1, .tensor = 4, .expert = 4, .zero = 2, .expertTensor = 2},
            ParallelSpec{.data = 1, .pipeline = 2, .tensor = 4, .expert = 4, .expertTensor = 1}};
        const auto keep = [&](const Layout& layout, const QTemporaryDir& folder,
                              const std::filesystem::path& resume = {}) {
            return runInProcess(planOf(layout), {}, [&](int, TrainerServices& services) {
                services.checkpoints = folder.path().toStdString();
                services.resume = resume;
            });
        };
        requireEqual([&]() -> QString {
            constexpr int steps = 6;
            RandomStream random(freshSeed(), "layouts");
            Layout drawn = draw(random, false, 4);
            drawn.optimizer.kind = OptimizerKind::AdamW;
            drawn.optimizer.momentum = 0;
            drawn.optimizer.learningRate = 2e-3;
            steadyUpdates(drawn.optimizer);
            drawn.run.steps = steps;
            drawn.memory = {};
            drawn.batch.micro = 1;
            drawn.model.experts.count = 12;
            drawn.model.experts.width = 8;
            const auto on = [&](int place) {
                Layout layout = drawn;
                layout.parallel = places[std::size_t(place)];
                layout.schedule = {};
                layout.schedule.kind = "1f1b";
                layout.cluster.hosts[0].devices =
                    layout.parallel.data * layout.parallel.pipeline * layout.parallel.tensor;
                return layout;
            };
            QTemporaryDir folder, rest;
            const std::vector<double> straight = runInProcess(planOf(on(0))).counter(EventKind::Loss);
            Layout layout = on(from);
            layout.run.steps = steps / 2;
            layout.checkpoint.every = steps / 2;
            const RunOutcome first = keep(layout, folder);
            if (!first.error.empty()) return QString::fromStdString(first.error);
            const auto newest = findCheckpoint(folder.path().toStdString());
            if (!newest) return QStringLiteral("no checkpoint");
            const RunOutcome second = keep(on(to), rest, *newest);
            if (!second.error.empty()) return QString::fromStdString(second.error);
            return difference(second.counter(EventKind::Loss), {straight.begin() + steps / 2, straight.end()}, 1e-5);
        });
    }

    void whatCannotBeSharedIsRefused() {
        RandomStream random(freshSeed(), "layouts");
        const auto faultAt = [&](auto change) {
            Layout layout = draw(random, false, 4);
            layout.parallel = {.data = 1, .pipeline = 1, .tensor = 4};
            layout.cluster.hosts = {{"localhost", 4}};
            layout.schedule = {};
            layout.schedule.kind = "1f1b";
            layout.model.block = {};
            layout.model.feedForward = {};
            layout.model.experts.width = 0;
            change(layout);
            const std::vector<Fault> faults = check(layout, scheduleMethods());
            return faults.size() == 1 ? faults.front().pointer + ": " + faults.front().what.english() : toText(faults);
        };
        QCOMPARE(faultAt([](Layout& l) {
                     l.model.experts.width = 3;
                     l.model.experts.shared = 0;
                 }),
                 std::string("/parallel/tensor: 4 members cannot divide 3 columns of an expert"));
        QCOMPARE(faultAt([](Layout& l) {
                     l.model.feedForward = {3};
                     l.model.experts.width = 6;
                     l.model.experts.every = 2;
                 }),
                 std::string("/parallel/tensor: 4 members cannot divide 3 columns of a feed-forward block"));
        // No block is as wide as that where every one has experts with a width of their own.
        QCOMPARE(faultAt([](Layout& l) {
                     l.model.feedForward = {3};
                     l.model.experts.every = 1;
                     l.model.experts.denseLayers = 0;
                     l.model.experts.width = 8;
                 }),
                 std::string());
        // Experts that are cut less than all else may be narrower, but not those that all members share.
        const auto folded = [&](int width, int shared, int own) {
            return faultAt([=](Layout& l) {
                l.model.experts.count = 12;
                l.model.experts.width = width;
                l.model.experts.shared = shared;
                l.parallel.expert = 4 / own;
                l.parallel.expertTensor = own;
            });
        };
        QCOMPARE(folded(3, 0, 1), std::string());
        QCOMPARE(folded(3, 2, 2), std::string());
        QCOMPARE(folded(1, 0, 2),
                 std::string("/parallel/expert_tensor: 2 members cannot divide 1 column of an expert"));
        QCOMPARE(folded(3, 1, 1),
                 std::string("/parallel/tensor: 4 members cannot divide 3 columns of the shared experts"));
    }
};

QTEST_GUILESS_MAIN(ExpertsInGroupsTest)
#include "experts_in_groups_test.moc"
