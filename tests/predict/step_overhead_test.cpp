// SPDX-License-Identifier: Apache-2.0
#include "engine/layout/check/check.h"
#include "engine/layout/presets.h"
#include "engine/layout/schedule/registry.h"
#include "engine/predict/search/step_overhead.h"
#include "engine/predict/search/neighbours.h"
#include "tests/support/legal_plan.h"
#include "tests/support/wings.h"

#include <QTest>

#include <algorithm>
#include <set>

using namespace shardlab::test;

namespace {

const StepOverhead* find(const std::vector<StepOverhead>& overheads, StepOverheadKind kind) {
    const auto found = std::ranges::find(overheads, kind, &StepOverhead::kind);
    return found == overheads.end() ? nullptr : &*found;
}

bool near(double one, double other, double share) { return std::abs(one - other) <= share * std::abs(other); }

Layout pipelineOf(int stages, int microbatches) {
    Layout layout;
    layout.model = {ModelKind::Gpt, 64, 256, 4, 128, 256, 0};
    layout.cluster.hosts = {{"localhost", stages}};
    layout.cluster.pace = PaceSpec{"h100-sxm", 2};
    layout.parallel.data = 1;
    layout.parallel.pipeline = stages;
    layout.schedule.kind = "gpipe";
    layout.batch = {microbatches, 1};
    return layout;
}

}  // namespace

class StepOverheadTest : public QObject {
    Q_OBJECT
private:
    /// One change once was told three times, or two of the same kind.
    static void adviceDiffers(const Layout& layout, const std::vector<StepOverhead>& overheads) {
        std::set<Move> kinds;
        for (const StepOverhead& overhead : overheads) {
            if (!overhead.better) continue;
            const auto found = neighbours(layout);
            const auto taken = std::ranges::find(found, overhead.better->choice, &Neighbour::choice);
            QVERIFY(taken != found.end());
            QVERIFY2(kinds.insert(taken->move).second, overhead.better->change.english().c_str());
        }
    }

private Q_SLOTS:
    /// The gradient's norm of a single rank was told as exposed communication.
    void oneRankHasNoCommunication() {
        Layout layout;
        layout.cluster.hosts = {{"localhost", 1}};
        layout.parallel.data = layout.parallel.pipeline = 1;
        layout.optimizer.clip = 1;
        for (const bool paced : {false, true}) {
            if (paced) layout.cluster.pace = PaceSpec{"h100-sxm", 1};
            const Plan plan = planOf(layout);
            QCOMPARE(plan.exposedCommunication, 0.0);
            QVERIFY(!find(largestOverheads(plan, 10), StepOverheadKind::Communication));
            const auto norm = std::ranges::find(plan.simulation.events, EventKind::ReduceNorm, &Event::kind);
            QVERIFY(norm != plan.simulation.events.end());
            QVERIFY(norm->end > norm->begin);  // the gradients are read
            QCOMPARE(norm->bytes, std::int64_t{0});
        }
        // Two stages have one number to exchange, which takes less than the norm.
        layout = pipelineOf(2, 4);
        layout.optimizer.clip = 1;
        const Plan plan = planOf(layout);
        const StageCosts& first = plan.costs.stages.front();
        QVERIFY(first.norm > 0 && first.normReading > 0);
        QCOMPARE(first.normBytes, std::int64_t{8});
    }

    void everyPresetIsExplained() {
        const auto every = presets();
        for (const Preset& preset : *every) {
            const Plan plan = planOf(preset.layout);
            const std::vector<StepOverhead> all = largestOverheads(plan, 10);
            QVERIFY(std::ranges::is_sorted(all, std::greater<>(), &StepOverhead::seconds));
            double sum = 0;
            for (const StepOverhead& overhead : all) {
                sum += overhead.share;
                QVERIFY(overhead.seconds > 0 && overhead.share > 0 && overhead.share < 1 && !overhead.why.empty());
                QVERIFY(near(overhead.seconds / plan.stepSeconds, overhead.share, 1e-9));
                if (!overhead.better) continue;
                // What is promised holds: legal, fits, as quick as its own plan says.
                Layout better = preset.layout;
                apply(overhead.better->choice, better);
                const Plan other = planOf(better);
                QVERIFY2(near(overhead.better->stepSeconds, other.stepSeconds, 1e-6),
                         qPrintable(QString("%1, %2: %3 s instead of %4 s")
                                        .arg(preset.name.c_str(), overhead.better->change.english().c_str())
                                        .arg(overhead.better->stepSeconds)
                                        .arg(other.stepSeconds)));
                QVERIFY(other.fits && overhead.better->gain > 0);
                QVERIFY(near(overhead.better->gain, 1 - overhead.better->stepSeconds / plan.stepSeconds, 1e-9));
            }
            QVERIFY(sum < 1);
            adviceDiffers(preset.layout, all);
            QVERIFY(largestOverheads(plan).size() == std::min<std::size_t>(3, all.size()));
            for (const StepOverhead& overhead : largestOverheads(plan))
                qInfo("%-14s %-24s %s%s%s", preset.name.c_str(), std::string(name(overhead.kind)).c_str(),
                      overhead.why.english().c_str(), overhead.better ? "; " : "",
                      overhead.better ? toText(*overhead.better).english().c_str() : "");
        }
    }

    /// Equal stages and small messages: what is lost is the formula's share of the step.
    void theBubbleIsTheFormula() {
        for (const auto& [stages, microbatches] : {std::pair{4, 4}, std::pair{4, 12}, std::pair{8, 8}}) {
            const Plan plan = planOf(pipelineOf(stages, microbatches));
            const std::vector<StepOverhead> overheads = largestOverheads(plan, 10);
            const StepOverhead* bubble = find(overheads, StepOverheadKind::Bubble);
            QVERIFY(bubble);
            QVERIFY2(near(bubble->share, plan.bubbleTheory, 0.1), bubble->why.english().c_str());
            QVERIFY(bubble->better);
        }
        const std::vector<StepOverhead> alone = largestOverheads(planOf(pipelineOf(1, 4)), 10);
        QVERIFY(!find(alone, StepOverheadKind::Bubble) && !find(alone, StepOverheadKind::Imbalance));
    }

    void unequalStagesAreImbalance() {
        Layout layout = pipelineOf(4, 16);
        QVERIFY(!find(largestOverheads(planOf(layout)), StepOverheadKind::Imbalance) ||
                find(largestOverheads(planOf(layout)), StepOverheadKind::Imbalance)->share < 0.1);
        layout.schedule.stages = {7, 7, 7, 43};
        const std::vector<StepOverhead> overheads = largestOverheads(planOf(layout));
        QCOMPARE(overheads.front().kind, StepOverheadKind::Imbalance);
        QVERIFY(overheads.front().share > 0.3);
        QVERIFY2(overheads.front().why.english().find("stage 3 takes 2.") != std::string::npos,
                 overheads.front().why.english().c_str());
        QVERIFY(overheads.front().better);
        QVERIFY(overheads.front().better->gain > 0.3);
    }

    void slowLinksAreCommunication() {
        Layout layout = pipelineOf(4, 8);
        layout.cluster.pace->device = "cpu";
        layout.model = {ModelKind::Mlp, 8, 1024, 4, 16, 256, 0};
        layout.parallel = ParallelSpec{4, 1, 1, 1, 1, false, 0};
        layout.cluster.hosts = {{"a", 2}, {"b", 2}};
        const std::vector<StepOverhead> overheads = largestOverheads(planOf(layout));
        const StepOverhead* waits = find(overheads, StepOverheadKind::Communication);
        QVERIFY(waits && waits->share > 0.2);
        QVERIFY2(waits->why.english().find("averaging gradients over 4 replicas") != std::string::npos,
                 waits->why.english().c_str());
    }

    void zeroThreeWaitsForParameters() {
        Layout layout = pipelineOf(4, 8);
        layout.cluster.pace->device = "cpu";
        layout.model = {ModelKind::Mlp, 8, 1024, 4, 16, 256, 0};
        layout.parallel = ParallelSpec{4, 1, 1, 1, 1, false, 3};
        layout.cluster.hosts = {{"a", 2}, {"b", 2}};
        const std::vector<StepOverhead> overheads = largestOverheads(planOf(layout));
        const StepOverhead* waits = find(overheads, StepOverheadKind::Communication);
        QVERIFY(waits && waits->share > 0.2);
        QVERIFY2(waits->why.english().find("gathering parameters from 4 replicas") != std::string::npos,
                 waits->why.english().c_str());
    }

    void whoSharesMemoryReadsIt() {
        Layout layout = pipelineOf(3, 6);
        layout.cluster.pace->device = "cpu";
        layout.model = {ModelKind::Mlp, 8, 1024, 4, 16, 256, 0};
        layout.parallel = ParallelSpec{3, 1};
        layout.parallel.exchange = Exchange::Hogwild;
        layout.schedule.kind = "1f1b";
        layout.optimizer = {};
        layout.optimizer.kind = OptimizerKind::Sgd;
        layout.optimizer.momentum = layout.optimizer.weightDecay = 0;
        const std::vector<StepOverhead> overheads = largestOverheads(planOf(layout));
        const StepOverhead* waits = find(overheads, StepOverheadKind::Communication);
        QVERIFY(waits);
        QVERIFY2(waits->why.english().find("reading the weights out of shared memory") != std::string::npos,
                 waits->why.english().c_str());
    }

    void sharedCoresAreOverload() {
        Layout layout;
        layout.parallel.data = 1;
        layout.parallel.pipeline = 4;
        layout.cluster.hosts = {{"localhost", 4}};
        layout.schedule.kind = "1f1b";
        Plan plan = planOf(layout);
        const bool shared = hostCores() < 4;
        QCOMPARE(find(largestOverheads(plan, 10), StepOverheadKind::Overload) != nullptr, shared);
    }

    void neighboursAreLegalAndOneChangeAway() {
        const Layout layout = findPreset("hybrid-2x4")->layout;
        std::vector<std::string> changes;
        for (const Neighbour& neighbour : neighbours(layout)) {
            Layout other = layout;
            apply(neighbour.choice, other);
            QVERIFY2(check(other, scheduleMethods()).empty(), neighbour.change.english().c_str());
            QVERIFY(!(neighbour.choice == choiceOf(layout)));
            changes.push_back(neighbour.change.english());
        }
        const auto contains = [&](const char* text) {
            return std::ranges::any_of(changes,
                                       [&](const std::string& c) { return c.find(text) != std::string::npos; });
        };
        QVERIFY(contains("micro") && contains("schedule gpipe instead of 1f1b"));
        QVERIFY(contains("data 4 × pipeline 2 instead of 2 × 4") && contains("data 1 × pipeline 8 instead of 2 × 4"));
        QVERIFY(contains("data 1 × pipeline 4 × tensor 2 instead of 2 × 4 × 1"));
        QVERIFY(contains("data 2 × pipeline 2 × tensor 2 instead of 2 × 4 × 1"));
    }

    /// What has no meaning in the new degrees goes with them, and is told.
    void theLastTensorGroupTakesItsMethodsAlong() {
        Layout layout = pipelineOf(1, 8);
        layout.parallel = ParallelSpec{2, 1, 2, 1, 1, true, 1};
        layout.cluster.hosts = {{"localhost", 4}};
        QVERIFY(check(layout, scheduleMethods()).empty());
        const auto found = neighbours(layout);
        const auto change = [&](const ParallelSpec& wanted) {
            const auto it =
                std::ranges::find_if(found, [&](const Neighbour& n) { return n.choice.parallel == wanted; });
            return it == found.end() ? std::string("none") : it->change.english();
        };
        QCOMPARE(change({4, 1, 1, 1, 1, false, 1}),
                 std::string("data 4 × pipeline 1 × tensor 1 instead of 2 × 1 × 2, without sequence parallelism"));
        QCOMPARE(change({1, 1, 4, 1, 1, true, 0}),
                 std::string("data 1 × pipeline 1 × tensor 4 instead of 2 × 1 × 2, without ZeRO"));
    }
};

QTEST_GUILESS_MAIN(StepOverheadTest)
#include "step_overhead_test.moc"
