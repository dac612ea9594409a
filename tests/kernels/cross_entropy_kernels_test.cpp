// SPDX-License-Identifier: Apache-2.0
// The conformance test of all devices, as kernels_test: losses of predictions, whole and in the parts of a tensor
// group.
#include "tests/kernels/kernel_rows.h"
#include "tests/support/wings.h"

#include <algorithm>
#include <cmath>

using namespace shardlab::test;
using reference::toDouble;
using reference::Values;

namespace {

/// A third of the rows behind the first have no target.
std::vector<std::int32_t> someTargets(RandomInputs& in, int rows, int vocabulary) {
    std::vector<std::int32_t> targets = in.tokens(std::size_t(rows), vocabulary);
    for (std::size_t row = 1; row < targets.size(); ++row)
        if (in.whole(0, 2) == 0) targets[row] = noTarget;
    return targets;
}

}  // namespace

class CrossEntropyKernelsTest : public QObject, KernelRows {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase_data() { addRows(); }
    void initTestCase() { setKernelThreads(1); }
    void init() { takeRow(); }

    void crossEntropies() {
        RandomInputs in;
        for (int round = 0; round < 4; ++round) {
            const int rows = in.whole(1, 12), vocabulary = 1 + someWidth(in, round == 0 ? 5000 : 70);
            const auto logits = activations(in.floats(std::size_t(rows) * vocabulary, 3));
            const auto targets = someTargets(in, rows, vocabulary);
            const auto target = tokens(targets);
            const double wanted = reference::crossEntropy(logits.given(), vocabulary, targets);
            const double without = lossOf(device(), [&](double* told) {
                device().crossEntropy({rows, vocabulary}, logits, target.tokens(), told);
            });
            TRUE_OF(std::abs(without - wanted) < 1e-5 * wanted);
            TRUE_OF(toDouble(logits.now()) == logits.given());
            const double loss = lossOf(device(), [&](double* told) {
                device().crossEntropyWithGradient({rows, vocabulary}, logits, target.tokens(), told);
            });
            TRUE_OF(std::abs(loss - wanted) < 1e-5 * wanted);
            CLOSE(logits, reference::crossEntropyGradient(logits.given(), vocabulary, targets), 1e-5);
        }
    }

    /// In parts, with maxima and sums combined as a tensor group does.
    void crossEntropyOfParts() {
        RandomInputs in;
        const int rows = in.whole(1, 12), vocabulary = in.whole(3, 200), cut = in.whole(1, vocabulary - 1);
        const auto logits = activations(in.floats(std::size_t(rows) * vocabulary, 3));
        const auto targets = someTargets(in, rows, vocabulary);
        const auto target = tokens(targets);
        const Values gradient = reference::crossEntropyGradient(logits.given(), vocabulary, targets);
        const VocabularyPart parts[2] = {{rows, cut, 0}, {rows, vocabulary - cut, cut}};
        const auto columnsOf = [&](const Values& values, const VocabularyPart& part) {
            std::vector<float> own;
            for (int r = 0; r < rows; ++r)
                for (int c = 0; c < part.columns; ++c)
                    own.push_back(float(values[std::size_t(r) * vocabulary + part.first + c]));
            return own;
        };
        std::vector<DeviceArray> held;
        std::vector<float> largest(std::size_t(rows), -HUGE_VALF), sum(std::size_t(rows), 0), own(std::size_t(rows), 0);
        for (const VocabularyPart& part : parts) {
            held.push_back(activations(columnsOf(logits.given(), part)));
            const auto of = poisoned(std::size_t(rows));
            device().largestLogits(part, held.back(), of.floats());
            const auto values = of.now();
            for (int r = 0; r < rows; ++r) largest[r] = std::max(largest[r], values[r]);
        }
        const auto deviceLargest = floats(largest);
        for (int p = 0; p < 2; ++p) {
            const auto partSums = poisoned(std::size_t(rows)), partOwn = poisoned(std::size_t(rows));
            device().sumExponentials(parts[p], deviceLargest.floats(), target.tokens(), held[p], partSums.floats(),
                                     partOwn.floats());
            QCOMPARE(toDouble(held[p].now()), held[p].given());
            const auto someSums = partSums.now(), someOwn = partOwn.now();
            for (int r = 0; r < rows; ++r) sum[r] += someSums[r], own[r] += someOwn[r];
        }
        for (int r = 0; r < rows; ++r)
            QCOMPARE(double(own[r]),
                     targets[r] == noTarget ? 0 : logits.given()[std::size_t(r) * vocabulary + targets[r]]);
        const auto sums = floats(sum), ownLogits = floats(own);
        const double loss = lossOf(device(), [&](double* told) {
            device().sharedLoss(rows, deviceLargest.floats(), sums.floats(), ownLogits.floats(), told);
        });
        const double wanted = reference::crossEntropy(logits.given(), vocabulary, targets);
        TRUE_OF(std::abs(loss - wanted) < 1e-5 * wanted);
        for (int p = 0; p < 2; ++p) {
            device().crossEntropyGradient(parts[p], deviceLargest.floats(), sums.floats(), target.tokens(), held[p]);
            CLOSE(held[p], toDouble(columnsOf(gradient, parts[p])), 1e-5);
        }
    }

    /// The gradient is that of what the cap was put on, whole or in parts.
    void cappedLogits() {
        RandomInputs in;
        const int rows = in.whole(1, 12), vocabulary = 1 + someWidth(in, 300);
        const float cap = float(in.whole(1, 60)) / 2;
        const auto raw = activations(in.floats(std::size_t(rows) * vocabulary, 5));
        const auto targets = in.tokens(rows, vocabulary);
        const auto target = tokens(targets);
        device().capLogits(std::int64_t{rows} * vocabulary, cap, raw);
        CLOSE(raw, reference::capped(raw.given(), cap), 1e-6);
        // Backward reads what was rounded.
        const auto logits = activations(raw.now());
        const Values given = logits.given();
        Values wanted = reference::crossEntropyGradient(given, vocabulary, targets);
        for (std::size_t i = 0; i < wanted.size(); ++i) wanted[i] *= 1 - given[i] / cap * (given[i] / cap);
        const double loss = lossOf(device(), [&](double* told) {
            device().crossEntropyWithGradient({rows, vocabulary, 0, cap}, logits, target.tokens(), told);
        });
        TRUE_OF(std::abs(loss - reference::crossEntropy(given, vocabulary, targets)) < 1e-5 * std::max(loss, 1e-2));
        CLOSE_ABOVE(logits, wanted, 1e-5, 1e-2);
        const auto again = activations(raw.now());
        std::vector<float> largest, sums;
        for (int r = 0; r < rows; ++r) {
            const auto begin = given.begin() + std::ptrdiff_t(r) * vocabulary;
            largest.push_back(float(*std::max_element(begin, begin + vocabulary)));
            double sum = 0;
            for (int v = 0; v < vocabulary; ++v) sum += std::exp(begin[v] - largest.back());
            sums.push_back(float(sum));
        }
        const auto highest = floats(largest), ofRows = floats(sums);
        device().crossEntropyGradient({rows, vocabulary, 0, cap}, highest.floats(), ofRows.floats(), target.tokens(),
                                      again);
        CLOSE_ABOVE(again, wanted, 1e-5, 1e-2);
    }

    /// Rows that lie further apart than they are long give the same losses and gradients, whatever is between them.
    void rowsApart() {
        RandomInputs in;
        for (int round = 0; round < 4; ++round) {
            const int rows = in.whole(1, 12), vocabulary = 1 + someWidth(in, round == 0 ? 5000 : 70);
            const int stride = (vocabulary + 7) / 8 * 8 + 8 * in.whole(0, 1);
            const VocabularyPart apart{rows, vocabulary, 0, round == 1 ? 20.0f : 0, stride};
            const VocabularyPart close{rows, vocabulary, 0, apart.cap};
            const std::vector<float> given = in.floats(std::size_t(rows) * vocabulary, 3);
            std::vector<float> spread(std::size_t(rows) * stride, NAN);
            for (int r = 0; r < rows; ++r)
                std::copy_n(given.begin() + std::ptrdiff_t(r) * vocabulary, vocabulary,
                            spread.begin() + std::ptrdiff_t(r) * stride);
            const auto target = tokens(in.tokens(rows, vocabulary));
            const auto near = activations(given), far = activations(spread), far2 = activations(spread);
            const auto of = [&](const VocabularyPart& part, const DeviceArray& logits) {
                return lossOf(device(),
                              [&](double* told) { device().crossEntropy(part, logits, target.tokens(), told); });
            };
            TRUE_OF(std::abs(of(apart, far) - of(close, near)) < 1e-4);
            const auto largest = poisoned(std::size_t(rows)), sums = poisoned(std::size_t(rows));
            const auto own = poisoned(std::size_t(rows));
            device().largestLogits(apart, far2, largest.floats());
            device().sumExponentials(apart, largest.floats(), target.tokens(), far2, sums.floats(), own.floats());
            device().crossEntropyGradient(apart, largest.floats(), sums.floats(), target.tokens(), far2);
            const auto with = [&](const VocabularyPart& part, const DeviceArray& logits) {
                return lossOf(device(), [&](double* told) {
                    device().crossEntropyWithGradient(part, logits, target.tokens(), told);
                });
            };
            TRUE_OF(std::abs(with(apart, far) - with(close, near)) < 1e-4);
            const Values wanted = toDouble(near.now());
            for (const DeviceArray* each : {&far, &far2}) {
                const auto now = each->now();
                for (int r = 0; r < rows; ++r)
                    for (int c = 0; c < vocabulary; ++c) {
                        const double got = now[std::size_t(r) * stride + c];
                        TRUE_OF(std::abs(got - wanted[std::size_t(r) * vocabulary + c]) < 1e-2);
                    }
            }
        }
    }

    /// More losses than a device may keep to itself, told all at once, each at its place.
    void lossesAreToldLater() {
        RandomInputs in;
        constexpr int vocabulary = 9, calls = 150;
        std::vector<double> wanted(calls), told(calls, -1);
        const auto logits = activations(in.floats(vocabulary, 3));
        std::vector<DeviceArray> targets;
        for (int target = 0; target < vocabulary; ++target) targets.push_back(tokens({target}));
        for (int i = 0; i < calls; ++i) {
            const int target = in.whole(0, vocabulary - 1);
            wanted[i] = reference::crossEntropy(logits.given(), vocabulary, std::vector<std::int32_t>{target});
            device().crossEntropy({1, vocabulary}, logits, targets[target].tokens(), &told[i]);
        }
        device().synchronize();
        for (int i = 0; i < calls; ++i) QVERIFY2(std::abs(told[i] - wanted[i]) < 1e-5, qPrintable(in.seed()));
    }

    void crossEntropyOfHugeLogits() {
        const auto logits = activations(std::vector<float>{1e4f, -1e4f, 0.0f});
        const auto target = tokens({1});
        const double wanted = logits.given()[0] - logits.given()[1];
        QCOMPARE(lossOf(device(),
                        [&](double* told) {
                            device().crossEntropyWithGradient({1, 3}, logits, target.tokens(), told);
                        }),
                 wanted);
        const auto gradient = logits.now();
        QCOMPARE(gradient[0], 1.0f);
        QCOMPARE(gradient[1], -1.0f);
        QVERIFY(std::abs(gradient[2]) < 1e-30f);
    }
};

QTEST_GUILESS_MAIN(CrossEntropyKernelsTest)
#include "cross_entropy_kernels_test.moc"
