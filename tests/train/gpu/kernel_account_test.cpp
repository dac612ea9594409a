// SPDX-License-Identifier: Apache-2.0
// What training steps ask of a GPU, counted on an emulated one: launches, bytes and products of GPT-2 against the least
// that the step needs, and which graphs are made.
#include "engine/predict/plan/accelerators.h"
#include "kernels/cuda_device.h"
#include "kernels/metered_device.h"
#include "tests/support/golden.h"
#include "tests/support/seed.h"
#include "tests/support/variable.h"
#include "tests/support/wings.h"
#include "tests/train/gpu/emulated_counts.h"
#include "tests/train/run_in_process.h"

#include <QtTest>

#include <chrono>
#include <cstdlib>
#include <fmt/format.h>
#include <random>
#include <thread>

using namespace shardlab::test;

namespace {

EmulatedCounts difference(const EmulatedCounts& before, EmulatedCounts after) {
    for (const auto& [what, count] : before) after[what] -= count;
    std::erase_if(after, [](const auto& each) { return each.second == 0; });
    return after;
}

using Uses = std::array<KernelUse, kernelKinds>;

double noTime() { return 0; }

/// Trains so many steps of the layout, with rank k on GPU k, and returns what the emulation counted meanwhile; `uses`:
/// what each kind of kernel was given.
EmulatedCounts train(Layout layout, int steps, Uses* uses = nullptr) {
    layout.run.steps = steps;
    layout.run.validateEvery = 0;
    auto plan = makePlan(layout);
    if (!plan) throw std::runtime_error(toText(plan.error()));
    const EmulatedCounts before = emulatedCounts();
    std::vector<std::unique_ptr<Device>> devices(static_cast<std::size_t>(plan->mesh.ranks()));
    std::unique_ptr<MeteredDevice> meter;
    const RunOutcome outcome = runInProcess(*plan, {}, [&](int rank, TrainerServices& services) {
        DeviceOrReason opened = openCudaDevice(rank);
        if (!opened.device) throw std::runtime_error(opened.reason);
        devices[static_cast<std::size_t>(rank)] = std::move(opened.device);
        services.device = devices[static_cast<std::size_t>(rank)].get();
        // Now the processor is ahead, now the GPU: what has been sent is found so at any place of the list.
        services.loses = [random = std::minstd_rand(freshSeed() + static_cast<unsigned>(rank))](int,
                                                                                                const Action&) mutable {
            if (random() % 2) std::this_thread::sleep_for(std::chrono::milliseconds(random() % 10));
            return false;
        };
        if (!uses) return;
        meter = std::make_unique<MeteredDevice>(*services.device);
        meter->start(noTime);
        services.device = meter.get();
    });
    if (!outcome.error.empty()) throw std::runtime_error(outcome.error);
    for (std::size_t kind = 0; uses && kind < kernelKinds; ++kind)
        (*uses)[kind] = meter->use(static_cast<KernelKind>(kind));
    return difference(before, emulatedCounts());
}

Layout gpt2() {
    Layout layout;
    layout.model = {ModelKind::Gpt, 12, 768, 12, 1024, 50304, 0};
    layout.batch = {16, 16};
    layout.cluster.hosts = {{"localhost", 1}};
    layout.parallel.data = layout.parallel.pipeline = 1;
    layout.precision.compute = NumberFormat::Bf16;
    return layout;
}

bool isLaunch(const std::string& what) { return !what.starts_with("graph") && !what.starts_with("copy from"); }

/// Kinds that no other kernel could do on its way.
bool stands(KernelKind kind) {
    switch (kind) {
    case KernelKind::Product:
    case KernelKind::ProductTransposedA:
    case KernelKind::ProductTransposedB:
    case KernelKind::Attention:
    case KernelKind::AttentionGradient:
    case KernelKind::CrossEntropy:
    case KernelKind::Embedding:
    case KernelKind::Optimizer: return true;
    default: return false;
    }
}

}  // namespace

class KernelAccountTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() {
        if (!std::getenv("SHARDLAB_CUDA_LIBRARY")) QSKIP("no emulated GPU, which counts");
    }

    /// The second of two steps, launched kernel by kernel.
    void stepOfGpt2_data() {
        QTest::addColumn<int>("products");
        QTest::addColumn<QString>("file");
        QTest::addRow("bf16") << int(ProductFormat::Compute) << "step_account.txt";
        QTest::addRow("fp8") << int(ProductFormat::Fp8) << "step_account_fp8.txt";
    }
    void stepOfGpt2() {
        QFETCH(int, products);
        QFETCH(QString, file);
        Layout layout = gpt2();
        layout.precision.products = static_cast<ProductFormat>(products);
        const Variable dry("SHARDLAB_EMULATED_DRY", "1"), plain("SHARDLAB_CUDA_GRAPHS", "0");
        Uses one{}, two{};
        const EmulatedCounts first = train(layout, 1, &one);
        const EmulatedCounts step = difference(first, train(layout, 2, &two));

        std::string text =
            fmt::format("GPT-2 of 124 M parameters in bf16{}, 16 samples of 1024 tokens, AdamW, one GPU; a step:\n\n",
                        products == 0 ? "" : fmt::format(", products in {}", wordOf(layout.precision.products)));
        std::uint64_t launches = 0, multiplied = 0;
        for (const auto& [what, count] : step) {
            text += fmt::format("{:>6} {}\n", count, what);
            if (isLaunch(what)) launches += count;
            if (what.starts_with("product")) multiplied += count;
        }
        text += fmt::format("{:>6} launches, {} of them products\n\n", launches, multiplied);

        const DevicePreset* const preset = presetOf(Accelerators{"NVIDIA H100 80GB HBM3", 1});
        QVERIFY(preset);
        const double peak = preset->flops(NumberFormat::Bf16), bandwidth = preset->memoryBandwidth;
        text += fmt::format("{:<22} {:>6} {:>9} {:>9} {:>9}\n", "kind", "calls", "GB", "TFLOP", "ms");
        double flops = 0, standing = 0, passing = 0, milliseconds = 0, ofPasses = 0;
        for (std::size_t i = 0; i < kernelKinds; ++i) {
            const auto kind = static_cast<KernelKind>(i);
            const KernelUse use{two[i].calls - one[i].calls, 0, two[i].flops - one[i].flops,
                                two[i].bytes - one[i].bytes};
            if (use.calls == 0) continue;
            const double least = 1e3 * std::max(use.flops / peak, use.bytes / bandwidth);
            text += fmt::format("{:<22} {:>6} {:>9.3f} {:>9.3f} {:>9.3f}\n", name(kind), use.calls, 1e-9 * use.bytes,
                                1e-12 * use.flops, least);
            flops += use.flops;
            milliseconds += least;
            (stands(kind) ? standing : passing) += use.bytes;
            if (!stands(kind)) ofPasses += least;
        }
        text += fmt::format("\n{:.3f} TFLOP of products; {:.3f} GB of what they, attention, loss, embedding and update "
                            "read and write\n{:.3f} GB of passes beside them\n",
                            1e-12 * flops, 1e-9 * standing, 1e-9 * passing);
        text += fmt::format("at the peak in bf16 and the bandwidth of {}: {:.2f} ms, {:.2f} of them passes\n",
                            preset->name, milliseconds, ofPasses);
        const QString changed = differenceFromGolden("train/gpu/" + file, text);
        QVERIFY2(changed.isEmpty(), qPrintable(changed));
        QCOMPARE(flops > 0 && launches > 0 && multiplied > 0, true);
    }

    /// GPT-2's own vocabulary divides by nothing; rows of its logits are as good for tensor cores as all others.
    void rowsOfAnOddVocabulary() {
        const Variable dry("SHARDLAB_EMULATED_DRY", "1");
        Layout layout = gpt2();
        layout.model.vocabulary = 50257;
        const EmulatedCounts counts = train(layout, 1);
        QVERIFY(counts.contains("product"));
        QVERIFY(!counts.contains("matrix whose rows are not aligned to 16 bytes"));
    }

    /// Once every action has come twice, its graph is launched as it is: nothing is captured or made again, whenever
    /// messages came and went.
    void graphsOfSteadySteps_data() {
        QTest::addColumn<int>("pipeline");
        QTest::addColumn<QString>("schedule");
        QTest::addRow("one GPU") << 1 << "1f1b";
        QTest::addRow("1f1b on two") << 2 << "1f1b";
        QTest::addRow("gpipe on two") << 2 << "gpipe";
        QTest::addRow("1f1b on four") << 4 << "1f1b";
    }
    void graphsOfSteadySteps() {
        QFETCH(int, pipeline);
        QFETCH(QString, schedule);
        if (static_cast<int>(cudaDevices().names.size()) < pipeline) QSKIP("more GPUs are needed");
        if (pipeline > 1) loadKernelsAtStart();
        const Variable late("SHARDLAB_EMULATED_NCCL", "late"), multiplies("SHARDLAB_EMULATED_HEURISTIC", "0");
        Layout layout;
        layout.model = {ModelKind::Mlp, 4, 32, 2, 16, 256, 0};
        layout.batch = {8, 1};
        layout.cluster.hosts = {{"localhost", pipeline}};
        layout.parallel.data = 1;
        layout.parallel.pipeline = pipeline;
        layout.schedule.kind = schedule.toStdString();
        layout.run.seed = freshSeed() % 10000;
        constexpr int few = 4, many = 12;
        const EmulatedCounts begin = train(layout, few);
        const EmulatedCounts whole = train(layout, many);
        const auto of = [](const EmulatedCounts& counts, const std::string& what) {
            const auto found = counts.find(what);
            return found == counts.end() ? std::uint64_t{0} : found->second;
        };
        QVERIFY(of(begin, "graph made") > 0);
        QVERIFY(of(whole, "graph launched") > of(begin, "graph launched"));
        QCOMPARE(of(whole, "graph made"), of(begin, "graph made"));
        QCOMPARE(of(whole, "graph captured"), of(begin, "graph captured"));
    }
};

QTEST_GUILESS_MAIN(KernelAccountTest)
#include "kernel_account_test.moc"
