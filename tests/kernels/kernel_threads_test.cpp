// SPDX-License-Identifier: Apache-2.0
// Kernels of the processor on several threads: the same number gives the same bits, and where the threads share out
// rows, columns or heads among them, any number does.
#include "tests/kernels/kernel_rows.h"
#include "tests/support/wings.h"

using namespace shardlab::test;

namespace {

using Results = std::vector<std::vector<float>>;

}  // namespace

class KernelThreadsTest : public QObject {
    Q_OBJECT

    std::unique_ptr<Device> device_ = makeCpuDevice();

    DeviceArray array(std::span<const float> values, DType type) const { return {*device_, values, type}; }
    DeviceArray poisoned(std::size_t count, DType type = DType::F32) const {
        return DeviceArray::poisoned(*device_, count, type);
    }

    /// Large enough that several threads are worth it.
    Results ofRows(DType type, RandomInputs in) const {
        const int rows = 97, columns = 1501;
        const std::size_t size = std::size_t(rows) * columns;
        const auto x = array(in.floats(size), type), dy = array(in.floats(size), type),
                   bias = array(in.floats(columns), type);
        const auto mean = poisoned(rows), rstd = poisoned(rows), dGamma = array(in.floats(columns), type);
        const auto y = poisoned(size, type), dx = poisoned(size, type), masked = poisoned(size, type);
        device_->layerNorm(rows, columns, 1e-5f, x, bias, bias, mean.floats(), rstd.floats(), y);
        device_->layerNormInputGrad(rows, columns, x, bias, mean.floats(), rstd.floats(), dy, y, dx);
        device_->layerNormWeightGrad(rows, columns, x, mean.floats(), rstd.floats(), dy, dGamma, bias);
        device_->dropoutTo(rows, columns, {5, 3, 0.3f}, x, masked, {});
        device_->addBiasDropoutAndResidual(rows, columns, bias, {6, 3, 0.3f}, dy, masked);
        const auto sums = array(in.floats(columns), type), open = poisoned(size, type);
        device_->addColumnSums(rows, columns, dy, sums);
        device_->biasGelu(rows, columns, bias, x, open);
        device_->geluGrad(std::int64_t(size), dy, x);
        device_->addBias(rows, columns, bias, x);
        const DeviceArray targets(*device_, in.tokens(rows, columns));
        const double loss = lossOf(*device_, [&](double* told) {
            device_->crossEntropyWithGradient({rows, columns}, open, targets.tokens(), told);
        });
        return {y.now(),      mean.now(), rstd.now(), dx.now(),   dGamma.now(), bias.now(),
                masked.now(), sums.now(), x.now(),    open.now(), {float(loss)}};
    }
    Results ofElements(DType type, RandomInputs in) const {
        const EmbeddingShape shape{7, 31, 600, 0, 40};
        const DeviceArray tokens(*device_, in.tokens(7 * 31, 40));
        const auto table = array(in.floats(40 * 600), type), places = array(in.floats(31 * 600), type);
        const auto out = poisoned(7 * 31 * 600, type);
        device_->embed(shape, tokens.tokens(), table, places, out);
        device_->embedGrad(shape, tokens.tokens(), out, table, places);

        const std::int64_t count = 300001;
        const auto gradient = array(in.floats(std::size_t(count)), type),
                   value = array(in.floats(std::size_t(count)), type);
        const auto first = array(in.floats(std::size_t(count)), DType::F32);
        const auto second = array(std::vector<float>(std::size_t(count), 0.5f), DType::F32);
        const AdamWPart part{count, 0.1f, gradient, value, nullptr, first.floats(), second.floats()};
        device_->adamw({0.01f, 0.9f, 0.95f, 1e-8f, 0.5f, 0.5f, 1}, std::span(&part, 1));
        const std::size_t blocks = std::size_t(momentBlocks(100, count));
        const auto codes = array(std::vector<float>(std::size_t(count) / 2 + 1), DType::F32),
                   scales = array(std::vector<float>(2 * blocks), DType::F32);
        const auto bytes = reinterpret_cast<std::uint8_t*>(codes.floats());
        const AdamW8BitPart coded{100,     count, 0.1f,          gradient,        value,
                                  nullptr, bytes, bytes + count, scales.floats(), scales.floats() + blocks};
        device_->adamw8Bit({0.01f, 0.9f, 0.95f, 1e-8f, 0.5f, 0.5f, 1}, std::span(&coded, 1));
        const std::vector<std::uint8_t> written(bytes, bytes + 2 * count);
        device_->multiply(count, 0.7f, gradient);
        device_->add(count, gradient, value);
        const auto converted = poisoned(std::size_t(count), DType::F16);
        device_->convert(count, value, converted);
        const ArrayPart squares{value, count};
        const double sum = device_->sumOfSquares(std::span(&squares, 1));
        // 300 rows, for chunks and threads.
        const auto rows = array(std::vector<float>(300, 0.5f), DType::F32),
                   columns = array(std::vector<float>(1000, 0.5f), DType::F32);
        const auto scalars = array(std::vector<float>(2), DType::F32);
        AdafactorPart factored;
        factored.rows = 300;
        factored.columns = 1000;
        factored.elements = 300'000;
        factored.gradient = gradient;
        factored.value = value;
        factored.rowSums = rows.floats();
        factored.columnSums = columns.floats();
        factored.total = scalars.floats();
        factored.squares = scalars.floats() + 1;
        const AdafactorUpdate change{0.01f, 0.5f, 0.1f, 1};
        device_->adafactorSums(change, std::span(&factored, 1));
        device_->adafactorNorms(change, std::span(&factored, 1));
        device_->adafactor(change, std::span(&factored, 1));
        const auto sums = columns.now(), norms = scalars.now();
        const Sm3Part accumulated{300, 1000, 0.1f, gradient, value, nullptr, rows.floats(), columns.floats(), nullptr};
        device_->sm3({0.01f, 0, 1}, std::span(&accumulated, 1));
        return {out.now(),     table.now(),     places.now(),
                sums,          norms,           rows.now(),
                columns.now(), gradient.now(),  value.now(),
                first.now(),   second.now(),    std::vector<float>(written.begin(), written.end()),
                scales.now(),  converted.now(), {float(sum), float(sum - float(sum))}};
    }
    /// More heads than threads: each is taken by one.
    Results ofAttention(DType type, RandomInputs in) const {
        const AttentionShape shape{2, 130, 4, 40, 0, {20, {4}}, true};
        const std::size_t size = std::size_t(2) * 130 * 4 * 40;
        const AttentionDropout dropout{{9, 2, 0.2f}, 4 * 130};
        const auto qkv = array(in.floats(3 * size), type), dOut = array(in.floats(size), type);
        const AttentionNeeds needs = device_->attentionNeeds(shape, type, true);
        const auto kept = poisoned(needs.kept, type), out = poisoned(size, type);
        const auto scratch = poisoned(std::max(needs.forwardScratch, needs.backwardScratch));
        const auto sinkScores = array(in.floats(4), type), sinkGradient = poisoned(4);
        const HeadSinks sinks{sinkScores, sinkGradient.floats()};
        device_->attention(shape, qkv, kept, out, dropout, sinks, scratch.floats());
        const auto probabilities = kept.now();
        device_->attentionGrad(shape, qkv, kept, out, dOut, qkv, dropout, sinks, scratch.floats());
        return {probabilities, out.now(), qkv.now(), sinkGradient.now()};
    }
    Results ofProducts(DType type, RandomInputs in) const {
        const int m = 130, n = 200, k = 90;
        const auto a = array(in.floats(m * k), type), b = array(in.floats(k * n), type), c = poisoned(m * n, type);
        device_->gemm(m, n, k, a, false, b, false, 0, c);
        device_->gemm(m, n, k, a, false, b, false, 1, c);
        return {c.now()};
    }

private Q_SLOTS:
    void sameBits_data() {
        QTest::addColumn<DType>("type");
        QTest::newRow("fp32") << DType::F32;
        QTest::newRow("bf16") << DType::BF16;
        QTest::newRow("fp16") << DType::F16;
    }
    void sameBits() {
        QFETCH(DType, type);
        const RandomInputs in;
        const auto results = [&](int threads) {
            setKernelThreads(threads);
            if (kernelThreads() != threads) return std::vector<Results>{};
            return std::vector<Results>{ofRows(type, in), ofElements(type, in), ofAttention(type, in),
                                        ofProducts(type, in)};
        };
        auto alone = results(1);
        auto several = results(3);
        QVERIFY(!alone.empty() && !several.empty());
        QVERIFY2(results(3) == several, qPrintable(in.seed()));
        alone.pop_back();  // products
        several.pop_back();
        QVERIFY2(alone == several, qPrintable(in.seed()));
    }
};

QTEST_GUILESS_MAIN(KernelThreadsTest)
#include "kernel_threads_test.moc"
