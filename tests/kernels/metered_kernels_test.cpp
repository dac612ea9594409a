// SPDX-License-Identifier: Apache-2.0
// A metered device computes what the device does, to the bit, and counts calls, time, products and bytes of operands.
#include "kernels/metered_device.h"
#include "tests/kernels/device_array.h"
#include "tests/kernels/random_inputs.h"
#include "tests/support/wings.h"

#include <QTest>

using namespace shardlab::test;

namespace {

double clockSeconds = 0;
/// Each look at it comes a second after the one before.
double ticking() { return ++clockSeconds; }

}  // namespace

class MeteredKernelsTest : public QObject {
    Q_OBJECT

    std::unique_ptr<Device> cpu_ = makeCpuDevice();
    RandomInputs in_;

    std::vector<float> floats(int count) { return in_.floats(std::size_t(count)); }

private Q_SLOTS:
    void nothingIsCountedBeforeTheStart() {
        MeteredDevice meter(*cpu_);
        std::vector<float> values = floats(10);
        meter.multiply(10, 2, values.data());
        QCOMPARE(meter.use(KernelKind::Elementwise).calls, 0);
        meter.start(ticking);
        meter.multiply(10, 2, values.data());
        meter.multiply(5, 2, values.data());
        meter.stop();
        meter.multiply(10, 2, values.data());
        const KernelUse& use = meter.use(KernelKind::Elementwise);
        QCOMPARE(use.calls, 2);
        QCOMPARE(use.seconds, 2.0);
        QCOMPARE(use.bytes, 2.0 * 4 * 15);
        QCOMPARE(use.flops, 0.0);
        meter.start(ticking);
        QCOMPARE(meter.use(KernelKind::Elementwise).calls, 0);
    }

    void productsAreToldApart() {
        const int m = in_.whole(1, 40), n = in_.whole(1, 40), k = in_.whole(1, 40);
        MeteredDevice meter(*cpu_);
        meter.start(ticking);
        for (const auto& [transposeA, transposeB, kind] :
             {std::tuple{false, false, KernelKind::Product}, std::tuple{false, true, KernelKind::ProductTransposedB},
              std::tuple{true, false, KernelKind::ProductTransposedA}}) {
            const std::vector<float> a = floats(m * k), b = floats(k * n), before = floats(m * n);
            std::vector<float> here = before, there = before;
            cpu_->gemm(m, n, k, a.data(), transposeA, b.data(), transposeB, 1, here.data());
            // The short form for whole matrices is not the meter's own.
            static_cast<Device&>(meter).gemm(m, n, k, a.data(), transposeA, b.data(), transposeB, 1, there.data());
            QVERIFY2(here == there, qPrintable(in_.seed()));
            const KernelUse& use = meter.use(kind);
            QCOMPARE(use.calls, 1);
            QCOMPARE(use.flops, 2.0 * m * n * k);
            QCOMPARE(use.bytes, 4.0 * (m * k + k * n + 2 * m * n));
        }
    }

    /// Two products of half the scores forward, four of them backward.
    void attentionCountsWhatLiesBelowTheDiagonal() {
        const AttentionShape shape{in_.whole(1, 3), in_.whole(1, 50), in_.whole(1, 4), in_.whole(1, 16)};
        const int tokens = shape.samples * shape.sequence, hidden = shape.heads * shape.width;
        MeteredDevice meter(*cpu_);
        const AttentionNeeds needs = meter.attentionNeeds(shape, DType::F32, false);
        const std::vector<float> qkv = floats(tokens * 3 * hidden), gradient = floats(tokens * hidden);
        const auto run = [&](Device& device) {
            std::vector<float> kept(needs.kept), output(gradient.size()), result(qkv.size());
            std::vector<float> scratch(std::max(needs.forwardScratch, needs.backwardScratch));
            device.attention(shape, qkv.data(), kept.data(), output.data(), {}, {}, scratch.data());
            device.attentionGrad(shape, qkv.data(), kept.data(), output.data(), gradient.data(), result.data(), {}, {},
                                 scratch.data());
            output.insert(output.end(), result.begin(), result.end());
            return output;
        };
        meter.start(ticking);
        QVERIFY2(run(meter) == run(*cpu_), qPrintable(in_.seed()));
        const double scores = double(tokens) * hidden * shape.sequence;
        QCOMPARE(meter.use(KernelKind::Attention).flops, 2 * scores);
        QCOMPARE(meter.use(KernelKind::AttentionGradient).flops, 4 * scores);
        QCOMPARE(meter.use(KernelKind::Attention).bytes, 4.0 * (4.0 * tokens * hidden + double(needs.kept) / 2));
    }

    void anUpdateReadsAndWritesWhatItKeeps() {
        const int count = in_.whole(1, 100);
        std::vector<float> gradient = floats(count), value = floats(count), first = floats(count);
        std::vector<float> second(gradient.size(), 1), master = value;
        std::vector<std::uint16_t> rounded(gradient.size());
        MeteredDevice meter(*cpu_);
        meter.start(ticking);
        const AdamWUpdate update{0.01f, 0.9f, 0.95f, 1e-8f, 0.1f, 0.1f, 1};
        meter.adamw(update, std::vector<AdamWPart>{
                                {count, 0, gradient.data(), value.data(), nullptr, first.data(), second.data()}});
        QCOMPARE(meter.use(KernelKind::Optimizer).bytes, 28.0 * count);  // as design says of fp32
        meter.adamw(update, std::vector<AdamWPart>{{count, 0, gradient.data(), Array(rounded.data(), DType::BF16),
                                                    master.data(), first.data(), second.data()}});
        QCOMPARE(meter.use(KernelKind::Optimizer).bytes, (28.0 + 30.0) * count);
        QCOMPARE(meter.use(KernelKind::Optimizer).calls, 2);
        // Codes of a byte instead of fp32, and a scale a block: of one block, read and written twice.
        std::vector<std::uint8_t> codes(2 * gradient.size());
        std::vector<float> scales(2);
        meter.adamw8Bit(update,
                        std::vector<AdamW8BitPart>{{0, count, 0, gradient.data(), value.data(), nullptr, codes.data(),
                                                    codes.data() + count, scales.data(), scales.data() + 1}});
        QCOMPARE(meter.use(KernelKind::Optimizer).bytes, (28.0 + 30.0 + 16.0) * count + 16);
    }

    /// Each reads and writes its operands once: apart is three times as wide as the queries, joined less where keys are
    /// fewer.
    void whatALlamaNeedsIsCountedByItself() {
        const int rows = in_.whole(1, 9), columns = in_.whole(1, 40), count = rows * columns;
        MeteredDevice meter(*cpu_);
        meter.start(ticking);
        const std::vector<float> x = floats(count), gamma = floats(columns), joined = floats(2 * count);
        const auto run = [&](Device& device) {
            std::vector<float> rstd(std::size_t(rows), 0), y(x.size()), dx(x.size()), dGamma(gamma.size()),
                out(x.size()), changed = joined;
            device.rmsNorm(rows, columns, 1e-5f, x.data(), gamma.data(), rstd.data(), y.data());
            device.rmsNormInputGrad(rows, columns, x.data(), gamma.data(), rstd.data(), y.data(), {}, dx.data());
            device.rmsNormWeightGrad(rows, columns, x.data(), rstd.data(), y.data(), dGamma.data());
            device.gated(Activation::Silu, rows, columns, joined.data(), out.data());
            device.gatedGrad(Activation::Silu, rows, columns, out.data(), changed.data());
            for (const auto* more : {&dx, &dGamma, &out, &changed}) y.insert(y.end(), more->begin(), more->end());
            return y;
        };
        QVERIFY2(run(meter) == run(*cpu_), qPrintable(in_.seed()));
        QCOMPARE(meter.use(KernelKind::RmsNorm).bytes, 2.0 * 4 * count);
        QCOMPARE(meter.use(KernelKind::RmsNormGradient).calls, 2);
        QCOMPARE(meter.use(KernelKind::RmsNormGradient).bytes, 5.0 * 4 * count + 2.0 * 4 * columns);
        QCOMPARE(meter.use(KernelKind::Activation).bytes, 8.0 * 4 * count);

        const RotaryShape shape{1, rows, 4, 2, 6, {}, 0, rows, 0};
        const std::vector<float> heads = floats(rows * shape.joinedColumns());
        std::vector<float> apart(std::size_t(rows * shape.apartColumns())), back(heads.size());
        meter.rotary(shape, heads.data(), {}, apart.data());
        meter.rotaryGrad(shape, apart.data(), {}, back.data(), nullptr);
        QCOMPARE(meter.use(KernelKind::Rotary).calls, 2);
        QCOMPARE(meter.use(KernelKind::Rotary).bytes, 2.0 * 4 * rows * (8 + 12) * 6);
    }

    /// Patches are nine times their images; of windows of four numbers one is handed on, and half a byte is its code.
    void whatImagesNeedIsCountedByItself() {
        const ImageShape shape{in_.whole(1, 3), 2 * in_.whole(1, 4), 2 * in_.whole(1, 4), 2 * in_.whole(1, 4)};
        const auto size = static_cast<std::size_t>(shape.elements());
        MeteredDevice meter(*cpu_);
        meter.start(ticking);
        const std::vector<float> x = floats(static_cast<int>(size));
        const auto run = [&](Device& device) {
            std::vector<float> all, images = x, patches(9 * size), pooled(size / 4), dx(size);
            std::vector<std::uint8_t> codes(poolCodes(shape)),
                packed(static_cast<std::size_t>(packedBytes(shape.elements(), 10)));
            device.spreadPatches(shape, x.data(), patches.data());
            device.sumPatches(shape, patches.data(), x.data(), dx.data());
            device.relu(shape.elements(), images.data());
            device.maxPool(shape, images.data(), pooled.data(), codes.data());
            device.maxPoolCodedGrad(shape, codes.data(), pooled.data(), dx.data());
            device.maxPoolGrad(shape, pooled.data(), images.data());
            device.packFloats(shape.elements(), 10, dx.data(), packed.data());
            device.unpackFloats(shape.elements(), 10, packed.data(), patches.data());
            for (const auto* more : {&images, &patches, &pooled, &dx})
                all.insert(all.end(), more->begin(), more->end());
            return all;
        };
        QVERIFY2(run(meter) == run(*cpu_), qPrintable(in_.seed()));
        QCOMPARE(meter.use(KernelKind::Patches).calls, 2);
        QCOMPARE(meter.use(KernelKind::Patches).bytes, (10 + 11) * 4.0 * size);
        QCOMPARE(meter.use(KernelKind::Pooling).calls, 4);
        QCOMPARE(meter.use(KernelKind::Pooling).bytes, (2 + 1.25 + 1.25 + 2.25) * 4.0 * size + 2.0 * poolCodes(shape));
        QCOMPARE(meter.use(KernelKind::Elementwise).bytes, 2 * 4.0 * size + 2.0 * packedBytes(shape.elements(), 10));
    }

    void everyKindHasAName() {
        QSet<QString> names;
        for (std::size_t i = 0; i < kernelKinds; ++i) {
            const std::string_view text = name(static_cast<KernelKind>(i));
            QVERIFY(!text.empty());
            names.insert(QString::fromUtf8(text.data(), qsizetype(text.size())));
        }
        QCOMPARE(names.size(), qsizetype(kernelKinds));
    }
};

QTEST_GUILESS_MAIN(MeteredKernelsTest)
#include "metered_kernels_test.moc"
