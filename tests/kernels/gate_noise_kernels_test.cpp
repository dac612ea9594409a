// SPDX-License-Identifier: Apache-2.0
// The conformance test of all devices, as kernels_test: the noise that gates add, and the draws they decide by.
#include "tests/kernels/experts_reference.h"
#include "tests/kernels/kernel_rows.h"
#include "tests/support/wings.h"

#include <algorithm>
#include <array>
#include <cmath>

using namespace shardlab::test;
using reference::Values;

class GateNoiseKernelsTest : public QObject, KernelRows {
    Q_OBJECT

    /// The normal numbers ε that a matrix of noise is made from.
    std::vector<float> epsilon(int rows, int columns, std::uint64_t key, std::int64_t firstRow) const {
        const std::vector<float> zeros(std::size_t(rows) * std::size_t(columns));
        const DeviceArray noise = floats(zeros), logits = floats(zeros);
        device().gateNoise(rows, columns, key, firstRow, noise.floats(), logits.floats());
        std::vector<float> values = logits.now();
        for (float& value : values) value /= float(std::log(2.0));  // softplus of 0
        return values;
    }

private Q_SLOTS:
    void initTestCase_data() { addRows(); }
    void initTestCase() { setKernelThreads(2); }
    void init() { takeRow(); }

    void noiseIsNormalAndItsRows() {
        RandomInputs in;
        const auto key = std::uint64_t(in.whole(0, 1 << 30)) << 20;
        const int rows = 600, columns = 40;
        const std::vector<float> all = epsilon(rows, columns, key, 1000);
        double mean = 0, square = 0, fourth = 0, beside = 0;
        for (std::size_t i = 0; i < all.size(); ++i) {
            const double x = all[i], n = double(all.size());
            mean += x / n;
            square += x * x / n;
            fourth += x * x * x * x / n;
            if (i > 0) beside += x * all[i - 1] / n;
        }
        // Six standard deviations of each over 24 000 draws.
        TRUE_OF(std::abs(mean) < 0.04 && std::abs(square - 1) < 0.06 && std::abs(fourth - 3) < 0.4 &&
                std::abs(beside) < 0.04);
        const int first = in.whole(1, rows - 2), some = in.whole(1, rows - first);
        const std::vector<float> part = epsilon(some, columns, key, 1000 + first);
        TRUE_OF(std::equal(part.begin(), part.end(), all.begin() + first * columns));
        TRUE_OF(epsilon(1, columns, key + 1, 1000) != std::vector<float>(all.begin(), all.begin() + columns));
    }

    void noiseOnLogits() {
        RandomInputs in;
        const int rows = in.whole(1, 80), columns = in.whole(1, 40);
        const auto count = std::size_t(rows) * std::size_t(columns);
        const std::vector<float> h = in.floats(count), n = in.floats(count, 8), e = epsilon(rows, columns, 77, 5);
        const DeviceArray logits = floats(h), noise = floats(n);
        device().gateNoise(rows, columns, 77, 5, noise.floats(), logits.floats());
        Values wanted, slope;
        for (std::size_t i = 0; i < count; ++i) {
            wanted.push_back(h[i] + e[i] * std::log1p(std::exp(double(n[i]))));
            slope.push_back(e[i] / (1 + std::exp(-double(n[i]))));
        }
        CLOSE(logits, wanted, 1e-5);
        CLOSE(noise, slope, 1e-5);
    }

    /// The draws that devices are compared with are even in [0, 1) and do not hang together.
    void drawsAreEven() {
        RandomInputs in;
        const auto key = std::uint64_t(in.whole(0, 1 << 30)) << 20;
        const int tokenCount = 4000;
        const Values all = reference::drawsOf(key, 1000, tokenCount),
                     other = reference::drawsOf(key + 1, 1000, tokenCount);
        std::array<int, 8> counts{};
        double beside = 0, across = 0;
        for (std::size_t t = 0; t < all.size(); ++t) {
            ++counts[std::min<std::size_t>(7, std::size_t(all[t] * 8))];
            if (t > 0) beside += (all[t] - 0.5) * (all[t - 1] - 0.5) * 12 / tokenCount;
            across += (all[t] - 0.5) * (other[t] - 0.5) * 12 / tokenCount;
        }
        // Six standard deviations, of a count of 500 and of the correlations.
        for (const int count : counts) TRUE_OF(std::abs(count - 500) < 6 * 21);
        TRUE_OF(std::abs(beside) < 0.1 && std::abs(across) < 0.1);
    }
};

QTEST_GUILESS_MAIN(GateNoiseKernelsTest)
#include "gate_noise_kernels_test.moc"
