// SPDX-License-Identifier: Apache-2.0
// The products of linear layers in 8 bits against fp8_reference.h, over several steps of several microbatches: results,
// scales, histories and counts.
#include "engine/train/model/fp8_products.h"
#include "engine/train/model/host_copy.h"
#include "tests/kernels/random_inputs.h"
#include "tests/kernels/reference.h"
#include "tests/train/fp8_reference.h"
#include "tests/support/wings.h"

#include <QtTest>
#include <cmath>

using namespace shardlab::test;
using reference::Values;

namespace {

constexpr auto none = [](std::span<float>) {};

struct Sizes {
    int rows, inputs, outputs;
};

}  // namespace

class Fp8ProductsTest : public QObject {
    Q_OBJECT

    static std::vector<float> of(Arena& arena, const Buffer& buffer) { return download(arena.device(), buffer.span()); }
    static void requireClose(const std::vector<float>& got, const Values& wanted, const RandomInputs& in) {
        const double off = reference::mismatch(got, wanted, 1e-30);
        QVERIFY2(off < 1e-5, qPrintable(QString("off by %1, %2").arg(off).arg(in.seed())));
    }

private Q_SLOTS:
    void stepsAreThoseOfTheReference_data() {
        QTest::addColumn<int>("format");
        QTest::addColumn<bool>("delayed");
        QTest::addRow("current") << int(ProductFormat::Fp8) << false;
        QTest::addRow("delayed") << int(ProductFormat::Fp8) << true;
        QTest::addRow("mxfp8") << int(ProductFormat::MxFp8) << false;
        QTest::addRow("fp8-blocks") << int(ProductFormat::Fp8Blocks) << false;
        QTest::addRow("fp8-rows") << int(ProductFormat::Fp8Rows) << false;
    }
    void stepsAreThoseOfTheReference() {
        QFETCH(int, format);
        QFETCH(bool, delayed);
        RandomInputs in;
        PrecisionSpec precision;
        precision.products = static_cast<ProductFormat>(format);
        precision.scaling = delayed ? ProductScaling::Delayed : ProductScaling::Current;
        precision.amaxHistory = in.whole(1, 3);
        precision.margin = in.whole(0, 2);
        const int microbatches = in.whole(1, 3);
        const Sizes sizes[] = {{in.whole(1, 150), in.whole(1, 150), in.whole(1, 150)},
                               {in.whole(1, 150), in.whole(1, 40), in.whole(1, 300)}};
        Arena arena;
        Fp8Products products(arena, precision, std::max(sizes[0].rows, sizes[1].rows), microbatches);
        for (int i = 0; i < 2; ++i)
            QCOMPARE(products.declare("h.0." + std::to_string(i), i, sizes[i].inputs, sizes[i].outputs), i);
        products.allocate();
        Linear8 layers[] = {Linear8(precision), Linear8(precision)};
        const auto array = [&](const std::vector<float>& values) {
            Buffer made = arena.allocate(MemoryCategory::Temporary, values.size());
            upload(arena.device(), values, made.span());
            return made;
        };
        for (int step = 0; step < 5; ++step) {
            double largest[2][3] = {};
            std::vector<Rounded8> rounded[2][3];  // by layer and factor, of each microbatch
            for (int m = 0; m < microbatches; ++m)
                for (int i = 0; i < 2; ++i) {
                    const auto [rows, inputs, outputs] = sizes[i];
                    Linear8& layer = layers[i];
                    const auto draw = [&](int count, int low, int high) {
                        return in.floats(std::size_t(count), std::exp2(float(in.whole(low, high))));
                    };
                    const std::vector<float> x = draw(rows * inputs, -3, 6), w = draw(inputs * outputs, -6, 0),
                                             dy = draw(rows * outputs, -16, 0), before = draw(rows * inputs, -3, 0),
                                             sum = draw(inputs * outputs, -3, 0);
                    const Buffer onX = array(x), onW = array(w), onDy = array(dy), gradient = array(before),
                                 weights = array(sum), y = array(dy);
                    products.visit(m);
                    products.setQuiet(true);  // a forward that is done again leaves no trace
                    products.forward(i, rows, onX.data(), onW.data(), y.data());
                    products.setQuiet(false);
                    products.forward(i, rows, onX.data(), onW.data(), y.data());
                    const Rounded8 ofX = layer.input(x, rows, inputs, false),
                                   ofW = layer.weight(w, inputs, outputs, true),
                                   ofDy = layer.gradient(dy, rows, outputs, false);
                    requireClose(of(arena, y),
                                 reference::product(ofX.values, ofW.values, rows, outputs, inputs, false, false), in);
                    products.inputGrad(i, rows, onDy.data(), onW.data(), 1, gradient.data());
                    Values wanted = reference::product(ofDy.values, layer.weight(w, inputs, outputs, false).values,
                                                       rows, inputs, outputs, false, true);
                    for (std::size_t k = 0; k < wanted.size(); ++k) wanted[k] += before[k];
                    requireClose(of(arena, gradient), wanted, in);
                    products.weightGrad(i, rows, onX.data(), onDy.data(), 1, weights.data());
                    wanted = reference::product(layer.input(x, rows, inputs, true).values,
                                                layer.gradient(dy, rows, outputs, true).values, inputs, outputs, rows,
                                                true, false);
                    for (std::size_t k = 0; k < wanted.size(); ++k) wanted[k] += sum[k];
                    requireClose(of(arena, weights), wanted, in);
                    const Rounded8* all[] = {&ofX, &ofW, &ofDy};
                    for (int f = 0; f < 3; ++f) {
                        largest[i][f] = std::max(largest[i][f], all[f]->largest);
                        rounded[i][f].push_back(*all[f]);
                    }
                    if (QTest::currentTestFailed()) return;
                }
            // Where another rank has a larger one, the history has that.
            const bool shares = in.coin();
            const auto tallies = products.finishStep([&](std::span<float> values) {
                if (shares)
                    for (float& value : values) value *= 4;
            });
            QCOMPARE(tallies.size(), std::size_t{6});
            for (int i = 0; i < 2; ++i)
                for (int f = 0; f < 3; ++f) {
                    const Fp8Tally& tally = tallies[std::size_t(3 * i + f)];
                    QCOMPARE(tally.layer, i);
                    QCOMPARE(tally.name, "h.0." + std::to_string(i));
                    QCOMPARE(int(tally.factor), f);
                    QCOMPARE(double(tally.largest), largest[i][f]);
                    if (delayed) QCOMPARE(tally.scale, layers[i].scale(f));
                    QCOMPARE(tally.counts.size(), std::size_t(microbatches));
                    for (std::size_t m = 0; m < tally.counts.size(); ++m) {
                        QCOMPARE(tally.counts[m].saturated, rounded[i][f][m].saturated);
                        QCOMPARE(tally.counts[m].flushed, rounded[i][f][m].flushed);
                    }
                    if (shares) largest[i][f] *= 4;
                }
            for (int i = 0; i < 2; ++i) layers[i].finishStep(largest[i]);
        }
        for (const Fp8Tally& tally : products.finishStep(none))
            for (const Fp8Counts& counts : tally.counts) QVERIFY(counts.saturated == 0 && counts.flushed == 0);
        QCOMPARE(products.state().size(), std::size_t(delayed ? 2 : 0));
    }

    /// What is not finite enters no history, and the first scale is 1.
    void historiesKeepOutWhatIsNotFinite() {
        PrecisionSpec precision;
        precision.products = ProductFormat::Fp8;
        precision.scaling = ProductScaling::Delayed;
        precision.amaxHistory = 2;
        Arena arena;
        Fp8Products products(arena, precision, 1, 1);
        products.declare("h.0", 0, 1, 1);
        products.allocate();
        const Buffer x = arena.allocate(MemoryCategory::Temporary, 1), y = arena.allocate(MemoryCategory::Temporary, 1);
        const auto scaleAfter = [&](float value) {
            upload(arena.device(), std::span(&value, 1), x.span());
            products.forward(0, 1, x.data(), x.data(), y.data());
            products.finishStep(none);
            return download(arena.device(), products.state().front().value)[0];
        };
        QCOMPARE(download(arena.device(), products.state().front().value)[0], 1.0f);
        QCOMPARE(scaleAfter(0), 1.0f);
        QCOMPARE(scaleAfter(7), 64.0f);
        QCOMPARE(scaleAfter(INFINITY), 64.0f);
        QCOMPARE(scaleAfter(NAN), 64.0f);
        QCOMPARE(scaleAfter(1), 64.0f);  // 7 is still the step before
        QCOMPARE(scaleAfter(1), 448.0f);
    }
};

QTEST_GUILESS_MAIN(Fp8ProductsTest)
#include "fp8_products_test.moc"
