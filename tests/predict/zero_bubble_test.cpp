// SPDX-License-Identifier: Apache-2.0
// What splitting the backward gains and what it costs, on a real model's costs and memory.
#include <QTest>
#include <algorithm>

#include "engine/layout/fault.h"
#include "engine/layout/presets.h"
#include "engine/predict/plan/plan.h"
#include "tests/support/wings.h"

using namespace shardlab::test;

namespace {

Plan planOf(const char* kind, int chunks, int inFlight = 0, void (*change)(Layout&) = nullptr) {
    Layout layout = findPreset("1f1b-4")->layout;
    if (change != nullptr) change(layout);
    layout.schedule.kind = kind;
    layout.schedule.chunks = chunks;
    layout.schedule.inFlight = inFlight;
    auto plan = makePlan(layout);
    if (!plan) qFatal("%s", toText(plan.error()).c_str());
    return *std::move(plan);
}

std::int64_t peakOf(const Plan& plan) { return std::ranges::max(plan.memory, {}, &RankMemory::peak).peak; }
int heldBy(const Plan& plan) {
    return std::ranges::max(plan.memory, {}, &RankMemory::microbatchesInFlight).microbatchesInFlight;
}

}  // namespace

class ZeroBubbleTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    /// Sequences long enough that the attention's probabilities, which the input gradient frees, weigh more than the
    /// gradients that wait for the weight gradient.
    void zbH1WaitsLessThanOneFOneBInTheSameMemory() {
        const auto wide = [](Layout& layout) { layout.model = {ModelKind::Gpt, 16, 256, 8, 256, 256, 0}; };
        const Plan plain = planOf("1f1b", 1, 0, wide), split = planOf("zb-h1", 1, 0, wide);
        qInfo("1f1b: bubble %.4f, peak %lld bytes; zb-h1: bubble %.4f, peak %lld bytes", plain.bubble,
              static_cast<long long>(peakOf(plain)), split.bubble, static_cast<long long>(peakOf(split)));
        QVERIFY(split.bubble < 0.75 * plain.bubble);
        QVERIFY(split.stepSeconds < plain.stepSeconds);
        QCOMPARE(heldBy(split), heldBy(plain));
        QVERIFY(static_cast<double>(peakOf(split)) <= 1.001 * static_cast<double>(peakOf(plain)));
    }

    void aLimitSavesMemoryAndCostsTime() {
        const Plan full = planOf("zb-greedy", 1), half = planOf("zb-greedy", 1, 2);
        QCOMPARE(heldBy(half), 2);
        QVERIFY(peakOf(half) < peakOf(full));
        QVERIFY(half.bubble > full.bubble);
    }

    void aFoldedPipelineSendsNothingAtItsTurn() {
        const Plan folded = planOf("zb-v", 2), looped = planOf("interleaved-1f1b", 2);
        QCOMPARE(folded.lowered.rankOfStage, (std::vector<int>{0, 1, 2, 3, 3, 2, 1, 0}));
        const auto bytes = [](const Plan& plan, std::string_view what) {
            const auto found =
                std::ranges::find_if(plan.traffic, [&](const auto& each) { return each.what.english() == what; });
            return found == plan.traffic.end() ? 0 : found->bytes;
        };
        // Six crossings of seven, and no message for the embedding that rank 0 holds twice.
        QCOMPARE(bytes(folded, "activations and their gradients, send") * 7,
                 bytes(looped, "activations and their gradients, send") * 6);
        QCOMPARE(bytes(folded, "tied embedding's gradient, all-reduce"), 0);
        QVERIFY(bytes(looped, "tied embedding's gradient, all-reduce") > 0);
        QVERIFY(heldBy(folded) <= 8);
    }
};

QTEST_GUILESS_MAIN(ZeroBubbleTest)
#include "zero_bubble_test.moc"
