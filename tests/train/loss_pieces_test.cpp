// SPDX-License-Identifier: Apache-2.0
// A loss in pieces of the tokens: losses, gradients and weights are those of whole logits, memory is what the plan
// says, and no more than one piece's logits are ever there.
#include "engine/base/random.h"
#include "engine/layout/check/check.h"
#include "engine/layout/logit_rows.h"
#include "engine/layout/recompute.h"
#include "engine/layout/schedule/registry.h"
#include "engine/train/model/stage.h"
#include "tests/support/seed.h"
#include "tests/train/one_rank.h"
#include "tests/support/wings.h"

#include <QtTest>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <span>
#include <string>
#include <vector>

using namespace shardlab::test;

namespace {

struct Gradients {
    double loss = 0;
    double evaluated = 0;
    std::map<std::string, std::vector<float>> ofWeights;
    std::int64_t kept = 0;  ///< bytes of activations, at most
    std::int64_t peak = 0;  ///< bytes
};

/// Largest difference between two gradients, in parts of the largest number of one.
double apart(const std::vector<float>& one, const std::vector<float>& other) {
    double most = 0, largest = 1e-30;
    for (std::size_t i = 0; i < one.size(); ++i) {
        most = std::max(most, std::abs(double(one[i]) - double(other[i])));
        largest = std::max(largest, std::abs(double(one[i])));
    }
    return most / largest;
}

}  // namespace

class LossPiecesTest : public QObject {
    Q_OBJECT

private:
    std::int64_t seed_ = freshSeed();
    RandomStream random_{seed_, "loss in pieces"};
    int below(int most) { return static_cast<int>(random_.below(static_cast<std::uint64_t>(most))); }
    bool coin() { return below(2) == 0; }

    StageSpec drawnSpec() {
        StageSpec spec;
        spec.model.kind =
            std::array{ModelKind::Gpt, ModelKind::Llama, ModelKind::Mlp}[static_cast<std::size_t>(below(3))];
        spec.model.layers = spec.layers = 2;
        spec.model.hidden = 16;
        spec.model.heads = 4;
        spec.model.sequence = 5 + below(9);
        spec.model.vocabulary = 20 + below(60);
        spec.model.block.logitCap = coin() ? 2 + below(20) : 0;
        if (spec.model.kind != ModelKind::Mlp) spec.model.predictedTokens = below(3);
        spec.seed = 1 + below(1000);
        spec.samples = 1 + below(3);
        return spec;
    }

    /// What a stage makes of one microbatch; `split`: it takes the gradients of inputs and of weights apart.
    Gradients gradientsOf(StageSpec spec, int pieces, bool split) {
        spec.memory.lossPieces = pieces;
        RandomStream tokens(seed_, "tokens");
        const auto drawn = [&] {
            std::vector<std::int32_t> numbers(static_cast<std::size_t>(spec.samples * spec.model.sequence));
            for (std::int32_t& each : numbers)
                each = static_cast<std::int32_t>(tokens.below(static_cast<std::uint64_t>(spec.model.vocabulary)));
            return numbers;
        };
        const std::vector<std::int32_t> inputs = drawn(), targets = drawn();
        std::vector<std::vector<std::int32_t>> further;
        for (int i = 0; i < predictionModules(spec.model); ++i) further.push_back(drawn());
        const TokenBatch batch{inputs, targets, 0, further};
        Arena arena;
        Stage stage(spec, arena);
        Gradients got;
        stage.evaluate(batch, {}, &got.evaluated);
        arena.resetPeaks();
        stage.forward(0, batch, {});
        got.loss = stage.loss(0);
        if (split) {
            stage.inputGrad(0, {}, 0.5f);
            stage.weightGrad(0);
        } else {
            stage.backward(0, {}, 0.5f);
        }
        for (const Parameter& parameter : stage.parameters()) {
            const std::span<const float> values = parameter.gradient.floats();
            got.ofWeights[parameter.name] = {values.begin(), values.end()};
        }
        got.kept = arena.peakByCategory()[static_cast<std::size_t>(MemoryCategory::Activations)];
        got.peak = arena.peak();
        return got;
    }

    /// Trains the layout, and the same with whole logits on one rank.
    void requireTrainsAlike(Layout layout) {
        const std::vector<Fault> faults = check(layout, scheduleMethods());
        QVERIFY2(faults.empty(), toText(faults).c_str());
        requireEqual(runInProcess(planOf(layout)), runInProcess(planOf(onOneRank(layout))));
    }

private Q_SLOTS:
    void piecesHaveTheGradientsOfTheWhole() {
        for (int draw = 0; draw < 30; ++draw) {
            const StageSpec spec = drawnSpec();
            const int tokens = spec.samples * spec.model.sequence;
            const Gradients wanted = gradientsOf(spec, 1, false);
            for (const int pieces : {2, 3, 1 + below(tokens), tokens})
                for (const bool split : {false, true}) {
                    const Gradients got = gradientsOf(spec, pieces, split);
                    const std::string what = fmt::format("draw {}, {} of {} tokens, {}", draw, pieces, tokens, split);
                    for (const auto& [one, other] :
                         {std::pair(got.loss, wanted.loss), std::pair(got.evaluated, wanted.evaluated)})
                        QVERIFY2(std::abs(one - other) < 1e-5 * other, what.c_str());
                    for (const auto& [name, values] : wanted.ofWeights)
                        QVERIFY2(apart(values, got.ofWeights.at(name)) < 1e-4, (what + name).c_str());
                }
        }
    }

    /// A vocabulary that is large beside the model, as today's are: what was most of the memory is a piece of it.
    void noMoreThanAPieceIsThere() {
        StageSpec spec;
        spec.model.layers = spec.layers = 1;
        spec.model.hidden = 8;
        spec.model.heads = 2;
        spec.model.sequence = 32;
        spec.model.vocabulary = 4001;
        spec.samples = 2;
        const auto row = static_cast<std::int64_t>(sizeof(float)) * logitStride(spec.model.vocabulary);
        const Gradients whole = gradientsOf(spec, 1, false);
        QVERIFY(whole.kept > 64 * row);
        for (const int pieces : {2, 5, 64}) {
            const Gradients got = gradientsOf(spec, pieces, false);
            const int rows = (64 + pieces - 1) / pieces;
            QVERIFY(got.kept < whole.kept - 63 * row);  // none are kept
            QVERIFY(got.peak < whole.peak - (64 - rows - 1) * row);
        }
    }

    void trainsAsOneRank_data() {
        QTest::addColumn<int>("data");
        QTest::addColumn<int>("pipeline");
        QTest::addColumn<int>("tensor");
        QTest::addColumn<int>("context");
        QTest::addColumn<bool>("sequence");
        QTest::addColumn<int>("zero");
        QTest::addColumn<QString>("schedule");
        QTest::newRow("one rank") << 1 << 1 << 1 << 1 << false << 0 << "naive";
        QTest::newRow("replicas") << 2 << 1 << 1 << 1 << false << 0 << "naive";
        QTest::newRow("ZeRO 2") << 2 << 1 << 1 << 1 << false << 2 << "naive";
        QTest::newRow("ZeRO 2, pipeline") << 2 << 2 << 1 << 1 << false << 2 << "1f1b";
        QTest::newRow("ZeRO 2, zero bubble") << 2 << 2 << 1 << 1 << false << 2 << "zb-h1";
        QTest::newRow("1f1b") << 1 << 3 << 1 << 1 << false << 0 << "1f1b";
        QTest::newRow("zero bubble") << 1 << 2 << 1 << 1 << false << 0 << "zb-h1";
        QTest::newRow("zero bubble, ZeRO 1") << 2 << 2 << 1 << 1 << false << 1 << "zb-h1";
        QTest::newRow("tensor group") << 1 << 1 << 2 << 1 << false << 0 << "naive";
        QTest::newRow("tokens split") << 1 << 2 << 2 << 1 << true << 0 << "1f1b";
        QTest::newRow("tokens split, halves") << 1 << 2 << 2 << 1 << true << 0 << "zb-h1";
        QTest::newRow("context group") << 1 << 1 << 1 << 2 << false << 0 << "naive";
        QTest::newRow("tensor and context group") << 1 << 1 << 2 << 2 << false << 0 << "naive";
    }
    void trainsAsOneRank() {
        QFETCH(int, data);
        QFETCH(int, pipeline);
        QFETCH(int, tensor);
        QFETCH(int, context);
        QFETCH(bool, sequence);
        QFETCH(int, zero);
        QFETCH(QString, schedule);
        Layout layout;
        layout.model.layers = 6;
        layout.model.heads = 4;
        layout.model.hidden = 16;
        layout.model.sequence = 8 * context;
        splitOver(layout, {data, pipeline, tensor, context, sequence, zero});
        layout.schedule.kind = schedule.toStdString();
        layout.batch = {12 * data, 1 + below(2)};
        layout.memory.lossPieces = 2 + below(6);
        layout.memory.swap = coin() ? SwapKind::Activations : SwapKind::None;
        layout.model.block.logitCap = coin() ? 10 : 0;
        layout.run.steps = 3;
        layout.run.seed = seed_;
        layout.run.validateEvery = 3;
        layout.run.validationBatches = 1;
        requireTrainsAlike(layout);
    }

    /// Each backward makes them once more, halves of a backward one time each.
    void thePlanCountsWhatIsMadeAgain() {
        Layout layout;
        layout.model.vocabulary = 50000;
        const StageCosts whole = planOf(layout).costs.stages.back();
        layout.memory.lossPieces = 4;
        const StageCosts pieces = planOf(layout).costs.stages.back();
        QVERIFY(pieces.logitsAgain > 0.2 * whole.forward);
        QVERIFY(std::abs(pieces.backward - pieces.inputGrad - pieces.weightGrad + pieces.logitsAgain) <
                1e-9 * pieces.backward);
        QCOMPARE(withoutRecompute(planOf(layout).costs).stages.back().logitsAgain, 0.0);
        layout.parallel.data = 2;
        layout.parallel.zero = 2;
        layout.cluster.hosts = {{"localhost", 2 * layout.parallel.pipeline}};
        layout.batch.global = 16;
        const StageCosts sharded = planOf(layout).costs.stages.back();
        QVERIFY(std::abs(sharded.backward - sharded.inputGrad - sharded.weightGrad) < 1e-9 * sharded.backward);
    }
};

QTEST_GUILESS_MAIN(LossPiecesTest)
#include "loss_pieces_test.moc"
