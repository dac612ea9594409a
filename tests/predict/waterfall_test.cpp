// SPDX-License-Identifier: Apache-2.0
// The parts of a step: they are the step, none is negative, and each is what its cause says.
#include "brute_force.h"

#include "engine/layout/layout_file.h"
#include "engine/layout/stacks.h"
#include "engine/predict/plan/compute_costs.h"
#include "engine/predict/plan/compute_split.h"
#include "engine/predict/plan/waterfall.h"
#include "tests/support/seed.h"

#include <QtTest>

using namespace shardlab::test;

namespace {

constexpr double digits = 1e-9;  ///< of the step

/// Shardlab's own engine at full speed or paced, or another stack on a GPU.
Layout anyLayout(std::mt19937& random) {
    Layout layout = randomLayout(random);
    if (layout.cluster.pace && layout.model.kind == ModelKind::Gpt && random() % 3 > 0) {
        const auto& stacks = stackList().stacks;
        layout.cluster.pace->stack = stacks[random() % stacks.size()].name;
        layout.precision.compute = NumberFormat::Bf16;
    }
    return layout;
}

/// Plans of legal layouts for the same model, cluster and batch.
std::vector<Plan> somePlans(const Layout& base, std::mt19937& random, int count) {
    const auto choices = legalChoices(base);
    std::vector<Plan> plans;
    for (int i = 0; choices && i < count; ++i) {
        auto plan = makePlan(withChoice(base, (*choices)[random() % choices->size()]));
        if (plan) plans.push_back(std::move(*plan));
    }
    return plans;
}

Layout pacedLayout(const char* stack = "shardlab") {
    Layout layout;
    layout.model = {ModelKind::Gpt, 8, 1024, 8, 1024, 32000, 0};
    layout.cluster.hosts = {{"a", 4}};
    layout.cluster.pace = PaceSpec{"h100-sxm", 1, stack};
    layout.parallel.data = 1;
    layout.parallel.pipeline = 4;
    layout.batch = {.global = 16, .micro = 1};
    layout.precision.compute = NumberFormat::Bf16;
    return layout;
}

Waterfall fallOf(const Layout& layout) {
    auto plan = makePlan(layout);
    if (!plan) qFatal("%s", toText(plan.error().front()).c_str());
    return waterfall(*plan);
}

}  // namespace

class WaterfallTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void thePartsAreTheStep() {
        std::mt19937 random(freshSeed());
        int plans = 0, ofStacks = 0;
        std::set<WaterfallPart> seen;
        for (int i = 0; i < 500 && (plans < 30 || ofStacks < 8 || seen.size() < 7); ++i) {
            const Layout base = anyLayout(random);
            for (const Plan& plan : somePlans(base, random, 3)) {
                const Waterfall fall = waterfall(plan);
                const bool own = modelledStack(plan.layout) == nullptr;
                ++plans;
                ofStacks += !own;
                double sum = 0;
                for (std::size_t part = 0; part < waterfallParts; ++part) {
                    const auto each = static_cast<WaterfallPart>(part);
                    sum += fall[each];
                    if (fall.share(each) > 0.01) seen.insert(each);
                    QVERIFY2(
                        fall[each] >= -digits * plan.stepSeconds,
                        qPrintable(QString::fromStdString(fmt::format("{} is {} of {} in\n{}", name(each), fall[each],
                                                                      plan.stepSeconds, writeLayout(plan.layout)))));
                }
                QCOMPARE(fall.stepSeconds, plan.stepSeconds);
                QVERIFY(std::abs(sum - plan.stepSeconds) <= 1e-12 * plan.stepSeconds);
                // Nothing remains but what has a reason to.
                if (own && plan.costs.cores == 0) QVERIFY(fall[WaterfallPart::Rest] <= digits * plan.stepSeconds);
                if (plan.layout.parallel.pipeline == 1 && flushes(plan.layout))
                    QVERIFY(fall[WaterfallPart::Bubble] <= digits * plan.stepSeconds);
                if (plan.layout.memory.recompute == RecomputeKind::None) QCOMPARE(fall[WaterfallPart::Recompute], 0.0);
                if (plan.mesh.ranks() == 1) QCOMPARE(fall[WaterfallPart::Communication], 0.0);
            }
        }
        QVERIFY(plans >= 30 && ofStacks >= 8 && seen.size() >= 7);
    }

    /// Shardlab's own engine computes what the model needs: at peak that is its utilisation of the step.
    void computeAtPeakIsTheUtilisation() {
        for (const int pipeline : {1, 2, 4}) {
            Layout layout = pacedLayout();
            layout.parallel.pipeline = pipeline;
            layout.parallel.data = 4 / pipeline;
            const Plan plan = *makePlan(layout);
            QVERIFY(std::abs(waterfall(plan).share(WaterfallPart::Peak) / plan.mfu - 1) < 1e-6);
        }
    }

    /// Whatever the scales of 8-bit products are for, the device's peak is that of 8 bits.
    void formatsOf8BitsHaveOnePeak() {
        Layout layout = pacedLayout("megatron-core");
        const double sixteen = fallOf(layout)[WaterfallPart::Peak];
        layout.precision.products = ProductFormat::Fp8;
        const double eight = fallOf(layout)[WaterfallPart::Peak];
        QVERIFY(eight < 0.9 * sixteen);
        layout.precision.products = ProductFormat::Fp8Blocks;
        QCOMPARE(fallOf(layout)[WaterfallPart::Peak], eight);
    }

    /// Each stage's split is the time that the plan takes for it.
    void splitsAreTheTimesOfStages() {
        for (const SoftwareStack& stack : stackList().stacks) {
            const Layout layout = pacedLayout(stack.name.c_str());
            const Mesh mesh(layout);
            const DevicePreset device = rankDevice(layout, mesh);
            const TensorShare share = tensorShare(layout);
            const StepCosts costs = withoutCommunication(stepPlan(layout).costs);
            const std::vector<StageShape> shapes = stageShapes(layout);
            for (std::size_t s = 0; s < shapes.size(); ++s) {
                const ComputeSplit split = computeSplit(layout, shapes[s], share, device);
                const double whole = costs.stages[s].forward + costs.stages[s].backward;
                QVERIFY2(std::abs(split.total() / whole - 1) < digits, stack.name.c_str());
                QVERIFY2(split.peak > 0 && split.shape > 0 && split.passes > 0 && split.kernels > 0 &&
                             split.factor >= -digits * whole,
                         stack.name.c_str());
            }
        }
    }

    /// A stage that waits for its message does so in its compute; that is communication all the same.
    void blockingSendsAreCommunication() {
        Layout layout = pacedLayout("megatron-core-serial");
        layout.cluster.pace->nodeLink = 1;
        const Plan plan = *makePlan(layout);
        QVERIFY(plan.costs.stages[0].sendingUp > 0 && plan.costs.stages[1].sendingDown > 0);
        const Waterfall slow = waterfall(plan);
        layout.cluster.pace->nodeLink = 1000;
        const Waterfall quick = fallOf(layout);
        const auto computing = [](const Waterfall& fall) {
            return fall[WaterfallPart::Peak] + fall[WaterfallPart::Shape] + fall[WaterfallPart::Passes] +
                   fall[WaterfallPart::Kernels];
        };
        QVERIFY(std::abs(computing(slow) / computing(quick) - 1) < digits);
        QVERIFY(std::abs(slow[WaterfallPart::Bubble] / quick[WaterfallPart::Bubble] - 1) < digits);
        QVERIFY(slow[WaterfallPart::Communication] > 5 * quick[WaterfallPart::Communication]);
        QVERIFY(std::abs(plan.exposedCommunication - slow.share(WaterfallPart::Communication)) < digits);
    }

    void recomputationIsItsOwnPart() {
        Layout layout = pacedLayout("megatron-core");
        const Waterfall kept = fallOf(layout);
        layout.memory.recompute = RecomputeKind::Full;
        const Waterfall again = fallOf(layout);
        QVERIFY(std::abs(again[WaterfallPart::Peak] / kept[WaterfallPart::Peak] - 1) < digits);
        QVERIFY(std::abs(again[WaterfallPart::Shape] / kept[WaterfallPart::Shape] - 1) < digits);
        QVERIFY(again[WaterfallPart::Recompute] > 0.1 * kept.stepSeconds && kept[WaterfallPart::Recompute] == 0);
    }
};

QTEST_GUILESS_MAIN(WaterfallTest)
#include "waterfall_test.moc"
