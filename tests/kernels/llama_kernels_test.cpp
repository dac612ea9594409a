// SPDX-License-Identifier: Apache-2.0
// RMSNorm, SwiGLU and the rotary embedding of all devices, in all types: against double precision, gradients against
// its central differences.
#include "tests/kernels/kernel_rows.h"
#include "tests/kernels/llama_reference.h"
#include "tests/support/wings.h"

using namespace shardlab::test;
using reference::Values;

namespace {

RotaryShape randomShape(RandomInputs& in, int most) {
    RotaryShape shape;
    shape.samples = in.whole(1, 3);
    shape.sequence = in.whole(1, most);
    shape.keyHeads = in.whole(1, 3);
    shape.heads = shape.keyHeads * in.whole(1, 3);
    shape.width = 2 * in.whole(1, 20);
    shape.base = in.coin() ? 10000 : 500000;
    shape.split = in.whole(0, shape.sequence);
    shape.first = in.whole(0, 300);
    shape.second = shape.first + shape.split + in.whole(0, 3000);
    return shape;
}

}  // namespace

class LlamaKernelsTest : public QObject, KernelRows {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase_data() { addRows(); }
    void initTestCase() { setKernelThreads(1); }
    void init() { takeRow(); }

    void rmsNorms() {
        RandomInputs in;
        for (int round = 0; round < 3; ++round) {
            const int rows = in.whole(1, 9);
            const int columns = round == 0 ? 64 * in.whole(1, 3) : in.whole(8, 50);  // few make it ill-conditioned
            const std::size_t size = std::size_t(rows) * columns;
            const auto x = activations(in.floats(size, 2));
            const auto weight = activations(in.floats(size)), around = activations(in.floats(size));
            const auto gamma = weights(in.floats(columns));
            const auto rstd = poisoned(rows);
            const auto y = poisoned(size, row().t);
            device().rmsNorm(rows, columns, x, gamma, rstd.floats(), y);
            CLOSE(y, reference::rmsNorm(x.given(), gamma.given()), 1e-5);
            const auto loss = [&](const Values& a, const Values& g) {
                return reference::dot(reference::rmsNorm(a, g), weight.given());
            };
            const Values dx =
                reference::numericGradient([&](const Values& v) { return loss(v, gamma.given()); }, x.given());
            const Values dGamma =
                reference::numericGradient([&](const Values& v) { return loss(x.given(), v); }, gamma.given());
            const auto got = poisoned(size, row().t);
            device().rmsNormInputGrad(rows, columns, x, gamma, rstd.floats(), weight, {}, got);
            CLOSE(got, dx, 2e-5);
            device().rmsNormInputGrad(rows, columns, x, gamma, rstd.floats(), weight, around, got);
            CLOSE(got, reference::sum(dx, around.given()), 2e-5);
            const auto gotGamma = gradients(in.floats(columns));
            device().rmsNormWeightGrad(rows, columns, x, rstd.floats(), weight, gotGamma);
            CLOSE(gotGamma, reference::sum(dGamma, gotGamma.given()), 2e-5);  // added to what is there
        }
    }

    /// More rows, and wider ones, than a device takes at a time, against the formulas: with n = x·rstd and g =
    /// dy·gamma, dx = rstd·(g − n·mean(g·n)), dGamma = Σ dy·n.
    void rmsNormsOfManyRows() {
        RandomInputs in;
        for (const int columns : {20 + someWidth(in, 300), in.coin() ? 2176 : 1096}) {
            const int rows = in.whole(60, 130);
            const std::size_t size = std::size_t(rows) * columns;
            const auto x = activations(in.floats(size, 2)), dy = activations(in.floats(size));
            const auto gamma = weights(in.floats(columns));
            const auto rstd = poisoned(rows);
            const auto y = poisoned(size, row().t), dx = poisoned(size, row().t);
            const auto dGamma = gradients(in.floats(columns));
            device().rmsNorm(rows, columns, x, gamma, rstd.floats(), y);
            device().rmsNormInputGrad(rows, columns, x, gamma, rstd.floats(), dy, {}, dx);
            device().rmsNormWeightGrad(rows, columns, x, rstd.floats(), dy, dGamma);
            const Values norm = reference::rmsNorm(x.given(), Values(columns, 1));
            Values wantedX(size), wantedGamma = dGamma.given();
            for (std::size_t begin = 0; begin < size; begin += columns) {
                double product = 0, squares = 0;
                for (int c = 0; c < columns; ++c) {
                    const double n = norm[begin + c], d = dy.given()[begin + c];
                    wantedGamma[c] += d * n;
                    product += d * gamma.given()[c] * n / columns;
                    squares += x.given()[begin + c] * x.given()[begin + c] / columns;
                }
                const double factor = 1 / std::sqrt(squares + 1e-5);
                for (int c = 0; c < columns; ++c)
                    wantedX[begin + c] =
                        factor * (dy.given()[begin + c] * gamma.given()[c] - norm[begin + c] * product);
            }
            CLOSE(y, reference::rmsNorm(x.given(), gamma.given()), 1e-5);
            CLOSE(dx, wantedX, 2e-5);
            CLOSE(dGamma, wantedGamma, 2e-5);
        }
    }

    void swiglu() {
        RandomInputs in;
        for (int round = 0; round < 4; ++round) {
            const int rows = in.whole(1, 40), columns = someWidth(in, 200);
            const std::size_t size = std::size_t(rows) * columns;
            const auto joined = activations(in.floats(2 * size, 4)), gradient = activations(in.floats(size));
            const auto output = poisoned(size, row().t);
            device().swiglu(rows, columns, joined, output);
            CLOSE(output, reference::swiglu(joined.given(), columns), 1e-6);
            // The slope of each element by itself comes from a difference.
            Values wanted(2 * size);
            for (std::size_t i = 0; i < size; ++i) {
                const std::size_t gate = i / columns * 2 * columns + i % columns, up = gate + columns;
                const Values slopes =
                    reference::numericGradient([](const Values& pair) { return reference::swiglu(pair, 1)[0]; },
                                               {joined.given()[gate], joined.given()[up]});
                wanted[gate] = gradient.given()[i] * slopes[0];
                wanted[up] = gradient.given()[i] * slopes[1];
            }
            device().swigluGrad(rows, columns, gradient, joined);
            CLOSE(joined, wanted, 1e-5);
        }
    }

    /// Gates far from zero are open or closed, and give no value that is none.
    void swigluOfLargeGates() {
        const std::vector<float> gates{-120, -90, 90, 120, 1, 2, 3, 4};
        const auto joined = activations(gates);
        const auto output = poisoned(4, row().t);
        device().swiglu(1, 4, joined, output);
        const std::vector<float> got = output.now();
        QVERIFY(std::abs(got[0]) < 1e-30 && std::abs(got[1]) < 1e-30);
        QCOMPARE(got[2], 270.0f);
        QCOMPARE(got[3], 480.0f);
        const auto ones = activations(std::vector<float>{1, 1, 1, 1});
        device().swigluGrad(1, 4, ones, joined);
        for (const float value : joined.now()) QVERIFY(std::isfinite(value));
    }

    void rotaryEmbedding() {
        RandomInputs in;
        for (int round = 0; round < 4; ++round) {
            const RotaryShape shape = randomShape(in, 12);
            const std::size_t tokens = std::size_t(shape.samples) * shape.sequence;
            const auto joined = activations(in.floats(tokens * shape.joinedColumns()));
            const auto apart = poisoned(tokens * shape.apartColumns(), row().t);
            device().rotary(shape, joined, apart);
            CLOSE(apart, reference::rotary(shape, joined.given()), 1e-6);
            const auto gradient = activations(in.floats(apart.size()));
            const auto got = poisoned(joined.size(), row().t);
            device().rotaryGrad(shape, gradient, got);
            CLOSE(got, reference::rotaryGradient(shape, gradient.given()), 1e-5);
        }
    }

    /// What the formula transposed gives is what differences of it give.
    void gradientOfTheRotaryEmbedding() {
        RandomInputs in;
        RotaryShape shape = randomShape(in, 3);
        shape.width = 2 * in.whole(1, 3);
        const std::size_t tokens = std::size_t(shape.samples) * shape.sequence;
        const auto joined = activations(in.floats(tokens * shape.joinedColumns()));
        const auto gradient = activations(in.floats(tokens * shape.apartColumns()));
        const auto got = poisoned(joined.size(), row().t);
        device().rotaryGrad(shape, gradient, got);
        const auto loss = [&](const Values& v) {
            return reference::dot(reference::rotary(shape, v), gradient.given());
        };
        CLOSE(got, reference::numericGradient(loss, joined.given()), 1e-5);
    }

    /// Where no head is another's, the gradient of what the forward made is what it was made of, but for values, which
    /// are not turned. Far positions too.
    void turningBackUndoesIt() {
        RandomInputs in;
        RotaryShape shape = randomShape(in, 100);
        shape.keyHeads = shape.heads;
        shape.second = 1 << 20;  // far away
        const std::size_t tokens = std::size_t(shape.samples) * shape.sequence;
        const auto joined = activations(in.floats(tokens * shape.joinedColumns()));
        const auto apart = poisoned(tokens * shape.apartColumns(), row().t), back = poisoned(joined.size(), row().t);
        device().rotary(shape, joined, apart);
        CLOSE(apart, reference::rotary(shape, joined.given()), 1e-6);
        device().rotaryGrad(shape, apart, back);
        CLOSE(back, joined.given(), 1e-5);
    }
};

QTEST_GUILESS_MAIN(LlamaKernelsTest)
#include "llama_kernels_test.moc"
