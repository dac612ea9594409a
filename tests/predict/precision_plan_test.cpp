// SPDX-License-Identifier: Apache-2.0
// Number formats in a plan: what a parameter costs, what is sent, what takes how long, what is advised against.
#include "engine/layout/presets.h"
#include "engine/predict/plan/accelerators.h"
#include "engine/predict/plan/measurements.h"
#include "engine/predict/plan/plan.h"
#include "engine/predict/search/search.h"
#include "tests/support/legal_plan.h"
#include "tests/support/named.h"
#include "tests/support/wings.h"

#include <QTemporaryDir>
#include <QTest>

#include <cmath>
#include <fstream>

using namespace shardlab::test;

namespace {

Layout paced(const PrecisionSpec& precision) {
    Layout layout;
    layout.model = {ModelKind::Gpt, 8, 1024, 16, 512, 4096, 0};
    layout.cluster.pace = PaceSpec{};
    layout.parallel = ParallelSpec{1, 4};
    layout.precision = precision;
    return layout;
}

std::int64_t bytesOfKind(const Plan& plan, MemoryCategory category) {
    return plan.memory[1].bytes[static_cast<std::size_t>(category)];
}

bool tells(const Plan& plan, const char* words) {
    for (const Sentence& note : plan.notes)
        if (note.english().find(words) != std::string::npos) return true;
    return false;
}

}  // namespace

class PrecisionPlanTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void stateOfAParameter_data() {
        QTest::addColumn<QString>("compute");
        QTest::addColumn<QString>("weights");
        QTest::addColumn<QString>("gradients");
        QTest::addColumn<QString>("optimizer");
        QTest::addColumn<QString>("bytes");  // weight, gradient, optimizer
        QTest::newRow("O0") << "fp32"
                            << "master"
                            << "compute"
                            << "adamw"
                            << "4 4 8";
        QTest::newRow("O1") << "fp16"
                            << "fp32"
                            << "compute"
                            << "adamw"
                            << "4 4 8";
        QTest::newRow("O2") << "fp16"
                            << "master"
                            << "compute"
                            << "adamw"
                            << "2 2 12";
        QTest::newRow("O2, gradients in fp32") << "bf16"
                                               << "master"
                                               << "fp32"
                                               << "adamw"
                                               << "2 4 12";
        QTest::newRow("O3") << "bf16"
                            << "alone"
                            << "compute"
                            << "adamw"
                            << "2 2 8";
        QTest::newRow("O3, SGD") << "bf16"
                                 << "alone"
                                 << "compute"
                                 << "sgd"
                                 << "2 2 0";
        QTest::newRow("O2, SGD") << "bf16"
                                 << "master"
                                 << "compute"
                                 << "sgd"
                                 << "2 2 4";
    }
    void stateOfAParameter() {
        QFETCH(QString, compute);
        QFETCH(QString, weights);
        QFETCH(QString, gradients);
        QFETCH(QString, optimizer);
        QFETCH(QString, bytes);
        Layout layout =
            paced({named(compute.toStdString()), named(weights.toStdString()), named(gradients.toStdString())});
        layout.optimizer.kind = named(optimizer);
        layout.optimizer.momentum = 0;
        const Plan plan = planOf(layout);
        const std::int64_t parameters = stageParameters(layout.model, stageShapes(layout)[1]);
        const QStringList each = bytes.split(' ');
        QCOMPARE(bytesOfKind(plan, MemoryCategory::Parameters), parameters * each[0].toInt());
        QCOMPARE(bytesOfKind(plan, MemoryCategory::Gradients), parameters * each[1].toInt());
        QCOMPARE(bytesOfKind(plan, MemoryCategory::Optimizer), parameters * each[2].toInt());
    }

    /// Rajbhandari et al., 1910.02054: (2 + 2)Ψ + 12Ψ/d, 2Ψ + 14Ψ/d, 16Ψ/d.
    void zeroSharesMixedPrecision() {
        for (const int zero : {0, 1, 2, 3}) {
            Layout layout = paced({NumberFormat::Bf16});
            layout.parallel = ParallelSpec{4, 1};
            layout.parallel.zero = zero;
            const Plan plan = planOf(layout);
            const MemoryBytes& bytes = plan.memory.back().bytes;
            const double perParameter = double(bytes[0] + bytes[1] + bytes[2]) / double(plan.parameters);
            const double wanted[] = {16, 4 + 12 / 4.0, 2 + 14 / 4.0, 16 / 4.0};
            QVERIFY(std::abs(perParameter / wanted[zero] - 1) < 1e-3);
        }
    }

    void halfAsMuchIsSentAndKept() {
        const Plan whole = planOf(paced({})), half = planOf(paced({NumberFormat::Bf16}));
        QCOMPARE(2 * half.costs.stages[0].sendBytes, whole.costs.stages[0].sendBytes);
        QCOMPARE(2 * half.costs.stages[0].tiedBytes, whole.costs.stages[0].tiedBytes);
        QVERIFY(bytesOfKind(half, MemoryCategory::Activations) <
                0.51 * double(bytesOfKind(whole, MemoryCategory::Activations)));
        // A tensor group's activations too; of the loss it sums fp32.
        Layout layout = paced({});
        layout.parallel = ParallelSpec{1, 1, 4};
        const auto sums = [](const Plan& plan) {
            std::int64_t bytes = 0;
            for (const TensorCost& each : plan.costs.stages[0].tensor.forward)
                bytes += each.layer == outputLayer ? 0 : each.bytes;
            return bytes;
        };
        const std::int64_t full = sums(planOf(layout));
        layout.precision.compute = NumberFormat::Bf16;
        QCOMPARE(2 * sums(planOf(layout)), full);
        QCOMPARE(planOf(layout).costs.stages[0].tensor.forward.back().bytes, 2 * 4 * std::int64_t{2} * 512);
        // Buckets are megabytes: of 16 bits each holds twice as many gradients.
        layout.parallel = ParallelSpec{4, 1};
        layout.parallel.bucket = 1;
        const auto buckets = [&] { return planOf(layout).costs.stages[0].data.reduce.size(); };
        layout.model.hidden = 128;
        const std::size_t few = buckets();
        layout.precision.gradients = GradientFormat::Fp32;
        QVERIFY(buckets() > few);
    }

    void productsTakeTheRateOfTheirFormat() {
        const DevicePreset& device = *findDevice("h100-sxm");
        const Layout layout = paced({NumberFormat::Bf16});
        const Plan whole = planOf(paced({})), half = planOf(layout);
        const double flops = stageForwardFlops(layout.model, stageShapes(layout)[1], layout.batch.micro);
        const double saved = flops / device.matmulEfficiency * (1 / device.fp32Flops - 1 / device.bf16Flops);
        const double shorter = whole.costs.stages[1].forward - half.costs.stages[1].forward;
        QVERIFY(shorter > saved);  // and half as many bytes
        QVERIFY(half.costs.stages[1].forward > flops / (device.bf16Flops * device.matmulEfficiency));
        QVERIFY(half.mfu < 1 && half.mfu > 0);
        // Weights that are rounded for each product take longer, as do gradients that are looked at.
        const Plan rounding = planOf(paced({NumberFormat::Bf16, WeightStorage::Fp32}));
        QVERIFY(rounding.costs.stages[1].forward > half.costs.stages[1].forward);
        const Plan looking = planOf(paced({NumberFormat::Fp16, WeightStorage::Master, GradientFormat::Compute,
                                           ProductFormat::Compute, LossScaling::Dynamic}));
        QCOMPARE(looking.costs.stages[1].forward, half.costs.stages[1].forward);
        QVERIFY(looking.costs.stages[1].inputGrad > half.costs.stages[1].inputGrad);
        QVERIFY(looking.costs.stages[1].weightGrad > half.costs.stages[1].weightGrad);
    }

    /// Every step of a scaled loss is judged by its norm, also where nothing is clipped.
    void aScaledLossReducesTheNorm() {
        for (const char* scale : {"none", "static", "dynamic"}) {
            Layout layout = paced({NumberFormat::Fp16, WeightStorage::Master, GradientFormat::Compute,
                                   ProductFormat::Compute, named(scale)});
            layout.optimizer.clip = 0;
            const Plan plan = planOf(layout);
            bool reduces = false;
            for (const Action& action : plan.lowered.ranks[0])
                reduces = reduces || action.kind == ActionKind::ReduceNorm;
            QCOMPARE(reduces, std::string(scale) != "none");
        }
    }

    void profilesAreOfOneFormat() {
        Profile profile;
        profile.machine = {"a processor", 4};
        profile.threads = 1;
        Layout layout;
        layout.cluster.hosts = {{"localhost", 4}};
        profile.layout = layout;
        QVERIFY(fits(profile, layout, profile.machine));
        layout.precision.weights = WeightStorage::Alone;  // means nothing in fp32
        layout.precision.scaleWindow = 7;
        QVERIFY(fits(profile, layout, profile.machine));
        layout.precision.compute = NumberFormat::Bf16;
        QVERIFY(!fits(profile, layout, profile.machine));
        profile.layout = layout;
        layout.precision.lossScale = LossScaling::Static;  // changes no layer's time
        QVERIFY(fits(profile, layout, profile.machine));
        layout.precision.gradients = GradientFormat::Fp32;
        QVERIFY(!fits(profile, layout, profile.machine));
        // Nor is one of another format a likeness.
        profile.layout.model.hidden = 256;
        profile.blocks = {{4, {PartProfile{"block", 1, 2, 1, 1, 1, 1, 1}}}};
        layout.precision = {};
        const Measurements measurements{profile.machine, {profile}, {1e11, 1e10}};
        QCOMPARE(costBasis(measurements, layout).kind, CostBasis::Kind::Core);
        layout.precision = profile.layout.precision;
        QCOMPARE(costBasis(measurements, layout).kind, CostBasis::Kind::Likeness);
    }

    void whatIsSeldomMeantIsTold() {
        QVERIFY(!tells(planOf(paced({NumberFormat::Bf16})), "loss scale"));
        QVERIFY(tells(planOf(paced({NumberFormat::Fp16})), "fp16 without a loss scale"));
        QVERIFY(!tells(planOf(paced({NumberFormat::Fp16, WeightStorage::Master, GradientFormat::Compute,
                                     ProductFormat::Compute, LossScaling::Dynamic})),
                       "loss scale"));
        QVERIFY(tells(planOf(paced({NumberFormat::Fp32, WeightStorage::Master, GradientFormat::Compute,
                                    ProductFormat::Compute, LossScaling::Static})),
                      "does nothing for fp32"));
        QVERIFY(tells(planOf(paced({NumberFormat::Bf16, WeightStorage::Master, GradientFormat::Compute,
                                    ProductFormat::Compute, LossScaling::Dynamic})),
                      "needless with bf16"));
        QVERIFY(tells(planOf(paced({NumberFormat::Bf16, WeightStorage::Alone})), "smaller than 2⁻⁸"));
        QVERIFY(tells(planOf(paced({NumberFormat::Fp16, WeightStorage::Alone, GradientFormat::Compute,
                                    ProductFormat::Compute, LossScaling::Static})),
                      "smaller than 2⁻¹¹"));
        QVERIFY(!tells(planOf(paced({NumberFormat::Fp32, WeightStorage::Alone})), "is lost"));
    }

    /// GPT-3 175B is 2.8 TB of state in mixed precision: 64 devices of 80 GB hold it, 16 do not.
    void searchJudgesMemoryByFormat() {
        Layout layout = findPreset("gpt3-175b")->layout;
        layout.batch = {8, 1};
        const auto fitting = [&](int hosts) {
            layout.cluster.hosts.resize(static_cast<std::size_t>(hosts));
            const auto result = searchLayouts(layout);
            if (!result) qFatal("%s", toText(result.error()).c_str());
            return std::ranges::count_if(result->candidates, &Candidate::fits);
        };
        QVERIFY(fitting(8) > 0);
        layout.precision.compute = NumberFormat::Fp32;
        QCOMPARE(fitting(4), 0);  // 16 bytes a parameter and fp32's activations: 87 GB a device before any
        layout.precision.compute = NumberFormat::Bf16;
        QCOMPARE(fitting(2), 0);
    }

    void gpusAreFoundByTheirDriver() {
        const QTemporaryDir folder;
        const std::filesystem::path gpus = folder.path().toStdString();
        QCOMPARE(readAccelerators(gpus / "none").count, 0);
        for (const char* place : {"0000:17:00.0", "0000:65:00.0"}) {
            std::filesystem::create_directory(gpus / place);
            std::ofstream(gpus / place / "information") << "Model: \t\t NVIDIA H200\nIRQ:   \t\t 17\n";
        }
        std::filesystem::create_directory(gpus / "empty");
        const Accelerators found = readAccelerators(gpus);
        QCOMPARE(found.count, 2);
        QCOMPARE(found.model, std::string("NVIDIA H200"));
        const auto nameOf = [](const char* model) {
            const DevicePreset* device = presetOf({model, 1});
            return device ? device->name : std::string();
        };
        QCOMPARE(nameOf("NVIDIA H200"), std::string("h200"));
        QCOMPARE(nameOf("NVIDIA A100-SXM4-80GB"), std::string("a100-sxm"));
        QCOMPARE(nameOf("NVIDIA H100 80GB HBM3"), std::string("h100-sxm"));
        QCOMPARE(nameOf("Tesla T4"), std::string());
    }

    /// A GPU's attention keeps a number a row instead of all probabilities.
    void aGpuKeepsNoProbabilities() {
        Layout layout = paced({NumberFormat::Bf16});
        const Plan onProcessor = planOf(layout);
        layout.cluster.device = DeviceKind::Cuda;
        const Plan onGpu = planOf(layout);
        const std::int64_t rows = std::int64_t{layout.batch.micro} * 512 * 16, layers = 2;
        const int held = onGpu.memory[1].microbatchesInFlight;
        QCOMPARE(bytesOfKind(onProcessor, MemoryCategory::Activations) -
                     bytesOfKind(onGpu, MemoryCategory::Activations),
                 held * layers * rows * (2 * 512 - 4));
    }
};

QTEST_GUILESS_MAIN(PrecisionPlanTest)
#include "precision_plan_test.moc"
