// SPDX-License-Identifier: Apache-2.0
#include "engine/layout/devices.h"

#include "engine/base/file.h"
#include "engine/base/resources.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace shardlab {
namespace {

using nlohmann::json;

Link readLink(const json& link) {
    return {link.at("bandwidth_bytes_per_second").get<double>(), link.at("latency_seconds").get<double>()};
}

DevicePreset readDevice(const std::filesystem::path& file) {
    const Result<std::string> text = readFile(file);
    if (!text) throw std::runtime_error(text.error().text());
    try {
        const json device = json::parse(*text);
        DevicePreset preset;
        preset.name = file.stem().string();
        preset.title = device.at("title").get<std::string>();
        preset.fp32Flops = device.at("fp32_flops").get<double>();
        preset.bf16Flops = device.at("bf16_flops").get<double>();
        preset.matmulEfficiency = device.at("matmul_efficiency").get<double>();
        preset.kernelSeconds = device.at("kernel_seconds").get<double>();
        preset.memoryBandwidth = device.at("memory_bandwidth_bytes_per_second").get<double>();
        preset.memoryBytes = device.at("memory_bytes").get<std::int64_t>();
        preset.inNode = readLink(device.at("in_node"));
        preset.betweenNodes = readLink(device.at("between_nodes"));
        return preset;
    } catch (const json::exception& error) {
        throw std::runtime_error(Error{"cannot read the device", file.string(), error.what(), ""}.text());
    }
}

/// Resources are part of the program: without them the installation is broken, which no caller can mend.
std::vector<DevicePreset> readAll() {
    const std::filesystem::path folder = resourcesFolder() / "devices";
    std::vector<DevicePreset> presets;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(folder, error))
        if (entry.path().extension() == ".json") presets.push_back(readDevice(entry.path()));
    if (presets.empty())
        throw std::runtime_error(
            Error{"no devices found", folder.string(), "the installation is not complete", ""}.text());
    std::ranges::sort(presets, {}, [](const DevicePreset& p) { return std::pair(p.fp32Flops, p.name); });
    return presets;
}

}  // namespace

const std::vector<DevicePreset>& devicePresets() {
    static const std::vector<DevicePreset> presets = readAll();
    return presets;
}

const DevicePreset* findDevice(std::string_view name) {
    const auto& all = devicePresets();
    const auto found = std::ranges::find(all, name, &DevicePreset::name);
    return found == all.end() ? nullptr : &*found;
}

}  // namespace shardlab
