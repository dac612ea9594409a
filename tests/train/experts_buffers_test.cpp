// SPDX-License-Identifier: Apache-2.0
// What each action of a stage with experts does to memory, by category, is what stageBuffers says to the byte: on every
// member of tensor, context and expert groups.
#include "engine/predict/plan/stage_buffers.h"

#include "engine/base/random.h"
#include "engine/layout/formats.h"
#include "engine/layout/layout_file.h"
#include "engine/train/model/stage.h"
#include "engine/train/parallel/context.h"
#include "engine/train/parallel/expert.h"
#include "engine/train/parallel/tensor.h"
#include "tests/support/named.h"
#include "tests/support/seed.h"
#include "tests/support/wings.h"
#include "tests/train/drawn_experts.h"
#include "tests/train/rank_threads.h"

#include <QTest>

#include <array>
#include <numeric>

using namespace shardlab::test;

namespace {

constexpr const char* categoryNames[] = {"change", "rise"};

/// What an action does to an arena, beside what was predicted; the first thing that differs, in words.
template <class Act>
QString differs(Arena& arena, const char* name, const MemoryDelta& wanted, Act act) {
    const MemoryBytes before = arena.used();
    const std::int64_t sum = std::accumulate(before.begin(), before.end(), std::int64_t{0});
    arena.resetPeaks();
    act();
    for (std::size_t i = 0; i < before.size(); ++i) {
        const std::array got{arena.used()[i] - before[i], arena.peakByCategory()[i] - before[i]};
        const std::array said{wanted.change[i], wanted.rise[i]};
        for (std::size_t which = 0; which < got.size(); ++which)
            if (got[which] != said[which])
                return QString("%1: %2 of category %3 is %4, predicted %5")
                    .arg(name, categoryNames[which])
                    .arg(i)
                    .arg(got[which])
                    .arg(said[which]);
    }
    if (arena.peak() - sum != wanted.totalRise)
        return QString("%1 rises by %2, predicted %3").arg(name).arg(arena.peak() - sum).arg(wanted.totalRise);
    return {};
}

/// A stage on one member of its groups goes through one microbatch.
QString tryStage(const Layout& layout, const StageShape& shape, const StageNeighbours& neighbours, bool splitBackward,
                 TensorGroup& tensor, ContextGroup* context, ExpertGroup* experts, Arena& arena) {
    StageSpec spec{layout.model, 1, shape.firstLayer, shape.layers, shape.first, shape.last, layout.batch.micro};
    spec.memory = layout.memory;
    spec.folds = expertFolds(layout.parallel);
    spec.precision = layout.precision;
    Stage stage(spec, arena, tensor, context, experts);
    const TensorShare share = tensorShare(layout, tensor.member());
    const StageBuffers wanted = stageBuffers(layout, shape, neighbours, share);
    const auto elements =
        static_cast<std::size_t>(boundaryFloats(layout.model, shape.firstLayer, layout.batch.micro, share));
    const auto zeros = [&](MemoryCategory category) {
        return arena.allocateZeroed(category, elements, stage.types().activations);
    };
    const std::vector<std::int32_t> tokens(
        static_cast<std::size_t>(layout.batch.micro * layout.model.sequence / share.context), 1);
    // A member in which something is wrong goes on: the others wait for it.
    QString wrong;
    const auto tell = [&](const QString& found) {
        if (wrong.isEmpty()) wrong = found;
    };
    for (int microbatch = 0; microbatch < 2; ++microbatch) {
        const TokenBatch batch{tokens, tokens, microbatch};
        Buffer input, output, gradient, below;
        if (!shape.first)
            input = zeros(neighbours.inputReceived ? MemoryCategory::Buffers : MemoryCategory::Activations);
        tell(differs(arena, "forward", wanted.forward,
                     [&] { output = stage.forward(microbatch, batch, std::move(input)); }));
        output = {};
        if (!shape.last) gradient = zeros(neighbours.gradient);
        if (splitBackward) {
            tell(differs(arena, "input gradient", wanted.inputGrad,
                         [&] { below = stage.inputGrad(microbatch, std::move(gradient), 1); }));
            below = {};
            tell(differs(arena, "weight gradient", wanted.weightGrad, [&] { stage.weightGrad(microbatch); }));
        } else {
            tell(differs(arena, "backward", wanted.backward,
                         [&] { below = stage.backward(microbatch, std::move(gradient), 1); }));
        }
    }
    return wrong;
}

void compare(const Layout& layout, const StageShape& shape, const StageNeighbours& neighbours, bool splitBackward) {
    const int t = layout.parallel.tensor, c = layout.parallel.context, spread = expertSpread(layout.parallel),
              members = t * c * spread;
    std::vector<QString> wrong(static_cast<std::size_t>(members));
    const std::string error = runRanks(members, [&](int member, Communicator& world) {
        std::vector<int> ofTensor, ofContext, ofExperts;
        for (int other = 0; other < members; ++other) {
            if (other / t == member / t) ofTensor.push_back(other);
            if (other % t == member % t && other / (t * c) == member / (t * c)) ofContext.push_back(other);
            if (other % (t * c) == member % (t * c)) ofExperts.push_back(other);
        }
        const auto tensor = world.group(ofTensor), context = world.group(ofContext), experts = world.group(ofExperts);
        Arena arena;
        const auto tensorGroup = t == 1 ? std::make_unique<TensorGroup>(arena)
                                        : std::make_unique<TensorParallel>(arena, *tensor, layout.parallel.sequence);
        const auto contextGroup =
            c == 1 ? nullptr : std::make_unique<ContextParallel>(*context, layout.parallel.contextKind);
        const auto expertGroup =
            spread == 1 ? nullptr : std::make_unique<ExpertParallel>(*experts, MemberSamples{layout.batch.micro});
        wrong[static_cast<std::size_t>(member)] = tryStage(layout, shape, neighbours, splitBackward, *tensorGroup,
                                                           contextGroup.get(), expertGroup.get(), arena);
    });
    QVERIFY2(error.empty(), error.c_str());
    for (const QString& each : wrong)
        QVERIFY2(each.isEmpty(), qPrintable(QString("%1first %2, last %3, %4 layers from %5: %6")
                                                .arg(writeLayout(layout).c_str())
                                                .arg(shape.first)
                                                .arg(shape.last)
                                                .arg(shape.layers)
                                                .arg(shape.firstLayer)
                                                .arg(each)));
}

}  // namespace

class ExpertsBuffersTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void stageBuffersAreTheArena_data() {
        QTest::addColumn<bool>("inContext");
        QTest::newRow("tensor") << false;
        QTest::newRow("context") << true;
    }
    void stageBuffersAreTheArena() {
        QFETCH(bool, inContext);
        RandomStream random(freshSeed(), "layouts");
        const auto below = [&](int count) { return static_cast<int>(random.below(std::uint32_t(count))); };
        for (int i = 0; i < 30; ++i) {
            Layout layout;
            ParallelSpec& parallel = layout.parallel;
            parallel.tensor = 1 + below(inContext ? 2 : 4);
            parallel.context = inContext ? 2 : 1;
            parallel.expert = parallel.data = 1 + below(2);
            parallel.pipeline = 1 + below(3);
            drawFolds(parallel, below);
            drawExperts(layout, below);
            if (inContext && layout.model.heads % (parallel.tensor * parallel.context) == 0 && below(2))
                parallel.contextKind = ContextKind::Ulysses;
            layout.model.layers = parallel.pipeline * (1 + below(3));
            layout.model.experts.denseLayers = 0;
            layout.model.experts.every = 1 + below(std::min(2, layout.model.layers));
            if (rowsVary(layout)) keepTogether(layout);
            layout.batch.micro = 1 + below(3);
            const int tokens = layout.batch.micro * layout.model.sequence / parallel.context;
            parallel.sequence = parallel.tensor > 1 && tokens % parallel.tensor == 0 && below(2);
            const std::array recomputes{"none", "full", "sqrt", "every", "selective"};
            layout.memory.recompute = named(recomputes[random.below(recomputes.size())]);
            layout.memory.partitionActivations = below(2);
            const auto one = [&](std::initializer_list<const char*> of) { return of.begin()[random.below(of.size())]; };
            layout.precision.compute = named(one({"fp32", "bf16", "fp16"}));
            layout.precision.weights = named(one({"master", "fp32", "alone"}));
            layout.precision.gradients = named(one({"compute", "fp32"}));
            const std::vector<StageShape> shapes = stageShapes(layout);
            const StageShape& shape = shapes[random.below(std::uint32_t(shapes.size()))];
            const bool split = below(2);
            const StageNeighbours neighbours{!shape.first && below(2),
                                             below(2) ? MemoryCategory::Buffers : MemoryCategory::Temporary};
            compare(layout, shape, neighbours, split);
            if (QTest::currentTestFailed()) return;
        }
    }

    /// Where experts without a limit of places are spread, each microbatch brings other numbers of rows: memory that is
    /// taken from the device stays near what is held at once, however many they are.
    void rowsThatVaryDoNotPileUp() {
        Layout layout;
        layout.model = {ModelKind::LlamaMoe, 2, 16, 2, 64, 259, 0};
        layout.model.experts.gate = named("top-k-softmax");
        layout.model.experts.count = 4;
        layout.model.experts.topK = 2;
        layout.model.experts.capacity = 0;
        layout.batch.micro = 2;
        const std::int64_t seed = freshSeed();
        constexpr int members = 2, microbatches = 100;
        std::array<std::int64_t, members> taken{}, held{};
        const std::string error = runRanks(members, [&](int member, Communicator& world) {
            Arena arena;
            TensorGroup alone(arena);
            ExpertParallel experts(world, {layout.batch.micro});
            StageSpec spec{layout.model, 1, 0, layout.model.layers, true, true, layout.batch.micro};
            Stage stage(spec, arena, alone, nullptr, &experts);
            RandomStream random(seed + member, "tokens");
            std::vector<std::int32_t> tokens(static_cast<std::size_t>(layout.batch.micro * layout.model.sequence));
            for (int microbatch = 0; microbatch < microbatches; ++microbatch) {
                // Few kinds of tokens, so that experts are chosen unevenly.
                const std::uint32_t kinds = 1 + random.below(6);
                for (std::int32_t& token : tokens) token = static_cast<std::int32_t>(random.below(kinds));
                stage.forward(microbatch, {tokens, tokens, microbatch}, {});
                stage.backward(microbatch, {}, 1);
            }
            taken[static_cast<std::size_t>(member)] = arena.reserved();
            held[static_cast<std::size_t>(member)] = arena.peak();
        });
        QVERIFY2(error.empty(), error.c_str());
        for (std::size_t i = 0; i < members; ++i)
            QVERIFY2(taken[i] <= 3 * held[i], qPrintable(QString("%1 of %2").arg(taken[i]).arg(held[i])));
    }
};

QTEST_GUILESS_MAIN(ExpertsBuffersTest)
#include "experts_buffers_test.moc"
