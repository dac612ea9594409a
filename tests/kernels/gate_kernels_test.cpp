// SPDX-License-Identifier: Apache-2.0
// The conformance test of all devices, as kernels_test: gates.
#include "tests/kernels/experts_reference.h"
#include "tests/kernels/gate_rows.h"
#include "tests/support/wings.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace shardlab::test;
using reference::toDouble;
using reference::Values;

class GateKernelsTest : public QObject, GateRows {
    Q_OBJECT

    /// Rows of tokens of all samples that were decided like this, packed by expert: of each expert sample after sample,
    /// in a sample all first choices before second ones.
    void requirePacked(const HeldRoutes& held, const reference::Decision& decision, RandomInputs& in) {
        const GateShape& shape = held.shape;
        std::vector<std::int32_t> begins{0}, rows(held.rows.size()), places;
        for (int e = 0; e < shape.experts; ++e) {
            for (int sample = 0; sample < shape.samples; ++sample)
                for (int j = 0; j < shape.choices; ++j)
                    for (int t = sample * shape.sequence; t < (sample + 1) * shape.sequence; ++t) {
                        if (decision.experts[std::size_t(t)][std::size_t(j)] != e) continue;
                        rows[std::size_t(t * shape.choices + j)] = std::int32_t(places.size());
                        places.push_back(t * shape.choices + j);
                    }
            begins.push_back(std::int32_t(places.size()));
        }
        TRUE_OF(integers(device(), held.begins) == begins);
        TRUE_OF(integers(device(), held.rows) == rows);
        TRUE_OF(integers(device(), held.places) == places);
    }
    /// Rows and places of tokens that were decided like this are each other's inverse, and no two have one row.
    void requirePlaces(GateKind kind, const HeldRoutes& held, const reference::Decision& decision, RandomInputs& in) {
        const GateShape& shape = held.shape;
        if (shape.dropless) return requirePacked(held, decision, in);
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
                if (!placed) {
                    const bool chosen = !expertsChoose(kind) && decision.takes(std::size_t(t), at);
                    TRUE_OF(row == (expertsChoose(kind) ? -1 : -1 - (chosen ? experts[at] : shape.experts)));
                    continue;
                }
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
        QTest::addColumn<TriedGate>("gate");
        addTokensChoose(false);
        addTokensChoose(true);
        QTest::newRow("gshard, all") << TriedGate{.kind = GateKind::GShard, .drawn = false};
    }
    void tokensChoose() {
        QFETCH(TriedGate, gate);
        requireChoices(gate);
    }

private:
    void requireChoices(const TriedGate& gate) {
        RandomInputs in;
        const GateKind kind = gate.kind;
        const bool grouped = kind == GateKind::Hierarchical, drawn = kind == GateKind::GShard && gate.drawn;
        const GateShape shape = someShape(in, gate);
        std::vector<float> h = in.floats(std::size_t(shape.tokens()) * std::size_t(shape.experts), 2);
        std::vector<float> u = in.floats(std::size_t(shape.tokens()) * std::size_t(shape.groups), 2);
        std::vector<float> b = someBias(in, gate, shape);
        if (in.coin()) {  // of equal scores the lower number goes first
            for (float& x : h) x = std::round(x);
            for (float& x : u) x = std::round(x);
            for (float& x : b) x = std::round(2 * x) / 2;
        }
        const DeviceArray logits = floats(h), groups = floats(u), bias = floats(b);
        const HeldRoutes routes = held(shape);
        GateRule rule = someRule(in, gate, shape);
        if (!b.empty()) rule.bias = bias.floats();
        route(shape, rule, {logits.floats(), grouped ? groups.floats() : nullptr}, routes.routes());
        const reference::Scores scores = scoresOf(gate, logits, h, u, b);
        const Values draws = drawn ? reference::drawsOf(rule.key, rule.firstRow, shape.tokens()) : Values{};
        const reference::Decision decision = reference::decide(shape, kind, scores, draws);
        requirePlaces(kind, routes, decision, in);
        if (QTest::currentTestFailed()) return;
        const Values g = reference::gates(shape, kind, decision, scores);
        CLOSE(logits, g, 1e-5);
        if (grouped) CLOSE(groups, reference::groupGates(shape, decision, scores), 1e-5);
        const Values chosen = reference::outputWeights(shape, kind, decision, scores, double(rule.scale));
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
        for (int twice = 0; twice < 2; ++twice) device().countLoad(shape, routes.routes(), counted.tokens());
        for (int sample = 0; sample < shape.samples; ++sample)
            for (int e = 0; e < shape.experts; ++e) {
                const int asked = decision.asked(shape, sample, e);
                tally[std::size_t(e)] += 2 * asked;
                tally[std::size_t(shape.experts + e)] += 2 * std::max(0, asked - shape.capacity);
            }
        TRUE_OF(integers(device(), counted) == tally);
    }

    /// Sigmoid: the device's own G, rounded as it is, decides.
    static reference::Scores scoresOf(const TriedGate& gate, const DeviceArray& probabilities,
                                      const std::vector<float>& h, const std::vector<float>& u,
                                      const std::vector<float>& bias) {
        reference::Scores scores{toDouble(h), toDouble(u)};
        if (gate.kind == GateKind::Sigmoid) {
            scores.gates = toDouble(probabilities.now());
            scores.bias = toDouble(bias);
        }
        return scores;
    }
private Q_SLOTS:
    void expertsTakeTokens_data() {
        QTest::addColumn<TriedGate>("gate");
        addExpertsChoose();
    }
    void expertsTakeTokens() {
        QFETCH(TriedGate, gate);
        RandomInputs in;
        const GateShape shape = someShape(in, gate);
        const GateRule rule = someRule(in, gate, shape);
        const std::vector<float> h = in.floats(std::size_t(shape.tokens()) * std::size_t(shape.experts));
        const DeviceArray logits = floats(h);
        const HeldRoutes routes = held(shape);
        route(shape, rule, {logits.floats()}, routes.routes());
        const Values g = reference::softmaxOfRows(toDouble(h), shape.experts);
        CLOSE(logits, g, 1e-5);
        CLOSE(routes.weights, g, 1e-5);
        // The device's own probabilities, rounded as they are, decide, or its own assignment.
        const bool capped = rule.kind == GateKind::CappedChoice;
        const reference::Decision decision =
            reference::expertsTake(shape, capped ? routes.assigned.now() : logits.now());
        requirePlaces(rule.kind, routes, decision, in);
        const std::vector<float> counts = routes.counts.now();
        for (std::size_t i = 0; i < counts.size() / 2; ++i) QCOMPARE(counts[i], float(shape.capacity));

        std::vector<std::int32_t> taken{5, 0, 0};
        const DeviceArray counted = tokens(taken);
        for (int twice = 0; twice < 2; ++twice) device().countTaken(shape, routes.routes(), counted.tokens());
        const std::vector<std::int32_t> rows = integers(device(), routes.rows);
        for (auto row = rows.begin(); row != rows.end(); row += shape.experts) {
            const auto experts = std::int32_t(std::count_if(row, row + shape.experts, [](int r) { return r >= 0; }));
            taken[0] += experts == 0 ? 2 : 0;
            taken[1] = std::max(taken[1], experts);
        }
        const std::vector<std::int32_t> rounds = integers(device(), routes.rounds);
        taken[2] = *std::max_element(rounds.begin(), rounds.end());  // of another gate what stood there before
        TRUE_OF(integers(device(), counted) == taken);
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
        GateShape shape = someShape(in, {.kind = GateKind::CappedChoice});
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
        route(shape, rule, {logits.floats()}, routes.routes());
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
        route(shape, rule, {once.floats()}, again.routes());
        TRUE_OF(again.assigned.now() == assigned && integers(device(), again.rounds) == taken);
    }

    void gradient_data() {
        QTest::addColumn<TriedGate>("gate");
        addTokensChoose(false);
        addTokensChoose(true);
        addExpertsChoose();
    }
    void gradient() {
        QFETCH(TriedGate, gate);
        RandomInputs in;
        const GateKind kind = gate.kind;
        GateShape shape = someShape(in, gate);
        shape.sequence = std::min(shape.sequence, 12);
        if (shape.groups > 1) {
            const int each = (shape.choices + shape.groupChoices - 1) / shape.groupChoices;
            const int inGroup = std::max(each, std::min(shape.experts / shape.groups, 5));
            shape.groups = std::max(shape.groupChoices, std::min(shape.groups, 4));
            shape.experts = shape.groups * inGroup;
        }
        shape.experts = std::min(shape.experts, 40);
        shape.samples = std::min(shape.samples, 2);
        const bool grouped = kind == GateKind::Hierarchical;
        shape.capacity = std::min(shape.capacity, shape.sequence);
        const bool theirs = expertsChoose(kind);
        if (theirs) shape.choices = shape.experts;
        const auto scores = std::size_t(shape.tokens()) * std::size_t(shape.experts);
        const std::vector<float> h = in.floats(scores), slope = in.floats(scores);
        const std::vector<float> weightGradient = in.floats(std::size_t(shape.tokens()) * std::size_t(shape.choices));
        const float balance = theirs ? 0 : 3;
        const std::vector<float> u = in.floats(std::size_t(shape.tokens()) * std::size_t(shape.groups));
        const std::vector<float> groupSlope = in.floats(u.size());
        const DeviceArray logits = floats(h), noise = floats(slope), given = floats(weightGradient);
        const std::vector<float> b = someBias(in, gate, shape);
        const DeviceArray groups = floats(u), groupNoise = floats(groupSlope), bias = floats(b);
        const HeldRoutes routes = held(shape);
        GateRule rule = someRule(in, gate, shape);
        if (!b.empty()) rule.bias = bias.floats();
        const GateScores probabilities{logits.floats(), grouped ? groups.floats() : nullptr};
        route(shape, rule, probabilities, routes.routes());
        const reference::Scores given64 = scoresOf(gate, logits, h, u, b);
        const Values draws =
            kind == GateKind::GShard ? reference::drawsOf(rule.key, rule.firstRow, shape.tokens()) : Values{};
        const reference::Decision decision =
            theirs
                ? reference::expertsTake(shape, kind == GateKind::CappedChoice ? routes.assigned.now() : logits.now())
                : reference::decide(shape, kind, given64, draws);
        device().routeGrad(shape, {kind, balance}, routes.routes(), given.floats(), probabilities,
                           {noise.floats(), grouped ? groupNoise.floats() : nullptr});
        const auto lossOf = [&](const reference::Scores& moved) {
            const Values all = reference::gates(shape, kind, decision, moved);
            const Values g = reference::outputWeights(shape, kind, decision, moved, double(rule.scale));
            double sum = balance * reference::balanceLoss(shape, kind, decision, all);
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
        // One choice's share is 1 whatever its score, and the balance may be even: what rounding leaves of these is no
        // share of nothing.
        const double least = sharesChosen(kind) ? 0.3 : 1e-9;
        CLOSE_ABOVE(logits, wanted, 2e-5, least);
        Values ofNoise;
        for (std::size_t i = 0; i < wanted.size(); ++i) ofNoise.push_back(wanted[i] * slope[i]);
        CLOSE_ABOVE(noise, ofNoise, 2e-5, least);
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
    void notFiniteScoresStayInBounds_data() {
        QTest::addColumn<TriedGate>("gate");
        addTokensChoose(false);
        addTokensChoose(true);
        addExpertsChoose();
    }
    void notFiniteScoresStayInBounds() {
        QFETCH(TriedGate, gate);
        RandomInputs in;
        const GateShape shape = someShape(in, gate);
        std::vector<float> h(std::size_t(shape.tokens()) * std::size_t(shape.experts),
                             std::numeric_limits<float>::quiet_NaN());
        if (gate.kind != GateKind::Sigmoid) h[0] = std::numeric_limits<float>::infinity();  // its sigmoid is a number
        const DeviceArray logits = floats(h), bias = floats(someBias(in, gate, shape));
        const DeviceArray groups = floats(std::vector<float>(std::size_t(shape.tokens() * shape.groups), h.back()));
        const HeldRoutes routes = held(shape);
        GateRule rule = someRule(in, gate, shape);
        if (bias.size() > 0) rule.bias = bias.floats();
        const bool grouped = gate.kind == GateKind::Hierarchical;
        route(shape, rule, {logits.floats(), grouped ? groups.floats() : nullptr}, routes.routes());
        const int least = expertsChoose(gate.kind) ? -1 : -1 - shape.experts;
        for (const std::int32_t row : integers(device(), routes.rows)) TRUE_OF(row >= least && row < shape.rows());
        for (const std::int32_t place : integers(device(), routes.places))
            TRUE_OF(place >= -1 && place < shape.tokens() * shape.choices);
        TRUE_OF(std::ranges::any_of(routes.weights.now(), [](float w) { return !std::isfinite(w); }));
    }

    /// An expert whose score is no number is chosen by none who can choose another; groups in which only such ones are
    /// left come last.
    void whatIsNoNumberComesLast_data() {
        QTest::addColumn<TriedGate>("gate");
        QTest::newRow("switch") << TriedGate{.kind = GateKind::Switch, .dropless = true};
        QTest::newRow("top k softmax") << TriedGate{.kind = GateKind::TopKSoftmax, .dropless = true};
        QTest::newRow("noisy top k") << TriedGate{.kind = GateKind::NoisyTopK, .dropless = true};
        QTest::newRow("sigmoid") << TriedGate{.kind = GateKind::Sigmoid, .dropless = true, .grouped = false};
        QTest::newRow("sigmoid in groups") << TriedGate{.kind = GateKind::Sigmoid, .dropless = true};
    }
    void whatIsNoNumberComesLast() {
        QFETCH(TriedGate, gate);
        RandomInputs in;
        const GateShape shape = someShape(in, gate);
        const int inGroup = shape.experts / shape.groups;
        // A token finds enough experts whose scores are numbers, in as many groups as it takes or among all experts.
        std::vector<float> h = in.floats(std::size_t(shape.tokens()) * std::size_t(shape.experts));
        for (int t = 0; t < shape.tokens(); ++t) {
            const int shift = in.whole(0, shape.experts);
            for (int e = 0; e < shape.experts; ++e) {
                const bool kept = shape.groups > 1 ? (e / inGroup + shift) % shape.groups < shape.groupChoices
                                                   : (e + shift) % shape.experts < shape.choices;
                if (!kept) h[std::size_t(t * shape.experts + e)] = std::numeric_limits<float>::quiet_NaN();
            }
        }
        const DeviceArray logits = floats(h), bias = floats(someBias(in, gate, shape));
        const HeldRoutes routes = held(shape);
        GateRule rule = someRule(in, gate, shape);
        if (bias.size() > 0) rule.bias = bias.floats();
        route(shape, rule, {logits.floats()}, routes.routes());
        const std::vector<std::int32_t> begins = integers(device(), routes.begins);
        const std::vector<std::int32_t> rows = integers(device(), routes.rows);
        for (std::size_t at = 0; at < rows.size(); ++at) {
            const auto expert = std::size_t(std::ranges::upper_bound(begins, rows[at]) - begins.begin()) - 1;
            TRUE_OF(!std::isnan(h[at / std::size_t(shape.choices) * std::size_t(shape.experts) + expert]));
        }
    }

    /// Dropless a row is known by its token, among those of all members of a context group.
    void rowsAreKnownByTheirTokens() {
        for (const bool shares : {false, true}) {
            RandomInputs in;
            const TriedGate gate{.kind = GateKind::TopKSoftmax, .dropless = true};
            GateShape shape = someShape(in, gate);
            const GateRule rule = someRule(in, gate, shape);
            if (shares) {
                shape.sequence += shape.sequence % 2;
                shape.members = 3;
                shape.member = in.whole(0, 2);
                shape.capacity = shape.wholeSequence();
            }
            const DeviceArray logits = floats(in.floats(std::size_t(shape.tokens()) * std::size_t(shape.experts)));
            const HeldRoutes routes = held(shape);
            route(shape, rule, {logits.floats()}, routes.routes());
            const std::vector<std::int32_t> places = integers(device(), routes.places);
            const std::vector<std::int32_t> numbers = integers(device(), routes.numbers);
            for (std::size_t row = 0; row < places.size(); ++row) {
                const int token = places[row] / shape.choices, within = token % shape.sequence;
                const int piece = shape.sequence / 2, whole = shape.members * shape.sequence;
                const int position = !shares          ? within
                                     : within < piece ? shape.member * piece + within
                                                      : whole - (shape.member + 1) * piece + within - piece;
                TRUE_OF(numbers[row] == token / shape.sequence * whole + position);
            }
        }
    }
};

QTEST_GUILESS_MAIN(GateKernelsTest)
#include "gate_kernels_test.moc"
