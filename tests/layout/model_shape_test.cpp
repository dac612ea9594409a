// SPDX-License-Identifier: Apache-2.0
#include "engine/layout/model_shape.h"
#include "engine/layout/moment_blocks.h"
#include "engine/layout/presets.h"
#include "tests/support/named.h"
#include "tests/support/wings.h"

#include <QTest>

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

using namespace shardlab::test;

namespace {

ModelSpec gpt2(int layers, int hidden, int heads) { return {ModelKind::Gpt, layers, hidden, heads, 1024, 50257, 0}; }

}  // namespace

class ModelShapeTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void parametersArePublishedOnes() {
        // GPT-2 small, medium, large, XL as Hugging Face counts them.
        QCOMPARE(modelParameters(gpt2(12, 768, 12)), std::int64_t{124439808});
        QCOMPARE(modelParameters(gpt2(24, 1024, 16)), std::int64_t{354823168});
        QCOMPARE(modelParameters(gpt2(36, 1280, 20)), std::int64_t{774030080});
        QCOMPARE(modelParameters(gpt2(48, 1600, 25)), std::int64_t{1557611200});
    }

    /// As Hugging Face counts TinyLlama, Llama 2 7B, Llama 3 8B and 70B, and as the presets have them.
    void parametersOfLlamasArePublishedOnes() {
        const auto llama = [](const char* preset) {
            const auto found = findPreset(preset);
            return found ? modelParameters(found->layout.model) : 0;
        };
        QCOMPARE(llama("tinyllama-1.1b"), std::int64_t{1'100'048'384});
        QCOMPARE(llama("llama2-7b"), std::int64_t{6'738'415'616});
        QCOMPARE(llama("llama3-8b"), std::int64_t{8'030'261'248});
        QCOMPARE(llama("llama3-70b"), std::int64_t{70'553'706'496});
    }

    void llamasCountWhatTheyAre() {
        // By hand for b 1, s 2, h 8, a 4, 2 heads of keys and f 5: N = 2, keys have 4 columns.
        ModelSpec model{ModelKind::Llama, 3, 8, 4, 2, 256, 0, {5}};
        model.block.kvHeads = 2;
        const std::int64_t block = 8 + 8 * (8 + 2 * 4) + 8 * 8 + 8 + 3 * 8 * 5;
        for (int layer = 0; layer < 3; ++layer) QCOMPARE(layerParameters(model, layer), block);
        QCOMPARE(modelParameters(model), 3 * block + 8 + 2 * 256 * 8);
        QCOMPARE(productWeights(model, {3, true, true}), 3 * (block - 16) + 256 * 8);
        QCOMPARE(layerForwardFlops(model, 1, 1), 2.0 * 2 * (block - 16) + 4 * 2 * 2 * 8);
        const std::int64_t attention = 16 + (2 + 16 + 2 * 16 + 4 * 2 * 2 + 16);
        QCOMPARE(layerStoredFloats(model, 1, 1), attention + 16 + 2 + 16 + 3 * 2 * 5);
        QCOMPARE(headStoredFloats(model, 1), std::int64_t{16 + 2 + 16 + 512});
        // Each of a tensor group's two members has a head of keys, with the two of queries that meet it.
        const TensorShare half{2, 1};
        QCOMPARE(layerParameters(model, 0, half), 16 + (block - 16 - 3 * 8 * 5) / 2 + 3 * 8 * 3);
        model.block.kvHeads = 0;
        QCOMPARE(layerParameters(model, 0), block + 2 * 8 * 4);
    }

    /// The parameters that Hugging Face counts in the published weights.
    void familiesAreAsLargeAsPublished() {
        const auto made = [](int layers, int hidden, int heads, int keys, int width, int vocabulary) {
            ModelSpec model{ModelKind::Llama, layers, hidden, heads, 4096, vocabulary, 0, {width}};
            model.block.kvHeads = keys;
            return model;
        };
        QCOMPARE(modelParameters(made(32, 4096, 32, 8, 14336, 32000)), std::int64_t{7'241'732'096});  // Mistral 7B
        ModelSpec qwen2 = made(28, 3584, 28, 4, 18944, 152064);
        qwen2.block.biases = BiasKind::Qkv;
        QCOMPARE(modelParameters(qwen2), std::int64_t{7'615'616'512});  // Qwen2 7B
        ModelSpec small = made(24, 896, 14, 2, 4864, 151936);
        small.block.biases = BiasKind::Qkv;
        small.block.output = OutputKind::Tied;
        QCOMPARE(modelParameters(small), std::int64_t{494'032'768});  // Qwen2 0.5B
        ModelSpec qwen3 = made(64, 5120, 64, 8, 25600, 151936);
        qwen3.block.headWidth = 128;
        qwen3.block.queryKeyNorms = true;
        QCOMPARE(modelParameters(qwen3), std::int64_t{32'762'123'264});  // Qwen3 32B
    }

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

    /// The parameters that are published of DeepSeek-V3, V2 and V2-Lite. Their layers but the lowest have experts,
    /// which are counted by hand here: routed and shared ones, the gate, and V3's bias of each expert.
    void latentAttentionsAreAsLargeAsPublished() {
        struct Published {
            int layers, hidden, heads, queryRank, vocabulary, width, dense;
            std::int64_t expertWidth, experts, shared, biases, parameters;
        };
        for (const Published& p : {Published{61, 7168, 128, 1536, 129280, 18432, 3, 2048, 256, 1, 256, 671'026'419'200},
                                   Published{60, 5120, 128, 1536, 102400, 12288, 1, 1536, 160, 2, 0, 235'741'434'880},
                                   Published{27, 2048, 16, 0, 102400, 10944, 1, 1408, 64, 2, 0, 15'706'484'224}}) {
            ModelSpec model{ModelKind::Llama, p.layers, p.hidden, p.heads, 4096, p.vocabulary, 0, {p.width}};
            model.block.kvRank = 512;
            model.block.queryRank = p.queryRank;
            model.block.headWidth = 128;
            const std::int64_t h = p.hidden, dense = 3 * h * p.width,
                               experts = (p.experts + p.shared) * 3 * h * p.expertWidth + p.experts * h + p.biases;
            QCOMPARE(modelParameters(model) + (p.layers - p.dense) * (experts - dense), p.parameters);
        }
    }

    void latentAttentionsCountWhatTheyAre() {
        // By hand for b 1, s 2, h 8, a 4 of width 6 + 2, values of 5, ranks 3 and 7, f 5: D 12, q 32, e 44, out 20.
        ModelSpec model{ModelKind::Llama, 3, 8, 4, 2, 256, 0, {5}};
        model.block.kvRank = 7;
        model.block.queryRank = 3;
        model.block.headWidth = 6;
        model.block.ropeWidth = 2;
        model.block.valueWidth = 5;
        const std::int64_t products = 8 * 12 + 3 * 32 + 7 * 44 + 20 * 8, feedForward = 3 * 8 * 5;
        QCOMPARE(layerParameters(model, 0), 8 + products + 3 + 7 + 8 + feedForward);
        QCOMPARE(productWeights(model, {3, false, false}), 3 * (products + feedForward));
        QCOMPARE(layerForwardFlops(model, 1, 1), 2.0 * 2 * double(products + feedForward) + 2 * 2 * 2 * (32 + 20));
        QCOMPARE(paddedCoreFlops(model, 1), 2.0 * 2 * 2 * (32 - 20));
        QCOMPARE(spreadAttentionFloats(model, 1), std::int64_t{3 * 2 * 32});
        const std::int64_t latents = 2 * (12 + 3 + 7 + 2),
                           attention = 2 + 16 + latents + 2 * (32 + 44 + 20) + 4 * 2 * 2;
        QCOMPARE(layerStoredFloats(model, 1, 1), 16 + attention + 16 + 2 + 16 + 3 * 2 * 5);
        // Each of two members has half of the heads, and the down projection and the norms whole.
        QCOMPARE(layerParameters(model, 0, {2, 1}),
                 std::int64_t{8 + 8 * 12 + 3 + 3 * 16 + 7 + 7 * 22 + 10 * 8 + 8 + 3 * 8 * 3});
        const TensorShare whole{2, 1, false}, split{2, 1, true};
        QCOMPARE(layerForwardFlops(model, 0, 1, whole) - layerForwardFlops(model, 0, 1, split), 2.0 * 1 * 8 * 12);
        const std::vector<std::int64_t> sizes = tensorSizes(model, {1, false, false});
        QCOMPARE(std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0}), layerParameters(model, 0));
        model.block.queryRank = 0;  // queries straight from h, and a value as wide as the rest of a head
        model.block.valueWidth = 0;
        QCOMPARE(layerParameters(model, 0), std::int64_t{8 + 8 * 9 + 8 * 32 + 7 + 7 * 48 + 24 * 8 + 8 + feedForward});
        model.kind = ModelKind::Gpt;  // whose positions are learned
        QVERIFY(!latentAttention(model));
        model.block.positions = PositionKind::Rotary;
        QVERIFY(latentAttention(model));
        QCOMPARE(layerParameters(model, 0), std::int64_t{16 + 8 * 9 + 8 * 32 + 7 + 7 * 48 + 24 * 8 + 16 + 80 + 5 + 8});
    }

    void partsCountWhatTheyAre() {
        // By hand for b 1, s 2, h 8, a 4 of width 6, 2 heads of keys and f 5: q 24, g 12.
        ModelSpec model{ModelKind::Gpt, 3, 8, 4, 2, 256, 0, {5}};
        model.block.headWidth = 6;
        QCOMPARE(layerParameters(model, 0), std::int64_t{16 + 8 * 72 + 72 + 24 * 8 + 8 + 16 + 2 * 8 * 5 + 5 + 8});
        QCOMPARE(layerForwardFlops(model, 0, 1), 2.0 * 2 * (8 * 72 + 24 * 8 + 80) + 4 * 2 * 2 * 24);
        model.block.positions = PositionKind::Rotary;
        model.block.kvHeads = 2;
        model.block.queryKeyNorms = true;
        model.block.norm = NormKind::Rms;
        model.block.biases = BiasKind::Qkv;
        model.block.activation = ActivationKind::GeGlu;
        QCOMPARE(layerParameters(model, 0), std::int64_t{8 + 8 * 48 + 48 + 12 + 24 * 8 + 8 + 3 * 8 * 5});
        QCOMPARE(embeddingParameters(model), std::int64_t{256 * 8});
        QCOMPARE(spreadAttentionFloats(model, 1), std::int64_t{3 * 2 * 24});
        QCOMPARE(layerStoredFloats(model, 1, 1),
                 std::int64_t{16 + (2 + 16 + 2 * 48 + 4 * 2 * 2 + 2 * 24) + 16 + 2 + 16 + 3 * 2 * 5});
        // Norms of heads and the projection's norm are whole on each of two members.
        QCOMPARE(layerParameters(model, 0, {2, 1}), std::int64_t{8 + 8 * 24 + 24 + 12 + 12 * 8 + 8 + 3 * 8 * 3});
        model.block.output = OutputKind::Separate;
        QCOMPARE(modelParameters(model) - 3 * layerParameters(model, 0), std::int64_t{2 * 256 * 8 + 8});
        model.kind = ModelKind::Mlp;  // which has the parts of a gpt whatever is chosen
        QCOMPARE(modelParameters(model), std::int64_t{3 * (16 + 80 + 5 + 8) + 258 * 8 + 16});
    }

    void sinksAndAlibiCount() {
        // By hand for b 1, s 2, h 8, a 4 and f 5.
        ModelSpec model{ModelKind::Gpt, 3, 8, 4, 2, 256, 0, {5}};
        const std::int64_t layer = layerParameters(model, 0), whole = modelParameters(model),
                           stored = layerStoredFloats(model, 0, 1);
        model.block.positions = PositionKind::Alibi;
        QCOMPARE(modelParameters(model), whole - 2 * 8);  // the table of positions
        QCOMPARE(spreadAttentionFloats(model, 1), std::int64_t{0});
        model.block.sinks = true;
        QCOMPARE(layerParameters(model, 0), layer + 4);
        QCOMPARE(layerStoredFloats(model, 0, 1), stored + 4 * 2);  // the sinks' shares beside the probabilities
        const std::vector<std::int64_t> sizes = tensorSizes(model, {3, true, true});
        QCOMPARE(std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0}), modelParameters(model));
    }

    void windowsHideTokens() {
        ModelSpec model{ModelKind::Gpt, 6, 8, 4, 100, 256, 0};
        const double all = 4.0 * 100 * 100 * 8, some = 4.0 * 100 * 30 * 8;
        const double whole = layerForwardFlops(model, 0, 1);
        model.block.window = 30;
        QVERIFY(evenLayers(model) && sameKind(model, 0, 2));
        QCOMPARE(layerForwardFlops(model, 0, 1), whole - all + some);
        QCOMPARE(coreForwardFlops(model, 1), some);
        model.block.fullEvery = 3;  // the third layer and the sixth
        QVERIFY(!evenLayers(model) && !sameKind(model, 1, 2));
        QCOMPARE(layerForwardFlops(model, 2, 1), whole);
        QCOMPARE(layerForwardFlops(model, 3, 1), whole - all + some);
        QCOMPARE(coreForwardFlops(model, 1), (2 * all + 4 * some) / 6);
        QCOMPARE(stageForwardFlops(model, {6, true, false}, 1), 6 * whole - 4 * (all - some));
        model.block.window = 100;
        QCOMPARE(layerForwardFlops(model, 0, 1), whole);
        QCOMPARE(attendedTokens(model, 0), 100);
    }

    void flopsAreMegatrons() {
        // Narayanan et al. 2021, equation 3: 96·B·s·l·h²·(1 + s/6h + V/16lh) with activation recomputation, of which
        // forward and backward are three quarters; their attention counts the whole square, as here.
        const ModelSpec model = gpt2(24, 1024, 16);
        const double b = 3, s = 1024, l = 24, h = 1024, v = 50257;
        const double layers = 72 * b * s * l * h * h * (1 + s / (6 * h));
        const double output = 6 * b * s * h * v;
        QVERIFY(qFuzzyCompare(3 * stageForwardFlops(model, {24, true, true}, 3), layers + output));
    }

    void storedActivationsAreOurs() {
        // By hand for b 1, s 2, h 4, a 2: N = 2.
        const ModelSpec model{ModelKind::Gpt, 1, 4, 2, 2, 256, 0};
        const std::int64_t block = 8 + (4 + 8 + 24 + 8 + 8) + 8 + (4 + 8 + 32 + 32);
        QCOMPARE(layerStoredFloats(model, 0, 1), block);
        QCOMPARE(headStoredFloats(model, 1), std::int64_t{8 + 4 + 8 + 512});
        ModelSpec mlp = model;
        mlp.kind = ModelKind::Mlp;
        QCOMPARE(layerStoredFloats(mlp, 0, 1), std::int64_t{8 + 4 + 8 + 32 + 32});
    }

    void mixedWidthsCountWhatTheyAre() {
        // By hand for b 1, s 2, h 4, a 2 and the widths 3 and 16, the second of which is 4 h.
        const ModelSpec even{ModelKind::Gpt, 2, 4, 2, 2, 256, 0};
        ModelSpec mixed = even;
        mixed.feedForward = {3, 16};
        QCOMPARE(modelParameters(even) - modelParameters(mixed), std::int64_t{(16 - 3) * (2 * 4 + 1)});
        QCOMPARE(layerStoredFloats(even, 0, 1) - layerStoredFloats(mixed, 0, 1), std::int64_t{2 * 2 * (16 - 3)});
        QCOMPARE(layerForwardFlops(even, 0, 1) - layerForwardFlops(mixed, 0, 1), 4.0 * 2 * 4 * (16 - 3));
        QCOMPARE(layerParameters(mixed, 1), layerParameters(even, 1));
        QCOMPARE(layerStoredFloats(mixed, 1, 1), layerStoredFloats(even, 1, 1));
        mixed.feedForward = {16, 16};
        QCOMPARE(modelParameters(mixed), modelParameters(even));
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

    /// Korthikanti et al., 2205.05198, in 16 bits: sbh(10 + 24/t + 5as/(ht)), with tokens split sbh/t(34 + 5as/h). Ours
    /// keep no masks (2 of the 10, 1 of the 5) and no probabilities after dropout (2 of the 5); norm statistics are
    /// new.
    void activationsAreThoseOfThePaper() {
        ModelSpec model;
        model.hidden = 96;
        model.heads = 12;
        model.sequence = 24;
        const double b = 2, s = 24, h = 96, a = 12;
        for (const int t : {1, 2, 3, 6}) {
            const auto bytes = [&](bool sequence) {
                const double statistics = 4 * b * s / (sequence ? t : 1);
                return 2 * (double(layerStoredFloats(model, 0, 2, {t, t - 1, sequence})) - statistics);
            };
            QCOMPARE(bytes(false), s * b * h * (8 + 24.0 / t + 2 * a * s / (h * t)));
            QCOMPARE(bytes(true), s * b * h / t * (32 + 2 * a * s / h));
        }
    }

    void membersOfATensorGroupAddUp() {
        Layout layout;
        layout.model = {ModelKind::Gpt, 6, 48, 12, 24, 301, 0};
        const StageShape whole{6, true, true};
        for (const int t : {2, 3, 4, 5, 7, 11}) {  // the latter divide neither heads nor columns
            layout.parallel.tensor = t;
            std::int64_t parameters = 0;
            double flops = 0;
            for (int part = 0; part < t; ++part) {
                parameters += stageParameters(layout.model, whole, tensorShare(layout, part));
                flops += stageForwardFlops(layout.model, whole, 2, tensorShare(layout, part));
            }
            // Norms, biases after a product cut by rows, and positions are everybody's.
            const std::int64_t common = 6 * (4 + 2) * 48 + 2 * 48 + 24 * 48;
            QCOMPARE(parameters, modelParameters(layout.model) + (t - 1) * common);
            QVERIFY(qFuzzyCompare(flops, stageForwardFlops(layout.model, whole, 2)));
            QVERIFY(stageParameters(layout.model, whole, tensorShare(layout)) >=
                    stageParameters(layout.model, whole, tensorShare(layout, 0)));
        }
    }

    /// Parts of a vocabulary that differ by a row must not tip a balance differently on two members of a tensor group.
    void membersGiveTheSameLayersToTheSameReplicas() {
        ParallelSpec parallel;
        parallel.data = 2;
        parallel.tensor = 2;
        parallel.zero = 3;
        parallel.partition = PartitionKind::Layers;
        for (const auto& [vocabulary, sequence] : {std::pair{257, 128}, {259, 129}, {256, 128}}) {
            const ModelSpec model{ModelKind::Gpt, 4, 16, 4, sequence, vocabulary, 0};
            std::vector<int> owners[2];
            for (const int part : {0, 1})
                for (const FlatUnit& unit : stageUnits(model, parallel, {.layers = 4}, {2, part}))
                    owners[part].push_back(unit.owner);
            QCOMPARE(owners[0], owners[1]);
            QVERIFY(std::ranges::count(owners[0], 1) > 0);
        }
    }

    void sizesOfACnn() {
        ModelSpec model;
        model.kind = ModelKind::Cnn;
        model.layers = 2;
        model.hidden = 3;
        model.cnn.image = 8;
        model.cnn.channels = 2;
        model.cnn.convolutions = 2;
        model.cnn.classes = 5;
        // 8 × 8 pixels of 2, then 3 channels; 4 × 4 of 3, then 6; 2 × 2 of 6 are the features.
        const std::int64_t lower = (9 * 2 + 9 * 3) * 3, upper = (9 * 3 + 9 * 6) * 6, features = 4 * 6;
        QCOMPARE(layerParameters(model, 0), lower + 2 * 3);
        QCOMPARE(layerParameters(model, 1), upper + 2 * 6);
        QCOMPARE(modelParameters(model), lower + upper + 18 + 2 * features + 5 * features);
        QCOMPARE(productWeights(model, {2, true, true}), lower + upper + 5 * features);
        QCOMPARE(layerForwardFlops(model, 1, 3), 3 * 2.0 * 16 * double(upper));
        QCOMPARE(outputForwardFlops(model, 3), 3 * 2.0 * double(features) * 5);
        QCOMPARE(boundaryFloats(model, 1, 3), std::int64_t{3 * 16 * 3});
        QCOMPARE(layerStoredFloats(model, 0, 3), std::int64_t{3 * 64 * (2 + 2 * 3)});
        QCOMPARE(headStoredFloats(model, 3), 3 * (2 * features + 2 + 8));  // rows of logits begin at 16 bytes
        QCOMPARE(embeddingParameters(model), std::int64_t{0});
        const auto units = stageUnits(model, {}, {2, true, true});
        QCOMPARE(units.size(), std::size_t{4});
        QCOMPARE(units[0].size, layerParameters(model, 0));
        QVERIFY(units[3].table && units[3].lowestLayer == 2);
        model.layers = 5;  // the fourth and later blocks have 8 times as many channels
        model.cnn.image = 32;
        QCOMPARE(layerParameters(model, 4), std::int64_t{2 * (9 * 24 * 24 + 24)});
        QVERIFY(!evenLayers(model) && !tiesEmbedding(model) && !hasAttention(model));
    }

    void stagesAddUpToTheModel() {
        for (const char* kind : {"gpt", "mlp", "gpt-moe", "llama", "cnn", "llama-moe"}) {
            Layout layout;
            layout.model = {named(kind), 6, 32, 4, 16, 300, 0};
            layout.model.experts.shared = 1;
            layout.model.experts.scoreBias = true;
            layout.model.cnn.image = 64;
            layout.parallel.pipeline = 3;
            for (const std::vector<int>& widths : {std::vector<int>{}, std::vector<int>{8, 128, 9, 700, 1, 40}})
                for (const std::vector<int>& split : {std::vector<int>{}, std::vector<int>{1, 2, 3}}) {
                    layout.model.feedForward = widths;
                    layout.schedule.stages = split;
                    std::int64_t parameters = 0;
                    double flops = 0;
                    for (const StageShape& stage : stageShapes(layout)) {
                        parameters += stageParameters(layout.model, stage);
                        flops += stageForwardFlops(layout.model, stage, 2);
                    }
                    // The last stage holds a copy of the embedding, where that is the output projection too.
                    const std::int64_t copy = tiesEmbedding(layout.model) ? tableParameters(layout.model) : 0;
                    QCOMPARE(parameters, modelParameters(layout.model) + copy);
                    QVERIFY(qFuzzyCompare(flops, stageForwardFlops(layout.model, {6, true, true}, 2)));
                }
        }
    }
};

QTEST_GUILESS_MAIN(ModelShapeTest)
#include "model_shape_test.moc"
