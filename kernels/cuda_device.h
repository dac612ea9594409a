// SPDX-License-Identifier: Apache-2.0
// The CUDA back end is a library of its own, loaded when it is asked for: one program serves machines with a GPU and
// machines that have neither driver nor toolkit.
#pragma once

#include "kernels/device.h"

#include <memory>
#include <string>
#include <vector>

namespace shardlab::kernels {

/// To be called before any of the functions below by a process whose GPU exchanges data with those of others: CUDA then
/// loads all kernels as it starts. A kernel that is loaded when it is first launched may wait for all that the GPU has
/// under way, a message among it that another rank sends only after it has heard from this one.
void loadKernelsAtStart();

/// A device, or why there is none: "no CUDA driver on this machine", "this build has no CUDA back end", …
struct DeviceOrReason {
    std::unique_ptr<Device> device;
    std::string reason;
};

/// GPU number `index` of those that this process sees. The device belongs to the calling thread.
DeviceOrReason openCudaDevice(int index);

/// Names of the GPUs that this process sees, in order; none, and why, where there are none.
struct CudaDevices {
    std::vector<std::string> names;
    std::string reason;
};
CudaDevices cudaDevices();

}  // namespace shardlab::kernels
