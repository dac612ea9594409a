// SPDX-License-Identifier: Apache-2.0
// The cnn against the same in double precision: its loss, and its gradients against differences.
#include "engine/layout/model_shape.h"
#include "engine/train/model/host_copy.h"
#include "engine/train/model/stage.h"
#include "tests/kernels/cnn_reference.h"
#include "tests/train/model_gradients.h"
#include "tests/support/named.h"
#include "tests/support/wings.h"

#include <QtTest>

#include <algorithm>

using namespace shardlab::test;
using reference::Weights;

namespace {

#define CLOSE_TO(got, wanted, tolerance, name)                                                                         \
    do {                                                                                                               \
        const double off = reference::mismatch(got, wanted);                                                           \
        QVERIFY2(off < tolerance,                                                                                      \
                 qPrintable(QString("%1 off by %2, %3").arg(QString::fromStdString(name)).arg(off).arg(in.seed())));   \
    } while (false)

/// Steps so small that hardly a ReLU or a pool changes its mind within one.
reference::Values gradientOf(const std::function<double(const Weights&)>& loss, Weights weights,
                             const std::string& name) {
    reference::Values& moved = weights.at(name);
    reference::Values gradient(moved.size());
    constexpr double step = 1e-8;
    for (std::size_t i = 0; i < moved.size(); ++i) {
        const double middle = moved[i];
        moved[i] = middle + step;
        const double above = loss(weights);
        moved[i] = middle - step;
        gradient[i] = (above - loss(weights)) / (2 * step);
        moved[i] = middle;
    }
    return gradient;
}

StageSpec specOf(const reference::CnnShape& shape) {
    StageSpec spec;
    spec.model.kind = ModelKind::Cnn;
    spec.model.layers = shape.layers;
    spec.model.hidden = shape.hidden;
    spec.model.cnn.image = shape.image;
    spec.model.cnn.channels = shape.channels;
    spec.model.cnn.convolutions = shape.convolutions;
    spec.model.cnn.classes = shape.classes;
    spec.tied = false;
    spec.layers = shape.layers;
    spec.samples = shape.samples;
    return spec;
}

/// Bytes of a map without its zeros, whose bits are counted here; those of the map itself where that is no larger.
std::int64_t sparseBytesOf(const Buffer& map) {
    const auto size = static_cast<std::int64_t>(sizeOf(map.type())), numbers = static_cast<std::int64_t>(map.size());
    const std::span<const std::byte> bytes = map.span().bytes();
    std::int64_t kept = 4 * ((numbers + 255) / 256 + 1);
    for (std::int64_t i = 0; i < numbers; ++i)
        if (std::ranges::any_of(bytes.subspan(std::size_t(i * size), std::size_t(size)),
                                [](std::byte byte) { return byte != std::byte{}; }))
            kept += size + 1;
    return std::min(kept, numbers * size);
}

/// Gives all convolutions the same bias, so that their ReLUs cut less or more.
void setBiases(Stage& stage, Arena& arena, float to) {
    for (const Parameter& parameter : stage.parameters())
        if (parameter.name.starts_with("h.") && parameter.name.ends_with(".bias"))
            upload(arena.device(), std::vector<float>(parameter.value.size(), to), parameter.value);
}

reference::CnnShape randomShape(RandomInputs& in) {
    const int layers = in.whole(1, 2);
    return {
        in.whole(1, 3), layers == 2 ? 4 * in.whole(1, 2) : 4, in.whole(1, 2), in.whole(2, 3), layers, in.whole(1, 2),
        in.whole(2, 4)};
}

}  // namespace

class CnnModelTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void wholeModel() {
        for (int round = 0; round < 4; ++round) {
            RandomInputs in;
            const reference::CnnShape shape = randomShape(in);
            const StageSpec spec = specOf(shape);
            Arena arena;
            Stage stage(spec, arena);
            const Weights weights = reference::shake(stage.parameters(), in);
            const auto pixels = in.tokens(std::size_t(shape.samples) * std::size_t(sampleInputs(spec.model)), 256);
            const auto classes = in.tokens(std::size_t(shape.samples), shape.classes);
            const auto loss = [&](const Weights& w) { return reference::cnnLoss(w, shape, pixels, classes); };
            const double wanted = loss(weights);
            double evaluated = 0;
            stage.evaluate({pixels, classes}, {}, &evaluated);
            QVERIFY2(std::abs(evaluated - wanted) < 1e-4 * std::max(wanted, 1.0), qPrintable(in.seed()));
            stage.forward(0, {pixels, classes}, {});
            QVERIFY2(std::abs(stage.loss(0) - wanted) < 1e-4 * std::max(wanted, 1.0), qPrintable(in.seed()));
            QVERIFY(stage.backward(0, {}, 1).empty());
            for (const Parameter& parameter : stage.parameters())
                CLOSE_TO(parameter.gradient.floats(), gradientOf(loss, weights, parameter.name), 1e-3, parameter.name);
            QCOMPARE(static_cast<std::int64_t>(stage.parameterBlock().size()), modelParameters(spec.model));
        }
    }

    /// Maps without their zeros take what their nonzeros ask for, to the byte, and lose nothing, to the bit: where a
    /// ReLU cuts about half, where it cuts hardly anything and maps stay as they were, and where it cuts everything.
    void mapsWithoutZeros_data() {
        QTest::addColumn<QString>("compute");
        QTest::addColumn<float>("bias");
        for (const char* compute : {"fp32", "bf16"})
            for (const float bias : {0.0f, -0.5f, 4.0f, -100.0f})
                QTest::addRow("%s, biases %g", compute, double(bias)) << compute << bias;
    }
    void mapsWithoutZeros() {
        QFETCH(QString, compute);
        QFETCH(float, bias);
        RandomInputs in;
        reference::CnnShape shape = randomShape(in);
        shape.image *= in.whole(1, 4);
        shape.hidden = in.whole(1, 5);
        shape.convolutions = in.whole(2, 3);
        StageSpec spec = specOf(shape);
        spec.precision.compute = named(compute);
        StageSpec lossless = spec;
        lossless.memory.activations = ActivationStorage::Lossless;
        Arena whole, sparse;
        Stage kept(spec, whole), packed(lossless, sparse);
        setBiases(kept, whole, bias);
        setBiases(packed, sparse, bias);
        const auto pixels = in.tokens(std::size_t(shape.samples) * std::size_t(sampleInputs(spec.model)), 256);
        const auto classes = in.tokens(std::size_t(shape.samples), shape.classes);
        kept.forward(0, {pixels, classes}, {});
        packed.forward(0, {pixels, classes}, {});
        QCOMPARE(packed.loss(0), kept.loss(0));

        constexpr auto activations = static_cast<std::size_t>(MemoryCategory::Activations);
        std::int64_t wanted = whole.used()[activations], plain = 0, left = 0;
        int number = 0;
        kept.visitSavedBuffers(0, [&](Buffer& buffer) {
            const int each = shape.convolutions + 3;  // buffers of a block: input, maps, two that are empty
            const int block = number / each, place = number % each;
            ++number;
            if (block >= shape.layers || place == 0 || buffer.empty()) return;
            const auto bytes = static_cast<std::int64_t>(buffer.span().bytes().size());
            const int half = (shape.image >> block) / 2;  // pooled pixels of a side
            const std::int64_t codes = std::int64_t(shape.samples) * half * ((half * (shape.hidden << block) + 1) / 2);
            const std::int64_t now = place == shape.convolutions ? codes : sparseBytesOf(buffer);
            plain += bytes;
            left += now;
            wanted += now - bytes;
        });
        QVERIFY2(sparse.used()[activations] == wanted, qPrintable(in.seed()));
        const PackedTally tally = packed.takePacked();
        QVERIFY2(tally.plain == plain && tally.kept == left, qPrintable(in.seed()));

        for (Stage* const stage : {&kept, &packed})
            if (in.coin()) {
                stage->backward(0, {}, 1);
            } else {
                stage->inputGrad(0, {}, 1);
                stage->weightGrad(0);
            }
        const auto gradients = packed.gradientBlock().bytes(), same = kept.gradientBlock().bytes();
        QVERIFY2(std::ranges::equal(gradients, same), qPrintable(in.seed()));
        QCOMPARE(sparse.used()[activations], std::int64_t{0});
    }

    /// I and W are B, stages joined are the model, to the bit; nothing is left behind.
    void splitAndStaged() {
        RandomInputs in;
        reference::CnnShape shape = randomShape(in);
        shape.layers = 2;
        shape.image = 8;
        StageSpec lower = specOf(shape), upper = lower;
        lower.layers = upper.layers = upper.firstLayer = 1;
        lower.last = upper.first = false;
        Arena whole, arena;
        Stage model(specOf(shape), whole), below(lower, arena), above(upper, arena);
        const auto pixels = in.tokens(std::size_t(shape.samples) * std::size_t(sampleInputs(lower.model)), 256);
        const auto classes = in.tokens(std::size_t(shape.samples), shape.classes);
        model.forward(0, {pixels, classes}, {});
        model.backward(0, {}, 0.5f);
        above.forward(0, {pixels, classes}, below.forward(0, {pixels, classes}, {}));
        QCOMPARE(above.loss(0), model.loss(0));
        QVERIFY(below.inputGrad(0, above.inputGrad(0, {}, 0.5f), 0.5f).empty());
        above.weightGrad(0);
        below.weightGrad(0);
        std::vector<float> parts;
        for (Stage* stage : {&below, &above})
            for (const float value : stage->gradientBlock().floats()) parts.push_back(value);
        const auto together = model.gradientBlock().floats();
        QVERIFY2(std::ranges::equal(parts, together), qPrintable(in.seed()));
        QCOMPARE(arena.used()[static_cast<std::size_t>(MemoryCategory::Activations)], std::int64_t{0});
        QCOMPARE(arena.used()[static_cast<std::size_t>(MemoryCategory::Buffers)], std::int64_t{0});
    }
};

QTEST_GUILESS_MAIN(CnnModelTest)
#include "cnn_model_test.moc"
