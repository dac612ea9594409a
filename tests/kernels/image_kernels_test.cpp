// SPDX-License-Identifier: Apache-2.0
// What a cnn needs beside its products, of all devices, in all types: against plain double precision, gradients against
// its central differences.
#include "tests/kernels/cnn_reference.h"
#include "tests/kernels/kernel_rows.h"
#include "tests/support/wings.h"

using namespace shardlab::test;
using reference::Values;

namespace {

ImageShape randomShape(RandomInputs& in) {
    return {in.whole(1, 3), 2 * in.whole(1, 6), 2 * in.whole(1, 6), in.coin() ? in.whole(1, 7) : 8 * in.whole(1, 3)};
}

/// As a ReLU makes them, many of them 0 and some alike.
std::vector<float> activated(RandomInputs& in, std::size_t count) {
    std::vector<float> values = in.floats(count);
    for (float& value : values) value = value > 0 ? std::round(8 * value) / 8 : 0;
    return values;
}

}  // namespace

class ImageKernelsTest : public QObject, KernelRows {
    Q_OBJECT

    /// Codes of pooling on the device, as many bytes as there should be.
    DeviceArray codesFor(const ImageShape& shape) const { return poisoned((poolCodes(shape) + 3) / 4); }
    static std::uint8_t* bytes(const DeviceArray& array) { return reinterpret_cast<std::uint8_t*>(array.floats()); }

    template <class Word>
    std::vector<Word> words(const DeviceArray& array, std::size_t count) const {
        std::vector<Word> got(count);
        device().download(array.floats(), got.data(), count * sizeof(Word));
        return got;
    }

    template <class Word>
    void requireSparse(const std::vector<float>& values, RandomInputs& in) {
        const auto count = std::int64_t(values.size());
        const auto array = activations(values);
        const std::vector<Word> given = words<Word>(array, values.size());
        std::vector<std::int32_t> begins;
        std::vector<Word> kept;
        std::vector<std::uint8_t> columns;
        for (std::size_t i = 0; i < given.size(); ++i) {
            if (i % 256 == 0) begins.push_back(std::int32_t(kept.size()));
            if (given[i] == 0) continue;
            kept.push_back(given[i]);
            columns.push_back(std::uint8_t(i % 256));
        }
        begins.push_back(std::int32_t(kept.size()));
        TRUE_OF(std::int64_t(begins.size()) == sparseRows(count) + 1);
        const auto gotBegins = tokens(std::vector<std::int32_t>(begins.size(), -1));
        device().countNonzeros(count, array, gotBegins.tokens());
        TRUE_OF(words<std::int32_t>(gotBegins, begins.size()) == begins);
        const auto nonzeros = std::int64_t(kept.size()), size = sparseBytes(nonzeros, row().t);
        TRUE_OF(size == nonzeros * std::int64_t(sizeof(Word) + 1));
        const auto packed = poisoned(std::size_t(size + 3) / 4), back = poisoned(values.size(), row().t);
        device().packNonzeros(count, nonzeros, array, gotBegins.tokens(), bytes(packed));
        TRUE_OF(words<Word>(packed, kept.size()) == kept);
        const std::vector<std::uint8_t> all = words<std::uint8_t>(packed, std::size_t(size));
        TRUE_OF(std::equal(columns.begin(), columns.end(), all.end() - std::ptrdiff_t(columns.size()), all.end()));
        device().unpackNonzeros(count, nonzeros, gotBegins.tokens(), bytes(packed), back);
        TRUE_OF(words<Word>(back, given.size()) == given);
        for (const DeviceArray* const each : {&packed, &back, &gotBegins, &array})
            TRUE_OF(each->now().size() == each->size());
    }

private Q_SLOTS:
    void initTestCase_data() { addRows(); }
    void initTestCase() { setKernelThreads(1); }
    void init() { takeRow(); }

    void patchesAreExact() {
        RandomInputs in;
        for (int round = 0; round < 4; ++round) {
            ImageShape shape = randomShape(in);
            if (round == 0) shape.height = shape.width = 1;
            const auto images = activations(in.floats(std::size_t(shape.elements())));
            const auto spread = poisoned(std::size_t(9 * shape.elements()), row().t);
            device().spreadPatches(shape, images, spread);
            TRUE_OF(reference::mismatch(spread.now(), reference::patches(images.given(), shape)) == 0);
        }
    }

    /// Patches as a product's factor are a convolution.
    void aProductOfPatchesIsAConvolution() {
        RandomInputs in;
        const ImageShape shape = randomShape(in);
        const int outputs = in.whole(1, 9), rows = int(shape.pixels());
        const auto images = activations(in.floats(std::size_t(shape.elements())));
        const auto weight = activations(in.floats(std::size_t(9 * shape.channels * outputs)));
        const auto bias = weights(in.floats(std::size_t(outputs)));
        const auto spread = poisoned(std::size_t(9 * shape.elements()), row().t);
        const auto y = poisoned(std::size_t(rows) * outputs, row().t);
        device().spreadPatches(shape, images, spread);
        device().gemmBias(rows, outputs, 9 * shape.channels, spread, weight, bias, y);
        CLOSE(y, reference::convolution(images.given(), shape, weight.given(), bias.given()), 1e-5);
    }

    /// What patches are worth, spread over the images that they were made of.
    void sumsAreTheGradientOfPatches() {
        RandomInputs in;
        ImageShape shape = randomShape(in);
        shape.height = std::min(shape.height, 4);
        shape.channels = std::min(shape.channels, 3);
        const auto size = std::size_t(shape.elements());
        const auto gradient = activations(in.floats(9 * size));
        const auto images = activations(activated(in, size));
        const auto loss = [&](const Values& x) {
            return reference::dot(reference::patches(x, shape), gradient.given());
        };
        Values wanted = reference::numericGradient(loss, images.given());
        const auto got = poisoned(size, row().t);
        device().sumPatches(shape, gradient, {}, got);
        CLOSE(got, wanted, 1e-6);
        for (std::size_t i = 0; i < size; ++i)
            if (images.given()[i] <= 0) wanted[i] = 0;
        device().sumPatches(shape, gradient, images, got);
        CLOSE(got, wanted, 1e-6);
    }

    void reluCutsWhatIsBelowNothing() {
        RandomInputs in;
        for (const int count : {in.whole(1, 40), 8 * in.whole(1, 400)}) {
            const auto x = activations(in.floats(std::size_t(count)));
            device().relu(count, x);
            TRUE_OF(reference::mismatch(x.now(), reference::relu(x.given())) == 0);
        }
        const auto broken = activations(std::vector<float>{NAN, -INFINITY, INFINITY, -1});
        device().relu(4, broken);
        const std::vector<float> got = broken.now();
        QVERIFY(std::isnan(got[0]) && got[1] == 0 && std::isinf(got[2]) && got[3] == 0);
    }

    void pixelsBecomeNumbers() {
        std::vector<std::int32_t> all(256);
        Values wanted;
        for (int i = 0; i < 256; ++i) wanted.push_back((all[std::size_t(i)] = i) / 127.5 - 1);
        RandomInputs in;
        const auto images = poisoned(256, row().t);
        const auto pixels = tokens(all);
        device().scalePixels(256, pixels.tokens(), images);
        CLOSE(images, wanted, 1e-6);
    }

    void poolsAreExact() {
        RandomInputs in;
        for (int round = 0; round < 6; ++round) {
            ImageShape shape = randomShape(in);
            if (round == 0) shape = {in.whole(1, 3), 2, 2, 1};  // of each row a code in half a byte
            const auto size = std::size_t(shape.elements());
            const std::vector<float> values = activated(in, size);
            const auto images = activations(values), again = activations(values), dy = activations(in.floats(size / 4));
            const auto pooled = poisoned(size / 4, row().t), coded = poisoned(size / 4, row().t);
            const DeviceArray codes = codesFor(shape);
            device().maxPool(shape, images, pooled, nullptr);
            device().maxPool(shape, again, coded, bytes(codes));
            TRUE_OF(reference::mismatch(pooled.now(), reference::maxPool(images.given(), shape)) == 0);
            TRUE_OF(coded.now() == pooled.now());
            const Values wanted = reference::maxPoolGradient(images.given(), shape, dy.given());
            const auto fromCodes = poisoned(size, row().t);
            device().maxPoolCodedGrad(shape, bytes(codes), dy, fromCodes);
            device().maxPoolGrad(shape, dy, images);
            TRUE_OF(reference::mismatch(images.now(), wanted) == 0);
            TRUE_OF(fromCodes.now() == images.now());
        }
    }

    /// Nearest of all numbers that the bits have, of the larger ones the largest; read again exactly, packed again
    /// alike.
    void fewerBitsAreTheNearest_data() {
        QTest::addColumn<int>("bits");
        for (const int bits : {16, 10, 8}) QTest::addRow("%d bits", bits) << bits;
    }
    void fewerBitsAreTheNearest() {
        QFETCH(int, bits);
        RandomInputs in;
        const PackedFormat format = packedFormat(bits);
        std::vector<float> values = in.floats(std::size_t(in.whole(1, 5000)), in.coin() ? 1 : 1e-3f);
        for (const float odd : {0.0f, -0.0f, 1e-9f, 65000.0f, -60000.0f, 479.0f, 481.0f}) values.push_back(odd);
        const auto array = activations(values);
        const std::size_t bytes = std::size_t(packedBytes(std::int64_t(values.size()), bits));
        const auto packed = poisoned((bytes + 3) / 4), again = poisoned((bytes + 3) / 4);
        const auto back = poisoned(values.size(), DType::F32);
        device().packFloats(std::int64_t(values.size()), bits, array, ImageKernelsTest::bytes(packed));
        device().unpackFloats(std::int64_t(values.size()), bits, ImageKernelsTest::bytes(packed), back);
        const std::vector<float> got = back.now();
        const int least = format.leastExponent();
        const double largest = bits == 8 ? 480 : 65536 - std::ldexp(1.0, 15 - format.fraction);
        for (std::size_t i = 0; i < got.size(); ++i) {
            const double x = array.given()[i];
            const int exponent = x == 0 ? least : std::max(std::ilogb(x), least);
            const double unit = std::ldexp(1.0, exponent - format.fraction);
            const double wanted = std::copysign(std::min(std::nearbyint(std::abs(x) / unit) * unit, largest), x);
            QVERIFY2(got[i] == wanted,
                     qPrintable(QString("%1 of %2, not %3, %4").arg(got[i]).arg(x).arg(wanted).arg(in.seed())));
        }
        device().packFloats(std::int64_t(values.size()), bits, back, ImageKernelsTest::bytes(again));
        std::vector<std::uint8_t> one(bytes), two(bytes);
        device().download(packed.floats(), one.data(), bytes);
        device().download(again.floats(), two.data(), bytes);
        TRUE_OF(one == two);
        const auto inType = poisoned(values.size(), row().t);
        device().unpackFloats(std::int64_t(values.size()), bits, ImageKernelsTest::bytes(packed), inType);
        CLOSE(inType, reference::toDouble(got), 0x1p-24);
    }

    /// Whatever has a bit is kept with its column, in order, and nothing else; all are as they were, to the bit.
    void zerosAreLeftOut_data() {
        QTest::addColumn<double>("zeros");
        for (const double zeros : {0.0, 0.5, 0.9, 1.0}) QTest::addRow("%g of them", zeros) << zeros;
    }
    void zerosAreLeftOut() {
        QFETCH(double, zeros);
        RandomInputs in;
        const int sizes[] = {in.whole(1, 255), 256, in.whole(257, 5000), 256 * in.whole(2, 40),
                             in.whole(300000, 400000)};
        for (const int size : sizes) {
            std::vector<float> values = in.floats(std::size_t(size));
            for (float& value : values)
                if (in.whole(0, 999) < 1000 * zeros) value = 0;
            if (zeros < 1)
                for (const float odd : {-0.0f, 1e-7f, NAN, INFINITY, -3.0f})
                    values[std::size_t(in.whole(0, size - 1))] = odd;
            if (row().t == DType::F32) requireSparse<std::uint32_t>(values, in);
            else requireSparse<std::uint16_t>(values, in);
            if (QTest::currentTestFailed()) return;
        }
    }

    /// Where no two values are near each other or near 0, the formula of the gradient is what differences give.
    void gradientOfPoolAndRelu() {
        RandomInputs in;
        const ImageShape shape{2, 4, 6, 3};
        Values x(std::size_t(shape.elements()));
        for (std::size_t i = 0; i < x.size(); ++i) x[i] = (double(i * 29 % x.size()) + 0.5) / double(x.size()) - 0.4;
        const Values dy = reference::toDouble(in.floats(x.size() / 4));
        const auto loss = [&](const Values& v) {
            return reference::dot(reference::maxPool(reference::relu(v), shape), dy);
        };
        const Values wanted = reference::numericGradient(loss, x);
        const Values formula = reference::maxPoolGradient(reference::relu(x), shape, dy);
        for (std::size_t i = 0; i < x.size(); ++i) TRUE_OF(std::abs(wanted[i] - formula[i]) < 1e-8);
    }
};

QTEST_GUILESS_MAIN(ImageKernelsTest)
#include "image_kernels_test.moc"
