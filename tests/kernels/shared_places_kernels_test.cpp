// SPDX-License-Identifier: Apache-2.0
// The conformance test of all devices, as kernels_test: gates of context groups. Whatever members divide the tokens of
// samples, each of their tokens has the place that it has where one rank has all of them.
#include "tests/kernels/gate_rows.h"
#include "tests/support/wings.h"

#include <algorithm>
#include <limits>

using namespace shardlab::test;
using reference::Values;

namespace {

/// Rows of a matrix [tokens of all members, columns] that belong to a member.
template <class T>
std::vector<T> ofMember(const GateShape& shape, const std::vector<T>& all, int columns) {
    std::vector<T> own;
    for (int t = 0; t < shape.tokens(); ++t) {
        const auto begin = all.begin() + std::ptrdiff_t(shape.numberOf(t)) * columns;
        own.insert(own.end(), begin, begin + columns);
    }
    return own;
}

/// A member of a group after the first phase.
struct Member {
    GateShape shape;
    DeviceArray logits, groups;
    HeldRoutes routes;
};

}  // namespace

class SharedPlacesKernelsTest : public QObject, GateRows {
    Q_OBJECT

private:
    /// A gate with the tokens of whole samples, and its members.
    struct Group {
        GateShape whole;
        GateRule rule;
        std::vector<float> h, u;
        DeviceArray logits, groups, bias;
        HeldRoutes routes;
        std::vector<Member> members;

        GateScores scoresOf(const DeviceArray& experts, const DeviceArray& ofGroups) const {
            return {experts.floats(), rule.kind == GateKind::Hierarchical ? ofGroups.floats() : nullptr};
        }
    };

    Group decided(RandomInputs& in, const TriedGate& gate) const {
        GateShape whole = someShape(in, gate);
        const int members = in.whole(2, 4);
        whole.sequence = 2 * members * in.whole(1, 8);
        whole.capacity = in.whole(1, whole.sequence);
        const GateRule rule = someRule(in, gate, whole);
        std::vector<float> h = in.floats(std::size_t(whole.tokens()) * std::size_t(whole.experts), 2);
        const std::vector<float> u = in.floats(std::size_t(whole.tokens()) * std::size_t(whole.groups), 2);
        if (in.coin())  // of equal scores the lower number goes first, whoever has the token
            for (float& x : h) x = std::round(x);
        Group group{whole, rule, h, u, floats(h), floats(u), floats(someBias(in, gate, whole)), held(whole), {}};
        if (group.bias.size() > 0) group.rule.bias = group.bias.floats();
        route(whole, group.rule, group.scoresOf(group.logits, group.groups), group.routes.routes());
        for (int m = 0; m < members; ++m) {
            GateShape shape = whole;
            shape.sequence /= members;
            shape.members = members;
            shape.member = m;
            group.members.push_back({shape, floats(ofMember(shape, group.h, shape.experts)),
                                     floats(ofMember(shape, group.u, shape.groups)), held(shape)});
            const Member& made = group.members.back();
            Routes routes = made.routes.routes();
            if (expertsChoose(gate.kind)) routes.asks = nullptr;
            device().chooseExperts(shape, group.rule, group.scoresOf(made.logits, made.groups), routes);
        }
        place(group);
        return group;
    }

    void place(Group& group) const {
        const bool theirs = expertsChoose(group.rule.kind);
        std::vector<std::int32_t> asks;
        std::vector<float> ofAll(theirs ? group.h.size() : 0);
        const int experts = group.whole.experts;
        for (const Member& member : group.members) {
            const std::vector<std::int32_t> own = integers(device(), member.routes.asks);
            asks.insert(asks.end(), own.begin(), own.end());
            const std::vector<float> g = member.logits.now();
            for (int t = 0; theirs && t < member.shape.tokens(); ++t)
                std::copy_n(g.begin() + std::ptrdiff_t(t) * experts, experts,
                            ofAll.begin() + std::ptrdiff_t(member.shape.numberOf(t)) * experts);
        }
        const DeviceArray allAsks = tokens(asks), probabilities = floats(ofAll);
        for (const Member& member : group.members) {
            ToldChoices told;
            if (theirs) told.probabilities = probabilities.floats();
            else told.asks = allAsks.tokens();
            device().placeTokens(member.shape, group.rule, member.logits.floats(), told, member.routes.routes());
        }
    }

    void requireRowsOfOne(const Group& group, const Member& member, RandomInputs& in) const {
        const GateShape& shape = member.shape;
        const std::vector<std::int32_t> wanted = ofMember(shape, integers(device(), group.routes.rows), shape.choices);
        const std::vector<std::int32_t> rows = integers(device(), member.routes.rows),
                                        places = integers(device(), member.routes.places),
                                        begins = integers(device(), member.routes.begins),
                                        numbers = integers(device(), member.routes.numbers);
        int count = 0;
        for (std::size_t at = 0; at < rows.size(); ++at) {
            if (wanted[at] < 0) {
                TRUE_OF(rows[at] == wanted[at]);
                continue;
            }
            const auto row = std::size_t(rows[at]), expert = std::size_t(wanted[at] / group.whole.expertRows());
            TRUE_OF(rows[at] >= begins[expert] && rows[at] < begins[expert + 1] && rows[at] < shape.rows());
            TRUE_OF(places[row] == std::int32_t(at));
            TRUE_OF(numbers[row] == wanted[at] % group.whole.expertRows());
            ++count;
        }
        TRUE_OF(begins.front() == 0 && begins.back() == count);
        TRUE_OF(member.routes.weights.now() == ofMember(shape, group.routes.weights.now(), shape.choices));
    }

private Q_SLOTS:
    void initTestCase_data() { addRows(); }
    void initTestCase() { setKernelThreads(2); }
    void init() { takeRow(); }

    void membersHaveThePlacesOfOne_data() {
        QTest::addColumn<TriedGate>("gate");
        addTokensChoose(false);
        QTest::newRow("gshard, all") << TriedGate{.kind = GateKind::GShard, .drawn = false};
        addExpertsChoose();
    }
    void membersHaveThePlacesOfOne() {
        QFETCH(TriedGate, gate);
        RandomInputs in;
        const Group group = decided(in, gate);
        const auto experts = std::size_t(group.whole.experts);
        const DeviceArray ofOne = tokens(std::vector<std::int32_t>(2 * experts, 3)),
                          ofMembers = tokens(std::vector<std::int32_t>(2 * experts, 3)), takenOfOne = tokens({1, 0, 0}),
                          takenOfMembers = tokens({1, 0, 0});
        device().countLoad(group.whole, group.routes.routes(), ofOne.tokens());
        Routes counted = group.routes.routes();
        counted.rounds = nullptr;
        device().countTaken(group.whole, counted, takenOfOne.tokens());
        Values sums(2 * std::size_t(group.whole.samples) * experts);
        for (const Member& member : group.members) {
            requireRowsOfOne(group, member, in);
            if (QTest::currentTestFailed()) return;
            const std::vector<float> counts = member.routes.counts.now();
            for (std::size_t i = 0; i < counts.size(); ++i) sums[i] += double(counts[i]);
            device().countLoad(member.shape, member.routes.routes(), ofMembers.tokens());
            Routes own = member.routes.routes();
            own.rounds = nullptr;
            device().countTaken(member.shape, own, takenOfMembers.tokens());
        }
        CLOSE(group.routes.counts, sums, 1e-5);
        TRUE_OF(integers(device(), ofOne) == integers(device(), ofMembers));
        TRUE_OF(integers(device(), takenOfOne) == integers(device(), takenOfMembers));
    }

    /// With the counts of whole samples, and the balance's factor for a sample of so many more tokens.
    void gradientsAreThoseOfOne_data() { membersHaveThePlacesOfOne_data(); }
    void gradientsAreThoseOfOne() {
        QFETCH(TriedGate, gate);
        RandomInputs in;
        const Group group = decided(in, gate);
        const GateShape& whole = group.whole;
        const std::vector<float> given = in.floats(std::size_t(whole.tokens()) * std::size_t(whole.choices));
        const float balance = expertsChoose(gate.kind) ? 0 : 3, count = float(group.members.size());
        const DeviceArray weights = floats(given);
        device().routeGrad(whole, {gate.kind, balance}, group.routes.routes(), weights.floats(),
                           group.scoresOf(group.logits, group.groups), {});
        for (const Member& member : group.members) {
            Routes routes = member.routes.routes();
            routes.asked = group.routes.routes().asked;
            routes.sums = group.routes.routes().sums;
            const DeviceArray own = floats(ofMember(member.shape, given, whole.choices));
            device().routeGrad(member.shape, {gate.kind, balance / (count * count)}, routes, own.floats(),
                               group.scoresOf(member.logits, member.groups), {});
            const std::vector<float> wanted = ofMember(member.shape, group.logits.now(), whole.experts);
            CLOSE_ABOVE(member.logits, reference::toDouble(wanted), 2e-5, 0.1);
            if (gate.kind != GateKind::Hierarchical) continue;
            const std::vector<float> ofGroups = ofMember(member.shape, group.groups.now(), whole.groups);
            CLOSE_ABOVE(member.groups, reference::toDouble(ofGroups), 2e-5, 0.1);
        }
    }

    /// What is no number goes somewhere all the same.
    void notFiniteScoresStayInBounds_data() { membersHaveThePlacesOfOne_data(); }
    void notFiniteScoresStayInBounds() {
        QFETCH(TriedGate, gate);
        RandomInputs in;
        Group group = decided(in, gate);
        for (Member& member : group.members) {
            const std::vector<float> none(std::size_t(member.shape.tokens()) * std::size_t(member.shape.experts),
                                          std::numeric_limits<float>::quiet_NaN());
            member.logits.write(none);
            Routes routes = member.routes.routes();
            if (expertsChoose(gate.kind)) routes.asks = nullptr;
            device().chooseExperts(member.shape, group.rule, group.scoresOf(member.logits, member.groups), routes);
        }
        place(group);
        for (const Member& member : group.members) {
            const std::vector<std::int32_t> begins = integers(device(), member.routes.begins);
            TRUE_OF(begins.front() == 0 && std::ranges::is_sorted(begins) && begins.back() <= member.shape.rows());
            for (const std::int32_t row : integers(device(), member.routes.rows))
                TRUE_OF(row >= -1 - member.shape.experts && row < begins.back());
        }
    }
};

QTEST_GUILESS_MAIN(SharedPlacesKernelsTest)
#include "shared_places_kernels_test.moc"
