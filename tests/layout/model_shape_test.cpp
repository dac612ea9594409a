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
