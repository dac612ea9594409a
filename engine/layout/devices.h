// SPDX-License-Identifier: Apache-2.0
// Device presets: what a modelled accelerator can do. Those that come with Shardlab (resources/devices/*.json; figures
// are the maker's, dense), and the user's own (devices/*.json in the configuration folder), in the same form.
#pragma once

#include "engine/base/result.h"
#include "engine/layout/formats.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace shardlab {

struct Link {
    double bandwidth = 0;  ///< bytes per second, one direction
    double latency = 0;    ///< seconds
};

/// What a device's host is to it: how fast they copy, and the device's share of the host's memory, at which the
/// processor updates what lies there.
struct DeviceHost {
    Link link;                   ///< each direction by itself
    double memoryBandwidth = 0;  ///< bytes per second
};

struct DevicePreset {
    std::string name;             ///< "h100-sxm"
    std::string title;            ///< "NVIDIA H100 SXM 80 GB"
    double fp32Flops = 0;         ///< peak, per second
    double bf16Flops = 0;         ///< peak dense, per second
    double fp16Flops = 0;         ///< that of bf16, where nothing else is known
    double matmulEfficiency = 0;  ///< share of peak that large matrix products reach, in (0, 1]
    double kernelSeconds = 0;     ///< start of one kernel: what a small operation takes at least
    double memoryBandwidth = 0;   ///< bytes per second
    std::int64_t memoryBytes = 0;
    Link inNode;
    Link betweenNodes;
    std::optional<DeviceHost> host;  ///< nothing: not known
    std::string source;              ///< where the figures come from
    bool ofTheUser = false;

    /// Peak of products in a format.
    double flops(NumberFormat format) const {
        return format == NumberFormat::Fp32 ? fp32Flops : format == NumberFormat::Bf16 ? bf16Flops : fp16Flops;
    }
};

/// $XDG_CONFIG_HOME/shardlab/devices, else ~/.config/shardlab/devices. Need not exist.
std::filesystem::path userDevicesFolder();

/// Error: no JSON, a field that is missing, unknown, of the wrong type or no figure a device can have.
Result<DevicePreset> parseDevice(std::string_view name, std::string_view json);

struct DeviceList {
    std::vector<DevicePreset> devices;  ///< slowest first
    std::vector<Error> damaged;         ///< files that are none, or have the name of one that comes with Shardlab
};
/// Those that come with Shardlab and those of a folder of the user's.
DeviceList readDevices(const std::filesystem::path& userFolder);

/// All of this user's, read once. "cpu" is one core of a desktop computer.
const DeviceList& deviceList();
const std::vector<DevicePreset>& devicePresets();
const DevicePreset* findDevice(std::string_view name);

}  // namespace shardlab
