// SPDX-License-Identifier: Apache-2.0
// Device presets (resources/devices/*.json): what a modelled accelerator can do. Figures are the maker's, dense.
#pragma once

#include "engine/base/result.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace shardlab {

struct Link {
    double bandwidth = 0;  ///< bytes per second, one direction
    double latency = 0;    ///< seconds
};

struct DevicePreset {
    std::string name;   ///< "h100-sxm"
    std::string title;  ///< "NVIDIA H100 SXM 80 GB"
    double fp32Flops = 0;        ///< peak, per second
    double bf16Flops = 0;        ///< peak dense, per second
    double matmulEfficiency = 0; ///< share of peak that large matrix products reach, in (0, 1]
    double kernelSeconds = 0;    ///< start of one kernel: what a small operation takes at least
    double memoryBandwidth = 0;  ///< bytes per second
    std::int64_t memoryBytes = 0;
    Link inNode;
    Link betweenNodes;
};

/// All presets, read once. "cpu" is one core of a desktop computer.
const std::vector<DevicePreset>& devicePresets();
const DevicePreset* findDevice(std::string_view name);

}  // namespace shardlab
