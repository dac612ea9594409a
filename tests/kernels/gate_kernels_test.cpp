// SPDX-License-Identifier: Apache-2.0
// The conformance test of all devices, as kernels_test: gates, and the ways of tokens to experts and back.
#include "tests/kernels/experts_reference.h"
#include "tests/kernels/kernel_rows.h"
#include "tests/support/wings.h"

#include <cmath>
#include <limits>

using namespace shardlab::test;
using reference::toDouble;
using reference::Values;

namespace {

/// Routes on a device, and what they say.
struct HeldRoutes {
    DeviceArray weights, rows, places, counts;
    GateShape shape;
    DeviceArray assigned, rounds;

    Routes routes() const {
        return {weights.floats(),
                rows.tokens(),
                places.tokens(),
                counts.floats(),
                counts.floats() + shape.samples * shape.experts,
                assigned.floats(),
                rounds.tokens()};
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

    static bool theyChoose(GateKind kind) { return kind == GateKind::ExpertChoice || kind == GateKind::CappedChoice; }
    /// With a cap that leaves places for all, or just so.
    static GateRule someRule(RandomInputs& in, GateKind kind, const GateShape& shape) {
        GateRule rule{kind, true, 5, 3};
        const int least = (shape.experts * shape.capacity + shape.sequence - 1) / shape.sequence;
        rule.tokenExperts = in.coin() ? least : in.whole(least, shape.experts);
        rule.entropy = 0.1f * float(in.whole(1, 5));
        return rule;
    }
    static GateShape someShape(RandomInputs& in, GateKind kind) {
        GateShape shape{in.whole(1, 4), in.whole(1, 70), in.whole(2, 150), 1, 1};
        if (in.coin()) shape.experts = in.whole(2, 8);
        if (kind == GateKind::NoisyTopK) shape.choices = in.whole(2, std::min(shape.experts, 5));
        if (theyChoose(kind)) shape.choices = shape.experts;
        if (kind == GateKind::GShard) shape.choices = 2;
        if (kind == GateKind::Hierarchical) {
            const int inGroup = in.whole(2, in.coin() ? 5 : 40);
            shape.groups = in.whole(2, in.coin() ? 5 : 40);
            shape.experts = shape.groups * inGroup;
            shape.groupChoices = in.whole(2, std::min(shape.groups, 4));
            shape.choices = shape.groupChoices * in.whole(2, std::min(inGroup, 4));
        }
        const int asked = theyChoose(kind) ? 1 : shape.choices;
        shape.capacity = std::clamp(
            int(std::ceil((0.3 + 0.1 * in.whole(0, 20)) * asked * shape.sequence / shape.experts)), 1, shape.sequence);
        return shape;
    }
    HeldRoutes held(const GateShape& shape) const {
        const auto choices = std::size_t(shape.tokens()) * std::size_t(shape.choices);
        return {poisoned(choices),
                tokens(std::vector<std::int32_t>(choices, 12345)),
                tokens(std::vector<std::int32_t>(std::size_t(shape.rows()), 12345)),
                poisoned(2 * std::size_t(shape.samples) * std::size_t(shape.experts)),
                shape,
                poisoned(std::size_t(shape.tokens()) * std::size_t(shape.experts)),
                tokens(std::vector<std::int32_t>(std::size_t(shape.samples), 12345))};
    }
    /// Rows and places of tokens that were decided like this are each other's inverse, and no two have one row.
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
                TRUE_OF((row >= 0) == placed);
                if (!placed) continue;
                TRUE_OF(row < shape.rows() && row / shape.expertRows() == experts[at] &&
                        row % shape.expertRows() / shape.capacity == t / shape.sequence);
                TRUE_OF(wanted[std::size_t(row)] == -1);
                wanted[std::size_t(row)] = place;
            }
        TRUE_OF(places == wanted);
    }

private Q_SLOTS:
    void initTestCase_data() { addRows(); }
    void initTestCase() { setKernelThreads(2); }
    void init() { takeRow(); }

    void tokensChoose_data() {
        QTest::addColumn<int>("kind");
        QTest::addColumn<bool>("drawn");
        QTest::newRow("switch") << int(GateKind::Switch) << false;
        QTest::newRow("noisy top k") << int(GateKind::NoisyTopK) << false;
        QTest::newRow("hierarchical") << int(GateKind::Hierarchical) << false;
        QTest::newRow("gshard, drawn") << int(GateKind::GShard) << true;
        QTest::newRow("gshard, all") << int(GateKind::GShard) << false;
    }
    void tokensChoose() {
        QFETCH(int, kind);
        QFETCH(bool, drawn);
        requireChoices(GateKind(kind), drawn);
    }

private:
    void requireChoices(GateKind kind, bool drawn) {
        RandomInputs in;
        const bool grouped = kind == GateKind::Hierarchical;
        const GateShape shape = someShape(in, kind);
        std::vector<float> h = in.floats(std::size_t(shape.tokens()) * std::size_t(shape.experts), 2);
        const bool ties = in.coin();  // of equal scores the lower number goes first
        if (ties)
            for (float& x : h) x = std::round(x);
        std::vector<float> u = in.floats(std::size_t(shape.tokens()) * std::size_t(shape.groups), 2);
        if (ties)
            for (float& x : u) x = std::round(x);
        const DeviceArray logits = floats(h), groups = floats(u);
        const HeldRoutes routes = held(shape);
        const GateRule rule{kind, drawn, 99, 7};
        device().route(shape, rule, {logits.floats(), grouped ? groups.floats() : nullptr}, routes.routes());
        const reference::Scores scores{toDouble(h), toDouble(u)};
        const Values draws = drawn ? reference::drawsOf(rule.key, rule.firstRow, shape.tokens()) : Values{};
        const reference::Decision decision = reference::decide(shape, kind, scores, draws);
        requirePlaces(routes, decision, in);
        if (QTest::currentTestFailed()) return;
        const Values g = reference::gates(shape, kind, decision, scores);
        CLOSE(logits, g, 1e-5);
        if (grouped) CLOSE(groups, reference::groupGates(shape, decision, scores), 1e-5);
        const Values chosen = reference::outputWeights(shape, kind, decision, scores);
        Values weights, counts;
        for (std::size_t t = 0; t < decision.experts.size(); ++t)
            for (const int e : decision.experts[t])
                weights.push_back(chosen[t * std::size_t(shape.experts) + std::size_t(e)]);
        CLOSE(routes.weights, weights, 1e-5);
        for (int sample = 0; sample < shape.samples; ++sample)
            for (int e = 0; e < shape.experts; ++e) counts.push_back(decision.asked(shape, sample, e));
        for (int sample = 0; sample < shape.samples; ++sample)
            for (int e = 0; e < shape.experts; ++e) {
                counts.push_back(kind == GateKind::GShard ? decision.asked(shape, sample, e, true) : 0);
                if (kind == GateKind::GShard) continue;
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
        TRUE_OF(integers(device(), counted) == tally);
    }

private Q_SLOTS:

    void expertsChoose_data() {
        QTest::addColumn<int>("kind");
        QTest::newRow("expert choice") << int(GateKind::ExpertChoice);
        QTest::newRow("capped") << int(GateKind::CappedChoice);
    }
    void expertsChoose() {
        QFETCH(int, kind);
        RandomInputs in;
        const GateShape shape = someShape(in, GateKind(kind));
        const GateRule rule = someRule(in, GateKind(kind), shape);
        const std::vector<float> h = in.floats(std::size_t(shape.tokens()) * std::size_t(shape.experts));
        const DeviceArray logits = floats(h);
        const HeldRoutes routes = held(shape);
        device().route(shape, rule, {logits.floats()}, routes.routes());
        const Values g = reference::softmaxOfRows(toDouble(h), shape.experts);
        CLOSE(logits, g, 1e-5);
        CLOSE(routes.weights, g, 1e-5);
        // The device's own probabilities, rounded as they are, decide, or its own assignment.
        const bool capped = rule.kind == GateKind::CappedChoice;
        const reference::Decision decision =
            reference::expertsTake(shape, capped ? routes.assigned.now() : logits.now());
        requirePlaces(routes, decision, in);
        const std::vector<float> counts = routes.counts.now();
        for (std::size_t i = 0; i < counts.size() / 2; ++i) QCOMPARE(counts[i], float(shape.capacity));
    }

    /// What is assigned holds to its constraints and is the maximum: near that which slow projections in double
    /// precision come to. It is the same to the bit whenever it is asked for.
    void assignment_data() {
        QTest::addColumn<int>("cap");
        QTest::newRow("as tight as can be") << 0;
        QTest::newRow("tight") << 1;
        QTest::newRow("no cap") << 2;
    }
    void assignment() {
        QFETCH(int, cap);
        RandomInputs in;
        GateShape shape = someShape(in, GateKind::CappedChoice);
        shape.samples = std::min(shape.samples, 2);
        shape.experts = shape.choices = in.whole(2, in.coin() ? 4 : 16);
        shape.sequence = in.whole(4, 24);
        GateRule rule{GateKind::CappedChoice};
        rule.entropy = 0.1f * float(in.whole(1, 5));
        rule.tokenExperts = cap == 2 ? shape.experts : in.whole(1, shape.experts);
        const int most = std::min(shape.sequence, shape.sequence * rule.tokenExperts / shape.experts);
        shape.capacity = cap == 0 && most > 0 ? most : std::max(1, in.whole(most / 2, std::max(1, most * 9 / 10)));
        if (most < 1) rule.tokenExperts = shape.experts;
        const std::vector<float> h =
            in.floats(std::size_t(shape.tokens()) * std::size_t(shape.experts), in.coin() ? 1 : 5);
        const DeviceArray logits = floats(h);
        const HeldRoutes routes = held(shape);
        device().route(shape, rule, {logits.floats()}, routes.routes());
        const Values g = reference::softmaxOfRows(toDouble(h), shape.experts);
        const std::vector<float> assigned = routes.assigned.now();
        const std::vector<std::int32_t> taken = integers(device(), routes.rounds);
        const double tolerance = 1.02 * cappedTolerance, k = shape.capacity, b = rule.tokenExperts;
        const auto a = [&](int t, int e) { return double(assigned[std::size_t(t * shape.experts + e)]); };
        for (const float value : assigned) TRUE_OF(value >= 0 && value <= 1);
        for (int sample = 0; sample < shape.samples; ++sample) {
            const int first = sample * shape.sequence;
            for (int e = 0; e < shape.experts; ++e) {
                double sum = 0;
                for (int t = first; t < first + shape.sequence; ++t) sum += a(t, e);
                TRUE_OF(std::abs(sum - k) <= tolerance * k);
            }
            for (int t = first; t < first + shape.sequence; ++t) {
                double sum = 0;
                for (int e = 0; e < shape.experts; ++e) sum += a(t, e);
                TRUE_OF(sum <= b * (1 + tolerance));
            }
            const int found = taken[std::size_t(sample)];
            TRUE_OF(found >= 1 && found < cappedRounds);
            // A round may be near enough for one number's rounding and not for the other's, and the next good one be
            // far away.
            const auto rounds = [&](double times) {
                return reference::assign(shape, rule, g, sample, cappedRelaxation, times * cappedTolerance).rounds;
            };
            const int roundsAtLeast = rounds(1.02), roundsAtMost = rounds(0.98);
            QVERIFY2(found >= roundsAtLeast && found <= roundsAtMost, qPrintable(QString("%1 rounds, not %2 to %3, %4")
                                                                                     .arg(found)
                                                                                     .arg(roundsAtLeast)
                                                                                     .arg(roundsAtMost)
                                                                                     .arg(in.seed())));
            const reference::Assignment best = reference::assign(shape, rule, g, sample, 1, 1e-5);
            double off = 0, got = 0, wanted = 0;
            const auto worth = [&](double value, double score) {
                return value > 0 ? value * score - double(rule.entropy) * value * std::log(value) : 0.0;
            };
            for (int t = first; t < first + shape.sequence; ++t)
                for (int e = 0; e < shape.experts; ++e) {
                    const double value = best.values[std::size_t((t - first) * shape.experts + e)];
                    const double score = g[std::size_t(t * shape.experts + e)];
                    off = std::max(off, std::abs(a(t, e) - value));
                    got += worth(a(t, e), score);
                    wanted += worth(value, score);
                }
            QVERIFY2(off < 0.05 && std::abs(got - wanted) < 5e-3 * std::abs(wanted) + 5e-3,
                     qPrintable(QString("off by %1, worth %2 of %3, %4").arg(off).arg(got).arg(wanted).arg(in.seed())));
        }
        const DeviceArray once = floats(h);
        const HeldRoutes again = held(shape);
        device().route(shape, rule, {once.floats()}, again.routes());
        TRUE_OF(again.assigned.now() == assigned && integers(device(), again.rounds) == taken);
    }

    void gradient_data() {
        QTest::addColumn<int>("kind");
        QTest::newRow("switch") << int(GateKind::Switch);
        QTest::newRow("noisy top k") << int(GateKind::NoisyTopK);
        QTest::newRow("hierarchical") << int(GateKind::Hierarchical);
        QTest::newRow("gshard") << int(GateKind::GShard);
        QTest::newRow("expert choice") << int(GateKind::ExpertChoice);
        QTest::newRow("capped") << int(GateKind::CappedChoice);
    }
    void gradient() {
        QFETCH(int, kind);
        RandomInputs in;
        const auto gate = GateKind(kind);
        GateShape shape = someShape(in, gate);
        shape.sequence = std::min(shape.sequence, 12);
        const int each = shape.choices / shape.groupChoices, inGroup = shape.experts / shape.groups;
        if (gate == GateKind::Hierarchical) {
            shape.groups = std::max(shape.groupChoices, std::min(shape.groups, 4));
            shape.experts = shape.groups * std::max(each, std::min(inGroup, 5));
        }
        shape.experts = std::min(shape.experts, 40);
        shape.samples = std::min(shape.samples, 2);
        const bool grouped = gate == GateKind::Hierarchical;
        shape.capacity = std::min(shape.capacity, shape.sequence);
        const bool theirs = theyChoose(gate);
        if (theirs) shape.choices = shape.experts;
        const auto scores = std::size_t(shape.tokens()) * std::size_t(shape.experts);
        const std::vector<float> h = in.floats(scores), slope = in.floats(scores);
        const std::vector<float> weightGradient = in.floats(std::size_t(shape.tokens()) * std::size_t(shape.choices));
        const float balance = theirs ? 0 : 3;
        const std::vector<float> u = in.floats(std::size_t(shape.tokens()) * std::size_t(shape.groups));
        const std::vector<float> groupSlope = in.floats(u.size());
        const DeviceArray logits = floats(h), noise = floats(slope), given = floats(weightGradient);
        const DeviceArray groups = floats(u), groupNoise = floats(groupSlope);
        const HeldRoutes routes = held(shape);
        const GateRule rule = someRule(in, gate, shape);
        const GateScores probabilities{logits.floats(), grouped ? groups.floats() : nullptr};
        device().route(shape, rule, probabilities, routes.routes());
        const reference::Scores given64{toDouble(h), toDouble(u)};
        const Values draws =
            gate == GateKind::GShard ? reference::drawsOf(rule.key, rule.firstRow, shape.tokens()) : Values{};
        const reference::Decision decision =
            theirs
                ? reference::expertsTake(shape, gate == GateKind::CappedChoice ? routes.assigned.now() : logits.now())
                : reference::decide(shape, gate, given64, draws);
        device().routeGrad(shape, {gate, balance}, routes.routes(), given.floats(), probabilities,
                           {noise.floats(), grouped ? groupNoise.floats() : nullptr});
        const auto lossOf = [&](const reference::Scores& moved) {
            const Values all = reference::gates(shape, gate, decision, moved);
            const Values g = reference::outputWeights(shape, gate, decision, moved);
            double sum = balance * reference::balanceLoss(shape, gate, decision, all);
            for (std::size_t t = 0; t < decision.experts.size(); ++t)
                for (std::size_t j = 0; j < decision.experts[t].size(); ++j) {
                    const auto e = std::size_t(decision.experts[t][j]);
                    const std::size_t choice = theirs ? e : j;
                    if (decision.placed[t][j])
                        sum += weightGradient[t * std::size_t(shape.choices) + choice] *
                               g[t * std::size_t(shape.experts) + e];
                }
            return sum;
        };
        const Values wanted = reference::numericGradient(
            [&](const Values& moved) {
                return lossOf({moved, given64.groups});
            },
            given64.experts);
        CLOSE(logits, wanted, 2e-5);
        Values ofNoise;
        for (std::size_t i = 0; i < wanted.size(); ++i) ofNoise.push_back(wanted[i] * slope[i]);
        CLOSE(noise, ofNoise, 2e-5);
        if (!grouped) return;
        const Values ofGroups = reference::numericGradient(
            [&](const Values& moved) {
                return lossOf({given64.experts, moved});
            },
            given64.groups);
        CLOSE(groups, ofGroups, 2e-5);
        Values ofGroupNoise;
        for (std::size_t i = 0; i < ofGroups.size(); ++i) ofGroupNoise.push_back(ofGroups[i] * groupSlope[i]);
        CLOSE(groupNoise, ofGroupNoise, 2e-5);
    }

    /// What is no number goes somewhere all the same, and shows in the weights.
    void notFiniteScoresStayInBounds() {
        RandomInputs in;
        for (const GateKind kind : {GateKind::Switch, GateKind::NoisyTopK, GateKind::Hierarchical, GateKind::GShard,
                                    GateKind::ExpertChoice, GateKind::CappedChoice}) {
            const GateShape shape = someShape(in, kind);
            std::vector<float> h(std::size_t(shape.tokens()) * std::size_t(shape.experts),
                                 std::numeric_limits<float>::quiet_NaN());
            h[0] = std::numeric_limits<float>::infinity();
            const DeviceArray logits = floats(h);
            const DeviceArray groups = floats(std::vector<float>(std::size_t(shape.tokens() * shape.groups), h.back()));
            const HeldRoutes routes = held(shape);
            const bool grouped = kind == GateKind::Hierarchical;
            device().route(shape, someRule(in, kind, shape), {logits.floats(), grouped ? groups.floats() : nullptr},
                           routes.routes());
            for (const std::int32_t row : integers(device(), routes.rows)) TRUE_OF(row >= -1 && row < shape.rows());
            for (const std::int32_t place : integers(device(), routes.places))
                TRUE_OF(place >= -1 && place < shape.tokens() * shape.choices);
            TRUE_OF(std::ranges::any_of(routes.weights.now(), [](float w) { return !std::isfinite(w); }));
        }
    }

    void rowsOnTheirWay() {
        RandomInputs in;
        const int tokenCount = in.whole(1, 90), choices = in.whole(1, 4), rows = in.whole(1, 120),
                  columns = someWidth(in, 300);
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
        const DeviceArray x = activations(in.floats(std::size_t(tokenCount) * wide)),
                          y = activations(in.floats(std::size_t(rows) * wide));
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
                    wanted[r * wide + c] =
                        factor(std::size_t(places[r])) * x.given()[std::size_t(places[r] / choices) * wide + c];
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
