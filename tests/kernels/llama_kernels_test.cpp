// SPDX-License-Identifier: Apache-2.0
// RMSNorm, activations and gates, and the rotary embedding of all devices, in all types: against double precision,
// gradients against its central differences.
#include "tests/kernels/kernel_rows.h"
#include "tests/kernels/llama_reference.h"
#include "tests/support/wings.h"

using namespace shardlab::test;
using reference::Values;

namespace {

constexpr Activation everyActivation[] = {Activation::Gelu, Activation::GeluTanh, Activation::Silu,
                                          Activation::SquaredRelu};

RotaryAngles randomAngles(RandomInputs& in) {
    using Scaling = RotaryAngles::Scaling;
    RotaryAngles angles;
    angles.base = in.coin() ? 10000 : 500000;
    angles.scaling = std::array{Scaling::None, Scaling::ByTurns, Scaling::Yarn}[std::size_t(in.whole(0, 2))];
    angles.factor = in.whole(1, 40);
    angles.low = in.whole(1, 3);
    angles.high = angles.low + in.whole(1, 30);
    angles.original = in.whole(16, 9000);
    angles.truncate = in.coin();
    return angles;
}

RotaryShape randomShape(RandomInputs& in, int most) {
    RotaryShape shape;
    shape.samples = in.whole(1, 3);
    shape.sequence = in.whole(1, most);
    shape.keyHeads = in.whole(1, 3);
    shape.heads = shape.keyHeads * in.whole(1, 3);
    shape.width = 2 * in.whole(1, 20);
    shape.angles = randomAngles(in);
    shape.split = in.whole(0, shape.sequence);
    shape.first = in.whole(0, 300);
    shape.second = shape.first + shape.split + in.whole(0, 3000);
    return shape;
}

/// A difference of the formula, but at the bend of a squared ReLU.
double slope(Activation f, double x) {
    return reference::numericGradient([f](const Values& v) { return reference::activation(f, v[0]); }, {x})[0];
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
            const float epsilon = in.coin() ? 1e-6f : 1e-2f;
            device().rmsNorm(rows, columns, epsilon, x, gamma, rstd.floats(), y);
            CLOSE(y, reference::rmsNorm(x.given(), gamma.given(), epsilon), 1e-5);
            const auto loss = [&](const Values& a, const Values& g) {
                return reference::dot(reference::rmsNorm(a, g, epsilon), weight.given());
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
            device().rmsNorm(rows, columns, 1e-5f, x, gamma, rstd.floats(), y);
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

    void activationsOfAllKinds() {
        RandomInputs in;
        for (const Activation f : everyActivation) {
            const auto size = std::size_t(in.whole(1, 900));
            const auto x = activations(in.floats(size, 4)), gradient = activations(in.floats(size));
            const auto output = poisoned(size, row().t);
            device().activate(f, std::int64_t(size), x, output);
            CLOSE(output, reference::activated(f, x.given()), 1e-6);
            Values wanted(size);
            for (std::size_t i = 0; i < size; ++i) wanted[i] = gradient.given()[i] * slope(f, x.given()[i]);
            device().activateGrad(f, std::int64_t(size), gradient, x);
            CLOSE(x, wanted, 1e-5);
        }
    }

    void gatesOfAllKinds() {
        RandomInputs in;
        std::vector<GateFunction> functions(std::begin(everyActivation), std::end(everyActivation));
        functions.emplace_back(0.1f * float(in.whole(1, 80)), 0.5f * float(in.whole(1, 5)));
        for (const GateFunction& f : functions) {
            const int rows = in.whole(1, 40), columns = someWidth(in, 200);
            const std::size_t size = std::size_t(rows) * columns;
            const auto joined = activations(in.floats(2 * size, 4)), gradient = activations(in.floats(size));
            const auto output = poisoned(size, row().t);
            device().gated(f, rows, columns, joined, output);
            CLOSE(output, reference::gated(f, joined.given(), columns), 1e-6);
            Values wanted(2 * size);
            for (std::size_t i = 0; i < size; ++i) {
                const std::size_t gate = i / columns * 2 * columns + i % columns, value = gate + columns;
                // Beyond a bound there is no slope, and differences do not reach across it.
                const double limit = f.limit > 0 ? f.limit : 1e6;
                const GateFunction inner = f.limit > 0 ? GateFunction(1e6f, f.alpha) : f;
                const double x = joined.given()[gate], open = std::min(x, limit);
                const double v = joined.given()[value], through = std::clamp(v, -limit, limit);
                const auto ofGate = [&](const Values& g) { return reference::gate(inner, g[0], through); };
                const auto ofValue = [&](const Values& y) { return reference::gate(inner, open, y[0]); };
                if (x <= limit) wanted[gate] = gradient.given()[i] * reference::numericGradient(ofGate, {x})[0];
                if (through == v) wanted[value] = gradient.given()[i] * reference::numericGradient(ofValue, {v})[0];
            }
            device().gatedGrad(f, rows, columns, gradient, joined);
            CLOSE(joined, wanted, 1e-5);
        }
    }

    /// Gates far from zero are open or closed, and give no value that is none.
    void largeGates() {
        const std::vector<float> gates{-120, -90, 90, 120, 1, 2, 3, 4};
        const auto joined = activations(gates);
        const auto output = poisoned(4, row().t);
        device().gated(Activation::Silu, 1, 4, joined, output);
        const std::vector<float> got = output.now();
        QVERIFY(std::abs(got[0]) < 1e-30 && std::abs(got[1]) < 1e-30);
        QCOMPARE(got[2], 270.0f);
        QCOMPARE(got[3], 480.0f);
        const auto ones = activations(std::vector<float>{1, 1, 1, 1});
        device().gatedGrad(Activation::Silu, 1, 4, ones, joined);
        for (const float value : joined.now()) QVERIFY(std::isfinite(value));
    }

    void rotaryEmbedding() {
        RandomInputs in;
        for (int round = 0; round < 4; ++round) {
            const RotaryShape shape = randomShape(in, 12);
            const std::size_t tokens = std::size_t(shape.samples) * shape.sequence;
            const auto joined = activations(in.floats(tokens * shape.joinedColumns()));
            const auto apart = poisoned(tokens * shape.apartColumns(), row().t);
            device().rotary(shape, joined, {}, apart);
            CLOSE(apart, reference::rotary(shape, joined.given()), 1e-6);
            const auto gradient = activations(in.floats(apart.size()));
            const auto got = poisoned(joined.size(), row().t);
            device().rotaryGrad(shape, gradient, {}, got, nullptr);
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
        device().rotaryGrad(shape, gradient, {}, got, nullptr);
        const auto loss = [&](const Values& v) {
            return reference::dot(reference::rotary(shape, v), gradient.given());
        };
        CLOSE(got, reference::numericGradient(loss, joined.given()), 1e-5);
    }

    /// Norms of queries and keys before they are turned, by differences of the formula. Heads of few numbers are
    /// ill-conditioned.
    void normsOfHeads() {
        RandomInputs in;
        for (const bool many : {false, true}) {
            RotaryShape shape = randomShape(in, 3);
            shape.width = 2 * in.whole(4, 9);
            if (many) shape.sequence = in.whole(60, 90), shape.heads = shape.keyHeads = 1;
            shape.split = in.whole(0, shape.sequence);
            const std::size_t tokens = std::size_t(shape.samples) * shape.sequence;
            const auto joined = activations(in.floats(tokens * shape.joinedColumns()));
            const auto queries = weights(in.floats(shape.width)), keys = weights(in.floats(shape.width));
            const float epsilon = in.coin() ? 1e-6f : 1e-2f;
            const HeadNorms norms{queries, keys, epsilon};
            const auto apart = poisoned(tokens * shape.apartColumns(), row().t);
            const auto turned = [&](const Values& x, const Values& q, const Values& k) {
                return reference::rotary(shape, reference::headsNormed(shape, x, q, k, epsilon));
            };
            device().rotary(shape, joined, norms, apart);
            CLOSE(apart, turned(joined.given(), queries.given(), keys.given()), 1e-5);
            const auto gradient = activations(in.floats(apart.size()));
            const auto sums = in.floats(2 * std::size_t(shape.width));
            const DeviceArray gotSums(device(), sums, DType::F32);
            const Values x = joined.given();
            const auto loss = [&](const Values& a, const Values& q, const Values& k) {
                return reference::dot(turned(a, q, k), gradient.given());
            };
            device().rotaryGrad(shape, gradient, norms, joined, gotSums.floats());
            if (!many)
                CLOSE(joined,
                      reference::numericGradient(
                          [&](const Values& v) { return loss(v, queries.given(), keys.given()); }, x),
                      5e-5);
            Values wanted =
                reference::numericGradient([&](const Values& v) { return loss(x, v, keys.given()); }, queries.given());
            const Values ofKeys =
                reference::numericGradient([&](const Values& v) { return loss(x, queries.given(), v); }, keys.given());
            wanted.insert(wanted.end(), ofKeys.begin(), ofKeys.end());
            CLOSE(gotSums, reference::sum(wanted, gotSums.given()), 5e-5);
        }
    }

    /// Where no head is another's, the gradient of what the forward made is what it was made of, but for values, which
    /// are not turned. Far positions too.
    void turningBackUndoesIt() {
        RandomInputs in;
        RotaryShape shape = randomShape(in, 100);
        shape.keyHeads = shape.heads;
        shape.second = 1 << 20;  // far away
        shape.angles.scaling = in.coin() ? RotaryAngles::Scaling::None : RotaryAngles::Scaling::ByTurns;
        const std::size_t tokens = std::size_t(shape.samples) * shape.sequence;
        const auto joined = activations(in.floats(tokens * shape.joinedColumns()));
        const auto apart = poisoned(tokens * shape.apartColumns(), row().t), back = poisoned(joined.size(), row().t);
        device().rotary(shape, joined, {}, apart);
        CLOSE(apart, reference::rotary(shape, joined.given()), 1e-6);
        device().rotaryGrad(shape, apart, {}, back, nullptr);
        CLOSE(back, joined.given(), 1e-5);
    }
};

QTEST_GUILESS_MAIN(LlamaKernelsTest)
#include "llama_kernels_test.moc"
