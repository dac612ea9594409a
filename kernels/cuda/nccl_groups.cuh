// SPDX-License-Identifier: Apache-2.0
// Groups of GPUs over NCCL, which is loaded when it is needed, so that a machine without it trains all the same.
#pragma once

#include "kernels/device.h"

#include <memory>
#include <string>

namespace shardlab::kernels::cuda {

class CudaDevice;

/// Groups that are given up together.
class WatchedGroups : public DeviceGroups {
public:
    /// For a thread that waits for the GPU: looks, not too often, whether all members live. Throws std::runtime_error
    /// where one is lost, after having given up all groups.
    virtual void requireMembers() = 0;
};

/// Loads NCCL; null, and why, where there is no libnccl.so.2 or this build was made without its header. `device`
/// outlives the groups. SHARDLAB_NCCL_LIBRARY names the library where it lies elsewhere.
std::unique_ptr<WatchedGroups> loadNccl(CudaDevice& device, std::string& reason);

}  // namespace shardlab::kernels::cuda
