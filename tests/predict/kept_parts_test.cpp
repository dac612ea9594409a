// SPDX-License-Identifier: Apache-2.0
// The named activations are those of the ledger, whatever the layout keeps and computes again.
#include "engine/layout/check/check.h"
#include "engine/layout/presets.h"
#include "engine/layout/schedule/registry.h"
#include "engine/predict/plan/kept_parts.h"
#include "engine/predict/plan/stage_buffers.h"
#include "tests/support/named.h"
#include "tests/support/wings.h"

#include <QTest>

#include <algorithm>

using namespace shardlab::test;

class KeptPartsTest : public QObject {
    Q_OBJECT
private:
    /// What is not as the ledger has it; empty where all is.
    static QString difference(const Layout& layout) {
        for (const StageShape& shape : stageShapes(layout)) {
            const TensorShare share = tensorShare(layout);
            const StageBuffers stage = stageBuffers(layout, shape, {!shape.first, MemoryCategory::Temporary}, share);
            const std::int64_t ledger = stage.forward.change[static_cast<std::size_t>(MemoryCategory::Activations)];
            std::int64_t sum = 0;
            for (const KeptPart& part : keptParts(layout, shape, share)) {
                if (part.bytes <= 0 || part.operation.empty() || part.formula.empty())
                    return QString("%1 has %2 bytes").arg(part.operation.english().c_str()).arg(part.bytes);
                sum += part.bytes;
            }
            if (sum != ledger)
                return QString("%1, %2 layers from %3: named %4, in the ledger %5")
                    .arg(layout.name.c_str())
                    .arg(shape.layers)
                    .arg(shape.firstLayer)
                    .arg(sum)
                    .arg(ledger);
        }
        return {};
    }

private Q_SLOTS:
    void partsOfEveryPresetAreTheLedgers() {
        const auto every = presets();
        QVERIFY(every);
        for (const Preset& preset : *every) {
            if (readsImages(preset.layout.model)) {
                QVERIFY(keptParts(preset.layout, stageShapes(preset.layout).front(), {}).empty());
                continue;
            }
            const QString wrong = difference(preset.layout);
            QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
        }
    }

    void whatIsComputedAgainIsNotNamed_data() {
        QTest::addColumn<QString>("model");
        QTest::addColumn<QString>("recompute");
        QTest::addColumn<int>("tensor");
        QTest::addColumn<bool>("sequence");
        for (const char* model : {"gpt", "llama", "mlp", "gpt-moe"})
            for (const char* recompute :
                 {"none", "selective", "full", "every", "sqrt", "mlp", "pointwise", "operations"})
                for (const int tensor : {1, 2})
                    for (const bool sequence : {false, true})
                        QTest::addRow("%s %s tensor %d %d", model, recompute, tensor, sequence)
                            << model << recompute << tensor << sequence;
    }
    void whatIsComputedAgainIsNotNamed() {
        QFETCH(QString, model);
        QFETCH(QString, recompute);
        QFETCH(int, tensor);
        QFETCH(bool, sequence);
        Layout layout;
        layout.model = {named(model), 8, 64, 4, 64, 256, 0.0};
        layout.memory.recompute = named(recompute);
        if (recompute == "every") layout.memory.recomputeEvery = 2;
        layout.parallel = {};
        layout.parallel.data = 1;
        layout.parallel.pipeline = 2;
        layout.parallel.tensor = tensor;
        layout.parallel.sequence = sequence;
        layout.cluster.hosts = {{"localhost", 2 * tensor}};
        layout.batch = {8, 2};
        if (!check(layout, scheduleMethods()).empty()) return;  // mlp has no attention to compute again, say
        const QString wrong = difference(layout);
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
    }

    void anySetOfPartsIsNotNamed() {
        for (const char* model : {"gpt", "llama", "mlp", "gpt-moe", "latent"})
            for (const int tensor : {1, 2}) {
                Layout layout;
                const bool latent = std::string_view(model) == "latent";
                layout.model = {latent ? ModelKind::Llama : named(model), 8, 64, 4, 64, 256, 0.0};
                if (latent) layout.model.block.kvRank = 16;
                layout.memory.recompute = RecomputeKind::Parts;
                layout.parallel = {.data = 1, .pipeline = 2, .tensor = tensor};
                layout.cluster.hosts = {{"localhost", 2 * tensor}};
                layout.batch = {8, 2};
                constexpr std::size_t kinds = std::size(layoutWords<RecomputePart>);
                int legal = 0;
                for (std::size_t bits = 1; bits < std::size_t{1} << kinds; ++bits) {
                    for (std::size_t i = 0; i < kinds; ++i)
                        layout.memory.recomputeParts.set(static_cast<RecomputePart>(i), (bits >> i & 1U) != 0);
                    if (!check(layout, scheduleMethods()).empty()) continue;
                    ++legal;
                    const QString wrong = difference(layout);
                    QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
                }
                QVERIFY2(legal > 3, model);
            }
    }

    /// A context group that exchanges heads keeps them in place of what its own tokens had.
    void exchangedHeadsAreNamed() {
        for (const char* recompute : {"none", "selective", "full", "mlp", "pointwise", "operations", "latent"})
            for (const int variant : {0, 1, 2, 3}) {  // gpt; llama, also with norms of queries; latent attention
                if (variant < 3 && std::string_view(recompute) == "latent") continue;
                Layout layout;
                layout.model = {variant == 0 ? ModelKind::Gpt : ModelKind::Llama, 4, 64, 4, 64, 256, 0.0};
                layout.model.block.queryKeyNorms = variant == 2;
                layout.model.block.kvRank = variant == 3 ? 16 : 0;
                layout.memory.recompute = named(recompute);
                layout.parallel = {.data = 1, .pipeline = 1, .tensor = 2, .context = 2};
                layout.cluster.hosts = {{"localhost", 4}};
                layout.batch = {8, 2};
                for (const ContextKind kind : {ContextKind::Ring, ContextKind::Ulysses}) {
                    layout.parallel.contextKind = kind;
                    const std::vector<Fault> faults = check(layout, scheduleMethods());
                    QVERIFY2(faults.empty(), toText(faults).c_str());
                    const QString wrong = difference(layout);
                    QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
                }
            }
    }

    void formulasAreThoseOfThePaper() {
        Layout layout;
        layout.model = {ModelKind::Gpt, 4, 64, 4, 32, 256, 0.0};
        layout.parallel.data = layout.parallel.pipeline = 1;
        layout.cluster.hosts = {{"localhost", 1}};
        layout.batch = {4, 2};
        const std::int64_t e = 4, tokens = 2 * 32, h = 64, s = 32, a = 4;
        const auto parts = keptParts(layout, stageShapes(layout).front(), tensorShare(layout));
        const auto bytes = [&](const std::string& operation) {
            const auto found = std::ranges::find_if(
                parts, [&](const KeptPart& part) { return part.layer == 1 && part.operation == Sentence(operation); });
            return found == parts.end() ? std::int64_t{-1} : found->bytes;
        };
        QCOMPARE(bytes("attention: queries, keys and values"), e * tokens * 3 * h);
        QCOMPARE(bytes("attention: probabilities"), e * 2 * a * s * s);
        QCOMPARE(bytes("feed-forward: first product"), e * tokens * 4 * h);
        QCOMPARE(bytes("feed-forward: what the activation makes"), e * tokens * 4 * h);
        QCOMPARE(bytes("feed-forward: sum with the input"), e * tokens * h);
        QVERIFY(keptLetters(layout, tensorShare(layout)).english().find("N = 64 tokens") != std::string::npos);
    }
};

QTEST_GUILESS_MAIN(KeptPartsTest)
#include "kept_parts_test.moc"
