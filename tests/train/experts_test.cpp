// SPDX-License-Identifier: Apache-2.0
// Layers with experts, and models with such layers, against double precision: values, and every gradient against
// central differences in which each token stays with its experts.
#include "engine/base/random.h"
#include "engine/train/model/experts_layer.h"
#include "engine/train/model/stage.h"
#include "kernels/threads.h"
#include "tests/support/named.h"
#include "tests/support/seed.h"
#include "tests/kernels/experts_reference.h"
#include "tests/train/model_gradients.h"
#include "tests/kernels/random_inputs.h"
#include "tests/support/random_block.h"
#include "tests/support/wings.h"

#include <QtTest>

#include <memory>

using namespace shardlab::test;
using reference::bufferOf;
using reference::gradientOf;
using reference::mismatch;
using reference::toDouble;
using reference::Values;
using reference::Weights;

#define CLOSE_ABOVE(got, wanted, tolerance, what, least)                                                               \
    do {                                                                                                               \
        const double off = mismatch(got, wanted, least);                                                               \
        const QString name = QString::fromStdString(what);                                                             \
        QVERIFY2(off < (tolerance), qPrintable(QString("%1 off by %2, %3").arg(name).arg(off).arg(in.seed())));        \
    } while (false)
#define CLOSE(got, wanted, tolerance, what) CLOSE_ABOVE(got, wanted, tolerance, what, 1e-9)

namespace {

/// Weights away from their start; gates so far that hardly a token stands between two experts.
Weights shake(std::span<Parameter> parameters, RandomInputs& in) {
    Weights weights;
    for (Parameter& parameter : parameters) {
        const bool gate = parameter.name.ends_with("gate.weight") || parameter.name.ends_with("noise.weight");
        const auto noise = in.floats(parameter.value.size(), gate ? 0.8f : 0.4f);
        for (std::size_t i = 0; i < noise.size(); ++i) parameter.value.floats()[i] += noise[i];
        weights[parameter.name] = toDouble(parameter.value.floats());
    }
    return weights;
}

/// The kernel's kind of a gate.
GateKind kindOf(GateMethod gate) {
    switch (gate) {
    case GateMethod::Switch:
    case GateMethod::SoftmaxTopK: return GateKind::Switch;
    case GateMethod::NoisyTopK: return GateKind::NoisyTopK;
    case GateMethod::Hierarchical: return GateKind::Hierarchical;
    case GateMethod::GShard: return GateKind::GShard;
    case GateMethod::ExpertChoice: return GateKind::ExpertChoice;
    case GateMethod::CappedExpertChoice: return GateKind::CappedChoice;
    case GateMethod::TopKSoftmax: return GateKind::TopKSoftmax;
    case GateMethod::SigmoidTopK:
    case GateMethod::SigmoidInGroups:
    case GateMethod::Count: break;
    }
    return GateKind::Sigmoid;
}

GateShape someShape(RandomInputs& in, GateMethod gate) {
    const GateTraits& its = traits(gate);
    GateShape shape{in.whole(1, 3), in.whole(2, 7), in.whole(2, 5), 1, 1};
    if (its.takesTopK) shape.choices = in.whole(2, std::min(shape.experts, 3));
    if (its.expertsChoose) shape.choices = shape.experts;
    if (gate == GateMethod::GShard) shape.choices = 2;
    if (its.groups || its.inGroups) {
        const int inGroup = in.whole(2, 3);
        shape.groups = in.whole(2, 3);
        shape.experts = shape.groups * inGroup;
        shape.groupChoices = 2;
        shape.choices = its.groups ? 2 * in.whole(2, inGroup) : in.whole(2, 2 * inGroup);
    }
    shape.dropless = !its.expertsChoose && !its.draws && in.coin();
    shape.capacity = shape.dropless ? shape.sequence : in.whole(1, shape.sequence);
    return shape;
}

/// The parts of a gpt, or any.
BlockParts someParts(RandomInputs& in, bool llama) {
    if (!llama) return {};
    ModelSpec model;
    model.kind = ModelKind::LlamaMoe;
    drawBlock(model, [&](int n) { return in.whole(0, n - 1); });
    model.predictedTokens = 0;   // the reference has none
    model.block.gluLimit = 100;  // differences across the bend of a bound are no gradients
    return blockParts(model);
}

GateFunction functionOf(const BlockParts& parts) {
    const ActivationKind kind = parts.activation;
    if (kind == ActivationKind::ClampedSwiGlu) return {float(parts.gluLimit), float(parts.gluAlpha)};
    if (kind == ActivationKind::Gelu || kind == ActivationKind::GeGlu) return Activation::Gelu;
    if (kind == ActivationKind::SwiGlu) return Activation::Silu;
    return kind == ActivationKind::SquaredRelu ? Activation::SquaredRelu : Activation::GeluTanh;
}

reference::Experts referenceOf(const GateShape& shape, GateKind kind, int hidden, const GateRule& rule,
                               const BlockParts& parts) {
    reference::Experts experts{shape, kind, hidden, {}};
    experts.rule = rule;
    experts.activation = functionOf(parts);
    experts.normEpsilon = parts.normEpsilon;
    return experts;
}

/// With a cap just so that all places are taken.
GateSpec someSpec(RandomInputs& in, const GateShape& shape, GateKind kind, double balance) {
    GateSpec spec{shape, kind, balance, {0.02}};
    spec.scoreBias = in.coin();
    spec.tokenExperts = (shape.experts * shape.capacity + shape.sequence - 1) / shape.sequence;
    spec.entropy = 0.2;
    if (kind == GateKind::Sigmoid) spec.scale = 2.5;
    return spec;
}

GateRule ruleOf(const GateSpec& spec) {
    GateRule rule{spec.kind};
    rule.tokenExperts = spec.tokenExperts;
    rule.entropy = float(spec.entropy);
    rule.scale = float(spec.scale);
    return rule;
}

/// ε of all tokens of a matrix of this name, from this row on.
Values noiseOf(Arena& arena, const std::string& name, std::int64_t seed, int tokens, int columns,
               std::int64_t firstRow) {
    const auto count = std::size_t(tokens) * std::size_t(columns);
    std::vector<float> noise(count), logits(count);
    const std::uint64_t key = RandomStream(seed, name).bitsAt(0);
    arena.device().gateNoise(tokens, columns, key, firstRow, noise.data(), logits.data());
    Values values = toDouble(logits);
    for (double& value : values) value /= std::log(2.0);
    return values;
}

/// What a layer of this name adds or draws at random, from this sample on.
void randomise(reference::Experts& experts, Arena& arena, const std::string& block, std::int64_t seed,
               std::int64_t firstSample) {
    const GateShape& shape = experts.shape;
    const std::int64_t firstRow = firstSample * shape.sequence;
    const auto noise = [&](const char* name, int columns) {
        return noiseOf(arena, block + name, seed, shape.tokens(), columns, firstRow);
    };
    if (experts.kind == GateKind::NoisyTopK || experts.kind == GateKind::Hierarchical)
        experts.noise = noise(".moe.noise", shape.experts);
    if (experts.kind == GateKind::Hierarchical) experts.groupNoise = noise(".moe.group_noise", shape.groups);
    if (experts.kind == GateKind::GShard)
        experts.draws =
            reference::drawsOf(RandomStream(seed, block + ".moe.draws").bitsAt(0), firstRow, shape.tokens());
}

/// Each gate in blocks as a gpt has them, and of any parts.
void addGates() {
    QTest::addColumn<int>("method");
    QTest::addColumn<bool>("llama");
    for (std::size_t i = 0; i < std::size(layoutWords<GateMethod>); ++i)
        for (const bool llama : {false, true})
            QTest::addRow("%s%s", layoutWords<GateMethod>[i].data(), llama ? ", any parts" : "") << int(i) << llama;
}

}  // namespace

class ExpertsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { setKernelThreads(1); }

    void layer_data() { addGates(); }
    void layer() {
        QFETCH(int, method);
        QFETCH(bool, llama);
        RandomInputs in;
        const GateKind gate = kindOf(GateMethod(method));
        const GateShape shape = someShape(in, GateMethod(method));
        const int hidden = in.whole(9, 14);
        const std::int64_t sample = in.whole(0, 1000);
        const double balance = 0.7;
        const float scale = 1.5f;
        Arena arena;
        ParameterSet set;
        TensorGroup alone(arena);
        LayerContext context{set, arena, alone, shape.samples, shape.sequence, hidden};
        context.parts = someParts(in, llama);
        const GateSpec gateSpec = someSpec(in, shape, gate, balance);
        ExpertsLayer layer(context, "h.7",
                           {gateSpec, 2 * hidden + 1, 0, {0.02}, {0.02}, in.coin() ? in.whole(1, hidden) : 0});
        set.allocate(arena, {}, 1);
        const Weights weights = shake(set.parameters(), in);
        reference::Experts experts = referenceOf(shape, gate, hidden, ruleOf(gateSpec), context.parts);
        randomise(experts, arena, "h.7", context.seed, sample);
        auto input = in.floats(std::size_t(shape.tokens()) * std::size_t(hidden));
        while (!experts.sure(weights, "h.7", toDouble(input))) input = in.floats(input.size());
        const auto outputWeights = in.floats(input.size());
        const reference::Decision decision = experts.decision(weights, "h.7", toDouble(input));

        const auto state = layer.newState();
        state->firstSample = sample;
        state->lossScale = scale;
        const Buffer output = layer.forward(*state, bufferOf(arena, input));
        CLOSE(output.span().floats(), experts.output(weights, "h.7", decision, toDouble(input)), 1e-5,
              std::string("output"));
        const Buffer gradient = layer.inputGrad(*state, bufferOf(arena, outputWeights), MemoryCategory::Buffers);
        layer.weightGrad(*state);
        const auto lossOf = [&](const Weights& w, const Values& x) {
            return reference::dot(experts.output(w, "h.7", decision, x), outputWeights) +
                   scale * balance * experts.balance(w, "h.7", decision, x);
        };
        CLOSE(gradient.span().floats(),
              reference::numericGradient([&](const Values& x) { return lossOf(weights, x); }, toDouble(input)), 3e-4,
              std::string("input's gradient"));
        // A gate that is quite decided leaves differences of gradients that were larger: below this they are rounding.
        constexpr double ofNothing = 0.05;
        for (const Parameter& parameter : set.parameters())
            CLOSE_ABOVE(
                parameter.gradient.floats(),
                gradientOf([&](const Weights& w) { return lossOf(w, toDouble(input)); }, weights, parameter.name), 3e-4,
                parameter.name, ofNothing);

        const ExpertLoad load = layer.tally()->take(7);
        for (int e = 0; e < shape.experts; ++e) {
            int asked = 0, dropped = 0;
            for (int s = 0; s < shape.samples; ++s) {
                asked += decision.asked(shape, s, e);
                dropped += std::max(0, decision.asked(shape, s, e) - shape.capacity);
            }
            QVERIFY2(load.asked[std::size_t(e)] == asked && load.dropped[std::size_t(e)] == dropped,
                     qPrintable(in.seed()));
        }
        QCOMPARE(layer.tally()->take(7).asked, std::vector<std::int32_t>(std::size_t(shape.experts)));
    }

    /// Validation draws no noise and drops nothing.
    void withoutASampleThereIsNoNoise_data() { addGates(); }
    void withoutASampleThereIsNoNoise() {
        QFETCH(int, method);
        QFETCH(bool, llama);
        RandomInputs in;
        const GateKind gate = kindOf(GateMethod(method));
        const GateShape shape = someShape(in, GateMethod(method));
        const int hidden = in.whole(9, 14);
        Arena arena;
        ParameterSet set;
        TensorGroup alone(arena);
        LayerContext context{set, arena, alone, shape.samples, shape.sequence, hidden};
        context.dropout = 0.5;
        context.parts = someParts(in, llama);
        const GateSpec gateSpec = someSpec(in, shape, gate, 1);
        const double dropout = shape.dropless ? 0 : 0.5;
        ExpertsLayer layer(context, "h.1",
                           {gateSpec, hidden, dropout, {0.02}, {0.02}, in.coin() ? in.whole(1, hidden) : 0});
        set.allocate(arena, {}, 1);
        const Weights weights = shake(set.parameters(), in);
        const reference::Experts experts = referenceOf(shape, gate, hidden, ruleOf(gateSpec), context.parts);
        auto input = in.floats(std::size_t(shape.tokens()) * std::size_t(hidden));
        while (!experts.sure(weights, "h.1", toDouble(input))) input = in.floats(input.size());
        const auto state = layer.newState();
        const Buffer output = layer.forward(*state, bufferOf(arena, input));
        const reference::Decision decision = experts.decision(weights, "h.1", toDouble(input));
        CLOSE(output.span().floats(), experts.output(weights, "h.1", decision, toDouble(input)), 1e-5,
              std::string("output"));
    }

    /// The second and the fourth block have experts; names and shapes are those that checkpoints have.
    void everySecondBlock() {
        StageSpec spec;
        spec.model.kind = ModelKind::GptMoe;
        spec.model.layers = 4;
        spec.firstLayer = 1;
        spec.layers = 3;
        spec.first = spec.last = false;
        spec.model.hidden = 12;
        spec.model.heads = 3;
        spec.model.experts.count = 2;
        spec.model.experts.gate = GateMethod::NoisyTopK;
        Arena arena;
        Stage stage(spec, arena);
        std::map<std::string, std::vector<int>> shapes;
        for (const Parameter& parameter : stage.parameters()) shapes[parameter.name] = parameter.shape;
        for (const std::string block : {"h.1", "h.3"}) {
            QCOMPARE(shapes.at(block + ".moe.gate.weight"), (std::vector{12, 2}));
            QCOMPARE(shapes.at(block + ".moe.noise.weight"), (std::vector{12, 2}));
            QCOMPARE(shapes.at(block + ".moe.experts.0.c_fc.weight"), (std::vector{12, 48}));
            QCOMPARE(shapes.at(block + ".moe.experts.1.c_fc.bias"), (std::vector{48}));
            QCOMPARE(shapes.at(block + ".moe.experts.1.c_proj.weight"), (std::vector{48, 12}));
            QCOMPARE(shapes.at(block + ".moe.experts.0.c_proj.bias"), (std::vector{12}));
            QVERIFY(!shapes.contains(block + ".mlp.c_fc.weight"));
        }
        QVERIFY(shapes.contains("h.2.mlp.c_fc.weight") && !shapes.contains("h.2.moe.gate.weight"));
    }

    /// Normal numbers without what lies beyond two deviations, of variance 0.1 ÷ inputs (before the tails went).
    void switchStartsFromATruncatedNormal() {
        StageSpec spec;
        spec.model.kind = ModelKind::GptMoe;
        spec.model.layers = spec.layers = 2;
        spec.model.hidden = 64;
        spec.model.experts.count = 2;
        spec.seed = freshSeed();
        Arena arena;
        Stage stage(spec, arena);
        for (const Parameter& parameter : stage.parameters()) {
            if (parameter.name != "h.1.moe.experts.0.c_fc.weight") continue;
            const double deviation = std::sqrt(0.1 / 64);
            double square = 0, largest = 0;
            for (const float value : parameter.value.floats()) {
                square += value * value / double(parameter.value.size());
                largest = std::max(largest, std::abs(double(value)));
            }
            QVERIFY(largest <= 2 * deviation && largest > 1.95 * deviation);
            QVERIFY(std::abs(std::sqrt(square) / deviation - 0.8796) < 0.03);
        }
    }

    /// Embedding, attention, feed-forward, attention, experts, output: two microbatches' gradients add up.
    void wholeModels_data() { addGates(); }
    void wholeModels() {
        QFETCH(int, method);
        QFETCH(bool, llama);
        RandomInputs in;
        const reference::BlockShape shape{{"", 2, 12, 2, in.whole(2, 6), in.whole(3, 9), in.whole(1, 3)}, 2, 6};
        StageSpec spec;
        spec.model = {ModelKind::GptMoe, 2, shape.hidden, shape.heads, shape.sequence, shape.vocabulary, 0};
        MoeSpec& moe = spec.model.experts;
        spec.model.feedForward = {in.whole(8, 20)};
        if (llama) {
            spec.model.kind = ModelKind::LlamaMoe;
            moe.denseLayers = 1;
            moe.width = in.coin() ? in.whole(5, 15) : 0;
        }
        moe.gate = GateMethod(method);
        // Without positions of their own a token and the one after it, if it is the same, can be the same to an expert
        // that has to choose one of them.
        if (llama && expertsChoose(spec.model)) spec.model.block.positions = PositionKind::Learned;
        const bool grouped = hasGroups(spec.model) || choosesInGroups(spec.model);
        moe.count = grouped ? 6 : in.whole(2, 4);
        moe.groups = in.whole(2, 3);
        moe.capacity = 0.5 + 0.25 * in.whole(0, 4);
        if (!traits(moe.gate).expertsChoose && !traits(moe.gate).draws && in.coin()) moe.capacity = 0;
        moe.tokenExperts = (moe.count * expertCapacity(spec.model) + shape.sequence - 1) / shape.sequence;
        moe.balance = 0.3;
        moe.shared = in.whole(0, 2);
        moe.scoreBias = in.coin();
        moe.scale = 1.5;
        spec.layers = 2;
        spec.samples = shape.samples;
        GateShape gate{shape.samples, shape.sequence, moe.count, expertChoices(spec.model), expertCapacity(spec.model)};
        gate.dropless = dropless(spec.model);
        if (grouped) {
            gate.groups = moe.groups;
            gate.groupChoices = moe.topGroups;
        }
        GateRule rule{kindOf(moe.gate)};
        rule.tokenExperts = moe.tokenExperts;
        rule.entropy = float(moe.entropy);
        rule.scale = float(moe.scale);
        Arena arena;
        Stage stage(spec, arena);
        const Weights weights = shake(stage.parameters(), in);
        struct Batch {
            std::vector<std::int32_t> tokens, targets;
            reference::Experts experts;
            reference::Decision decision;
        };
        reference::BlockShape parts = shape;
        if (!llama) parts.activation = Activation::GeluTanh;
        const auto below = [&](const Weights& w, const Batch& batch) {
            Values x = reference::embedded(w, parts, batch.tokens);
            x = reference::blockFeedForward(w, "h.0", parts, reference::blockAttention(w, "h.0", parts, x));
            return reference::blockAttention(w, "h.1", parts, x);
        };
        const auto entropy = [&](const Weights& w, const Batch& batch) {
            return reference::outputLoss(w, parts, batch.experts.output(w, "h.1", batch.decision, below(w, batch)),
                                         batch.targets);
        };
        std::vector<Batch> batches;
        for (int i = 0; i < 2; ++i) {
            const std::int64_t sample = in.whole(0, 100);
            Batch batch{in.tokens(std::size_t(shape.tokens()), shape.vocabulary),
                        in.tokens(std::size_t(shape.tokens()), shape.vocabulary),
                        referenceOf(gate, rule.kind, shape.hidden, rule, blockParts(spec.model)),
                        {}};
            randomise(batch.experts, arena, "h.1", spec.seed, sample);
            while (!batch.experts.sure(weights, "h.1", below(weights, batch)))
                batch.tokens = in.tokens(std::size_t(shape.tokens()), shape.vocabulary);
            batch.decision = batch.experts.decision(weights, "h.1", below(weights, batch));
            stage.forward(i, {batch.tokens, batch.targets, sample}, {});
            const double wanted = entropy(weights, batch);
            QVERIFY2(std::abs(stage.loss(i) - wanted) < 1e-5 * wanted, qPrintable(in.seed()));
            batches.push_back(std::move(batch));
        }
        for (const int i : {1, 0}) stage.backward(i, {}, 0.5f);
        const auto loss = [&](const Weights& w) {
            double sum = 0;
            for (const Batch& batch : batches)
                sum +=
                    entropy(w, batch) + moe.balance * batch.experts.balance(w, "h.1", batch.decision, below(w, batch));
            return sum / 2;
        };
        Weights wanted;
        double largest = 0;
        for (const Parameter& parameter : stage.parameters()) {
            wanted[parameter.name] = gradientOf(loss, weights, parameter.name);
            largest = std::max(largest, reference::largestOf(wanted[parameter.name]));
        }
        // A gate that is quite decided leaves differences of gradients that were larger: far below the largest they are
        // rounding.
        for (const Parameter& parameter : stage.parameters())
            CLOSE_ABOVE(parameter.gradient.floats(), wanted[parameter.name], 5e-4, parameter.name, 1e-3 * largest);
    }
};

QTEST_GUILESS_MAIN(ExpertsTest)
#include "experts_test.moc"
