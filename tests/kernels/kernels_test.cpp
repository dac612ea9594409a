// SPDX-License-Identifier: Apache-2.0
// The conformance test of all devices, in all types: against double precision with inputs rounded to the type, on fresh
// random shapes, most of which fill no vector. What is overwritten holds not-a-number before.
#include "tests/kernels/kernel_rows.h"
#include "tests/support/wings.h"

using namespace shardlab::test;
using reference::mismatch;
using reference::toDouble;
using reference::Values;

class KernelsTest : public QObject, KernelRows {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase_data() { addRows(); }
    void initTestCase() { setKernelThreads(1); }
    void init() { takeRow(); }

    void matrixProducts() {
        RandomInputs in;
        for (int round = 0; round < 20; ++round) {
            const int m = someWidth(in, 130), n = someWidth(in, 130), k = someWidth(in, 130);
            const bool transposeA = in.coin(), transposeB = in.coin();
            const auto a = activations(in.floats(std::size_t(m) * k));
            const auto b = activations(in.floats(std::size_t(k) * n));
            const Values wanted = reference::product(a.given(), b.given(), m, n, k, transposeA, transposeB);
            const auto c = poisoned(std::size_t(m) * n, in.coin() ? row().t : DType::F32);
            device().gemm(m, n, k, a, transposeA, b, transposeB, 0, c);
            CLOSE_ABOVE(c, wanted, 1e-5, reference::spreadOfSum(k));
            const auto first = c.now();
            device().gemm(m, n, k, a, transposeA, b, transposeB, 1, c);
            CLOSE_ABOVE(c, reference::sum(toDouble(first), wanted), 1e-5, reference::spreadOfSum(k));
            const auto again = poisoned(c.size(), c.type());
            device().gemm(m, n, k, a, transposeA, b, transposeB, 0, again);
            TRUE_OF(again.now() == first);
        }
    }

    /// However many threads there are, the same number of them gives the same bits.
    void severalThreadsRepeatToTheBit() {
        RandomInputs in;
        setKernelThreads(2);
        QCOMPARE(kernelThreads(), 2);
        const int m = 130, n = 200, k = 90;
        const auto a = activations(in.floats(m * k)), b = activations(in.floats(k * n));
        const auto first = poisoned(m * n, row().t), again = poisoned(m * n, row().t);
        device().gemm(m, n, k, a, false, b, false, 0, first);
        CLOSE(first, reference::product(a.given(), b.given(), m, n, k, false, false), 1e-5);
        for (int round = 0; round < 10; ++round) {
            device().gemm(m, n, k, a, false, b, false, 0, again);
            TRUE_OF(again.now() == first.now());
        }
        setKernelThreads(1);
        QCOMPARE(kernelThreads(), 1);
    }

    /// More than a panel or a block of any device.
    void largeProducts() {
        RandomInputs in;
        const int sizes[3][3] = {{in.whole(1025, 1300), in.whole(1, 40), in.whole(1, 90)},
                                 {in.whole(1, 40), in.whole(1025, 1300), in.whole(1, 90)},
                                 {in.whole(500, 600), in.whole(2100, 2500), in.whole(1, 9)}};
        for (const auto& [m, n, k] : sizes) {
            const bool transposeA = in.coin(), transposeB = in.coin();
            const auto a = activations(in.floats(std::size_t(m) * k));
            const auto b = activations(in.floats(std::size_t(k) * n));
            const auto c = poisoned(std::size_t(m) * n, row().t), sum = gradients(in.floats(c.size()));
            const Values wanted = reference::product(a.given(), b.given(), m, n, k, transposeA, transposeB);
            device().gemm(m, n, k, a, transposeA, b, transposeB, 0, c);
            CLOSE_ABOVE(c, wanted, 1e-5, reference::spreadOfSum(k));
            device().gemm(m, n, k, a, transposeA, b, transposeB, 1, sum);
            CLOSE(sum, reference::sum(wanted, sum.given()), 1e-5);
        }
    }

    void slicesOfLargerMatrices() {
        RandomInputs in;
        for (int round = 0; round < 10; ++round) {
            const int m = someWidth(in, 70), n = someWidth(in, 70), k = someWidth(in, 70);
            const bool transposeB = in.coin();
            const int strideA = k + in.whole(0, 5), strideB = (transposeB ? k : n) + in.whole(0, 5);
            const int strideC = n + in.whole(1, 5);
            const auto a = activations(in.floats(std::size_t(m) * strideA));
            const auto b = activations(in.floats(std::size_t(transposeB ? n : k) * strideB));
            const auto c = activations(std::vector<float>(std::size_t(m) * strideC, 3));
            device().gemm(m, n, k, 0.25f, {a, strideA, false}, {b, strideB, transposeB}, 0, c, strideC);
            Values wanted(c.size(), 3);
            for (int i = 0; i < m; ++i)
                for (int j = 0; j < n; ++j) {
                    double& sum = wanted[i * strideC + j] = 0;
                    for (int l = 0; l < k; ++l)
                        sum += 0.25 * a.given()[i * strideA + l] *
                               b.given()[transposeB ? j * strideB + l : l * strideB + j];
                }
            CLOSE(c, wanted, 1e-5);
        }
    }

    /// C = 256 + (1 + 2⁻⁹) lies just above the middle of two neighbours in bf16, C = 2048 + (1 + 2⁻¹²) in fp16: a
    /// product that is rounded before it is added would fall to the lower one.
    void accumulatedProductsAreRoundedOnce() {
        if (row().t == DType::F32) return;
        const bool brain = row().t == DType::BF16;
        const float before = brain ? 256 : 2048;
        const auto a = activations(std::vector<float>{1, brain ? 0x1p-9f : 0x1p-12f});
        const auto b = activations(std::vector<float>{1, 1});
        const auto c = activations(std::vector<float>{before});
        device().gemm(1, 1, 2, a, false, b, false, 1, c);
        QCOMPARE(c.now(), std::vector<float>{before + 2});
    }

    void productsWithWhatFollows() {
        RandomInputs in;
        for (int round = 0; round < 6; ++round) {
            const int m = someWidth(in, 70), n = someWidth(in, 70), k = someWidth(in, 70);
            const std::size_t size = std::size_t(m) * n;
            const auto a = activations(in.floats(std::size_t(m) * k)), b = activations(in.floats(std::size_t(k) * n));
            const auto bias = weights(in.floats(n));
            const Values wanted = reference::linear(a.given(), m, b.given(), bias.given());
            const auto c = poisoned(size, row().t), x = poisoned(size, row().t), active = poisoned(size, row().t);
            device().gemmBias(m, n, k, a, b, bias, c);
            CLOSE_ABOVE(c, wanted, 1e-5, reference::spreadOfSum(k));
            const auto around = activations(in.floats(size, 2)), sum = poisoned(size, row().t);
            device().gemmBiasResidual(m, n, k, a, b, bias, around, sum);
            CLOSE_ABOVE(sum, reference::sum(wanted, around.given()), 1e-5, reference::spreadOfSum(k));
            device().gemmBiasResidual(m, n, k, a, b, {}, around, sum);
            CLOSE_ABOVE(sum,
                        reference::sum(reference::product(a.given(), b.given(), m, n, k, false, false), around.given()),
                        1e-5, reference::spreadOfSum(k));
            device().gemmBiasGelu(m, n, k, a, b, bias, x, active);
            CLOSE_ABOVE(x, wanted, 1e-5, reference::spreadOfSum(k));
            CLOSE_ABOVE(active, reference::gelu(wanted), 1e-5, reference::spreadOfSum(k));

            const auto transposed = activations(in.floats(std::size_t(n) * k));
            const auto before = activations(in.floats(size, 2)), scratch = poisoned(size, row().t);
            Values gradient = reference::product(a.given(), transposed.given(), m, n, k, false, true);
            for (std::size_t i = 0; i < size; ++i) gradient[i] *= reference::geluSlope(before.given()[i]);
            const auto again = activations(before.now()), sums = gradients(in.floats(n));
            device().gemmGeluGrad(m, n, k, a, transposed, before, scratch, {});
            CLOSE_ABOVE(before, gradient, 1e-5, reference::spreadOfSum(k));
            Values wantedSums = sums.given();
            const auto written = before.now();
            for (std::size_t i = 0; i < size; ++i) wantedSums[i % n] += written[i];
            device().gemmGeluGrad(m, n, k, a, transposed, again, scratch, sums);
            TRUE_OF(again.now() == written);
            CLOSE_ABOVE(sums, wantedSums, 1e-5, reference::spreadOfSum(m));
        }
    }

    void biases() {
        RandomInputs in;
        for (int round = 0; round < 4; ++round) {
            const int rows = in.whole(1, 60), columns = someWidth(in, 300);
            const auto matrix = in.floats(std::size_t(rows) * columns);
            const auto bias = weights(in.floats(columns));
            const auto residual = activations(in.floats(matrix.size()));
            const auto x = activations(matrix);
            Values wanted = x.given();
            for (std::size_t i = 0; i < wanted.size(); ++i) wanted[i] += bias.given()[i % columns];
            device().addBias(rows, columns, bias, x);
            CLOSE(x, wanted, 1e-6);
            const auto y = activations(matrix);
            device().addBiasAndResidual(rows, columns, bias, residual, y);
            CLOSE(y, reference::sum(wanted, residual.given()), 1e-6);
            const auto g = activations(matrix);
            const auto sums = gradients(in.floats(columns));  // added to what is there
            Values wantedSums = sums.given();
            for (std::size_t i = 0; i < matrix.size(); ++i) wantedSums[i % columns] += g.given()[i];
            device().addColumnSums(rows, columns, g, sums);
            CLOSE_ABOVE(sums, wantedSums, 1e-5, reference::spreadOfSum(rows));
        }
    }

    void gelus() {
        RandomInputs in;
        const std::vector<float> extremes{0.0f, -0.0f, 30.0f, -30.0f, 1e4f, -1e4f, 1e-20f};
        const auto extreme = activations(extremes), none = weights(std::vector<float>(7, 0.0f));
        const auto open = poisoned(7, row().t);
        device().biasGelu(1, 7, none, extreme, open);
        QCOMPARE(toDouble(extreme.now()), extreme.given());
        CLOSE(open, (Values{0, 0, 30, 0, 1e4, 0, 0}), 1e-6);
        for (int round = 0; round < 4; ++round) {
            const int rows = in.whole(1, 30), columns = someWidth(in, 300);
            const std::size_t size = std::size_t(rows) * columns;
            const auto values = in.floats(size, 3);
            auto x = activations(values);
            const auto y = poisoned(size, row().t), bias = weights(in.floats(columns));
            Values sum = x.given();
            for (std::size_t i = 0; i < size; ++i) sum[i] += bias.given()[i % columns];
            device().biasGelu(rows, columns, bias, x, y);
            CLOSE(x, sum, 1e-6);
            CLOSE(y, reference::gelu(sum), 1e-6);

            const auto gradient = activations(in.floats(size));
            x.write(values);
            Values wanted = gradient.given();
            for (std::size_t i = 0; i < size; ++i) wanted[i] *= reference::geluSlope(x.given()[i]);
            device().geluGrad(std::int64_t(size), gradient, x);
            CLOSE(x, wanted, 1e-5);
        }
    }

    /// With the gradient of the bias, on the way, to the bits of a sum of its own.
    void gradientsOfBiasesBeforeGelus() {
        RandomInputs in;
        for (int round = 0; round < 4; ++round) {
            const int rows = in.whole(1, 200), columns = someWidth(in, 600);
            const std::size_t size = std::size_t(rows) * columns;
            const auto values = in.floats(size, 3), before = in.floats(columns);
            const auto gradient = activations(in.floats(size)), x = activations(values), got = activations(values);
            const auto bias = gradients(before), gotBias = gradients(before);
            device().geluGrad(std::int64_t(size), gradient, x);
            device().addColumnSums(rows, columns, x, bias);
            device().geluGradBias(rows, columns, gradient, got, gotBias);
            TRUE_OF(got.now() == x.now());
            TRUE_OF(gotBias.now() == bias.now());
        }
    }

    void layerNorms() {
        RandomInputs in;
        for (int round = 0; round < 3; ++round) {
            const int rows = in.whole(1, 9);
            const int columns = round == 0 ? 64 * in.whole(1, 3) : in.whole(8, 50);  // few make it ill-conditioned
            const std::size_t size = std::size_t(rows) * columns;
            auto values = in.floats(size, 2);
            for (float& value : values) value += 5;  // a mean that is not small beside the deviation
            const auto x = activations(values);
            const auto weight = activations(in.floats(size)), around = activations(in.floats(size));
            const auto gamma = weights(in.floats(columns)), beta = weights(in.floats(columns));
            const auto mean = poisoned(rows), rstd = poisoned(rows);
            const auto y = poisoned(size, row().t);
            device().layerNorm(rows, columns, 1e-5f, x, gamma, beta, mean.floats(), rstd.floats(), y);
            CLOSE(y, reference::layerNorm(x.given(), gamma.given(), beta.given()), 1e-5);

            const auto loss = [&](const Values& a, const Values& g, const Values& b) {
                return reference::dot(reference::layerNorm(a, g, b), weight.given());
            };
            const Values dx = reference::numericGradient(
                [&](const Values& v) { return loss(v, gamma.given(), beta.given()); }, x.given());
            const Values dGamma = reference::numericGradient(
                [&](const Values& v) { return loss(x.given(), v, beta.given()); }, gamma.given());
            const Values dBeta = reference::numericGradient(
                [&](const Values& v) { return loss(x.given(), gamma.given(), v); }, beta.given());
            const auto got = poisoned(size, row().t);
            device().layerNormInputGrad(rows, columns, x, gamma, mean.floats(), rstd.floats(), weight, {}, got);
            CLOSE(got, dx, 2e-5);
            device().layerNormInputGrad(rows, columns, x, gamma, mean.floats(), rstd.floats(), weight, around, got);
            CLOSE(got, reference::sum(dx, around.given()), 2e-5);
            const auto gotGamma = gradients(in.floats(columns)), gotBeta = gradients(in.floats(columns));
            device().layerNormWeightGrad(rows, columns, x, mean.floats(), rstd.floats(), weight, gotGamma, gotBeta);
            CLOSE(gotGamma, reference::sum(dGamma, gotGamma.given()), 2e-5);  // added to what is there
            CLOSE(gotBeta, reference::sum(dBeta, gotBeta.given()), 2e-5);
        }
    }

    /// More rows than a device takes at a time, against the formulas: with n = (x − mean)·rstd and g = dy·gamma,
    /// dx = rstd·(g − mean(g) − n·mean(g·n)), dGamma = Σ dy·n, dBeta = Σ dy.
    void layerNormsOfManyRows() {
        RandomInputs in;
        const int rows = in.whole(60, 130), columns = 20 + someWidth(in, 300);
        const std::size_t size = std::size_t(rows) * columns;
        const auto x = activations(in.floats(size, 2)), dy = activations(in.floats(size));
        const auto gamma = weights(in.floats(columns)), beta = weights(in.floats(columns));
        const auto mean = poisoned(rows), rstd = poisoned(rows);
        const auto y = poisoned(size, row().t), dx = poisoned(size, row().t);
        const auto dGamma = gradients(in.floats(columns)), dBeta = gradients(in.floats(columns));
        device().layerNorm(rows, columns, 1e-5f, x, gamma, beta, mean.floats(), rstd.floats(), y);
        device().layerNormInputGrad(rows, columns, x, gamma, mean.floats(), rstd.floats(), dy, {}, dx);
        device().layerNormWeightGrad(rows, columns, x, mean.floats(), rstd.floats(), dy, dGamma, dBeta);
        const Values norm = reference::layerNorm(x.given(), Values(columns, 1), Values(columns, 0));
        Values wantedY(size), wantedX(size), wantedGamma = dGamma.given(), wantedBeta = dBeta.given();
        for (std::size_t begin = 0; begin < size; begin += columns) {
            double sum = 0, product = 0, squares = 0, middle = 0;
            for (int c = 0; c < columns; ++c) {
                const double n = norm[begin + c], d = dy.given()[begin + c], g = d * gamma.given()[c];
                wantedY[begin + c] = n * gamma.given()[c] + beta.given()[c];
                wantedGamma[c] += d * n;
                wantedBeta[c] += d;
                sum += g / columns;
                product += g * n / columns;
                middle += x.given()[begin + c] / columns;
                squares += x.given()[begin + c] * x.given()[begin + c] / columns;
            }
            const double factor = 1 / std::sqrt(squares - middle * middle + 1e-5);
            for (int c = 0; c < columns; ++c)
                wantedX[begin + c] =
                    factor * (dy.given()[begin + c] * gamma.given()[c] - sum - norm[begin + c] * product);
        }
        CLOSE(y, wantedY, 1e-5);
        CLOSE(dx, wantedX, 2e-5);
        CLOSE(dGamma, wantedGamma, 2e-5);
        CLOSE(dBeta, wantedBeta, 2e-5);
    }

    /// In one pass over memory or in two, to the bit; the input's gradient may take the place of the output's.
    void bothGradientsOfNorms() {
        RandomInputs in;
        for (const int most : {300, 1024, 2048, 2600}) {
            const int rows = in.whole(1, 200), columns = most / 2 + someWidth(in, most / 2);
            const std::size_t size = std::size_t(rows) * columns;
            const auto x = activations(in.floats(size, 2)), around = activations(in.floats(size));
            const auto dy = activations(in.floats(size)), gamma = weights(in.floats(columns));
            const auto mean = poisoned(rows), rstd = poisoned(rows), y = poisoned(size, row().t);
            const auto before = in.floats(columns);
            const auto dGamma = gradients(before), dBeta = gradients(before), dScale = gradients(before);
            const auto gotGamma = gradients(before), gotBeta = gradients(before), gotScale = gradients(before);
            const auto dx = poisoned(size, row().t), got = poisoned(size, row().t);
            const ConstArray residual = in.coin() ? ConstArray(around) : ConstArray{};
            device().rmsNorm(rows, columns, 1e-5f, x, gamma, rstd.floats(), y);
            device().rmsNormWeightGrad(rows, columns, x, rstd.floats(), dy, dScale);
            device().rmsNormInputGrad(rows, columns, x, gamma, rstd.floats(), dy, residual, dx);
            device().rmsNormGrad(rows, columns, x, gamma, rstd.floats(), dy, residual, got, gotScale);
            TRUE_OF(got.now() == dx.now());
            TRUE_OF(gotScale.now() == dScale.now());
            device().layerNorm(rows, columns, 1e-5f, x, gamma, gamma, mean.floats(), rstd.floats(), y);
            device().layerNormWeightGrad(rows, columns, x, mean.floats(), rstd.floats(), dy, dGamma, dBeta);
            device().layerNormInputGrad(rows, columns, x, gamma, mean.floats(), rstd.floats(), dy, residual, dx);
            device().layerNormGrad(rows, columns, x, gamma, mean.floats(), rstd.floats(), dy, residual, dy, gotGamma,
                                   gotBeta);
            TRUE_OF(dy.now() == dx.now());
            TRUE_OF(gotGamma.now() == dGamma.now());
            TRUE_OF(gotBeta.now() == dBeta.now());
        }
    }

    void embeddings() {
        RandomInputs in;
        for (int round = 0; round < 4; ++round) {
            const int vocabulary = in.whole(1, 12);
            const EmbeddingShape shape{in.whole(1, 4), in.whole(1, 9), someWidth(in, 130), 0, vocabulary};
            const auto words = in.tokens(std::size_t(shape.samples) * shape.sequence, vocabulary);
            const auto token = tokens(words);
            const auto table = weights(in.floats(std::size_t(vocabulary) * shape.hidden));
            const auto places = weights(in.floats(std::size_t(shape.sequence + 1) * shape.hidden));
            const auto gradient = activations(in.floats(words.size() * shape.hidden));
            const auto startWords = in.floats(table.size()), startPlaces = in.floats(places.size());
            const auto gotWords = gradients(startWords);  // added to what is there
            auto gotPlaces = gradients(startPlaces);
            Values wanted(gradient.size()), dWords = gotWords.given(), dPlaces = gotPlaces.given();
            for (std::size_t t = 0; t < words.size(); ++t)
                for (int c = 0; c < shape.hidden; ++c) {
                    const std::size_t word = std::size_t(words[t]) * shape.hidden + c;
                    const std::size_t place = t % shape.sequence * shape.hidden + c;
                    wanted[t * shape.hidden + c] = table.given()[word] + places.given()[place];
                    dWords[word] += gradient.given()[t * shape.hidden + c];
                    dPlaces[place] += gradient.given()[t * shape.hidden + c];
                }
            const auto out = poisoned(gradient.size(), row().t);
            device().embed(shape, token.tokens(), table, places, out);
            CLOSE(out, wanted, 1e-6);
            device().embedGrad(shape, token.tokens(), gradient, gotWords, gotPlaces);
            CLOSE(gotWords, dWords, 1e-5);
            CLOSE(gotPlaces, dPlaces, 1e-5);

            // A table of a part of the vocabulary, and no positions: the rest of each sum.
            const int cut = in.whole(0, vocabulary - 1);
            const std::ptrdiff_t cutAt = std::ptrdiff_t{cut} * shape.hidden;
            const EmbeddingShape above{shape.samples, shape.sequence, shape.hidden, cut, vocabulary - cut};
            const EmbeddingShape below{shape.samples, shape.sequence, shape.hidden, 0, cut};
            const auto upper = poisoned(out.size(), row().t), lower = poisoned(out.size(), row().t);
            device().embed(above, token.tokens(), table + cutAt, {}, upper);
            device().embed(below, token.tokens(), table, places, lower);
            const auto high = upper.now(), low = lower.now();
            std::vector<float> sum(out.size());
            for (std::size_t i = 0; i < sum.size(); ++i) sum[i] = high[i] + low[i];
            TRUE_OF(mismatch(sum, wanted) < allowed(row().t, 1e-6));
            const auto partWords = gradients(std::span(startWords).subspan(std::size_t(cutAt)));
            const auto whole = gotWords.now();
            gotPlaces.write(startPlaces);
            device().embedGrad(above, token.tokens(), gradient, partWords, gotPlaces);
            TRUE_OF(partWords.now() == std::vector<float>(whole.begin() + cutAt, whole.end()));
            CLOSE(gotPlaces, dPlaces, 1e-5);
        }
    }

    /// 1 + 300 · 2⁻⁹ rounded at each step would stay 1 in bf16.
    void gradientsOfOftenSeenTokensAreRoundedOnce() {
        const int times = 300;
        const EmbeddingShape shape{times, 2, 3, 0, 2};
        std::vector<std::int32_t> alternating;
        for (int i = 0; i < times; ++i) alternating.insert(alternating.end(), {i % 2, 1 - i % 2});
        const auto token = tokens(alternating);
        const auto gradient = activations(std::vector<float>(6 * times, 0x1p-9f));
        const auto word = gradients(std::vector<float>(6, 1)), place = gradients(std::vector<float>(6, 1));
        device().embedGrad(shape, token.tokens(), gradient, word, place);
        const auto wanted = float(roundedTo(row().g, 1 + times * 0x1p-9));
        QCOMPARE(word.now(), std::vector<float>(6, wanted));
        QCOMPARE(place.now(), std::vector<float>(6, wanted));
        const auto sums = gradients(std::vector<float>(3, 1));
        device().addColumnSums(times, 3, gradient, sums);
        QCOMPARE(sums.now(), std::vector<float>(3, wanted));
    }

    /// A mask is a function of key, row and column; its share, and what it does to values and gradients.
    void dropouts() {
        RandomInputs in;
        const int rows = in.whole(20, 60), columns = someWidth(in, 50) + 40;
        const float share = 0.05f * float(in.whole(1, 18));
        const DropoutMask mask{std::uint64_t(in.whole(1, 1 << 30)), in.whole(0, 1 << 20), share};
        const std::size_t size = std::size_t(rows) * columns;
        const auto keep = maskOf(rows, columns, mask);
        double kept = 0;
        for (float k : keep) {
            QVERIFY(k == 0 || std::abs(k * (1 - share) - 1) < 1e-6);
            kept += k != 0;
        }
        const double deviation = std::sqrt(share * (1 - share) / double(size));
        TRUE_OF(std::abs(kept / double(size) - (1 - share)) < 6 * deviation);
        // The rows of a part are those of the whole, and so are the columns.
        const int cut = in.whole(1, rows - 1);
        const auto part = maskOf(rows - cut, columns, {mask.key, mask.firstRow + cut, share});
        TRUE_OF(std::equal(part.begin(), part.end(), keep.begin() + std::ptrdiff_t(cut) * columns));
        const int left = in.whole(1, columns - 1);
        const auto right = maskOf(rows, columns - left, {mask.key, mask.firstRow, share, left});
        for (int r = 0; r < rows; ++r)
            TRUE_OF(std::equal(keep.begin() + std::ptrdiff_t(r) * columns + left,
                               keep.begin() + std::ptrdiff_t(r + 1) * columns,
                               right.begin() + std::ptrdiff_t(r) * (columns - left)));
        TRUE_OF(maskOf(rows, columns, {mask.key + 1, mask.firstRow, share}) != keep);
        // Two runs of each sample's rows, from a row in one of the samples on, are those of the whole.
        const int samples = in.whole(1, 3), sequence = rows / samples, held = in.whole(1, sequence);
        const int split = in.whole(0, held), first = in.whole(0, sequence - held);
        const RowPositions positions{first, split, in.whole(first + split, sequence - held + split)};
        const int skipped = in.whole(0, samples * held - 1), some = samples * held - skipped;
        const auto ofHeld =
            maskOf(some, columns, {mask.key, mask.firstRow, share, 0, {held, skipped, sequence, positions}});
        for (int r = 0; r < some; ++r) {
            const int own = skipped + r;
            TRUE_OF(std::equal(
                ofHeld.begin() + std::ptrdiff_t(r) * columns, ofHeld.begin() + std::ptrdiff_t(r + 1) * columns,
                keep.begin() + std::ptrdiff_t(own / held * sequence + positions.of(own % held)) * columns));
        }

        const auto values = in.floats(size);
        const auto x = activations(values), inPlace = activations(values), joined = activations(values);
        const auto other = activations(in.floats(size)), out = poisoned(size, row().t);
        const auto bias = weights(in.floats(std::size_t(columns)));
        const auto before = in.floats(std::size_t(columns));
        const auto sums = gradients(before), gotSums = gradients(before), again = poisoned(size, row().t);
        device().dropoutTo(rows, columns, mask, x, out, {});
        device().addColumnSums(rows, columns, out, sums);
        device().dropoutTo(rows, columns, mask, x, again, gotSums);  // to the bits of a sum of its own
        TRUE_OF(again.now() == out.now());
        TRUE_OF(gotSums.now() == sums.now());
        device().dropout(rows, columns, mask, inPlace);
        device().addBiasDropoutAndResidual(rows, columns, bias, mask, other, joined);
        Values wanted(size), wantedJoined(size);
        for (std::size_t i = 0; i < size; ++i) {
            wanted[i] = x.given()[i] * keep[i];
            wantedJoined[i] = (x.given()[i] + bias.given()[i % columns]) * keep[i] + other.given()[i];
        }
        CLOSE(out, wanted, 1e-6);
        CLOSE(inPlace, wanted, 1e-6);
        CLOSE(joined, wantedJoined, 1e-6);
    }

    /// All devices know the same masks: a run may go on elsewhere.
    void dropoutMasksAreThoseOfTheProcessor() {
        RandomInputs in;
        const int rows = in.whole(1, 40), columns = in.whole(1, 300);
        const DropoutMask mask{std::uint64_t(in.whole(1, 1 << 30)) << 20, std::int64_t{in.whole(0, 1 << 30)} << 8,
                               0.3f};
        std::vector<float> keep(std::size_t(rows) * columns, 1);
        processor().dropout(rows, columns, mask, keep.data());
        TRUE_OF(maskOf(rows, columns, mask) == keep);
    }

    /// Neither rows nor columns nor neighbouring keys share their draws: correlations within five deviations of none.
    void dropoutMasksAreIndependent() {
        RandomInputs in;
        const int rows = 512, columns = 512;
        const std::uint64_t key = std::uint64_t(in.whole(1, 1 << 30));
        const auto signs = [&](std::uint64_t k, std::int64_t firstRow) {
            auto keep = maskOf(rows, columns, {k, firstRow, 0.5f});
            for (float& value : keep) value -= 1;  // -1 or 1
            return keep;
        };
        const auto mask = signs(key, 0);
        const auto near = [&](double product) { return std::abs(product) < 5 * std::sqrt(double(rows) * columns); };
        const auto with = [&](const std::vector<float>& other, std::size_t shift) {
            double sum = 0;
            for (std::size_t i = 0; i + shift < mask.size(); ++i) sum += mask[i] * other[i + shift];
            return sum;
        };
        for (const std::size_t shift : {1, 2, 3, 8, 16, columns - 1, columns, columns + 1, 2 * columns})
            QVERIFY2(near(with(mask, shift)), qPrintable(QString("%1 %2").arg(shift).arg(in.seed())));
        TRUE_OF(near(with(signs(key + 1, 0), 0)));
        TRUE_OF(near(with(signs(key, rows), 0)));
    }
};

QTEST_GUILESS_MAIN(KernelsTest)
#include "kernels_test.moc"
