// SPDX-License-Identifier: Apache-2.0
// Kernels against double precision, on fresh random shapes that fill no vector; gradients against differences.
#include "kernels/attention.h"
#include "kernels/bias.h"
#include "kernels/cross_entropy.h"
#include "kernels/elementwise.h"
#include "kernels/dropout.h"
#include "kernels/embedding.h"
#include "kernels/gelu.h"
#include "kernels/gemm.h"
#include "kernels/layer_norm.h"
#include "kernels/threads.h"
#include "tests/train/random_inputs.h"
#include "tests/train/reference.h"

#include <QtTest>

using namespace shardlab;
using reference::mismatch;
using reference::toDouble;
using reference::Values;

#define CLOSE(got, wanted, tolerance)                                                                     \
    do {                                                                                                  \
        const double off = mismatch(got, wanted);                                                         \
        QVERIFY2(off < (tolerance), qPrintable(QStringLiteral("off by %1, %2").arg(off).arg(in.seed()))); \
    } while (false)

class KernelsTest : public QObject {
    Q_OBJECT
private slots:
    void initTestCase() { setKernelThreads(1); }

    void matrixProducts() {
        RandomInputs in;
        for (int round = 0; round < 20; ++round) {
            const int m = in.whole(1, 70), n = in.whole(1, 70), k = in.whole(1, 70);
            const bool transposeA = in.coin(), transposeB = in.coin();
            const auto a = in.floats(std::size_t(m) * k);
            const auto b = in.floats(std::size_t(k) * n);
            const Values wanted = reference::product(toDouble(a), toDouble(b), m, n, k, transposeA, transposeB);
            std::vector<float> c(std::size_t(m) * n, NAN);  // overwritten: what was there does not count
            gemm(m, n, k, a.data(), transposeA, b.data(), transposeB, 0, c.data());
            CLOSE(c, wanted, 1e-5);
            const auto first = c;
            gemm(m, n, k, a.data(), transposeA, b.data(), transposeB, 1, c.data());
            CLOSE(c, reference::sum(wanted, wanted), 1e-5);
            std::vector<float> again(c.size());
            gemm(m, n, k, a.data(), transposeA, b.data(), transposeB, 0, again.data());
            QVERIFY2(again == first, qPrintable(in.seed()));
        }
    }

    void severalThreadsRepeatToTheBit() {
        RandomInputs in;
        setKernelThreads(2);
        QCOMPARE(kernelThreads(), 2);
        const int m = 130, n = 200, k = 90;
        const auto a = in.floats(m * k), b = in.floats(k * n);
        std::vector<float> first(m * n);
        gemm(m, n, k, a.data(), false, b.data(), false, 0, first.data());
        CLOSE(first, reference::product(toDouble(a), toDouble(b), m, n, k, false, false), 1e-5);
        for (int round = 0; round < 10; ++round) {
            std::vector<float> again(m * n);
            gemm(m, n, k, a.data(), false, b.data(), false, 0, again.data());
            QVERIFY2(again == first, qPrintable(in.seed()));
        }
        setKernelThreads(1);
        QCOMPARE(kernelThreads(), 1);
    }

    void slicesOfLargerMatrices() {
        RandomInputs in;
        const int m = in.whole(1, 20), n = in.whole(1, 20), k = in.whole(1, 20);
        const int strideA = k + in.whole(0, 5), strideB = k + in.whole(0, 5), strideC = n + in.whole(1, 5);
        const auto a = in.floats(std::size_t(m) * strideA);
        const auto b = in.floats(std::size_t(n) * strideB);
        std::vector<float> c(std::size_t(m) * strideC, 3);
        gemm(m, n, k, 0.25f, {a.data(), strideA, false}, {b.data(), strideB, true}, 0, c.data(), strideC);
        Values wanted(c.size(), 3);
        for (int i = 0; i < m; ++i)
            for (int j = 0; j < n; ++j) {
                wanted[i * strideC + j] = 0;
                for (int l = 0; l < k; ++l) wanted[i * strideC + j] += 0.25 * a[i * strideA + l] * b[j * strideB + l];
            }
        CLOSE(c, wanted, 1e-5);
    }

    void biases() {
        RandomInputs in;
        const int rows = in.whole(1, 40), columns = in.whole(1, 100);
        const auto matrix = in.floats(std::size_t(rows) * columns);
        const auto residual = in.floats(matrix.size());
        const auto bias = in.floats(columns);
        Values wanted = toDouble(matrix);
        for (std::size_t i = 0; i < wanted.size(); ++i) wanted[i] += bias[i % columns];
        auto got = matrix;
        addBias(rows, columns, bias.data(), got.data());
        CLOSE(got, wanted, 1e-6);
        got = matrix;
        addBiasAndResidual(rows, columns, bias.data(), residual.data(), got.data());
        CLOSE(got, reference::sum(wanted, toDouble(residual)), 1e-6);
        Values sums = toDouble(bias);
        for (std::size_t i = 0; i < matrix.size(); ++i) sums[i % columns] += matrix[i];
        got = bias;
        addColumnSums(rows, columns, matrix.data(), got.data());
        CLOSE(got, sums, 1e-5);
    }

    void gelus() {
        RandomInputs in;
        const int rows = in.whole(1, 20), columns = in.whole(1, 100);
        auto x = in.floats(std::size_t(rows) * columns, 3);
        for (float extreme : {0.0f, -0.0f, 30.0f, -30.0f, 1e4f, -1e4f, 1e-20f}) x.push_back(extreme);
        const std::vector<float> none(x.size(), 0.0f);
        std::vector<float> y(x.size());
        auto biased = x;
        biasGelu(1, int(x.size()), none.data(), biased.data(), y.data());
        QVERIFY(biased == x);
        CLOSE(std::span(y).first(y.size() - 7), reference::gelu(toDouble(std::span(x).first(x.size() - 7))), 1e-6);
        CLOSE(std::span(y).last(7), (Values{0, 0, 30, 0, 1e4, 0, 5e-21}), 1e-6);

        x.resize(std::size_t(rows) * columns);
        const auto bias = in.floats(columns);
        auto sum = x;
        addBias(rows, columns, bias.data(), sum.data());
        y.resize(x.size());
        biased = x;
        biasGelu(rows, columns, bias.data(), biased.data(), y.data());
        QVERIFY2(biased == sum, qPrintable(in.seed()));
        CLOSE(y, reference::gelu(toDouble(sum)), 1e-6);

        const auto weights = in.floats(x.size());
        Values wanted(x.size());
        for (std::size_t i = 0; i < x.size(); ++i)
            wanted[i] = weights[i] * reference::numericGradient(
                                         [](const Values& v) { return reference::gelu(v)[0]; }, {double(x[i])})[0];
        geluGrad(std::int64_t(x.size()), weights.data(), x.data());
        CLOSE(x, wanted, 1e-5);
    }

    void layerNorms() {
        RandomInputs in;
        const int rows = in.whole(1, 9), columns = in.whole(8, 50);  // over very few it is ill-conditioned
        const std::size_t size = std::size_t(rows) * columns;
        auto x = in.floats(size, 2);
        for (float& value : x) value += 5;  // a mean that is not small beside the deviation
        const auto gamma = in.floats(columns), beta = in.floats(columns), weights = in.floats(size);
        std::vector<float> mean(rows), rstd(rows), y(size);
        layerNorm(rows, columns, x.data(), gamma.data(), beta.data(), mean.data(), rstd.data(), y.data());
        CLOSE(y, reference::layerNorm(toDouble(x), toDouble(gamma), toDouble(beta)), 1e-5);

        const auto loss = [&](const Values& a, const Values& g, const Values& b) {
            return reference::dot(reference::layerNorm(a, g, b), weights);
        };
        const Values dx = reference::numericGradient(
            [&](const Values& v) { return loss(v, toDouble(gamma), toDouble(beta)); }, toDouble(x));
        const Values dGamma = reference::numericGradient(
            [&](const Values& v) { return loss(toDouble(x), v, toDouble(beta)); }, toDouble(gamma));
        const Values dBeta = reference::numericGradient(
            [&](const Values& v) { return loss(toDouble(x), toDouble(gamma), v); }, toDouble(beta));
        std::vector<float> got(size, NAN);
        layerNormInputGrad(rows, columns, x.data(), gamma.data(), mean.data(), rstd.data(), weights.data(), nullptr,
                           got.data());
        CLOSE(got, dx, 2e-5);
        const auto around = in.floats(size);
        layerNormInputGrad(rows, columns, x.data(), gamma.data(), mean.data(), rstd.data(), weights.data(),
                           around.data(), got.data());
        CLOSE(got, reference::sum(dx, toDouble(around)), 2e-5);
        auto gotGamma = gamma, gotBeta = beta;  // added to what is there
        layerNormWeightGrad(rows, columns, x.data(), mean.data(), rstd.data(), weights.data(), gotGamma.data(),
                            gotBeta.data());
        CLOSE(gotGamma, reference::sum(dGamma, toDouble(gamma)), 2e-5);
        CLOSE(gotBeta, reference::sum(dBeta, toDouble(beta)), 2e-5);
    }

    void attentions_data() {
        QTest::addColumn<int>("longest");
        QTest::newRow("inside one block of rows") << 20;
        QTest::newRow("across blocks") << 150;
    }
    void attentions() {
        QFETCH(int, longest);
        RandomInputs in;
        const AttentionShape shape{in.whole(1, 2), in.whole(longest / 2, longest), in.whole(1, 3), in.whole(1, 6)};
        const std::size_t tokens = std::size_t(shape.samples) * shape.sequence;
        const std::size_t hidden = std::size_t(shape.heads) * shape.width;
        const auto qkv = in.floats(tokens * 3 * hidden);
        const auto weights = in.floats(tokens * hidden);
        std::vector<float> probabilities(tokens * shape.heads * shape.sequence, NAN), out(tokens * hidden, NAN);
        attention(shape, qkv.data(), probabilities.data(), out.data());
        const auto function = [&](const Values& v) {
            return reference::attention(v, shape.samples, shape.sequence, shape.heads, shape.width);
        };
        CLOSE(out, function(toDouble(qkv)), 1e-5);
        for (std::size_t row = 0; row < tokens * shape.heads; ++row) {
            const std::size_t own = row % shape.sequence;
            double sum = 0;
            for (std::size_t j = 0; j <= own; ++j) sum += probabilities[row * shape.sequence + j];
            QVERIFY2(std::abs(sum - 1) < 1e-5, qPrintable(in.seed()));
            for (std::size_t j = own + 1; j < std::size_t(shape.sequence); ++j)
                QCOMPARE(probabilities[row * shape.sequence + j], 0.0f);
        }

        auto gradient = qkv;
        std::vector<float> scratch(attentionScratch(shape), NAN);
        attentionGrad(shape, probabilities.data(), weights.data(), gradient.data(), scratch.data());
        if (longest <= 20) {
            CLOSE(gradient, reference::numericGradient(
                                [&](const Values& v) { return reference::dot(function(v), weights); }, toDouble(qkv)),
                  2e-5);
            return;
        }
        // Too many inputs for one difference each: the slope along random directions.
        for (int round = 0; round < 10; ++round) {
            const auto direction = in.floats(qkv.size());
            const auto along = [&](const Values& t) {
                Values moved = toDouble(qkv);
                for (std::size_t i = 0; i < moved.size(); ++i) moved[i] += t[0] * direction[i];
                return reference::dot(function(moved), weights);
            };
            const double wanted = reference::numericGradient(along, {0})[0];
            const double got = reference::dot(toDouble(gradient), direction);
            const double size = std::sqrt(reference::dot(toDouble(gradient), gradient));
            QVERIFY2(std::abs(got - wanted) < 1e-5 * size * std::sqrt(double(qkv.size())), qPrintable(in.seed()));
        }
    }

    /// Masked probabilities: against the formula in double precision with the mask written out.
    void attentionsWithDropout() {
        RandomInputs in;
        const AttentionShape shape{in.whole(1, 2), in.whole(2, 12), in.whole(1, 3), in.whole(1, 5)};
        const int s = shape.sequence;
        const std::size_t tokens = std::size_t(shape.samples) * s, hidden = std::size_t(shape.heads) * shape.width;
        const auto qkv = in.floats(tokens * 3 * hidden), weights = in.floats(tokens * hidden);
        const int allHeads = shape.heads + 2;  // the mask's rows count heads that others hold
        const AttentionDropout drops{{std::uint64_t(in.whole(1, 1 << 30)), in.whole(0, 99), 0.4f},
                                     std::int64_t{allHeads} * s};
        std::vector<float> keep;
        for (int sample = 0; sample < shape.samples; ++sample) {
            std::vector<float> ones(std::size_t(shape.heads) * s * s, 1);
            dropout(shape.heads * s, s,
                    {drops.mask.key, drops.mask.firstRow + sample * drops.rowsOfSample, drops.mask.share}, ones.data());
            keep.insert(keep.end(), ones.begin(), ones.end());
        }
        const auto function = [&](const Values& v) {
            return reference::attention(v, shape.samples, s, shape.heads, shape.width, toDouble(keep));
        };
        std::vector<float> probabilities(tokens * shape.heads * s, NAN), out(tokens * hidden, NAN);
        std::vector<float> scratch(attentionDropoutScratch(shape), NAN);
        attention(shape, qkv.data(), probabilities.data(), out.data(), drops, scratch.data());
        CLOSE(out, function(toDouble(qkv)), 1e-5);
        auto gradient = qkv;
        scratch.assign(attentionScratch(shape), NAN);
        attentionGrad(shape, probabilities.data(), weights.data(), gradient.data(), scratch.data(), drops);
        CLOSE(gradient,
              reference::numericGradient([&](const Values& v) { return reference::dot(function(v), weights); },
                                         toDouble(qkv)),
              2e-5);
    }

    void attentionOfHugeScoresStaysFinite() {
        RandomInputs in;
        const AttentionShape shape{1, 37, 1, 5};
        const auto qkv = in.floats(37 * 15, 200);
        std::vector<float> probabilities(37 * 37), out(37 * 5);
        attention(shape, qkv.data(), probabilities.data(), out.data());
        for (float value : out) QVERIFY2(std::isfinite(value), qPrintable(in.seed()));
        for (float value : probabilities) QVERIFY2(value >= 0 && value <= 1.00001f, qPrintable(in.seed()));
    }

    void embeddings() {
        RandomInputs in;
        const int vocabulary = in.whole(1, 12);
        const EmbeddingShape shape{in.whole(1, 4), in.whole(1, 9), in.whole(1, 30), 0, vocabulary};
        const auto tokens = in.tokens(std::size_t(shape.samples) * shape.sequence, vocabulary);
        const auto words = in.floats(std::size_t(vocabulary) * shape.hidden);
        const auto places = in.floats(std::size_t(shape.sequence) * shape.hidden);
        const auto gradient = in.floats(tokens.size() * shape.hidden);
        std::vector<float> out(gradient.size(), NAN);
        embed(shape, tokens.data(), words.data(), places.data(), out.data());
        Values wanted(out.size()), dWords = toDouble(words), dPlaces = toDouble(places);
        for (std::size_t t = 0; t < tokens.size(); ++t)
            for (int c = 0; c < shape.hidden; ++c) {
                const std::size_t word = std::size_t(tokens[t]) * shape.hidden + c;
                const std::size_t place = t % shape.sequence * shape.hidden + c;
                wanted[t * shape.hidden + c] = double(words[word]) + places[place];
                dWords[word] += gradient[t * shape.hidden + c];
                dPlaces[place] += gradient[t * shape.hidden + c];
            }
        CLOSE(out, wanted, 1e-6);
        auto gotWords = words, gotPlaces = places;  // added to what is there
        embedGrad(shape, tokens.data(), gradient.data(), gotWords.data(), gotPlaces.data());
        CLOSE(gotWords, dWords, 1e-5);
        CLOSE(gotPlaces, dPlaces, 1e-5);

        // A table of a part of the vocabulary, and no positions: the rest of each sum.
        const int cut = in.whole(0, vocabulary - 1);
        const EmbeddingShape above{shape.samples, shape.sequence, shape.hidden, cut, vocabulary - cut};
        const EmbeddingShape below{shape.samples, shape.sequence, shape.hidden, 0, cut};
        std::vector<float> upper(out.size(), NAN), lower(out.size(), NAN);
        const float* const upperWords = words.data() + std::size_t(cut) * shape.hidden;
        embed(above, tokens.data(), upperWords, nullptr, upper.data());
        embed(below, tokens.data(), words.data(), places.data(), lower.data());
        for (std::size_t i = 0; i < out.size(); ++i) QCOMPARE(upper[i] + lower[i], out[i]);
        std::vector<float> partWords(words.begin() + std::ptrdiff_t(cut) * shape.hidden, words.end());
        std::ranges::copy(places, gotPlaces.begin());
        embedGrad(above, tokens.data(), gradient.data(), partWords.data(), gotPlaces.data());
        for (std::size_t i = 0; i < partWords.size(); ++i)
            QCOMPARE(partWords[i], gotWords[std::size_t(cut) * shape.hidden + i]);
        CLOSE(gotPlaces, dPlaces, 1e-5);
    }

    /// A mask is a function of key, row and column; its share, and what it does to values and gradients.
    void dropouts() {
        RandomInputs in;
        const int rows = in.whole(20, 60), columns = in.whole(50, 90);
        const float share = 0.05f * float(in.whole(1, 18));
        const DropoutMask mask{std::uint64_t(in.whole(1, 1 << 30)), in.whole(0, 1 << 20), share};
        const auto x = in.floats(std::size_t(rows) * columns), other = in.floats(x.size());
        const auto bias = in.floats(std::size_t(columns));
        std::vector<float> keep(x.size(), 1);
        dropout(rows, columns, mask, keep.data());
        double kept = 0;
        for (float k : keep) {
            QVERIFY(k == 0 || std::abs(k * (1 - share) - 1) < 1e-6);
            kept += k != 0;
        }
        const double deviation = std::sqrt(share * (1 - share) / double(x.size()));
        QVERIFY2(std::abs(kept / double(x.size()) - (1 - share)) < 6 * deviation, qPrintable(in.seed()));
        // The rows of a part are those of the whole.
        const int cut = in.whole(1, rows - 1);
        std::vector<float> part(std::size_t(rows - cut) * columns, 1);
        dropout(rows - cut, columns, {mask.key, mask.firstRow + cut, share}, part.data());
        QVERIFY(std::equal(part.begin(), part.end(), keep.begin() + std::ptrdiff_t(cut) * columns));
        std::vector<float> another(x.size(), 1);
        dropout(rows, columns, {mask.key + 1, mask.firstRow, share}, another.data());
        QVERIFY(another != keep);

        std::vector<float> out(x.size(), NAN), joined = x;
        dropoutTo(rows, columns, mask, x.data(), out.data());
        addBiasDropoutAndResidual(rows, columns, bias.data(), mask, other.data(), joined.data());
        Values wanted(x.size()), wantedJoined(x.size());
        for (std::size_t i = 0; i < x.size(); ++i) {
            wanted[i] = double(x[i]) * keep[i];
            wantedJoined[i] = (double(x[i]) + bias[i % columns]) * keep[i] + other[i];
        }
        CLOSE(out, wanted, 1e-6);
        CLOSE(joined, wantedJoined, 1e-6);
    }

    /// Neither rows nor columns nor neighbouring keys share their draws: correlations within five deviations of none.
    void dropoutMasksAreIndependent() {
        RandomInputs in;
        const int rows = 512, columns = 512;
        const std::uint64_t key = std::uint64_t(in.whole(1, 1 << 30));
        const auto maskOf = [&](std::uint64_t k, std::int64_t firstRow) {
            std::vector<float> keep(std::size_t(rows) * columns, 1);
            dropout(rows, columns, {k, firstRow, 0.5f}, keep.data());
            for (float& value : keep) value -= 1;  // -1 or 1
            return keep;
        };
        const auto mask = maskOf(key, 0);
        const auto near = [&](double product) { return std::abs(product) < 5 * std::sqrt(double(rows) * columns); };
        const auto with = [&](const std::vector<float>& other, std::size_t shift) {
            double sum = 0;
            for (std::size_t i = 0; i + shift < mask.size(); ++i) sum += mask[i] * other[i + shift];
            return sum;
        };
        for (const std::size_t shift : {1, 2, 3, 8, 16, columns - 1, columns, columns + 1, 2 * columns})
            QVERIFY2(near(with(mask, shift)), qPrintable(QString("%1 %2").arg(shift).arg(in.seed())));
        QVERIFY2(near(with(maskOf(key + 1, 0), 0)), qPrintable(in.seed()));
        QVERIFY2(near(with(maskOf(key, rows), 0)), qPrintable(in.seed()));
    }

    void crossEntropies() {
        RandomInputs in;
        const int rows = in.whole(1, 12), vocabulary = in.whole(2, 70);
        auto logits = in.floats(std::size_t(rows) * vocabulary, 3);
        const auto targets = in.tokens(rows, vocabulary);
        const double wanted = reference::crossEntropy(toDouble(logits), vocabulary, targets);
        const Values gradient = reference::numericGradient(
            [&](const Values& v) { return reference::crossEntropy(v, vocabulary, targets); }, toDouble(logits));
        QVERIFY2(std::abs(crossEntropy(rows, vocabulary, logits.data(), targets.data()) - wanted) < 1e-5 * wanted,
                 qPrintable(in.seed()));
        const double loss = crossEntropyWithGradient(rows, vocabulary, logits.data(), targets.data());
        QVERIFY2(std::abs(loss - wanted) < 1e-5 * wanted, qPrintable(in.seed()));
        CLOSE(logits, gradient, 1e-5);
    }

    /// In parts, with maxima and sums combined as a tensor group does.
    void crossEntropyOfParts() {
        RandomInputs in;
        const int rows = in.whole(1, 12), vocabulary = in.whole(3, 70), cut = in.whole(1, vocabulary - 1);
        const auto logits = in.floats(std::size_t(rows) * vocabulary, 3);
        const auto targets = in.tokens(rows, vocabulary);
        auto whole = logits;
        const double wanted = crossEntropyWithGradient(rows, vocabulary, whole.data(), targets.data());
        const VocabularyPart parts[2] = {{rows, cut, 0}, {rows, vocabulary - cut, cut}};
        std::vector<float> held[2], largest[2], sums[2], own[2];
        for (int p = 0; p < 2; ++p) {
            for (int r = 0; r < rows; ++r)
                for (int c = 0; c < parts[p].columns; ++c)
                    held[p].push_back(logits[std::size_t(r) * vocabulary + parts[p].first + c]);
            for (auto* values : {&largest[p], &sums[p], &own[p]}) values->assign(std::size_t(rows), NAN);
            largestLogits(parts[p], held[p].data(), largest[p].data());
        }
        for (int r = 0; r < rows; ++r) largest[0][r] = std::max(largest[0][r], largest[1][r]);
        for (int p = 0; p < 2; ++p)
            exponentiateLogits(parts[p], largest[0].data(), targets.data(), held[p].data(), sums[p].data(),
                               own[p].data());
        double loss = 0;
        for (int r = 0; r < rows; ++r) {
            sums[0][r] += sums[1][r];
            loss += (std::log(double(sums[0][r])) + largest[0][r] - (own[0][r] + own[1][r])) / rows;
        }
        QVERIFY2(std::abs(loss - wanted) < 1e-6 * wanted, qPrintable(in.seed()));
        for (int p = 0; p < 2; ++p) {
            crossEntropyGradient(parts[p], sums[0].data(), targets.data(), held[p].data());
            Values expected;
            for (int r = 0; r < rows; ++r)
                for (int c = 0; c < parts[p].columns; ++c)
                    expected.push_back(whole[std::size_t(r) * vocabulary + parts[p].first + c]);
            CLOSE(held[p], expected, 1e-5);
        }
    }

    void crossEntropyOfHugeLogits() {
        std::vector<float> logits{1e4f, -1e4f, 0.0f};
        const std::vector<std::int32_t> target{1};
        QCOMPARE(crossEntropyWithGradient(1, 3, logits.data(), target.data()), 2e4);
        QCOMPARE(logits[0], 1.0f);
        QCOMPARE(logits[1], -1.0f);
        QVERIFY(std::abs(logits[2]) < 1e-30f);
    }

    void sumsSquares() {
        RandomInputs in;
        const auto count = std::size_t(in.whole(1, 1000));
        const auto values = in.floats(count);
        const double squares = reference::dot(toDouble(values), values);
        QVERIFY(std::abs(sumOfSquares(std::int64_t(count), values.data()) - squares) <= 1e-13 * squares);
    }
};

QTEST_GUILESS_MAIN(KernelsTest)
#include "kernels_test.moc"
