// SPDX-License-Identifier: Apache-2.0
// The conformance test of all devices, as kernels_test: gates, and the ways of tokens to experts and back.
#include "tests/train/experts_reference.h"
#include "tests/train/kernel_rows.h"

#include <cmath>
#include <limits>

using namespace shardlab;
using reference::toDouble;
using reference::Values;

#define TRUE_HERE(condition) QVERIFY2(condition, qPrintable(in.seed()))

namespace {

/// Routes on a device, and what they say.
struct HeldRoutes {
    DeviceArray weights, rows, places, counts;
    GateShape shape;

    Routes routes() const {
        return {weights.floats(), rows.tokens(), places.tokens(), counts.floats(), counts.floats() + shape.samples * shape.experts};
    }
};

std::vector<std::int32_t> integers(Device& device, const DeviceArray& array) {
    std::vector<std::int32_t> values(array.size());
    device.download(array.tokens(), values.data(), values.size() * sizeof(std::int32_t));
    return values;
}

}  // namespace

class GateKernelsTest : public QObject, KernelRows {
    Q_OBJECT

    static GateShape someShape(RandomInputs& in, GateKind kind) {
        GateShape shape{in.whole(1, 4), in.whole(1, 70), in.whole(2, 150), 1, 1};
        if (in.coin()) shape.experts = in.whole(2, 8);
        if (kind == GateKind::NoisyTopK) shape.choices = in.whole(2, std::min(shape.experts, 5));
        if (kind == GateKind::ExpertChoice) shape.choices = shape.experts;
        const int asked = kind == GateKind::ExpertChoice ? 1 : shape.choices;
        shape.capacity = std::clamp(int(std::ceil((0.3 + 0.1 * in.whole(0, 20)) * asked * shape.sequence / shape.experts)), 1,
                                    shape.sequence);
        return shape;
    }
    HeldRoutes held(const GateShape& shape) const {
        const auto choices = std::size_t(shape.tokens()) * std::size_t(shape.choices);
        return {poisoned(choices), tokens(std::vector<std::int32_t>(choices, 12345)),
                tokens(std::vector<std::int32_t>(std::size_t(shape.rows()), 12345)),
                poisoned(2 * std::size_t(shape.samples) * std::size_t(shape.experts)), shape};
    }
    /// ε of a matrix.
    std::vector<float> epsilon(int rows, int columns, std::uint64_t key, std::int64_t firstRow) const {
        const std::vector<float> zeros(std::size_t(rows) * std::size_t(columns));
        const DeviceArray noise = floats(zeros), logits = floats(zeros);
        device().gateNoise(rows, columns, key, firstRow, noise.floats(), logits.floats());
        std::vector<float> values = logits.now();
        for (float& value : values) value /= float(std::log(2.0));  // softplus of 0
        return values;
    }

    /// Of tokens that were decided like this: rows and places are each other's inverse, and no two have one row.
    void requirePlaces(const HeldRoutes& held, const reference::Decision& decision, RandomInputs& in) {
        const GateShape& shape = held.shape;
        const std::vector<std::int32_t> rows = integers(device(), held.rows), places = integers(device(), held.places);
        std::vector<std::int32_t> wanted(places.size(), -1);
        for (int t = 0; t < shape.tokens(); ++t)
            for (int j = 0; j < shape.choices; ++j) {
                const int place = t * shape.choices + j, row = rows[std::size_t(place)];
                const auto& experts = decision.experts[std::size_t(t)];
                std::size_t at = std::size_t(j);
                if (shape.choices == shape.experts && experts.size() != std::size_t(shape.choices))
                    at = std::size_t(std::ranges::find(experts, j) - experts.begin());  // experts chose
                const bool placed = at < experts.size() && decision.placed[std::size_t(t)][at];
                TRUE_HERE((row >= 0) == placed);
                if (!placed) continue;
                TRUE_HERE(row < shape.rows() && row / shape.expertRows() == experts[at] &&
                          row % shape.expertRows() / shape.capacity == t / shape.sequence);
                TRUE_HERE(wanted[std::size_t(row)] == -1);
                wanted[std::size_t(row)] = place;
            }
        TRUE_HERE(places == wanted);
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
        TRUE_HERE(std::abs(mean) < 0.04 && std::abs(square - 1) < 0.06 && std::abs(fourth - 3) < 0.4 && std::abs(beside) < 0.04);
        const int first = in.whole(1, rows - 2), some = in.whole(1, rows - first);
        const std::vector<float> part = epsilon(some, columns, key, 1000 + first);
        TRUE_HERE(std::equal(part.begin(), part.end(), all.begin() + first * columns));
        TRUE_HERE(epsilon(1, columns, key + 1, 1000) != std::vector<float>(all.begin(), all.begin() + columns));
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

    void tokensChoose_data() {
        QTest::addColumn<bool>("noisy");
        QTest::newRow("switch") << false;
        QTest::newRow("noisy top k") << true;
    }
    void tokensChoose() {
        QFETCH(bool, noisy);
        RandomInputs in;
        const GateKind kind = noisy ? GateKind::NoisyTopK : GateKind::Switch;
        const GateShape shape = someShape(in, kind);
        std::vector<float> h = in.floats(std::size_t(shape.tokens()) * std::size_t(shape.experts), 2);
        const bool ties = in.coin();  // of equal scores the lower number goes first
        if (ties)
            for (float& x : h) x = std::round(x);
        const DeviceArray logits = floats(h);
        const HeldRoutes routes = held(shape);
        device().route(shape, kind, logits.floats(), routes.routes());
        const reference::Decision decision = reference::decide(shape, kind, toDouble(h));
        requirePlaces(routes, decision, in);
        if (QTest::currentTestFailed()) return;
        const Values g = reference::gates(shape, kind, decision, toDouble(h));
        CLOSE(logits, g, 1e-5);
        Values weights, counts;
        for (std::size_t t = 0; t < decision.experts.size(); ++t)
            for (const int e : decision.experts[t]) weights.push_back(g[t * std::size_t(shape.experts) + std::size_t(e)]);
        CLOSE(routes.weights, weights, 1e-5);
        for (int sample = 0; sample < shape.samples; ++sample)
            for (int e = 0; e < shape.experts; ++e) counts.push_back(decision.asked(shape, sample, e));
        for (int sample = 0; sample < shape.samples; ++sample)
            for (int e = 0; e < shape.experts; ++e) {
                counts.push_back(0);
                for (int t = sample * shape.sequence; t < (sample + 1) * shape.sequence; ++t)
                    counts.back() += g[std::size_t(t * shape.experts + e)];
            }
        CLOSE(routes.counts, counts, 1e-5);

        std::vector<std::int32_t> tally(2 * std::size_t(shape.experts), 3);
        const DeviceArray counted = tokens(tally);
        for (int twice = 0; twice < 2; ++twice) device().countLoad(shape, routes.routes().asked, counted.tokens());
        for (int sample = 0; sample < shape.samples; ++sample)
            for (int e = 0; e < shape.experts; ++e) {
                const int asked = decision.asked(shape, sample, e);
                tally[std::size_t(e)] += 2 * asked;
                tally[std::size_t(shape.experts + e)] += 2 * std::max(0, asked - shape.capacity);
            }
        TRUE_HERE(integers(device(), counted) == tally);
    }

    void expertsChoose() {
        RandomInputs in;
        const GateShape shape = someShape(in, GateKind::ExpertChoice);
        const std::vector<float> h = in.floats(std::size_t(shape.tokens()) * std::size_t(shape.experts));
        const DeviceArray logits = floats(h);
        const HeldRoutes routes = held(shape);
        device().route(shape, GateKind::ExpertChoice, logits.floats(), routes.routes());
        const Values g = reference::softmaxOfRows(toDouble(h), shape.experts);
        CLOSE(logits, g, 1e-5);
        CLOSE(routes.weights, g, 1e-5);
        // The device's own probabilities, rounded as they are, decide.
        const reference::Decision decision = reference::expertsTake(shape, logits.now());
        requirePlaces(routes, decision, in);
        const std::vector<float> counts = routes.counts.now();
        for (std::size_t i = 0; i < counts.size() / 2; ++i) QCOMPARE(counts[i], float(shape.capacity));
    }

    void gradient_data() {
        QTest::addColumn<int>("kind");
        QTest::newRow("switch") << int(GateKind::Switch);
        QTest::newRow("noisy top k") << int(GateKind::NoisyTopK);
        QTest::newRow("expert choice") << int(GateKind::ExpertChoice);
    }
    void gradient() {
        QFETCH(int, kind);
        RandomInputs in;
        const auto gate = GateKind(kind);
        GateShape shape = someShape(in, gate);
        shape.sequence = std::min(shape.sequence, 12);
        shape.experts = std::min(shape.experts, 40);
        shape.capacity = std::min(shape.capacity, shape.sequence);
        if (gate == GateKind::ExpertChoice) shape.choices = shape.experts;
        const auto scores = std::size_t(shape.tokens()) * std::size_t(shape.experts);
        const std::vector<float> h = in.floats(scores), slope = in.floats(scores);
        const std::vector<float> weightGradient = in.floats(std::size_t(shape.tokens()) * std::size_t(shape.choices));
        const float balance = gate == GateKind::ExpertChoice ? 0 : 3;
        const DeviceArray logits = floats(h), noise = floats(slope), given = floats(weightGradient);
        const HeldRoutes routes = held(shape);
        device().route(shape, gate, logits.floats(), routes.routes());
        const reference::Decision decision = gate == GateKind::ExpertChoice ? reference::expertsTake(shape, logits.now())
                                                                            : reference::decide(shape, gate, toDouble(h));
        device().routeGrad(shape, {gate, balance}, routes.routes(), given.floats(), logits.floats(), noise.floats());
        const Values wanted = reference::numericGradient(
            [&](const Values& moved) {
                const Values g = reference::gates(shape, gate, decision, moved);
                double sum = balance * reference::balanceLoss(shape, gate, decision, g);
                for (std::size_t t = 0; t < decision.experts.size(); ++t)
                    for (std::size_t j = 0; j < decision.experts[t].size(); ++j) {
                        const auto e = std::size_t(decision.experts[t][j]);
                        const std::size_t choice = gate == GateKind::ExpertChoice ? e : j;
                        if (decision.placed[t][j])
                            sum += weightGradient[t * std::size_t(shape.choices) + choice] * g[t * std::size_t(shape.experts) + e];
                    }
                return sum;
            },
            toDouble(h));
        CLOSE(logits, wanted, 2e-5);
        Values ofNoise;
        for (std::size_t i = 0; i < wanted.size(); ++i) ofNoise.push_back(wanted[i] * slope[i]);
        CLOSE(noise, ofNoise, 2e-5);
    }

    /// What is no number goes somewhere all the same, and shows in the weights.
    void notFiniteScoresStayInBounds() {
        RandomInputs in;
        for (const GateKind kind : {GateKind::Switch, GateKind::NoisyTopK, GateKind::ExpertChoice}) {
            const GateShape shape = someShape(in, kind);
            std::vector<float> h(std::size_t(shape.tokens()) * std::size_t(shape.experts), std::numeric_limits<float>::quiet_NaN());
            h[0] = std::numeric_limits<float>::infinity();
            const DeviceArray logits = floats(h);
            const HeldRoutes routes = held(shape);
            device().route(shape, kind, logits.floats(), routes.routes());
            for (const std::int32_t row : integers(device(), routes.rows)) TRUE_HERE(row >= -1 && row < shape.rows());
            for (const std::int32_t place : integers(device(), routes.places))
                TRUE_HERE(place >= -1 && place < shape.tokens() * shape.choices);
            TRUE_HERE(std::ranges::any_of(routes.weights.now(), [](float w) { return !std::isfinite(w); }));
        }
    }

    void rowsOnTheirWay() {
        RandomInputs in;
        const int tokenCount = in.whole(1, 90), choices = in.whole(1, 4), rows = in.whole(1, 120), columns = someWidth(in, 300);
        const auto wide = std::size_t(columns);
        // Any injection of some places into rows.
        std::vector<std::int32_t> places(std::size_t(rows), -1), ofPlaces(std::size_t(tokenCount * choices), -1);
        for (int r = 0; r < rows; ++r) {
            const int place = in.whole(0, tokenCount * choices - 1);
            if (ofPlaces[std::size_t(place)] >= 0 || in.whole(0, 5) == 0) continue;
            places[std::size_t(r)] = place;
            ofPlaces[std::size_t(place)] = r;
        }
        const auto w = in.floats(ofPlaces.size());
        const DeviceArray x = activations(in.floats(std::size_t(tokenCount) * wide)), y = activations(in.floats(std::size_t(rows) * wide));
        const DeviceArray weights = floats(w), placesThere = tokens(places), rowsThere = tokens(ofPlaces);
        const bool weighted = in.coin();
        const float* const factors = weighted ? weights.floats() : nullptr;
        const auto factor = [&](std::size_t place) { return weighted ? double(w[place]) : 1.0; };

        const DeviceArray gathered = poisoned(std::size_t(rows) * wide, row().t);
        device().gatherRows(rows, columns, choices, placesThere.tokens(), factors, x, gathered);
        Values wanted(std::size_t(rows) * wide);
        for (std::size_t r = 0; r < places.size(); ++r)
            if (places[r] >= 0)
                for (std::size_t c = 0; c < wide; ++c)
                    wanted[r * wide + c] = factor(std::size_t(places[r])) * x.given()[std::size_t(places[r] / choices) * wide + c];
        CLOSE(gathered, wanted, 1e-6);

        const DeviceArray sums = poisoned(std::size_t(tokenCount) * wide, row().t);
        device().sumRows(tokenCount, columns, choices, rowsThere.tokens(), factors, y, sums);
        Values summed(std::size_t(tokenCount) * wide), dotted(ofPlaces.size());
        for (std::size_t place = 0; place < ofPlaces.size(); ++place)
            if (ofPlaces[place] >= 0)
                for (std::size_t c = 0; c < wide; ++c) {
                    const std::size_t t = place / std::size_t(choices);
                    const double other = y.given()[std::size_t(ofPlaces[place]) * wide + c];
                    summed[t * wide + c] += factor(place) * other;
                    dotted[place] += other * x.given()[t * wide + c];
                }
        CLOSE(sums, summed, 2e-6);

        const DeviceArray dots = poisoned(ofPlaces.size());
        device().dotRows(tokenCount, columns, choices, rowsThere.tokens(), y, x, dots.floats());
        CLOSE(dots, dotted, 1e-5);
    }
};

QTEST_GUILESS_MAIN(GateKernelsTest)
#include "gate_kernels_test.moc"
