// SPDX-License-Identifier: Apache-2.0
// The conformance test of all devices, as kernels_test: gradients in 8 bits or less, against their definition.
#include "kernels/gradient_codes.h"
#include "tests/kernels/coded_reference.h"
#include "tests/kernels/kernel_rows.h"
#include "tests/support/wings.h"

#include <array>
#include <cmath>

using namespace shardlab::test;

namespace {

using Numbers = std::vector<float>;

/// From far below the smallest normal number to large, whole blocks of zeros, and halves of levels.
Numbers someGradient(RandomInputs& in, std::size_t count, float size) {
    Numbers gradient = in.floats(count, size);
    const bool coarse = in.whole(0, 2) == 0;
    for (std::size_t i = 0; i < count; ++i) {
        if (coarse) gradient[i] = size * float(in.whole(-7, 7)) / 2;
        if (i / 256 % 3 == 1) gradient[i] = 0;
    }
    return gradient;
}

Numbers someRemainder(RandomInputs& in, std::size_t count, float size) {
    Numbers remainder = in.floats(count, size / 8);
    for (std::size_t i = 0; i < count; ++i)
        if (in.coin() || i / 256 % 3 == 1) remainder[i] = 0;
    return remainder;
}

Numbers sumOf(const Numbers& a, const Numbers& b) {
    Numbers sum = a;
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += b[i];
    return sum;
}

std::size_t wordsOf(int bits, std::size_t count) { return std::size_t(gradientCodeWords(bits, std::int64_t(count))); }

}  // namespace

class GradientCodesKernelsTest : public QObject, KernelRows {
    Q_OBJECT

    /// Each device sums up the magnitudes of a block of 1 bit in an order of its own.
    static bool alike(int bits, float got, float wanted) {
        if (std::isnan(wanted)) return std::isnan(got);
        return bits == 1 ? std::abs(got - wanted) <= 2e-7f * std::abs(wanted) : got == wanted;
    }
    Numbers decoded(int bits, std::size_t count, int sources, std::size_t stride, const DeviceArray& codes,
                    DType type = DType::F32) const {
        const DeviceArray sum = poisoned(count, type);
        device().decodeCodedSum(bits, std::int64_t(count), sources, std::int64_t(stride), codes.floats(), sum);
        return sum.now();
    }
    static Numbers given(const DeviceArray& array) { return {array.given().begin(), array.given().end()}; }

private Q_SLOTS:
    void initTestCase_data() { addRows(); }
    void initTestCase() { setKernelThreads(2); }
    void init() { takeRow(); }

    void codesAreWhatTheHeaderSays() {
        RandomInputs in;
        for (int round = 0; round < 60; ++round) {
            const int bits = std::array{8, 4, 1}[std::size_t(round % 3)];
            const auto count = std::size_t(in.whole(0, round % 2 == 0 ? 40 : round == 1 ? 40000 : 1500));
            const int sources = in.whole(1, 4);
            const std::size_t words = wordsOf(bits, count), stride = words + std::size_t(in.whole(0, 3));
            const DeviceArray codes = poisoned(stride * std::size_t(sources));
            Numbers sum(count, 0.0f);
            for (int source = 0; source < sources; ++source) {
                // What fp16 has too.
                const float size = std::ldexp(1.0f, row().g == DType::F32 ? in.whole(-160, 119) : in.whole(-10, 10));
                const DeviceArray gradient = gradients(someGradient(in, count, size));
                const DeviceArray remainder = floats(someRemainder(in, count, size));
                const Numbers a = sumOf(given(gradient), given(remainder)), wanted = afterCoding(bits, a);
                device().encodeGradient(bits, std::int64_t(count), gradient, remainder.floats(),
                                        codes.floats() + std::size_t(source) * stride);
                const Numbers all = codes.now();
                TRUE_OF(all.size() == codes.size());
                const DeviceArray one =
                    floats(Numbers(all.begin() + std::ptrdiff_t(std::size_t(source) * stride),
                                   all.begin() + std::ptrdiff_t(std::size_t(source) * stride + words)));
                const Numbers read = decoded(bits, count, 1, 0, one), kept = remainder.now();
                TRUE_OF(read.size() == count && kept.size() == count);
                for (std::size_t i = 0; i < count; ++i) {
                    TRUE_OF(alike(bits, read[i], wanted[i]));
                    TRUE_OF(kept[i] == a[i] - read[i]);
                    sum[i] += read[i];
                }
            }
            TRUE_OF(decoded(bits, count, sources, stride, codes) == sum);
            const DeviceArray rounded = gradients(sum);
            TRUE_OF(decoded(bits, count, sources, stride, codes, row().g) == given(rounded));

            // The sum, coded again.
            const DeviceArray remainder = floats(someRemainder(in, count, 1)), again = poisoned(words);
            const Numbers a = sumOf(sum, given(remainder)), wanted = afterCoding(bits, a);
            device().encodeCodedSum(bits, std::int64_t(count), sources, std::int64_t(stride), codes.floats(),
                                    remainder.floats(), again.floats());
            const Numbers read = decoded(bits, count, 1, 0, again), kept = remainder.now();
            TRUE_OF(read.size() == count && kept.size() == count);
            for (std::size_t i = 0; i < count; ++i) {
                TRUE_OF(alike(bits, read[i], wanted[i]));
                TRUE_OF(std::isnan(read[i]) || kept[i] == a[i] - read[i]);
            }
        }
    }

    /// Numbers that are not finite reach everybody, and no remainder.
    void nothingInfiniteIsKept() {
        RandomInputs in;
        for (const int bits : {8, 4, 1}) {
            Numbers values = in.floats(600);
            values[10] = INFINITY;
            values[300] = NAN;
            values[301] = -INFINITY;
            const DeviceArray gradient = gradients(values), remainder = floats(in.floats(600));
            const Numbers before = given(remainder);
            const DeviceArray codes = poisoned(wordsOf(bits, 600));
            device().encodeGradient(bits, 600, gradient, remainder.floats(), codes.floats());
            const Numbers read = decoded(bits, 600, 1, 0, codes), kept = remainder.now();
            for (std::size_t i = 0; i < 600; ++i) {
                TRUE_OF(std::isnan(read[i]) == (i < 512));
                TRUE_OF(kept[i] == (i < 512 ? before[i] : float(gradient.given()[i]) + before[i] - read[i]));
            }
            const DeviceArray sums = floats(Numbers(600, 1.0f)), again = poisoned(wordsOf(bits, 600));
            device().encodeCodedSum(bits, 600, 1, 0, codes.floats(), sums.floats(), again.floats());
            const Numbers left = sums.now();
            for (std::size_t i = 0; i < 600; ++i) TRUE_OF(std::isfinite(left[i]) && (i >= 512 || left[i] == 1));
        }
    }
};

QTEST_GUILESS_MAIN(GradientCodesKernelsTest)
#include "gradient_codes_kernels_test.moc"
