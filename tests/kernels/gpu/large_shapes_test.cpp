// SPDX-License-Identifier: Apache-2.0
// A GPU's kernels where rows, vocabularies and lists are so long that they are cut: into blocks, chunks, launches.
// Against the formulas in double precision; kernels_test has the small shapes of all devices.
#include "tests/kernels/kernel_rows.h"

using namespace shardlab::test;
using reference::Values;

namespace {

struct Types {
    DType t = DType::F32;  ///< of activations and weights
    DType g = DType::F32;  ///< of gradients of weights
};

/// Arrays of one kind, one after the other.
struct Together {
    std::vector<float> got;
    Values wanted;
    void add(const DeviceArray& array, const Values& values) {
        const std::vector<float> now = array.now();
        got.insert(got.end(), now.begin(), now.end());
        wanted.insert(wanted.end(), values.begin(), values.end());
    }
    double mismatch() const { return reference::mismatch(got, wanted); }
};

}  // namespace

Q_DECLARE_METATYPE(Types)

class LargeShapesTest : public QObject {
    Q_OBJECT

    DeviceOrReason gpu_ = openCudaDevice(0);
    std::unique_ptr<Device> cpu_ = makeCpuDevice();
    Types types_;

    Device& device() const { return *gpu_.device; }
    DeviceArray array(std::span<const float> values, DType type) const { return {device(), values, type}; }
    DeviceArray matrix(std::span<const float> values) const { return array(values, types_.t); }
    DeviceArray gradients(std::span<const float> values) const { return array(values, types_.g); }
    DeviceArray poisoned(std::size_t count, DType type) const { return DeviceArray::poisoned(device(), count, type); }
    /// Fills packs of 16 bytes, or does not.
    static int width(RandomInputs& in, int low, int high) {
        return in.coin() ? in.whole(low, high) : 8 * in.whole((low + 7) / 8, high / 8);
    }

private Q_SLOTS:
    void initTestCase_data() {
        if (!gpu_.device) QSKIP(qPrintable(QString::fromStdString("CUDA is not tested: " + gpu_.reason)));
        QTest::addColumn<Types>("types");
        QTest::newRow("fp32") << Types{};
        QTest::newRow("bf16") << Types{DType::BF16, DType::BF16};
        QTest::newRow("bf16, gradients fp32") << Types{DType::BF16, DType::F32};
        QTest::newRow("fp16, gradients fp32") << Types{DType::F16, DType::F32};
    }
    void init() {
        QFETCH_GLOBAL(Types, types);
        types_ = types;
    }

    void sumsOfManyRows() {
        RandomInputs in;
        for (int round = 0; round < 3; ++round) {
            const int rows = in.whole(100, 900), columns = width(in, 1, 600);
            const auto x = matrix(in.floats(std::size_t(rows) * columns)), dy = matrix(in.floats(x.size()));
            const auto mean = array(in.floats(rows), DType::F32), rstd = array(in.floats(rows), DType::F32);
            const auto bias = gradients(in.floats(columns)), gamma = gradients(in.floats(columns));
            const auto beta = gradients(in.floats(columns));
            Values sums = bias.given(), gammas = gamma.given(), betas = beta.given();
            for (int r = 0; r < rows; ++r)
                for (int c = 0; c < columns; ++c) {
                    const std::size_t i = std::size_t(r) * columns + c;
                    sums[c] += dy.given()[i];
                    betas[c] += dy.given()[i];
                    gammas[c] += dy.given()[i] * (x.given()[i] - mean.given()[r]) * rstd.given()[r];
                }
            device().addColumnSums(rows, columns, dy, bias);
            CLOSE_ABOVE(bias, sums, 1e-5, reference::spreadOfSum(rows));
            device().layerNormWeightGrad(rows, columns, x, mean.floats(), rstd.floats(), dy, gamma, beta);
            CLOSE_ABOVE(gamma, gammas, 2e-5, reference::spreadOfSum(rows));
            CLOSE_ABOVE(beta, betas, 2e-5, reference::spreadOfSum(rows));
        }
    }

    void normsOfWideRows() {
        RandomInputs in;
        for (const int most : {500, 1024, 2048, 5000}) {
            const int rows = in.whole(1, 9), columns = width(in, most / 2, most);
            const auto x = matrix(in.floats(std::size_t(rows) * columns)), dy = matrix(in.floats(x.size()));
            const auto around = matrix(in.floats(x.size()));
            const auto gamma = matrix(in.floats(columns)), beta = matrix(in.floats(columns));
            Values y(x.size()), dx(x.size()), means, rstds;
            for (int r = 0; r < rows; ++r) {
                const std::size_t at = std::size_t(r) * columns;
                double sum = 0, squares = 0, ofGradient = 0, ofProduct = 0;
                for (int c = 0; c < columns; ++c) sum += x.given()[at + c];
                const double mean = sum / columns;
                for (int c = 0; c < columns; ++c) squares += std::pow(x.given()[at + c] - mean, 2);
                const double rstd = 1 / std::sqrt(squares / columns + 1e-5);
                for (int c = 0; c < columns; ++c) {
                    const double g = dy.given()[at + c] * gamma.given()[c];
                    ofGradient += g / columns;
                    ofProduct += g * (x.given()[at + c] - mean) * rstd / columns;
                }
                for (int c = 0; c < columns; ++c) {
                    const double n = (x.given()[at + c] - mean) * rstd;
                    y[at + c] = n * gamma.given()[c] + beta.given()[c];
                    dx[at + c] = rstd * (dy.given()[at + c] * gamma.given()[c] - ofGradient - n * ofProduct) +
                                 around.given()[at + c];
                }
                means.push_back(mean);
                rstds.push_back(rstd);
            }
            const auto mean = poisoned(rows, DType::F32), rstd = poisoned(rows, DType::F32);
            const auto out = poisoned(x.size(), types_.t), gradient = poisoned(x.size(), types_.t);
            device().layerNorm(rows, columns, 1e-5f, x, gamma, beta, mean.floats(), rstd.floats(), out);
            CLOSE(out, y, 1e-5);
            CLOSE_ABOVE(mean, means, 1e-5, reference::spreadOfSum(columns) / columns);
            CLOSE(rstd, rstds, 1e-5);
            device().layerNormInputGrad(rows, columns, x, gamma, mean.floats(), rstd.floats(), dy, around, gradient);
            CLOSE(gradient, dx, 2e-5);
            device().layerNormInputGrad(rows, columns, x, gamma, mean.floats(), rstd.floats(), dy, around, dy);
            CLOSE(dy, dx, 2e-5);
        }
    }

    void lossesOfLargeVocabularies() {
        RandomInputs in;
        // The fourth: rows that take the shared memory which a block has unasked.
        const int whole = static_cast<int>(48 * 1024 / sizeOf(types_.t));
        for (const int most : {600, 3000, 9000, whole, 60'000}) {
            const int rows = in.whole(1, most > 9000 ? 2 : 5);
            const int vocabulary = most == whole ? whole : width(in, most > 9000 ? most - 1000 : most / 2, most);
            const auto logits = matrix(in.floats(std::size_t(rows) * vocabulary, 3));
            const auto targets = in.tokens(rows, vocabulary);
            const DeviceArray onDevice(device(), targets);
            double loss = 0;
            Values gradient(logits.size());
            for (int r = 0; r < rows; ++r) {
                const double* row = logits.given().data() + std::size_t(r) * vocabulary;
                double sum = 0;
                for (int c = 0; c < vocabulary; ++c) sum += std::exp(row[c]);
                loss += (std::log(sum) - row[targets[r]]) / rows;
                for (int c = 0; c < vocabulary; ++c)
                    gradient[std::size_t(r) * vocabulary + c] = std::exp(row[c]) / sum - (c == targets[r]);
            }
            const auto told = [&](auto ask) { return lossOf(device(), ask); };
            const double without = told([&](double* to) {
                device().crossEntropy({rows, vocabulary}, logits, onDevice.tokens(), to);
            });
            QVERIFY2(std::abs(without - loss) < 1e-5 * loss, qPrintable(in.seed()));
            const auto largest = poisoned(rows, DType::F32), sums = poisoned(rows, DType::F32);
            const auto own = poisoned(rows, DType::F32);
            const VocabularyPart all{rows, vocabulary, 0};
            device().largestLogits(all, logits, largest.floats());
            device().sumExponentials(all, largest.floats(), onDevice.tokens(), logits, sums.floats(), own.floats());
            const double shared =
                told([&](double* to) { device().sharedLoss(rows, largest.floats(), sums.floats(), own.floats(), to); });
            QVERIFY2(std::abs(shared - loss) < 1e-5 * loss, qPrintable(in.seed()));
            const DeviceArray part = matrix(std::vector<float>(logits.given().begin(), logits.given().end()));
            device().crossEntropyGradient(all, largest.floats(), sums.floats(), onDevice.tokens(), part);
            CLOSE(part, gradient, 1e-5);
            const double with = told([&](double* to) {
                device().crossEntropyWithGradient({rows, vocabulary}, logits, onDevice.tokens(), to);
            });
            QVERIFY(std::abs(with - loss) < 1e-5 * loss);
            CLOSE(logits, gradient, 1e-5);
        }
    }

    /// Some tokens hundreds of times, some once, some beyond the table; the same bits in every call, and whatever part
    /// of the vocabulary the table holds.
    void gradientsOfManyTokens() {
        RandomInputs in;
        for (int round = 0; round < 4; ++round) {
            const EmbeddingShape shape{in.whole(1, 5), in.whole(50, 200), width(in, 1, 40), in.whole(0, 3),
                                       in.whole(2, 40)};
            const std::size_t count = std::size_t(shape.samples) * shape.sequence;
            std::vector<std::int32_t> words;
            for (std::size_t i = 0; i < count; ++i) words.push_back(in.coin() ? in.whole(0, 60) : in.whole(0, 4));
            const DeviceArray tokens(device(), words);
            const auto gradient = matrix(in.floats(count * shape.hidden));
            const auto start = in.floats(std::size_t(shape.tokens) * shape.hidden);
            const auto table = gradients(start), again = gradients(start);
            const auto places = gradients(in.floats(std::size_t(shape.sequence) * shape.hidden));
            Values wanted = table.given(), wantedPlaces = places.given();
            for (std::size_t i = 0; i < count; ++i)
                for (int c = 0; c < shape.hidden; ++c) {
                    const double value = gradient.given()[i * shape.hidden + c];
                    wantedPlaces[i % shape.sequence * shape.hidden + c] += value;
                    const int word = words[i] - shape.firstToken;
                    if (word >= 0 && word < shape.tokens) wanted[std::size_t(word) * shape.hidden + c] += value;
                }
            device().embedGrad(shape, tokens.tokens(), gradient, table, places);
            CLOSE(table, wanted, 1e-5);
            CLOSE(places, wantedPlaces, 1e-5);
            device().embedGrad(shape, tokens.tokens(), gradient, again, {});
            QVERIFY(again.now() == table.now());
            EmbeddingShape less = shape;
            less.firstToken += 1;
            less.tokens -= 1;
            const auto part = gradients(std::span(start).subspan(std::size_t(shape.hidden)));
            device().embedGrad(less, tokens.tokens(), gradient, part, {});
            const auto whole = table.now();
            const std::vector<float> rest(whole.begin() + shape.hidden, whole.end());
            QVERIFY2(part.now() == rest, qPrintable(in.seed()));
        }
    }

    void masksAreThoseOfTheProcessor() {
        RandomInputs in;
        const int rows = in.whole(100, 400), columns = width(in, 30, 300);
        const DropoutMask mask{std::uint64_t(in.whole(1, 1 << 30)) << 33 | 5, std::int64_t{in.whole(0, 1 << 30)} << 8,
                               0.3f};
        const std::vector<float> ones(std::size_t(rows) * columns, 1);
        const DeviceArray here(*cpu_, ones, DType::F32), there = array(ones, DType::F32);
        cpu_->dropout(rows, columns, mask, here);
        device().dropout(rows, columns, mask, there);
        QVERIFY2(here.now() == there.now(), qPrintable(in.seed()));
    }

    /// More parts than travel with one launch, some of several chunks, some empty.
    void manyParts() {
        RandomInputs in;
        const AdamWUpdate update{0.01f, 0.9f, 0.95f, 1e-8f, 0.3f, 0.2f, 0.5f};
        const bool masters = types_.t != DType::F32;
        struct Part {
            DeviceArray gradient, value, master, first, second;
            float decay;
        };
        std::vector<Part> parts;
        std::vector<AdamWPart> asked;
        std::vector<ArrayPart> summed;
        double squares = 0;
        for (int i = 0; i < 600; ++i) {
            const std::size_t count = i % 97 == 0 ? in.whole(8000, 40000) : in.whole(0, 9);
            const auto values = in.floats(count);
            auto second = in.floats(count);
            for (float& value : second) value *= value;
            parts.push_back({gradients(in.floats(count)), matrix(values), array(values, DType::F32),
                             array(in.floats(count), DType::F32), array(second, DType::F32), i % 3 == 0 ? 0.1f : 0.0f});
            const Part& part = parts.back();
            asked.push_back({std::int64_t(count), part.decay, part.gradient, part.value,
                             masters ? part.master.floats() : nullptr, part.first.floats(), part.second.floats()});
            summed.push_back({part.gradient, std::int64_t(count)});
            for (double value : part.gradient.given()) squares += value * value;
        }
        QVERIFY(std::abs(device().sumOfSquares(summed) - squares) <= 1e-12 * squares);
        device().adamw(update, asked);
        // Judged together: of a part of one element, a sum may cancel all but its rounding.
        Together firsts, seconds, kept, written;
        for (const Part& part : parts) {
            if (part.value.size() == 0) continue;
            Values value, first, second;
            for (std::size_t i = 0; i < part.value.size(); ++i) {
                const double g = part.gradient.given()[i] * update.gradientScale;
                const double before = masters ? part.master.given()[i] : part.value.given()[i];
                first.push_back(double(update.beta1) * part.first.given()[i] + (1 - double(update.beta1)) * g);
                second.push_back(double(update.beta2) * part.second.given()[i] + (1 - double(update.beta2)) * g * g);
                value.push_back(before - update.learningRate *
                                             (part.decay * before +
                                              first.back() / update.correction1 /
                                                  (std::sqrt(second.back() / update.correction2) + update.epsilon)));
            }
            firsts.add(part.first, first);
            seconds.add(part.second, second);
            written.add(part.value, value);
            if (masters) kept.add(part.master, value);
        }
        QVERIFY2(firsts.mismatch() < 2e-6, qPrintable(in.seed()));
        QVERIFY2(seconds.mismatch() < 2e-6, qPrintable(in.seed()));
        QVERIFY2(written.mismatch() < allowed(types_.t, 2e-6), qPrintable(in.seed()));
        QVERIFY2(kept.mismatch() < 2e-6, qPrintable(in.seed()));
    }
};

QTEST_GUILESS_MAIN(LargeShapesTest)
#include "large_shapes_test.moc"
