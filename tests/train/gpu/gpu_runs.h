// SPDX-License-Identifier: Apache-2.0
// Runs of whole plans on the GPUs of this machine, or on emulated ones: what the tests of training on GPUs have in
// common.
#pragma once

#include "kernels/cuda_device.h"
#include "tests/support/named.h"
#include "tests/support/seed.h"
#include "tests/support/wings.h"
#include "tests/train/run_in_process.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace shardlab::test {

class GpuRuns {
protected:
    ~GpuRuns() = default;

    /// Finds the GPUs; empty, or why there are none.
    std::string open() {
        const CudaDevices found = cudaDevices();
        if (found.names.empty()) return "no GPU: " + found.reason;
        qInfo("%zu GPUs, the first a %s", found.names.size(), found.names[0].c_str());
        gpus_ = static_cast<int>(found.names.size());
        emulated_ = found.names[0].find("emulated") != std::string::npos;
        if (gpus_ > 1) loadKernelsAtStart();
        return {};
    }
    int gpus() const { return gpus_; }
    bool emulated() const { return emulated_; }

    Layout layoutOf(int data, int pipeline, int tensor, int zero, const std::string& compute) const {
        Layout layout;
        layout.name = "gpu";
        layout.model = {ModelKind::Gpt, 2, 32, 2, 16, 256, 0.1};
        layout.cluster.hosts = {{"localhost", data * pipeline * tensor}};
        layout.parallel.data = data;
        layout.parallel.pipeline = pipeline;
        layout.parallel.tensor = tensor;
        layout.parallel.sequence = tensor > 1;
        layout.parallel.zero = zero;
        layout.parallel.bucket = 0.02;
        layout.batch = {8, 2};
        layout.precision.compute = named(compute);
        if (compute == "fp16") {
            layout.precision.lossScale = LossScaling::Dynamic;
            layout.precision.scale = 16777216;
        }
        layout.run = {20, freshSeed() % 10000, 10, 1};
        if (emulated_) {  // which has no tensor cores, nor time
            layout.model.kind = ModelKind::Mlp;
            layout.run.steps = 4;
        }
        return layout;
    }

    /// Rank k on GPU k, or where there are fewer on one that it shares.
    RunOutcome runOnGpus(const Plan& plan, const std::function<void(int, TrainerServices&)>& prepare = {}) const {
        std::vector<std::unique_ptr<Device>> devices(static_cast<std::size_t>(plan.mesh.ranks()));
        return runInProcess(plan, {}, [&](int rank, TrainerServices& services) {
            DeviceOrReason opened = openCudaDevice(rank % gpus_);
            if (!opened.device) throw std::runtime_error(opened.reason);
            devices[static_cast<std::size_t>(rank)] = std::move(opened.device);
            services.device = devices[static_cast<std::size_t>(rank)].get();
            if (prepare) prepare(rank, services);
        });
    }

private:
    int gpus_ = 0;
    bool emulated_ = false;
};

}  // namespace shardlab::test
