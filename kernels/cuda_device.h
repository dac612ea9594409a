// SPDX-License-Identifier: Apache-2.0
// The CUDA back end is a library of its own, loaded when it is asked for: one program serves machines with a GPU and
// machines that have neither driver nor toolkit.
#pragma once

#include "kernels/device.h"

#include <memory>
#include <string>
#include <vector>

namespace shardlab::kernels {

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
