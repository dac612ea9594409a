// SPDX-License-Identifier: Apache-2.0
// Blocks of any parts under any layout, with and without experts: whatever is drawn, losses are those of one rank, and
// memory and what tensor groups exchange are those of the plan. A token that stands between two experts may go either
// way where sums round otherwise: a draw with experts that differs is tried again with another seed, and must be right
// then.
#include "engine/base/random.h"
#include "engine/layout/check/check.h"
#include "engine/layout/schedule/registry.h"
#include "engine/layout/data/text_generator.h"
#include "tests/support/named.h"
#include "tests/support/random_block.h"
#include "tests/support/random_experts.h"
#include "tests/support/random_parts.h"
#include "tests/support/seed.h"
#include "tests/train/one_rank.h"
#include "tests/train/steady_updates.h"
#include "tests/support/wings.h"

#include <QTemporaryDir>
#include <QtTest>
#include <array>
#include <fstream>
#include <map>
#include <tuple>

using namespace shardlab::test;

namespace {

constexpr int draws = 56;
constexpr int attempts = 3;  ///< with experts

}  // namespace

class BlockParityTest : public QObject {
    Q_OBJECT

private:
    int below(int n) { return static_cast<int>(random_.below(static_cast<std::uint32_t>(n))); }
    bool coin() { return below(2) == 0; }
    template <class T>
    T one(std::initializer_list<T> of) {
        return of.begin()[below(static_cast<int>(of.size()))];
    }

    /// A layout of up to eight ranks that is legal.
    Layout drawn() {
        while (true) {
            Layout layout;
            layout.model.kind = one({ModelKind::Llama, ModelKind::Gpt, ModelKind::LlamaMoe});
            layout.model.layers = 4;
            layout.model.heads = one({4, 4, 5, 6});  // a tensor group may be of three, or of four
            layout.model.hidden = layout.model.heads * one({4, 8});
            layout.model.sequence = one({16, 24});
            layout.model.vocabulary = 259;  // divided by no group: members hold parts one row apart
            layout.model.feedForward = {one({20, 43})};
            layout.model.block.kvHeads = one({0, 1, 2, 3, 4});
            drawBlock(
                layout.model, [&](int n) { return below(n); }, 8);
            Split split{one({1, 2, 4}), one({1, 2, 4}), one({1, 2, 3, 4}), one({1, 1, 2}), coin(), below(4)};
            const bool experts = hasExperts(layout.model);
            const bool folded = experts && split.tensor > 1 && coin();  // each expert whole on one rank
            if (experts && !folded) split.tensor = 1;
            if (split.ranks() > 8 || split.ranks() == 1) continue;
            split.method = one({ContextKind::Ring, ContextKind::Ulysses});
            splitOver(layout, split);
            if (experts) {
                if (coin()) layout.parallel.expert = one({1, split.data, split.data * split.context});
                if (folded) layout.parallel.expertTensor = 1, layout.parallel.expert *= split.tensor;
                drawExperts(
                    layout.model, [&](int n) { return below(n); }, layout.parallel.expert);
                drawExpertBlocks(layout.model, [&](int n) { return below(n); });
            }
            if (coin()) layout.model.dropout = 0.2;
            if (coin()) layout.parallel.allReduce = AllReduceKind::Ring;
            layout.parallel.bucket = one({0.0, 0.01, 25.0});
            if (split.pipeline > 1) layout.schedule.kind = one({"1f1b", "gpipe", "zb-h1", "zb-greedy"});
            layout.memory.recompute = named(one({"none", "none", "selective", "full", "sqrt"}));
            if (latentAttention(layout.model) && coin()) layout.memory.recompute = RecomputeKind::Latent;
            layout.memory.recomputeBlocks = below(3);
            if (below(4) == 0) {
                layout.memory.recompute = RecomputeKind::Parts;
                layout.memory.recomputeParts = randomParts(layout, random_);
            }
            if (below(3) == 0) layout.memory.lossPieces = 1 + below(6);
            layout.schedule.countEnds =
                coin();  // of four stages, the first has the embedding alone, the last the output
            layout.batch = {8, one({1, 2})};
            layout.data.kind = DataKind::Text;
            layout.data.path = folder_.filePath("text.txt").toStdString();
            layout.optimizer.kind = named(one({"adamw", "sgd"}));
            steadyUpdates(layout.optimizer);
            layout.run.steps = 4;
            layout.run.seed = seed_;
            layout.run.validateEvery = 4;
            layout.run.validationBatches = 1;
            if (check(layout, scheduleMethods()).empty()) return layout;
        }
    }

    QTemporaryDir folder_;
    std::int64_t seed_ = freshSeed();
    RandomStream random_{seed_, "blocks"};
    OneRank oneRank_;

private Q_SLOTS:
    void initTestCase() { std::ofstream(folder_.filePath("text.txt").toStdString()) << generateText(seed_, 40'000); }

    void everyDrawEqualsOneRank() {
        for (int draw = 0; draw < draws; ++draw) {
            Layout layout = drawn();
            const int tries = hasExperts(layout.model) ? attempts : 1;
            for (int attempt = 0; attempt < tries; ++attempt) {
                const Plan plan = planOf(layout);
                const RunOutcome run = runInProcess(plan);
                const QString wrong = difference(run, oneRank_.trained(layout));
                if (run.error.empty() && layout.parallel.pipeline == 1) requireMemoryOf(plan, run);
                if (run.error.empty()) requireCollectivesOf(plan, run);
                if (wrong.isEmpty() || QTest::currentTestFailed()) break;
                if (attempt + 1 == tries) QTest::qFail(qPrintable(wrong), __FILE__, __LINE__);
                else qInfo("%s", qPrintable(wrong));
                layout.run.seed = below(1 << 30);
            }
            if (!QTest::currentTestFailed()) continue;
            qWarning("%s", writeLayout(layout).c_str());
            return;
        }
    }

    /// With ZeRO 3 the modules share a gathered embedding, and the first of a segment that is computed again reads it.
    void modulesComputedAgainFindTheEmbedding() {
        for (const char* recompute : {"none", "full", "sqrt", "every"})
            for (const int pipeline : {1, 2})
                for (const OutputKind output : {OutputKind::Tied, OutputKind::Separate}) {
                    Layout layout;
                    layout.model.kind = ModelKind::Llama;
                    layout.model.layers = 4;
                    layout.model.heads = 2;
                    layout.model.hidden = layout.model.sequence = 16;
                    layout.model.vocabulary = 259;
                    layout.model.block.output = output;
                    layout.model.predictedTokens = 2;
                    splitOver(layout, {2, pipeline});
                    layout.parallel.zero = 3;
                    layout.memory.recompute = named(recompute);
                    layout.memory.recomputeEvery = 3;  // of six blocks, or of four: a segment may hold both modules
                    layout.batch = {8, 2};
                    layout.data.kind = DataKind::Text;
                    layout.data.path = folder_.filePath("text.txt").toStdString();
                    layout.run.steps = 3;
                    layout.run.seed = seed_;
                    oneRank_.requireEqual(layout);
                    if (QTest::currentTestFailed()) return;
                }
    }

private:
    /// Which layer of which action exchanges how much within its groups.
    static void requireCollectivesOf(const Plan& plan, const RunOutcome& run) {
        using Key = std::tuple<ActionId, EventKind, int, std::int64_t>;
        for (int rank = 0; rank < plan.mesh.ranks(); ++rank) {
            std::map<Key, int> measured, predicted;
            const auto collect = [](const Event& event, std::map<Key, int>& into) {
                if (isInsideAction(event.kind) && !isExpertExchange(event.kind))
                    ++into[{event.action, event.kind, static_cast<int>(event.value), event.bytes}];
            };
            for (const Event& event : run.ranks[static_cast<std::size_t>(rank)].events)
                if (event.step == 1) collect(event, measured);
            for (const Event& event : plan.simulation.events)
                if (event.rank == rank) collect(event, predicted);
            QVERIFY(measured == predicted);
        }
    }

    /// Without a pipeline, whose messages are held for longer where a neighbour is late. Where experts are spread that
    /// have no limit of places, or one that a context group shares, the rows that come depend on what is trained.
    static void requireMemoryOf(const Plan& plan, const RunOutcome& run) {
        const ParallelSpec& parallel = plan.layout.parallel;
        if (hasExperts(plan.layout.model) && parallel.expert > 1 &&
            (dropless(plan.layout.model) || parallel.context > 1))
            return;
        for (int rank = 0; rank < plan.mesh.ranks(); ++rank) {
            std::int64_t peak = 0;
            for (const Event& event : run.ranks[static_cast<std::size_t>(rank)].events)
                if (event.kind == EventKind::MemoryPeak && event.step == 1) peak = std::max(peak, event.bytes);
            QCOMPARE(peak, plan.memory[static_cast<std::size_t>(rank)].peak);
        }
    }
};

QTEST_GUILESS_MAIN(BlockParityTest)
#include "block_parity_test.moc"
