// SPDX-License-Identifier: Apache-2.0
// Layers with experts: which have them, and how many parameters, products and kept numbers they are.
#include "engine/layout/model_shape.h"
#include "engine/layout/presets.h"
#include "tests/support/named.h"
#include "tests/support/wings.h"

#include <QTest>

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

using namespace shardlab::test;

class ExpertShapeTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    /// As Hugging Face counts the published weights, or would: by hand
    ///   layers · (attention + norms + gate + experts · 3·hidden·width (+ biases)) + table + output + final norm.
    void familiesWithExpertsAreAsLargeAsPublished() {
        struct Sizes {
            int layers, hidden, heads, keys, headWidth, vocabulary, experts, topK, width;
        };
        const auto made = [](const Sizes& s) {
            ModelSpec model{ModelKind::LlamaMoe, s.layers, s.hidden, s.heads, 4096, s.vocabulary, 0};
            model.block.kvHeads = s.keys;
            model.block.headWidth = s.headWidth;
            model.experts.count = s.experts;
            model.experts.topK = s.topK;
            model.experts.gate = GateMethod::TopKSoftmax;
            model.experts.width = s.width;
            return model;
        };
        const auto byHand = [](const Sizes& s, std::int64_t more) {
            const std::int64_t h = s.hidden, q = s.heads * s.headWidth, g = s.keys * s.headWidth;
            const std::int64_t layer = 2 * h * q + 2 * h * g + 2 * h + h * s.experts + 3 * s.experts * h * s.width;
            return s.layers * (layer + more) + 2 * s.vocabulary * h + h;
        };
        const Sizes mixtral{32, 4096, 32, 8, 128, 32000, 8, 2, 14336};
        QCOMPARE(modelParameters(made(mixtral)), byHand(mixtral, 0));
        QCOMPARE(modelParameters(made(mixtral)), std::int64_t{46'702'792'704});  // Mixtral 8x7B
        const Sizes small{48, 2048, 32, 4, 128, 151936, 128, 8, 768};
        ModelSpec qwen = made(small);
        qwen.block.queryKeyNorms = true;
        QCOMPARE(modelParameters(qwen), byHand(small, 2 * 128));
        QCOMPARE(modelParameters(qwen), std::int64_t{30'532'122'624});  // Qwen3-30B-A3B
        const Sizes large{94, 4096, 64, 4, 128, 151936, 128, 8, 1536};
        qwen = made(large);
        qwen.block.queryKeyNorms = true;
        QCOMPARE(modelParameters(qwen), byHand(large, 2 * 128));
        QCOMPARE(modelParameters(qwen), std::int64_t{235'093'634'560});  // Qwen3-235B-A22B
        // GPT-OSS has biases everywhere, of its gates too, and a number of each head that a softmax runs over.
        QCOMPARE(modelParameters(findPreset("gpt-oss-20b")->layout.model), std::int64_t{20'914'757'184});
        QCOMPARE(modelParameters(findPreset("gpt-oss-120b")->layout.model), std::int64_t{116'829'156'672});
        // DeepSeekMoE 16B: the lowest block is dense, and two experts are everybody's.
        ModelSpec deepSeek = made({28, 2048, 16, 16, 128, 102400, 64, 6, 1408});
        deepSeek.feedForward = {10944};
        deepSeek.experts.denseLayers = 1;
        deepSeek.experts.shared = 2;
        QCOMPARE(modelParameters(deepSeek), std::int64_t{16'375'728'128});
    }

    void expertsOfTodayCountWhatTheyAre() {
        // By hand for b 1, s 2, h 8, a 4, 2 heads of keys and f 5, as in llamasCountWhatTheyAre; above the lowest block
        // 6 experts of width 3, of which a token takes 2, without drops, and 2 shared ones.
        ModelSpec model{ModelKind::LlamaMoe, 3, 8, 4, 2, 256, 0, {5}};
        model.block.kvHeads = 2;
        ModelSpec dense = model;
        dense.kind = ModelKind::Llama;
        model.experts.count = 6;
        model.experts.gate = GateMethod::TopKSoftmax;
        model.experts.capacity = 0;
        model.experts.width = 3;
        model.experts.shared = 2;
        model.experts.denseLayers = 1;
        QVERIFY(!hasExperts(model, 0) && hasExperts(model, 1) && hasExperts(model, 2) && !evenLayers(model));
        const std::int64_t one = 3 * 8 * 3, block = 3 * 8 * 5;
        QCOMPARE(parametersOfExpert(model, 1), one);
        QCOMPARE(layerParameters(model, 0), layerParameters(dense, 0));
        QCOMPARE(layerParameters(model, 2) - layerParameters(dense, 2), (6 + 2) * one + 8 * 6 - block);
        QCOMPARE(expertRows(model, 1), std::int64_t{4});
        QCOMPARE(layerForwardFlops(model, 1, 1) - layerForwardFlops(dense, 1, 1),
                 2.0 * 2 * 8 * 6 + 2.0 * (4 + 2 * 2) * double(one) - 2.0 * 2 * double(block));
        QCOMPARE(idleExpertFlops(model, {3}, 1), 0.0);
        const std::int64_t routes = 2 * 6 + 2 * 2 * 2 + 4 + 2 * 6;
        QCOMPARE(layerStoredFloats(model, 1, 1) - layerStoredFloats(dense, 1, 1),
                 routes + 4 * (2 * 8 + 3 * 3) + 2 * 3 * 6 - 3 * 2 * 5);
        TensorShare third;
        third.expert = 3;
        QCOMPARE(layerParameters(model, 1) - layerParameters(model, 1, third), 4 * one);
        QCOMPARE(spreadParameters(model, {3}, third), 2 * 2 * one);
        model.experts.capacity = 1.5;  // 1.5 · 2 · 2 ÷ 6: one place each
        QCOMPARE(expertRows(model, 1), std::int64_t{6});
        model.experts.denseLayers = 0;
        QVERIFY(evenLayers(model) && sameKind(model, 0, 2));
        model.experts.every = 3;
        QVERIFY(!hasExperts(model, 0) && !hasExperts(model, 1) && hasExperts(model, 2));
        model.kind = ModelKind::GptMoe;
        model.experts.every = 0;
        QVERIFY(!hasExperts(model, 0) && hasExperts(model, 1) && !hasExperts(model, 2));
    }

    void layersAreEvenWhereAllOrNoneHaveExperts() {
        ModelSpec model;
        model.kind = ModelKind::LlamaMoe;
        for (model.layers = 1; model.layers <= 7; ++model.layers)
            for (model.experts.every = 1; model.experts.every <= 8; ++model.experts.every)
                for (model.experts.denseLayers = 0; model.experts.denseLayers <= 9; ++model.experts.denseLayers) {
                    bool even = true;
                    for (int layer = 1; layer < model.layers; ++layer)
                        even = even && hasExperts(model, layer) == hasExperts(model, 0);
                    QCOMPARE(evenLayers(model), even);
                }
    }

    void expertsCountWhatTheyAre() {
        // By hand for b 1, s 6, h 4, a 2 and f 3, 3 experts of which a token takes 2, noisy: N = 6.
        ModelSpec model{ModelKind::GptMoe, 2, 4, 2, 6, 256, 0, {3, 3}};
        model.experts.count = 3;
        model.experts.gate = GateMethod::NoisyTopK;
        model.experts.topK = 2;
        model.experts.capacity = 1.1;  // 1.1 · 2 · 6 ÷ 3 = 4.4
        QCOMPARE(expertCapacity(model), 5);
        QCOMPARE(expertRows(model, 1), std::int64_t{15});
        ModelSpec dense = model;
        dense.kind = ModelKind::Gpt;
        const std::int64_t one = 2 * 4 * 3 + 3 + 4;
        QCOMPARE(layerParameters(model, 0), layerParameters(dense, 0));
        QCOMPARE(layerParameters(model, 1) - layerParameters(dense, 1), 2 * one + 2 * 4 * 3);
        QCOMPARE(layerForwardFlops(model, 1, 1) - layerForwardFlops(dense, 1, 1),
                 (15 - 6) * 4.0 * 4 * 3 + 2 * 2.0 * 6 * 4 * 3);
        QCOMPARE(idleExpertFlops(model, {2}, 1), (15 - 12) * 4.0 * 4 * 3);
        const std::int64_t routes = 2 * 6 * 3 + 2 * 6 * 2 + 15 + 2 * 3;
        QCOMPARE(layerStoredFloats(model, 1, 1) - layerStoredFloats(dense, 1, 1),
                 routes + 15 * (2 * 4 + 2 * 3) - 2 * 6 * 3);
        model.experts.gate = GateMethod::GShard;  // two as well, and no noise
        QCOMPARE(expertCapacity(model), 5);
        QCOMPARE(layerParameters(model, 1) - layerParameters(dense, 1), 2 * one + 4 * 3);
        QCOMPARE(layerStoredFloats(model, 1, 1) - layerStoredFloats(dense, 1, 1),
                 routes - 6 * 3 + 15 * (2 * 4 + 2 * 3) - 2 * 6 * 3);
        // 6 experts in 3 groups, both of two groups: 1.1 · 4 · 6 ÷ 6 = 4.4; scores and noise of 6 + 3
        ModelSpec grouped = model;
        grouped.experts.gate = GateMethod::Hierarchical;
        grouped.experts.count = 6;
        grouped.experts.groups = 3;
        grouped.experts.topGroups = 2;
        QCOMPARE(expertCapacity(grouped), 5);
        QCOMPARE(expertRows(grouped, 1), std::int64_t{30});
        QCOMPARE(layerParameters(grouped, 1) - layerParameters(dense, 1), 5 * one + 2 * 4 * (6 + 3));
        QCOMPARE(layerForwardFlops(grouped, 1, 1) - layerForwardFlops(dense, 1, 1),
                 (30 - 6) * 4.0 * 4 * 3 + 2 * 2.0 * 6 * 4 * (6 + 3));
        QCOMPARE(layerStoredFloats(grouped, 1, 1) - layerStoredFloats(dense, 1, 1),
                 2 * 6 * (6 + 3) + 2 * 6 * 4 + 30 + 2 * 6 + 30 * (2 * 4 + 2 * 3) - 2 * 6 * 3);
        QCOMPARE(idleExpertFlops(grouped, {2}, 1), (30 - 24) * 4.0 * 4 * 3);
        model.experts.gate = GateMethod::Switch;
        QCOMPARE(expertCapacity(model), 3);  // 1.1 · 6 ÷ 3 = 2.2
        QCOMPARE(layerParameters(model, 1) - layerParameters(dense, 1), 2 * one + 4 * 3);
        QCOMPARE(idleExpertFlops(model, {2}, 1), (9 - 6) * 4.0 * 4 * 3);
        model.experts.capacity = 0.5;  // one place each: three tokens of six
        QCOMPARE(expertRows(model, 1), std::int64_t{3});
        QCOMPARE(idleExpertFlops(model, {2}, 1), 0.0);
        model.experts.capacity = 100;
        QCOMPARE(expertCapacity(model), 6);  // all tokens of the sample
    }

    /// Where a context group shares the places of a sample, a member has as many rows as its tokens can have, and
    /// counts on its share of all.
    void membersShareThePlaces() {
        ModelSpec model{ModelKind::GptMoe, 2, 4, 1, 16, 10, 0};
        model.experts.count = 4;
        model.experts.gate = GateMethod::Switch;
        model.experts.capacity = 1.25;
        TensorShare half;
        half.context = 2;
        QCOMPARE(expertCapacity(model), 5);
        QCOMPARE(routedRows(model, 3), std::int64_t{4 * 3 * 5});
        QCOMPARE(routedRows(model, 3, half), std::int64_t{3 * 8});  // all of its tokens, and no more
        QCOMPARE(expertRows(model, 3, half), std::int64_t{3 * 8});
        model.experts.capacity = 0.5;
        QCOMPARE(expertRows(model, 3, half), std::int64_t{4 * 3 * 2 / 2});
        QCOMPARE(routedRows(model, 3, half), std::int64_t{4 * 3 * 2});  // all places may be its tokens'
        half.folds = 2;
        QCOMPARE(expertRows(model, 3, half), std::int64_t{4 * 3 * 2 / 4});
        model.experts.capacity = 0;
        QCOMPARE(routedRows(model, 3, half), std::int64_t{3 * 8});
    }

    /// Switch-Base with 128 experts, 7.4 billion parameters in twelve encoder and twelve decoder layers (2101.03961):
    /// of its experts' weights, 12 · 128 · 2 · 768 · 3072, here with biases.
    void switchBaseIsAsLargeAsPublished() {
        ModelSpec model{ModelKind::GptMoe, 24, 768, 12, 512, 32128, 0};
        model.experts.count = 128;
        const std::int64_t experts = 12LL * 128 * 2 * 768 * 3072;
        const std::int64_t whole = modelParameters(model);
        QVERIFY(whole > experts && whole < experts + 250'000'000);
        QVERIFY(std::abs(double(whole) / 7.4e9 - 1) < 0.02);
    }
};

QTEST_GUILESS_MAIN(ExpertShapeTest)
#include "expert_shape_test.moc"
