// SPDX-License-Identifier: Apache-2.0
// The four models of Korthikanti et al., 2205.05198, tables 3 and 5: parameters, activations of a layer, time of a
// step. Published are the sizes, the iteration times and the formulas; what our layers keep otherwise is stated term by
// term.
#include "tests/support/golden.h"
#include "tests/support/named.h"
#include "tests/support/wings.h"

#include "engine/base/units.h"
#include "engine/layout/model_shape.h"
#include "engine/predict/plan/plan.h"
#include "engine/predict/plan/stage_buffers.h"

#include <QTest>

#include <array>
#include <fmt/format.h>
#include <map>

using namespace shardlab::test;

namespace {

struct Published {
    const char* name;
    double billions;  ///< of parameters
    int layers, hidden, heads, tensor, pipeline, chunks, batch, micro;
    double fullSeconds;     ///< of a step with full recomputation
    double presentSeconds;  ///< with sequence parallelism and selective recomputation
    double presentUse;      ///< of the peak by the model's operations
};

constexpr std::array models{
    Published{"22B", 22, 48, 6144, 64, 8, 1, 1, 4, 4, 1.42, 1.10, 0.415},
    Published{"175B", 175, 96, 12288, 96, 8, 8, 3, 64, 1, 18.13, 13.75, 0.514},
    Published{"530B", 530, 105, 20480, 128, 8, 35, 3, 280, 1, 49.05, 37.83, 0.560},
    Published{"1T", 1000, 128, 25600, 160, 8, 64, 1, 512, 1, 94.42, 71.49, 0.563},
};

/// On nodes of 8 A100; fp16 with master weights, and gradients summed in fp32, as Megatron-LM has them.
Layout layoutOf(const Published& model, bool present) {
    Layout layout;
    layout.name = model.name;
    layout.model = {ModelKind::Gpt, model.layers, model.hidden, model.heads, 2048, 51200, 0.1};
    layout.cluster.pace = PaceSpec{"a100-sxm", 1};
    layout.cluster.hosts.clear();
    for (int node = 0; node < model.tensor * model.pipeline / 8; ++node)
        layout.cluster.hosts.push_back({fmt::format("node{}", node), 8});
    layout.parallel.data = 1;
    layout.parallel.pipeline = model.pipeline;
    layout.parallel.tensor = model.tensor;
    layout.parallel.sequence = present;
    layout.schedule.kind = model.chunks > 1 ? "interleaved-1f1b" : "1f1b";
    layout.schedule.chunks = model.chunks;
    layout.batch = {model.batch, model.micro};
    layout.precision.compute = NumberFormat::Fp16;
    layout.precision.gradients = GradientFormat::Fp32;
    layout.precision.lossScale = LossScaling::Dynamic;
    layout.memory.recompute = named(present ? "selective" : "full");
    return layout;
}

/// What a forward leaves of one layer, bytes: a stage of two less one of one.
double layerBytes(const Layout& layout) {
    const auto held = [&](int layers) {
        const StageBuffers stage = stageBuffers(layout, {layers, false, false}, {}, tensorShare(layout));
        return double(stage.forward.change[static_cast<std::size_t>(MemoryCategory::Activations)]);
    };
    return held(2) - held(1);
}

double secondsOf(const Plan& plan) { return plan.stepSeconds; }

const Plan& planned(const Published& model, bool present) {
    static std::map<std::pair<const char*, bool>, Plan> plans;
    const auto found = plans.find({model.name, present});
    if (found != plans.end()) return found->second;
    auto plan = makePlan(layoutOf(model, present));
    if (!plan) qFatal("%s", toText(plan.error()).c_str());
    return plans.emplace(std::pair(model.name, present), std::move(*plan)).first->second;
}

}  // namespace

class LiteratureTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    /// The paper's formulas but for what our layers keep otherwise: no masks, which are drawn again (2sbh of a layer,
    /// as²b of the attention), no dropped probabilities (2as²b); statistics of the norms, of which the paper says that
    /// they are negligible (2 norms · 2 numbers · 4 bytes a token).
    void activationsOfALayer() {
        for (const Published& model : models) {
            const double s = 2048, b = model.micro, h = model.hidden, a = model.heads, t = model.tensor;
            const double statistics = 16 * s * b;
            Layout layout = layoutOf(model, false);
            layout.memory.recompute = RecomputeKind::None;
            QCOMPARE(layerBytes(layout), s * b * h * (10 + 24 / t + 5 * a * s / (h * t)) + statistics -
                                             (2 * s * b * h + 3 * a * s * s * b / t));
            layout.parallel.sequence = true;
            QCOMPARE(layerBytes(layout), s * b * h / t * (34 + 5 * a * s / h) + statistics / t -
                                             (2 * s * b * h / t + 3 * a * s * s * b / t));
            layout.memory.recompute = RecomputeKind::Selective;
            QCOMPARE(layerBytes(layout), 34 * s * b * h / t + statistics / t - 2 * s * b * h / t);
            layout.parallel.sequence = false;
            layout.memory.recompute = RecomputeKind::Full;
            QCOMPARE(layerBytes(layout), 2 * s * b * h);
        }
    }

    /// sbhL/t·34 in the first stage, in an interleaved pipeline × (1 + (p−1)/(pv)); ours, embedding and what a backward
    /// computes again included, at the peak.
    void activationsOfTheFirstStage() {
        for (const Published& model : models) {
            const double s = 2048, b = model.micro, h = model.hidden, t = model.tensor, p = model.pipeline;
            const double held = model.layers / p * (p + (model.chunks > 1 ? (p - 1) / model.chunks : 0));
            const double paper = 34 * s * b * h / t * held;
            const MemoryBytes& bytes = planned(model, true).memory.front().bytes;
            const double ours = double(bytes[static_cast<std::size_t>(MemoryCategory::Activations)]);
            QVERIFY2(ours > 0.9 * paper && ours < 1.03 * paper,
                     qPrintable(QString("%1: %2 of the formula").arg(model.name).arg(ours / paper)));
        }
    }

    /// A parameter takes weight 2, gradient 4, master 4, moments 8 bytes; 16 in all where gradients are summed in fp16.
    void stateOfAParameter() {
        for (const Published& model : models)
            for (const char* gradients : {"fp32", "compute"}) {
                Layout layout = layoutOf(model, true);
                layout.precision.gradients = named(gradients);
                const auto plan = makePlan(layout);
                QVERIFY(plan);
                const RankMemory& rank = plan->memory.front();
                const double state = double(rank.bytes[0] + rank.bytes[1] + rank.bytes[2]);
                double parameters = 0;
                for (const int stage : plan->lowered.stagesOf(0))
                    parameters += double(
                        stageParameters(layout.model, stageShapes(layout).at(std::size_t(stage)), tensorShare(layout)));
                QCOMPARE(state / parameters, std::string(gradients) == "fp32" ? 18.0 : 16.0);
            }
    }

    void sizesAndTimes() {
        std::string text =
            "model  parameters  activations of a layer, paper and ours, MiB  peak, GiB  step with full recomputation: "
            "published, predicted, error  present work: published, predicted, error  of the peak: published, "
            "predicted\n";
        for (const Published& model : models) {
            const Plan& full = planned(model, false);
            const Plan& present = planned(model, true);
            const double s = 2048, b = model.micro, h = model.hidden, t = model.tensor;
            QVERIFY2(present.fits && full.fits, model.name);  // it ran on them
            QVERIFY(std::abs(double(present.parameters) / (1e9 * model.billions) - 1) < 0.01);
            text += fmt::format("{:5} {:>7} {:9.1f} {:9.1f} {:7.1f}", model.name,
                                formatCount(double(present.parameters)), 34 * s * b * h / t / 1048576,
                                layerBytes(present.layout) / 1048576, double(present.memory.front().peak) / 1073741824);
            for (const auto& [plan, published] :
                 {std::pair(&full, model.fullSeconds), {&present, model.presentSeconds}}) {
                const double predicted = secondsOf(*plan);
                text += fmt::format("  {:6.2f} s {:6.2f} s {:6.1f} %", published, predicted,
                                    100 * (predicted / published - 1));
                QVERIFY2(std::abs(predicted / published - 1) < 0.25, model.name);
            }
            text += fmt::format("  {:.1f} % {:.1f} %\n", 100 * model.presentUse, 100 * present.mfu);
            // What the paper is about, their ratio.
            const double gain = model.fullSeconds / model.presentSeconds;
            QVERIFY2(std::abs(secondsOf(full) / secondsOf(present) / gain - 1) < 0.03, model.name);
        }
        const QString difference = differenceFromGolden("predict/golden/literature/2205.05198.txt", text);
        QVERIFY2(difference.isEmpty(), qPrintable(difference));
    }
};

QTEST_GUILESS_MAIN(LiteratureTest)
#include "literature_test.moc"
