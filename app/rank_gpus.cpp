// SPDX-License-Identifier: Apache-2.0
#include "app/rank_gpus.h"

#include "engine/base/wings.h"
#include "kernels/cuda_device.h"

#include <cstdio>

namespace shardlab::rank {

int tellGpus() {
    const CudaDevices found = cudaDevices();
    if (found.names.empty()) {
        std::printf("no GPU: %s\n", found.reason.c_str());
        return 0;
    }
    for (const std::string& name : found.names) std::printf("GPU %s\n", name.c_str());
    const DeviceOrReason opened = openCudaDevice(0);
    if (!opened.device) {
        std::printf("no NCCL: %s\n", opened.reason.c_str());
        return 0;
    }
    const DeviceGroupsOrReason groups = opened.device->groups();
    std::printf("%s\n", groups.groups ? groups.groups->name().c_str() : ("no NCCL: " + groups.reason).c_str());
    return 0;
}

}  // namespace shardlab::rank
