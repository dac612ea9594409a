// SPDX-License-Identifier: Apache-2.0
// Blocks of all parts, and whole models of them, against double precision: values, and every gradient against central
// differences.
#include "engine/layout/attention_shape.h"
#include "engine/train/model/attention_layer.h"
#include "engine/train/model/feed_forward_layer.h"
#include "engine/train/model/latent_attention_layer.h"
#include "engine/train/model/stage.h"
#include "kernels/threads.h"
#include "tests/kernels/llama_reference.h"
#include "tests/train/model_gradients.h"
#include "tests/kernels/random_inputs.h"
#include "tests/support/random_block.h"
#include "tests/support/wings.h"

#include <QtTest>

#include <memory>
#include <numeric>

using namespace shardlab::test;
using reference::bufferOf;
using reference::gradientOf;
using reference::mismatch;
using reference::shake;
using reference::toDouble;
using reference::Values;
using reference::Weights;

#define CLOSE(got, wanted, tolerance, what)                                                                            \
    do {                                                                                                               \
        const double off = mismatch(got, wanted);                                                                      \
        const QString name = QString::fromStdString(what);                                                             \
        QVERIFY2(off < (tolerance), qPrintable(QString("%1 off by %2, %3").arg(name).arg(off).arg(in.seed())));        \
    } while (false)

namespace {

RotaryAngles anglesOf(const RotarySpec& rotary) {
    using Scaling = RotaryAngles::Scaling;
    return {rotary.base,
            rotary.scaling == RotaryScaling::Yarn     ? Scaling::Yarn
            : rotary.scaling == RotaryScaling::Llama3 ? Scaling::ByTurns
                                                      : Scaling::None,
            rotary.factor,
            rotary.low,
            rotaryHigh(rotary),
            rotary.original,
            rotary.truncate};
}

GateFunction functionOf(const BlockParts& parts) {
    const ActivationKind kind = parts.activation;
    if (kind == ActivationKind::ClampedSwiGlu) return {float(parts.gluLimit), float(parts.gluAlpha)};
    if (kind == ActivationKind::Gelu || kind == ActivationKind::GeGlu) return Activation::Gelu;
    if (kind == ActivationKind::SwiGlu) return Activation::Silu;
    return kind == ActivationKind::SquaredRelu ? Activation::SquaredRelu : Activation::GeluTanh;
}

/// A small model of any parts. A norm over very few numbers is ill-conditioned.
ModelSpec randomModel(RandomInputs& in) {
    ModelSpec model;
    model.kind = in.coin() ? ModelKind::Llama : ModelKind::Gpt;
    model.layers = in.whole(1, 2);
    model.block.kvHeads = in.whole(1, 2);
    model.heads = model.block.kvHeads * in.whole(1, 2);
    model.hidden = model.heads * 2 * in.whole(8 / model.heads, 12 / model.heads);
    model.sequence = in.whole(1, 5);
    model.vocabulary = in.whole(2, 9);
    model.feedForward = {in.whole(4, 20)};  // the same in all layers
    drawBlock(
        model, [&](int n) { return in.whole(0, n - 1); }, 8);
    model.block.gluLimit = 100;  // differences across the bend of a bound are no gradients
    return model;
}

std::vector<int> windowsOf(const ModelSpec& model) {
    std::vector<int> windows;
    for (int layer = 0; layer < 8; ++layer) windows.push_back(attendedTokens(model, layer));
    return windows;
}

reference::BlockShape shapeOf(const ModelSpec& model, int samples) {
    return {{"", model.layers, model.hidden, model.heads, model.sequence, model.vocabulary, samples},
            keyHeads(model),
            headWidth(model),
            anglesOf(model.block.rotary),
            functionOf(blockParts(model)),
            blockParts(model).normEpsilon,
            windowsOf(model),
            model.block.ropeWidth,
            valueWidth(model),
            blockParts(model).alibi,
            model.block.attentionCap,
            model.block.logitCap};
}

}  // namespace

class LlamaModelTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { setKernelThreads(1); }

    void layers_data() {
        QTest::addColumn<bool>("attention");
        QTest::addColumn<bool>("recomputed");
        QTest::newRow("attention") << true << false;
        QTest::newRow("attention whose core is computed again") << true << true;
        QTest::newRow("feed forward") << false << false;
    }
    void layers() {
        QFETCH(bool, attention);
        QFETCH(bool, recomputed);
        RandomInputs in;
        const ModelSpec model = randomModel(in);
        const reference::BlockShape shape = shapeOf(model, in.whole(1, 2));
        Arena arena;
        ParameterSet set;
        TensorGroup alone(arena);
        LayerContext context{set, arena, alone, shape.samples, shape.sequence, shape.hidden};
        context.parts = blockParts(model);
        context.recompute.core = recomputed;
        std::unique_ptr<Layer> layer;
        if (attention && context.parts.latent) {
            layer = std::make_unique<LatentAttentionLayer>(
                context, "h.7",
                LatentSpec{shape.heads, shape.width, shape.turned, shape.values, model.block.queryRank,
                           model.block.kvRank, shape.angles, shape.window("h.7")});
        } else if (attention) {
            AttentionSpec spec{shape.heads, shape.keyHeads, shape.width};
            if (context.parts.rotary) spec.rotary = shape.angles;
            spec.window = shape.window("h.7");
            layer = std::make_unique<AttentionLayer>(context, "h.7", spec);
        } else {
            layer = std::make_unique<FeedForwardLayer>(context, "h.7", model.feedForward[0], 0.02);
        }
        set.allocate(arena, {}, 1);
        const Weights weights = shake(set.parameters(), in);
        const auto function = [&](const Weights& w, const Values& x) {
            return attention ? reference::blockAttention(w, "h.7", shape, x)
                             : reference::blockFeedForward(w, "h.7", shape, x);
        };
        const auto input = in.floats(std::size_t(shape.tokens()) * shape.hidden);
        const auto outputWeights = in.floats(input.size());

        const auto state = layer->newState();
        const Buffer output = layer->forward(*state, bufferOf(arena, input));
        CLOSE(output.span().floats(), function(weights, toDouble(input)), 1e-5, std::string("output"));
        const Buffer gradient = layer->inputGrad(*state, bufferOf(arena, outputWeights), MemoryCategory::Buffers);
        layer->weightGrad(*state);

        const auto lossOf = [&](const Weights& w, const Values& x) {
            return reference::dot(function(w, x), outputWeights);
        };
        CLOSE(gradient.span().floats(),
              reference::numericGradient([&](const Values& x) { return lossOf(weights, x); }, toDouble(input)), 5e-5,
              std::string("input's gradient"));
        std::map<std::string, Values> gradients;
        double largest = 0;
        for (const Parameter& parameter : set.parameters()) {
            Values& wanted = gradients[parameter.name];
            wanted = gradientOf([&](const Weights& w) { return lossOf(w, toDouble(input)); }, weights, parameter.name);
            for (const double each : wanted) largest = std::max(largest, std::abs(each));
        }
        // The gradient of a sink is one sum over all tokens, whose terms may cancel.
        for (const Parameter& parameter : set.parameters()) {
            const double off = mismatch(parameter.gradient.floats(), gradients[parameter.name],
                                        parameter.name.ends_with("sinks") ? 1e-2 * largest : 1e-9);
            QVERIFY2(off < 5e-5,
                     qPrintable(QString("%1 off by %2, %3").arg(parameter.name.c_str()).arg(off).arg(in.seed())));
        }
    }

    void wholeModel() {
        RandomInputs in;
        StageSpec spec;
        spec.model = randomModel(in);
        spec.layers = blockCount(spec.model);
        spec.samples = in.whole(1, 2);
        const reference::BlockShape shape = shapeOf(spec.model, spec.samples);
        Arena arena;
        Stage stage(spec, arena);
        const Weights weights = shake(stage.parameters(), in);
        const auto tokens = in.tokens(std::size_t(shape.tokens()), shape.vocabulary);
        const auto targets = in.tokens(tokens.size(), shape.vocabulary);
        std::vector<std::vector<std::int32_t>> further;
        for (int module = 0; module < predictionModules(spec.model); ++module) {
            further.push_back(in.tokens(tokens.size(), shape.vocabulary));
            for (int t = 0; t < shape.tokens(); ++t)
                if (t % shape.sequence + module + 1 >= shape.sequence) further.back()[std::size_t(t)] = noToken;
        }
        const auto lossesOf = [&](const Weights& w) {
            return reference::blocksLosses(w, shape, tokens, targets, further);
        };
        const auto trainedLoss = [&](const Weights& w) {
            const Values losses = lossesOf(w);
            const double modules = std::accumulate(losses.begin() + 1, losses.end(), 0.0);
            return losses[0] + (further.empty() ? 0 : spec.model.predictionWeight * modules / double(further.size()));
        };
        const Values losses = lossesOf(weights);
        const double wanted = losses[0];
        double evaluated = 0;
        stage.evaluate({tokens, targets}, {}, &evaluated);
        QVERIFY2(std::abs(evaluated - wanted) < 2e-5 * wanted, qPrintable(in.seed()));
        stage.forward(0, {tokens, targets, 0, further}, {});
        QVERIFY2(std::abs(stage.loss(0) - wanted) < 2e-5 * wanted, qPrintable(in.seed()));
        QCOMPARE(stage.predictionLosses(0).size(), further.size());
        for (std::size_t i = 0; i < further.size(); ++i)
            QVERIFY2(std::abs(stage.predictionLosses(0)[i] - losses[i + 1]) < 2e-5 * wanted, qPrintable(in.seed()));
        stage.backward(0, {}, 1);
        Weights gradients;
        double largest = 0;
        for (const Parameter& parameter : stage.parameters()) {
            gradients[parameter.name] = gradientOf(trainedLoss, weights, parameter.name);
            largest = std::max(largest, reference::largestOf(gradients[parameter.name]));
        }
        // Where a token attends to itself alone, norms of queries and keys change nothing: what is left is rounding.
        for (const Parameter& parameter : stage.parameters()) {
            const double off = mismatch(parameter.gradient.floats(), gradients[parameter.name], 1e-3 * largest);
            QVERIFY2(off < 1e-4,
                     qPrintable(QString("%1 off by %2, %3").arg(parameter.name.c_str()).arg(off).arg(in.seed())));
        }
    }
};

QTEST_GUILESS_MAIN(LlamaModelTest)
#include "llama_model_test.moc"
