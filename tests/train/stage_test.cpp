// SPDX-License-Identifier: Apache-2.0
// Stages as the executor uses them: halves of a backward, cuts through the model, memory, repetition, learning.
#include "engine/layout/logit_rows.h"
#include "engine/train/model/stage.h"
#include "engine/train/optim/optimizer.h"
#include "kernels/threads.h"
#include "tests/support/named.h"
#include "tests/support/wings.h"

#include <QtTest>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

using namespace shardlab::test;

namespace {

StageSpec smallSpec(const std::string& kind) {
    StageSpec spec;
    spec.model.kind = named(kind);
    spec.model.layers = 3;
    spec.model.hidden = 20;
    spec.model.heads = 4;
    spec.model.sequence = 11;
    spec.model.vocabulary = 29;
    spec.seed = 5;
    spec.layers = 3;
    spec.samples = 3;
    return spec;
}

struct Tokens {
    std::vector<std::int32_t> inputs;
    std::vector<std::int32_t> targets;
    TokenBatch batch() const { return {inputs, targets}; }
};

Tokens randomTokens(const StageSpec& spec, unsigned seed) {
    std::mt19937 generator(seed);
    std::uniform_int_distribution<std::int32_t> pick(0, spec.model.vocabulary - 1);
    Tokens tokens;
    for (int i = 0; i < spec.samples * spec.model.sequence; ++i) {
        tokens.inputs.push_back(pick(generator));
        tokens.targets.push_back(pick(generator));
    }
    return tokens;
}

std::vector<float> copyOf(std::span<const float> values) { return {values.begin(), values.end()}; }

std::int64_t bytes(const MemoryBytes& used, MemoryCategory category) {
    return used[static_cast<std::size_t>(category)];
}

}  // namespace

class StageTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { setKernelThreads(1); }

    void kinds_data() {
        QTest::addColumn<QString>("kind");
        QTest::newRow("gpt") << "gpt";
        QTest::newRow("mlp") << "mlp";
    }

    void halvesEqualTheWholeBackward_data() { kinds_data(); }
    void halvesEqualTheWholeBackward() {
        QFETCH(QString, kind);
        const StageSpec spec = smallSpec(kind.toStdString());
        const Tokens one = randomTokens(spec, 1);
        const Tokens two = randomTokens(spec, 2);
        Arena arena;
        Stage whole(spec, arena);
        Stage split(spec, arena);
        for (int microbatch : {0, 1}) {
            const Tokens& tokens = microbatch == 0 ? one : two;
            whole.forward(microbatch, tokens.batch(), {});
            split.forward(microbatch, tokens.batch(), {});
            QCOMPARE(whole.loss(microbatch), split.loss(microbatch));
        }
        for (int microbatch : {0, 1}) whole.backward(microbatch, {}, 0.5f);
        split.inputGrad(0, {}, 0.5f);
        split.inputGrad(1, {}, 0.5f);
        QCOMPARE(split.held(), 2);
        split.weightGrad(0);
        split.weightGrad(1);
        QCOMPARE(split.held(), 0);
        QVERIFY(copyOf(whole.gradientBlock().floats()) == copyOf(split.gradientBlock().floats()));
        QVERIFY(std::ranges::any_of(whole.gradientBlock().floats(), [](float g) { return g != 0; }));
    }

    void aCutModelEqualsTheWhole_data() { kinds_data(); }
    void aCutModelEqualsTheWhole() {
        QFETCH(QString, kind);
        const StageSpec spec = smallSpec(kind.toStdString());
        const Tokens tokens = randomTokens(spec, 3);
        Arena arena;
        Stage whole(spec, arena);
        whole.forward(0, tokens.batch(), {});
        whole.backward(0, {}, 1);

        std::vector<std::unique_ptr<Stage>> parts;
        for (int layer = 0; layer < 3; ++layer) {
            StageSpec part = spec;
            part.firstLayer = layer;
            part.layers = 1;
            part.first = layer == 0;
            part.last = layer == 2;
            parts.push_back(std::make_unique<Stage>(part, arena));
        }
        Buffer activations;
        for (auto& part : parts) activations = part->forward(0, tokens.batch(), std::move(activations));
        QVERIFY(activations.empty());
        QCOMPARE(parts.back()->loss(0), whole.loss(0));
        Buffer gradient;
        for (std::size_t i = parts.size(); i-- > 0;) gradient = parts[i]->backward(0, std::move(gradient), 1);
        QVERIFY(gradient.empty());

        int ties = 0;
        for (auto& part : parts) {
            for (Parameter& parameter : part->parameters()) {
                const auto same = std::ranges::find(whole.parameters(), parameter.name, &Parameter::name);
                QVERIFY2(same != whole.parameters().end(), parameter.name.c_str());
                QVERIFY(std::ranges::equal(parameter.value.floats(), same->value.floats()));
                QCOMPARE(parameter.tied, parameter.name == "wte.weight");
                QCOMPARE(parameter.owner, !parameter.tied || part == parts.front());
                QVERIFY(!same->tied);
                ties += parameter.tied;
                if (parameter.tied) continue;
                QVERIFY2(std::ranges::equal(parameter.gradient.floats(), same->gradient.floats()),
                         parameter.name.c_str());
            }
        }
        QCOMPARE(ties, 2);
        // The two parts of the tied gradient add up to that of the one weight, to rounding.
        const auto find = [](Stage& stage) {
            return std::ranges::find(stage.parameters(), "wte.weight", &Parameter::name)->gradient.floats();
        };
        const auto all = find(whole);
        const auto below = find(*parts.front());
        const auto above = find(*parts.back());
        for (std::size_t i = 0; i < all.size(); ++i) QVERIFY(std::abs(all[i] - below[i] - above[i]) < 1e-6f);
    }

    void evaluationEqualsTheForward_data() { kinds_data(); }
    void evaluationEqualsTheForward() {
        QFETCH(QString, kind);
        const StageSpec spec = smallSpec(kind.toStdString());
        const Tokens tokens = randomTokens(spec, 4);
        Arena arena;
        Stage stage(spec, arena);
        const std::int64_t before = total(arena.used());
        double loss = 0;
        stage.evaluate(tokens.batch(), {}, &loss);
        QCOMPARE(stage.held(), 0);
        QCOMPARE(total(arena.used()), before);
        stage.forward(0, tokens.batch(), {});
        QVERIFY2(std::abs(stage.loss(0) - loss) < 1e-6, qPrintable(QString::number(stage.loss(0) - loss)));
    }

    // The ledger predicts these bytes: they are part of the contract.
    void memoryIsWhatTheLayersDocument_data() { kinds_data(); }
    void memoryIsWhatTheLayersDocument() {
        QFETCH(QString, kind);
        const StageSpec spec = smallSpec(kind.toStdString());
        const Tokens tokens = randomTokens(spec, 6);
        const std::int64_t n = spec.samples * spec.model.sequence;
        const std::int64_t h = spec.model.hidden;
        const std::int64_t feedForward = n * h + 2 * n + n * h + 4 * n * h + 4 * n * h;
        const std::int64_t attention =
            n * h + 2 * n + n * h + 3 * n * h + n * spec.model.heads * spec.model.sequence + n * h;
        const std::int64_t layer = kind == "gpt" ? attention + feedForward : feedForward;
        const std::int64_t head = n * h + 2 * n + n * h + n * logitStride(spec.model.vocabulary);

        Arena arena;
        Stage stage(spec, arena);
        QCOMPARE(bytes(arena.used(), MemoryCategory::Parameters), 4 * std::int64_t(stage.parameterBlock().size()));
        QCOMPARE(bytes(arena.used(), MemoryCategory::Gradients), bytes(arena.used(), MemoryCategory::Parameters));
        for (int microbatch = 0; microbatch < 3; ++microbatch) {
            stage.forward(microbatch, tokens.batch(), {});
            QCOMPARE(bytes(arena.used(), MemoryCategory::Activations), 4 * (microbatch + 1) * (3 * layer + head));
        }
        QCOMPARE(bytes(arena.used(), MemoryCategory::Temporary), 0);
        stage.backward(0, {}, 1);
        QCOMPARE(bytes(arena.used(), MemoryCategory::Activations), 4 * 2 * (3 * layer + head));
        QCOMPARE(bytes(arena.used(), MemoryCategory::Temporary), 0);
        QCOMPARE(bytes(arena.peakByCategory(), MemoryCategory::Temporary), 4 * 5 * n * h);
        QCOMPARE(bytes(arena.peakByCategory(), MemoryCategory::Buffers), 4 * 3 * n);  // each microbatch's tokens
        stage.inputGrad(1, {}, 1);
        // Every layer holds the gradients of its output and of its norm, the head that of its norm, the embedding that
        // of its output; besides, the tokens of two microbatches are held.
        const std::int64_t layers = kind == "gpt" ? 6 : 3;
        QCOMPARE(bytes(arena.used(), MemoryCategory::Buffers), 4 * n * h * (2 * layers + 2) + 4 * 2 * n);
        const std::int64_t probabilities = kind == "gpt" ? 3 * n * spec.model.heads * spec.model.sequence : 0;
        QCOMPARE(bytes(arena.used(), MemoryCategory::Activations), 4 * (2 * (3 * layer + head) - probabilities));
        stage.weightGrad(1);
        stage.backward(2, {}, 1);
        QCOMPARE(bytes(arena.used(), MemoryCategory::Buffers), 0);
        QCOMPARE(bytes(arena.used(), MemoryCategory::Activations), 0);
    }

    void aSteadyStepTakesNothingFromTheSystem() {
        const StageSpec spec = smallSpec("gpt");
        const Tokens tokens = randomTokens(spec, 7);
        Arena arena;
        Stage stage(spec, arena);
        const auto step = [&] {
            for (int microbatch : {0, 1}) stage.forward(microbatch, tokens.batch(), {});
            for (int microbatch : {0, 1}) stage.backward(microbatch, {}, 1);
        };
        step();
        const std::int64_t reserved = arena.reserved();
        for (int i = 0; i < 5; ++i) step();
        QCOMPARE(arena.reserved(), reserved);
    }

    void learnsATinyBatchAndRepeatsToTheBit_data() { kinds_data(); }
    void learnsATinyBatchAndRepeatsToTheBit() {
        QFETCH(QString, kind);
        StageSpec spec = smallSpec(kind.toStdString());
        spec.samples = 1;  // each position once: the mlp can learn it too
        const Tokens tokens = randomTokens(spec, 8);
        const auto train = [&] {
            Arena arena;
            Stage stage(spec, arena);
            OptimizerSpec options;
            options.learningRate = 0.02;
            options.weightDecay = 0;
            const auto optimizer = makeOptimizer({options}, stage.parameters(), arena);
            std::vector<double> losses;
            for (int step = 1; step <= 60; ++step) {
                stage.zeroGradients();
                stage.forward(0, tokens.batch(), {});
                losses.push_back(stage.loss(0));
                stage.backward(0, {}, 1);
                optimizer->update(stage.parameters(), step, 1);
            }
            return losses;
        };
        const std::vector<double> losses = train();
        QVERIFY2(std::abs(losses.front() - std::log(29.0)) < 0.5, qPrintable(QString::number(losses.front())));
        QVERIFY2(losses.back() < 0.05, qPrintable(QString::number(losses.back())));
        QVERIFY(train() == losses);
    }

    void orderIsChecked() {
        const StageSpec spec = smallSpec("mlp");
        const Tokens tokens = randomTokens(spec, 9);
        Arena arena;
        Stage stage(spec, arena);
        QVERIFY_THROWS_EXCEPTION(std::logic_error, stage.backward(0, {}, 1));
        stage.forward(0, tokens.batch(), {});
        QVERIFY_THROWS_EXCEPTION(std::logic_error, stage.forward(0, tokens.batch(), {}));
        QVERIFY_THROWS_EXCEPTION(std::logic_error, stage.weightGrad(1));
        QVERIFY_THROWS_EXCEPTION(std::logic_error, stage.weightGrad(0));
        stage.inputGrad(0, {}, 1);
        QVERIFY_THROWS_EXCEPTION(std::logic_error, stage.backward(0, {}, 1));
        stage.weightGrad(0);
        QVERIFY_THROWS_EXCEPTION(std::logic_error, stage.weightGrad(0));
    }

    void valuesDependOnSeedAndNameOnly() {
        const StageSpec spec = smallSpec("gpt");
        Arena arena;
        Stage stage(spec, arena);
        StageSpec other = spec;
        other.seed = 6;
        Stage different(other, arena);
        double squares = 0;
        std::size_t count = 0;
        for (std::size_t i = 0; i < stage.parameters().size(); ++i) {
            const Parameter& a = stage.parameters()[i];
            const Parameter& b = different.parameters()[i];
            const bool drawn = a.shape.size() == 2;
            QCOMPARE(a.decays, drawn);
            QCOMPARE(std::ranges::equal(a.value.floats(), b.value.floats()), !drawn);
            if (a.name.ends_with(".bias"))
                QVERIFY(std::ranges::all_of(a.value.floats(), [](float v) { return v == 0; }));
            if (a.name.ends_with("ln_1.weight"))
                QVERIFY(std::ranges::all_of(a.value.floats(), [](float v) { return v == 1; }));
            if (!drawn || a.name.ends_with("c_proj.weight")) continue;
            for (float v : a.value.floats()) squares += double(v) * v;
            count += a.value.size();
        }
        const double deviation = std::sqrt(squares / double(count));
        QVERIFY2(std::abs(deviation - 0.02) < 0.0007, qPrintable(QString::number(deviation)));
    }
};

QTEST_GUILESS_MAIN(StageTest)
#include "stage_test.moc"
