// SPDX-License-Identifier: Apache-2.0
// Groups of GPUs over NCCL, which is loaded when it is needed, so that a machine without it trains all the same.
#pragma once

#include "kernels/device.h"

#include <memory>

namespace shardlab::kernels::cuda {

class CudaDevice;

/// Loads NCCL; null, and why, where there is no libnccl.so.2 or this build was made without its header. `device`
/// outlives the groups. SHARDLAB_NCCL_LIBRARY names the library where it lies elsewhere.
std::unique_ptr<DeviceGroups> loadNccl(CudaDevice& device, std::string& reason);

}  // namespace shardlab::kernels::cuda
