// SPDX-License-Identifier: Apache-2.0
#include "engine/layout/devices.h"

#include "engine/base/file.h"
#include "engine/base/resources.h"
#include "engine/layout/figure_fields.h"
#include "engine/layout/json_text.h"

#include <algorithm>
#include <fmt/format.h>
#include <stdexcept>

namespace shardlab::layout {
namespace {

constexpr FigureKind deviceKind{"device", "resources/devices/a100-sxm.json"};

Result<DevicePreset> deviceOf(std::string_view name, const nlohmann::json& root, const std::string& file) {
    FigureFields fields(root, deviceKind, file);
    DevicePreset preset;
    preset.name = name;
    preset.title = fields.text("title");
    preset.fp32Flops = fields.positive("fp32_flops", "operations per second, more than 0");
    preset.bf16Flops = preset.fp16Flops = fields.positive("bf16_flops", "operations per second, more than 0");
    preset.fp8Flops = fields.positiveOr("fp8_flops", "operations per second, more than 0", 0);
    preset.fp4Flops = fields.positiveOr("fp4_flops", "operations per second, more than 0", 0);
    preset.matmulEfficiency =
        fields.number("matmul_efficiency", 0, 1, "a share of the peak, more than 0 and at most 1");
    preset.kernelSeconds = fields.number("kernel_seconds", -1e-300, 1, "seconds, from 0 to 1");
    preset.memoryBandwidth = fields.positive("memory_bandwidth_bytes_per_second", "bytes per second, more than 0");
    preset.memoryBytes =
        static_cast<std::int64_t>(fields.number("memory_bytes", std::nextafter(1, 0), 1e17, "bytes, from 1 to 1e17"));
    preset.inNode = fields.link("in_node");
    preset.betweenNodes = fields.link("between_nodes");
    preset.host = fields.host("host");
    preset.architecture = fields.textOr("architecture", "");
    preset.domain = static_cast<int>(fields.positiveOr("domain", "a number of devices, 1 or more", 0));
    preset.multiprocessors = static_cast<int>(fields.positiveOr("multiprocessors", "a number, 1 or more", 0));
    preset.source = fields.text("source");
    fields.close();
    if (fields.error()) return fail(*fields.error());
    return preset;
}

Result<DevicePreset> parse(std::string_view name, std::string_view text, const std::string& file) {
    const Result<nlohmann::json> root = parseFigures(text, deviceKind, file);
    return root ? deviceOf(name, *root, file) : fail(root.error());
}

Result<DevicePreset> readDevice(const std::filesystem::path& file) {
    const Result<std::string> text = readFile(file, largestJson);
    if (!text) return fail(text.error());
    return parse(file.stem().string(), *text, file.string());
}

}  // namespace

std::filesystem::path userDevicesFolder() { return configurationFolder() / "devices"; }

Result<DevicePreset> parseDevice(std::string_view name, std::string_view json) {
    return parse(name, json, std::string(name));
}

DeviceList readDevices(const std::filesystem::path& folder, const std::filesystem::path& userFolder) {
    DeviceList list;
    // Resources are part of the program: without them the installation is broken, which no caller can mend.
    for (const std::filesystem::path& file : jsonFiles(folder)) {
        Result<DevicePreset> device = readDevice(file);
        if (!device) throw std::runtime_error(device.error().text());
        list.devices.push_back(std::move(*device));
    }
    if (list.devices.empty())
        throw std::runtime_error(
            Error{say("no devices found"), folder.string(), say("the installation is not complete"), ""}.text());
    const std::size_t shipped = list.devices.size();
    for (const std::filesystem::path& file : jsonFiles(userFolder)) {
        Result<DevicePreset> device = readDevice(file);
        const std::string name = file.stem().string();
        const bool taken = std::any_of(list.devices.begin(), list.devices.begin() + std::ptrdiff_t(shipped),
                                       [&](const DevicePreset& other) { return other.name == name; });
        if (taken)
            list.damaged.push_back(
                {"cannot use the device", file.string(),
                 fmt::format("\"{}\" comes with Shardlab, and a layout must mean the same everywhere", name),
                 "Legal: another file name"});
        else if (!device) list.damaged.push_back(device.error());
        else {
            device->ofTheUser = true;
            list.devices.push_back(std::move(*device));
        }
    }
    std::ranges::sort(list.devices, {}, [](const DevicePreset& p) { return std::pair(p.fp32Flops, p.name); });
    return list;
}

namespace {

DeviceList& usedDevices() {
    static DeviceList list = readDevices(resourcesFolder() / "devices", userDevicesFolder());
    return list;
}

}  // namespace

const DeviceList& deviceList() { return usedDevices(); }
void useDevices(DeviceList list) { usedDevices() = std::move(list); }

const std::vector<DevicePreset>& devicePresets() { return deviceList().devices; }

const DevicePreset* findDevice(std::string_view name) {
    const auto& all = devicePresets();
    const auto found = std::ranges::find(all, name, &DevicePreset::name);
    return found == all.end() ? nullptr : &*found;
}

}  // namespace shardlab::layout
