// SPDX-License-Identifier: Apache-2.0
// Device presets: what a modelled accelerator can do. Some come with Shardlab (resources/devices/*.json, with the
// maker's figures for dense products); the user's own (devices/*.json in the configuration folder) have the same form.
#pragma once

#include "engine/base/result.h"
#include "engine/layout/formats.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace shardlab::layout {

struct Link {
    double bandwidth = 0;  ///< bytes per second, one direction
    double latency = 0;    ///< seconds
};

/// The host of a device, as far as the device uses it.
struct DeviceHost {
    Link link;                   ///< between device and host; both directions at once have this speed each
    double memoryBandwidth = 0;  ///< bytes per second of the host's memory that are this device's share
};

struct DevicePreset {
    std::string name;             ///< "h100-sxm"
    std::string title;            ///< "NVIDIA H100 SXM 80 GB"
    double fp32Flops = 0;         ///< peak, per second
    double bf16Flops = 0;         ///< peak dense, per second
    double fp16Flops = 0;         ///< peak dense, per second; as bf16 where nothing else is known
    double fp8Flops = 0;          ///< peak dense, per second; 0: the device has no such products
    double fp4Flops = 0;          ///< peak dense, per second; 0: the device has no such products
    double matmulEfficiency = 0;  ///< share of peak that large matrix products reach, in (0, 1]
    double kernelSeconds = 0;     ///< time to start one kernel, which the smallest operation takes
    double memoryBandwidth = 0;   ///< bytes per second
    std::int64_t memoryBytes = 0;
    Link inNode;
    Link betweenNodes;
    std::optional<DeviceHost> host;  ///< empty: nothing is known of the host
    std::string architecture;        ///< "hopper" (stacks.h); empty: predictions know no software stack for it
    int domain = 0;                  ///< devices that the link within a node joins; 0: those of a host
    int multiprocessors = 0;         ///< units that tiles of a product are spread over; 0: not known
    std::string source;              ///< where the figures come from
    bool ofTheUser = false;

    /// Peak of matrix products in a format, per second.
    double flops(NumberFormat format) const {
        return format == NumberFormat::Fp32 ? fp32Flops : format == NumberFormat::Bf16 ? bf16Flops : fp16Flops;
    }
};

/// $XDG_CONFIG_HOME/shardlab/devices, else ~/.config/shardlab/devices. The folder need not exist.
std::filesystem::path userDevicesFolder();

/// Errors: the text is no JSON; a field is missing, unknown, of the wrong type, or no figure that a device can have.
Result<DevicePreset> parseDevice(std::string_view name, std::string_view json);

struct DeviceList {
    std::vector<DevicePreset> devices;  ///< slowest first
    std::vector<Error> damaged;         ///< one for each file that is no device, or has the name of one of Shardlab's
};
/// The devices that come with Shardlab, in `folder`, and those in a folder of the user's.
DeviceList readDevices(const std::filesystem::path& folder, const std::filesystem::path& userFolder);

/// All devices that this user has, read once. "cpu" is one core of a desktop computer.
const DeviceList& deviceList();
/// From now on these are all devices.
void useDevices(DeviceList list);
const std::vector<DevicePreset>& devicePresets();
const DevicePreset* findDevice(std::string_view name);

}  // namespace shardlab::layout
