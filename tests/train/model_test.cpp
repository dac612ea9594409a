// SPDX-License-Identifier: Apache-2.0
// Layers and whole models against double precision: values, and every gradient against central differences.
#include "engine/train/model/attention_layer.h"
#include "engine/train/model/feed_forward_layer.h"
#include "engine/train/model/output_head.h"
#include "engine/train/model/stage.h"
#include "kernels/threads.h"
#include "tests/support/named.h"
#include "tests/train/model_gradients.h"
#include "tests/kernels/random_inputs.h"
#include "tests/kernels/reference.h"
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

reference::Shape randomShape(RandomInputs& in, const std::string& kind) {
    reference::Shape shape{kind, in.whole(1, 2), 0, in.whole(1, 3), in.whole(1, 6), in.whole(2, 9), in.whole(1, 3)};
    // A norm over very few is ill-conditioned.
    shape.hidden = shape.heads * in.whole(9 / shape.heads, 15 / shape.heads);
    return shape;
}

}  // namespace

class ModelTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { setKernelThreads(1); }

    void layers_data() {
        QTest::addColumn<bool>("attention");
        QTest::newRow("attention") << true;
        QTest::newRow("feed forward") << false;
    }
    void layers() {
        QFETCH(bool, attention);
        RandomInputs in;
        const reference::Shape shape = randomShape(in, "gpt");
        Arena arena;
        ParameterSet set;
        TensorGroup alone(arena);
        const LayerContext context{set, arena, alone, shape.samples, shape.sequence, shape.hidden};
        std::unique_ptr<Layer> layer;
        if (attention)
            layer = std::make_unique<AttentionLayer>(
                context, "h.7", AttentionSpec{shape.heads, shape.heads, shape.hidden / shape.heads});
        else layer = std::make_unique<FeedForwardLayer>(context, "h.7", 3 * shape.hidden + shape.sequence, 0.02);
        set.allocate(arena, {}, 1);
        const Weights weights = shake(set.parameters(), in);
        const auto function = [&](const Weights& w, const Values& x) {
            return attention ? reference::attentionLayer(w, "h.7", shape, x)
                             : reference::feedForwardLayer(w, "h.7", shape, x);
        };
        const auto input = in.floats(std::size_t(shape.tokens()) * shape.hidden);
        const auto outputWeights = in.floats(input.size());

        const auto state = layer->newState();
        const Buffer output = layer->forward(*state, bufferOf(arena, input));
        CLOSE(output.span().floats(), function(weights, toDouble(input)), 1e-5, std::string("output"));
        const Buffer gradient = layer->inputGrad(*state, bufferOf(arena, outputWeights), MemoryCategory::Buffers);
        layer->weightGrad(*state);

        CLOSE(
            gradient.span().floats(),
            reference::numericGradient(
                [&](const Values& x) { return reference::dot(function(weights, x), outputWeights); }, toDouble(input)),
            5e-5, std::string("input's gradient"));
        for (const Parameter& parameter : set.parameters()) {
            const auto lossOf = [&](const Weights& w) {
                return reference::dot(function(w, toDouble(input)), outputWeights);
            };
            CLOSE(parameter.gradient.floats(), gradientOf(lossOf, weights, parameter.name), 5e-5, parameter.name);
        }
    }

    void outputHead() {
        RandomInputs in;
        const reference::Shape shape = randomShape(in, "gpt");
        Arena arena;
        ParameterSet set;
        TensorGroup alone(arena);
        OutputHead head({set, arena, alone, shape.samples, shape.sequence, shape.hidden}, "ln_f", shape.vocabulary,
                        true);
        set.allocate(arena, {}, 1);
        const Weights weights = shake(set.parameters(), in);
        const auto input = in.floats(std::size_t(shape.tokens()) * shape.hidden);
        const auto targets = in.tokens(std::size_t(shape.tokens()), shape.vocabulary);
        const float scale = 0.375f;

        OutputHead::State state;
        const double wanted = reference::headLoss(weights, shape, toDouble(input), targets);
        double evaluated = 0, loss = 0;
        head.evaluate(bufferOf(arena, input), false, targets, &evaluated);
        head.forward(state, bufferOf(arena, input), targets, &loss);
        QVERIFY(std::abs(evaluated - wanted) < 1e-5 * wanted);
        QVERIFY(std::abs(loss - wanted) < 1e-5 * wanted);
        const Buffer gradient = head.inputGrad(state, scale, MemoryCategory::Temporary);
        head.weightGrad(state);
        CLOSE(gradient.span().floats(),
              reference::numericGradient(
                  [&](const Values& x) { return scale * reference::headLoss(weights, shape, x, targets); },
                  toDouble(input)),
              5e-5, std::string("input's gradient"));
        for (const Parameter& parameter : set.parameters()) {
            const auto lossOf = [&](const Weights& w) {
                return scale * reference::headLoss(w, shape, toDouble(input), targets);
            };
            CLOSE(parameter.gradient.floats(), gradientOf(lossOf, weights, parameter.name), 5e-5, parameter.name);
        }
    }

    void wholeModels_data() {
        QTest::addColumn<QString>("kind");
        QTest::newRow("gpt") << "gpt";
        QTest::newRow("mlp") << "mlp";
    }
    // Two microbatches of gradients add up, each with its share.
    void wholeModels() {
        QFETCH(QString, kind);
        RandomInputs in;
        const reference::Shape shape = randomShape(in, kind.toStdString());
        StageSpec spec;
        spec.model.kind = named(shape.kind);
        spec.model.layers = spec.layers = shape.layers;
        spec.model.hidden = shape.hidden;
        spec.model.heads = shape.heads;
        spec.model.sequence = shape.sequence;
        spec.model.vocabulary = shape.vocabulary;
        spec.samples = shape.samples;
        Arena arena;
        Stage stage(spec, arena);
        const Weights weights = shake(stage.parameters(), in);
        std::vector<std::vector<std::int32_t>> tokens, targets;
        for (int microbatch = 0; microbatch < 2; ++microbatch) {
            tokens.push_back(in.tokens(std::size_t(shape.tokens()), shape.vocabulary));
            targets.push_back(in.tokens(std::size_t(shape.tokens()), shape.vocabulary));
            stage.forward(microbatch, {tokens.back(), targets.back()}, {});
            const double wanted = reference::modelLoss(weights, shape, tokens.back(), targets.back());
            QVERIFY2(std::abs(stage.loss(microbatch) - wanted) < 1e-5 * wanted, qPrintable(in.seed()));
        }
        for (int microbatch : {1, 0}) stage.backward(microbatch, {}, 0.5f);
        const auto loss = [&](const Weights& w) {
            return (reference::modelLoss(w, shape, tokens[0], targets[0]) +
                    reference::modelLoss(w, shape, tokens[1], targets[1])) /
                   2;
        };
        for (const Parameter& parameter : stage.parameters())
            CLOSE(parameter.gradient.floats(), gradientOf(loss, weights, parameter.name), 2e-4, parameter.name);
        stage.zeroGradients();
        QVERIFY(std::ranges::all_of(stage.gradientBlock().floats(), [](float g) { return g == 0; }));
    }

    void namesAndShapesAreThoseOfGpt2() {
        StageSpec spec;
        spec.model.layers = spec.layers = 2;
        spec.model.hidden = 12;
        spec.model.heads = 3;
        spec.model.sequence = 5;
        spec.model.vocabulary = 7;
        Arena arena;
        Stage stage(spec, arena);
        const std::vector<std::pair<std::string, std::vector<int>>> block{{"ln_1.weight", {12}},
                                                                          {"ln_1.bias", {12}},
                                                                          {"attn.c_attn.weight", {12, 36}},
                                                                          {"attn.c_attn.bias", {36}},
                                                                          {"attn.c_proj.weight", {12, 12}},
                                                                          {"attn.c_proj.bias", {12}},
                                                                          {"ln_2.weight", {12}},
                                                                          {"ln_2.bias", {12}},
                                                                          {"mlp.c_fc.weight", {12, 48}},
                                                                          {"mlp.c_fc.bias", {48}},
                                                                          {"mlp.c_proj.weight", {48, 12}},
                                                                          {"mlp.c_proj.bias", {12}}};
        std::vector<std::pair<std::string, std::vector<int>>> wanted{{"wte.weight", {7, 12}}, {"wpe.weight", {5, 12}}};
        for (const std::string layer : {"h.0.", "h.1."})
            for (const auto& [name, shape] : block) wanted.emplace_back(layer + name, shape);
        wanted.emplace_back("ln_f.weight", std::vector{12});
        wanted.emplace_back("ln_f.bias", std::vector{12});
        std::vector<std::pair<std::string, std::vector<int>>> got;
        const float* next = stage.parameterBlock().floats().data();
        for (const Parameter& parameter : stage.parameters()) {
            got.emplace_back(parameter.name, parameter.shape);
            QVERIFY(parameter.value.floats().data() == next);  // one block, no gaps, in this order
            QCOMPARE(parameter.gradient.floats().data() - stage.gradientBlock().floats().data(),
                     parameter.value.floats().data() - stage.parameterBlock().floats().data());
            next += parameter.value.size();
        }
        QVERIFY(got == wanted);
        QVERIFY(next == stage.parameterBlock().floats().data() + stage.parameterBlock().size());
    }
};

QTEST_GUILESS_MAIN(ModelTest)
#include "model_test.moc"
