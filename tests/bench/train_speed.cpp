// SPDX-License-Identifier: Apache-2.0
// Steps of a training run, without launcher and collector: what tests/bench/train runs, alone or under mpirun (then
// data parallel, the batch given by the shape for each rank).
//
//   train_speed SHAPE [threads of a rank] [fp32|bf16] [steps] [cpu|cuda|cuda-no-graphs|cuda-products|cuda-metered]
//   SHAPE: gpt2 | medium | small | tiny | gpt2-1024
//
// One JSON object: milliseconds of a step (median, best, worst), tokens/s of all ranks, and the least that a step can
// take: its multiplications at the peak of the cores, the update at their memory bandwidth
// (engine/predict/plan/core_speed.h); on a GPU at the peak and bandwidth of its preset, and "mfu", the multiplications'
// share of that peak, both null where no preset describes the GPU. "first_loss" and "last_loss" are those of the first
// and the last step, "losses" all; a loss that is not a number is an error. cuda-metered waits for each call of the
// device, and first prints where a step's time goes, by kinds of kernels. cuda-products is cuda where tests/run --gpu
// names a file of cuBLASLt's algorithms. On a GPU the vocabulary of GPT-2 is 50304, a multiple of 64, as others pad it.
#include "engine/base/clock.h"
#include "engine/train/comm/mpi/mpi_session.h"
#include "engine/train/comm/shared/shared_communicator.h"
#include "engine/predict/plan/accelerators.h"
#include "engine/predict/plan/core_speed.h"
#include "engine/predict/plan/plan.h"
#include "engine/trace/record/recorder.h"
#include "engine/train/run/trainer.h"
#include "kernels/cuda_device.h"
#include "kernels/metered_device.h"
#include "kernels/threads.h"
#include "tests/support/wings.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fmt/format.h>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using namespace shardlab::test;

constexpr int warmUp = 3;
constexpr double bytesOfUpdate = 28;  ///< AdamW, each parameter: gradient and three numbers read, three written; fp32

Layout shapeOf(const std::string& name, int ranks, bool onGpu) {
    const int vocabulary = onGpu ? 50304 : 50257;
    Layout layout;
    if (name == "gpt2") {
        layout.model = {ModelKind::Gpt, 12, 768, 12, 64, vocabulary, 0};
        layout.batch = {4 * ranks, 4};
    } else if (name == "medium") {
        layout.model = {ModelKind::Gpt, 6, 384, 6, 256, vocabulary, 0};
        layout.batch = {4 * ranks, 4};
    } else if (name == "tiny") {  // for emulated GPUs
        layout.model = {ModelKind::Gpt, 1, 16, 2, 16, 256, 0};
        layout.batch = {2 * ranks, 2};
    } else if (name == "gpt2-1024") {  // for GPUs
        layout.model = {ModelKind::Gpt, 12, 768, 12, 1024, vocabulary, 0};
        layout.batch = {16 * ranks, 16};
    } else if (name == "small") {
        layout.model = {ModelKind::Gpt, 4, 128, 4, 128, 256, 0};
        layout.batch = {8 * ranks, 8};
    } else {
        throw std::runtime_error("no shape '" + name + "': gpt2, medium, small, tiny or gpt2-1024");
    }
    layout.cluster.hosts = {{"localhost", ranks}};
    layout.parallel.data = ranks;
    layout.parallel.pipeline = 1;
    return layout;
}

struct Measured {
    std::vector<double> seconds;  ///< of each step after the first few, the shortest first
    std::vector<double> losses;   ///< of each step, as this rank has them; empty where it has none
};

Measured measure(const Plan& plan, Communicator& world, Device& device) {
    Recorder recorder(world.rank(), monotonicNanoseconds(), std::size_t{1} << 20);
    TrainerServices services{world, recorder};
    services.device = &device;
    auto trainer = Trainer::create(plan, std::move(services));
    if (!trainer) throw std::runtime_error(trainer.error().text());
    (*trainer)->run();
    Measured measured;
    std::vector<double>& seconds = measured.seconds;
    recorder.drain([&](std::span<const Event> events) {
        for (const Event& event : events)
            if (event.kind == EventKind::Step) seconds.push_back(1e-9 * static_cast<double>(event.end - event.begin));
            else if (event.kind == EventKind::Loss) measured.losses.push_back(event.value);
    });
    seconds.erase(seconds.begin(), seconds.begin() + warmUp);
    std::ranges::sort(seconds);
    return measured;
}

/// Throws where a loss is not a number: such a run is fast for the wrong reason.
void requireNumbers(const std::vector<double>& losses) {
    if (losses.empty()) throw std::runtime_error("the run has told no loss");
    for (std::size_t step = 0; step < losses.size(); ++step)
        if (!std::isfinite(losses[step]))
            throw std::runtime_error(
                fmt::format("the loss of step {} is {}, so that its speed means nothing", step, losses[step]));
}

double secondsNow() { return 1e-9 * static_cast<double>(monotonicNanoseconds()); }

void printKinds(const MeteredDevice& meter, int steps) {
    fmt::print("{:>20} {:>8} {:>10} {:>9} {:>8}, a step\n", "kind", "calls", "ms", "TFLOP/s", "GB/s");
    for (std::size_t i = 0; i < kernelKinds; ++i) {
        const auto kind = static_cast<KernelKind>(i);
        const KernelUse& use = meter.use(kind);
        if (use.calls == 0) continue;
        fmt::print("{:>20} {:>8.1f} {:>10.3f} {:>9.1f} {:>8.0f}\n", name(kind), double(use.calls) / steps,
                   1e3 * use.seconds / steps, 1e-12 * use.flops / use.seconds, 1e-9 * use.bytes / use.seconds);
    }
}

double updateBytes(const Plan& plan) {
    return static_cast<double>(plan.parameters) * plan.mesh.ranks() * bytesOfUpdate;
}

double leastSeconds(const Plan& plan, int threads, bool bf16, const CoreSpeed& core) {
    const double peak = bf16 && core.bf16Flops > 0 ? core.bf16Flops : core.flops;
    const int cores = threads * plan.mesh.ranks();
    return plan.flopsPerStep / (cores * peak) + updateBytes(plan) / (cores * core.memoryBandwidth);
}

std::unique_ptr<Device> gpuOf(const MpiSession& session) {
    if (session.size() > 1) loadKernelsAtStart();
    const CudaDevices found = cudaDevices();
    if (found.names.empty()) throw std::runtime_error(found.reason);
    DeviceOrReason opened = openCudaDevice(session.localRank() % static_cast<int>(found.names.size()));
    if (!opened.device) throw std::runtime_error(opened.reason);
    return std::move(opened.device);
}

void run(int argc, char** argv) {
    MpiSession session(argc, argv);
    const int ranks = session.size();
    const int threads = argc > 2 ? std::stoi(argv[2]) : 1;
    const bool bf16 = argc > 3 && std::string(argv[3]) == "bf16";
    const std::string where = argc > 5 ? argv[5] : "cpu";
    const bool onGpu = where.starts_with("cuda");
    if (where == "cuda-no-graphs") setenv("SHARDLAB_CUDA_GRAPHS", "0", 1);
    setKernelThreads(threads);
    Layout layout = shapeOf(argc > 1 ? argv[1] : "small", ranks, onGpu);
    layout.precision.compute = bf16 ? NumberFormat::Bf16 : NumberFormat::Fp32;
    layout.run.steps = warmUp + (argc > 4 ? std::stoi(argv[4]) : 10);
    layout.run.validateEvery = 0;
    auto plan = makePlan(layout);
    if (!plan) throw std::runtime_error(toText(plan.error()));

    const CoreSpeed core = onGpu ? CoreSpeed{} : measureCoreSpeed();
    const auto heap = SharedHeap::create();
    SharedHeap* const shared = heap ? heap->get() : nullptr;
    const auto device = onGpu ? gpuOf(session) : makeCpuDevice(session.size() > 1 ? shared : nullptr);
    SharedCommunicator world(session.world({}), {shared, false, {}});
    MeteredDevice meter(*device);
    const bool metered = where == "cuda-metered";
    if (metered) meter.start(secondsNow);
    const Measured measured = measure(*plan, world, metered ? static_cast<Device&>(meter) : *device);
    meter.stop();
    if (session.rank() > 0) return;
    if (metered) printKinds(meter, layout.run.steps);
    requireNumbers(measured.losses);
    const std::vector<double>& seconds = measured.seconds;
    const double median = seconds[seconds.size() / 2];
    const double tokens = static_cast<double>(layout.batch.global) * layout.model.sequence;
    // CUDA names the device; the driver's folder in /proc, which a container may lack, is not asked.
    const DevicePreset* const preset = onGpu ? presetOf(Accelerators{device->name(), 1}) : nullptr;
    std::string least = "null", share = onGpu ? ", \"mfu\": null" : "";
    if (preset) {
        const double peak = ranks * preset->flops(bf16 ? NumberFormat::Bf16 : NumberFormat::Fp32);
        const double bandwidth = ranks * preset->memoryBandwidth;
        least = fmt::format("{:.2f}", 1e3 * (plan->flopsPerStep / peak + updateBytes(*plan) / bandwidth));
        share = fmt::format(", \"mfu\": {:.3f}", plan->flopsPerStep / peak / median);
    } else if (!onGpu) {
        least = fmt::format("{:.2f}", 1e3 * leastSeconds(*plan, threads, bf16, core));
    }
    fmt::print("{{\"step_ms\": {:.2f}, \"best_ms\": {:.2f}, \"worst_ms\": {:.2f}, \"tokens_per_second\": {:.0f}, "
               "\"least_ms\": {}{}, \"vocabulary\": {}, \"device\": \"{}\", \"first_loss\": {:.4f}, "
               "\"last_loss\": {:.4f}, \"losses\": [{:.4f}]}}\n",
               1e3 * median, 1e3 * seconds.front(), 1e3 * seconds.back(), tokens / median, least, share,
               layout.model.vocabulary, device->name(), measured.losses.front(), measured.losses.back(),
               fmt::join(measured.losses, ", "));
}

}  // namespace

int main(int argc, char** argv) {
    try {
        run(argc, argv);
    } catch (const std::exception& error) {
        fmt::print(stderr, "train_speed: {}\n", error.what());
        return 1;
    }
    return 0;
}
