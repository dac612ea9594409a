// SPDX-License-Identifier: Apache-2.0
// Llama's layers and whole models against double precision: values, and every gradient against central differences.
#include "engine/train/model/gated_feed_forward_layer.h"
#include "engine/train/model/grouped_attention_layer.h"
#include "engine/train/model/stage.h"
#include "kernels/threads.h"
#include "tests/kernels/llama_reference.h"
#include "tests/train/model_gradients.h"
#include "tests/kernels/random_inputs.h"
#include "tests/support/wings.h"

#include <QtTest>

#include <memory>

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

reference::LlamaShape randomShape(RandomInputs& in) {
    const int keyHeads = in.whole(1, 2), heads = keyHeads * in.whole(1, 2);
    // A norm over very few is ill-conditioned.
    const int width = 2 * in.whole(8 / heads, 12 / heads);
    return {{"llama", in.whole(1, 2), heads * width, heads, in.whole(1, 5), in.whole(2, 9), in.whole(1, 2)},
            keyHeads,
            in.coin() ? 10000.0 : 500000.0};
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
        const reference::LlamaShape shape = randomShape(in);
        Arena arena;
        ParameterSet set;
        TensorGroup alone(arena);
        LayerContext context{set, arena, alone, shape.samples, shape.sequence, shape.hidden};
        context.style = {.rmsNorm = true, .biases = false, .positions = false};
        context.recompute.core = recomputed;
        std::unique_ptr<Layer> layer;
        if (attention)
            layer =
                std::make_unique<GroupedAttentionLayer>(context, "h.7", shape.heads, shape.keyHeads, shape.base, 0.02);
        else layer = std::make_unique<GatedFeedForwardLayer>(context, "h.7", shape.hidden + shape.sequence, 0.02);
        set.allocate(arena, {}, 1);
        for (const Parameter& parameter : set.parameters()) QVERIFY(!parameter.name.ends_with(".bias"));
        const Weights weights = shake(set.parameters(), in);
        const auto function = [&](const Weights& w, const Values& x) {
            return attention ? reference::groupedAttentionLayer(w, "h.7", shape, x)
                             : reference::gatedFeedForwardLayer(w, "h.7", shape, x);
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
        for (const Parameter& parameter : set.parameters())
            CLOSE(parameter.gradient.floats(),
                  gradientOf([&](const Weights& w) { return lossOf(w, toDouble(input)); }, weights, parameter.name),
                  5e-5, parameter.name);
    }

    void wholeModel() {
        RandomInputs in;
        const reference::LlamaShape shape = randomShape(in);
        StageSpec spec;
        spec.model.kind = ModelKind::Llama;
        spec.model.layers = shape.layers;
        spec.model.hidden = shape.hidden;
        spec.model.heads = shape.heads;
        spec.model.llama.kvHeads = shape.keyHeads;
        spec.model.llama.ropeBase = shape.base;
        spec.model.sequence = shape.sequence;
        spec.model.vocabulary = shape.vocabulary;
        spec.model.feedForward = {in.whole(4, 20)};  // the same in all layers
        spec.layers = shape.layers;
        spec.samples = shape.samples;
        Arena arena;
        Stage stage(spec, arena);
        const Weights weights = shake(stage.parameters(), in);
        const auto tokens = in.tokens(std::size_t(shape.tokens()), shape.vocabulary);
        const auto targets = in.tokens(tokens.size(), shape.vocabulary);
        const double wanted = reference::llamaLoss(weights, shape, tokens, targets);
        double evaluated = 0;
        stage.evaluate({tokens, targets}, {}, &evaluated);
        QVERIFY2(std::abs(evaluated - wanted) < 2e-5 * wanted, qPrintable(in.seed()));
        stage.forward(0, {tokens, targets}, {});
        QVERIFY2(std::abs(stage.loss(0) - wanted) < 2e-5 * wanted, qPrintable(in.seed()));
        stage.backward(0, {}, 1);
        for (const Parameter& parameter : stage.parameters())
            CLOSE(parameter.gradient.floats(),
                  gradientOf([&](const Weights& w) { return reference::llamaLoss(w, shape, tokens, targets); }, weights,
                             parameter.name),
                  1e-4, parameter.name);
    }
};

QTEST_GUILESS_MAIN(LlamaModelTest)
#include "llama_model_test.moc"
