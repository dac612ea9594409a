// SPDX-License-Identifier: Apache-2.0
#include "engine/layout/devices.h"

#include "engine/base/file.h"
#include "engine/base/resources.h"
#include "engine/layout/fault.h"
#include "engine/layout/json_text.h"
#include "engine/layout/suggest.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <optional>
#include <stdexcept>

namespace shardlab::layout {
namespace {

using nlohmann::json;

/// Reads one object whose fields are all wanted and all known; keeps the first thing that is wrong.
class Fields {
public:
    Fields(const json& object, std::string place, std::string file)
        : object_(object), place_(std::move(place)), file_(std::move(file)) {
        if (!object.is_object()) fail(place_.empty() ? "/" : place_, "it is no object", "an object of figures");
    }

    /// A number that is more than `above` and at most `most`; 0 for one that is not, and the fault is kept.
    double number(const char* key, double above, double most, const char* legal) {
        const json* value = find(key);
        if (value == nullptr) return 0;
        if (!value->is_number()) return fail(child(key), "it is no number", legal), 0;
        const double figure = value->get<double>();
        if (!(figure > above && figure <= most)) return fail(child(key), fmt::format("it is {:.6g}", figure), legal), 0;
        return figure;
    }
    double positive(const char* key, const char* unit) { return number(key, 0, 1e24, unit); }

    std::string text(const char* key) {
        const json* value = find(key);
        if (value == nullptr) return {};
        if (!value->is_string() || value->get_ref<const std::string&>().empty())
            return fail(child(key), "it is no text", "a few words"), std::string();
        return value->get<std::string>();
    }

    Link link(const char* key) {
        const json* value = find(key);
        if (value == nullptr) return {};
        Fields inside(*value, child(key), file_);
        const Link link{inside.positive("bandwidth_bytes_per_second", "bytes per second, one direction, more than 0"),
                        inside.number("latency_seconds", -1e-300, 1, "seconds, from 0 to 1")};
        inside.close();
        if (!error_) error_ = inside.error();
        return link;
    }

    /// A field that may be left out.
    std::optional<DeviceHost> host(const char* key) {
        if (!object_.is_object() || !object_.contains(key)) return known_.emplace_back(key), std::nullopt;
        Fields inside(*find(key), child(key), file_);
        DeviceHost host;
        host.link.bandwidth =
            inside.positive("bandwidth_bytes_per_second", "bytes per second, one direction, more than 0");
        host.link.latency = inside.number("latency_seconds", -1e-300, 1, "seconds, from 0 to 1");
        host.memoryBandwidth = inside.positive("memory_bandwidth_bytes_per_second", "bytes per second, more than 0");
        inside.close();
        if (!error_) error_ = inside.error();
        return host;
    }

    /// What was not asked for is unknown.
    void close() {
        if (error_ || !object_.is_object()) return;
        for (const auto& [key, value] : object_.items())
            if (std::ranges::find(known_, key) == known_.end())
                return fail(child(key), "a device has no such field", legalWords(key, {known_.begin(), known_.end()}));
    }
    const std::optional<Error>& error() const { return error_; }

private:
    std::string child(std::string_view key) const { return place_ + "/" + std::string(key); }

    const json* find(const char* key) {
        known_.emplace_back(key);
        if (!object_.is_object()) return nullptr;
        const auto found = object_.find(key);
        if (found != object_.end()) return &*found;
        fail(child(key), "it is missing",
             "a device has all its figures; resources/devices/a100-sxm.json is an example");
        return nullptr;
    }

    void fail(const std::string& pointer, std::string why, std::string legal) {
        if (!error_)
            error_ =
                Error{"cannot use the device", file_, pointer + ": " + std::move(why), "Legal: " + std::move(legal)};
    }

    const json& object_;
    std::string place_, file_;
    std::vector<std::string> known_;
    std::optional<Error> error_;
};

Result<DevicePreset> deviceOf(std::string_view name, const json& root, const std::string& file) {
    Fields fields(root, "", file);
    DevicePreset preset;
    preset.name = name;
    preset.title = fields.text("title");
    preset.fp32Flops = fields.positive("fp32_flops", "operations per second, more than 0");
    preset.bf16Flops = preset.fp16Flops = fields.positive("bf16_flops", "operations per second, more than 0");
    preset.matmulEfficiency =
        fields.number("matmul_efficiency", 0, 1, "a share of the peak, more than 0 and at most 1");
    preset.kernelSeconds = fields.number("kernel_seconds", -1e-300, 1, "seconds, from 0 to 1");
    preset.memoryBandwidth = fields.positive("memory_bandwidth_bytes_per_second", "bytes per second, more than 0");
    preset.memoryBytes =
        static_cast<std::int64_t>(fields.number("memory_bytes", std::nextafter(1, 0), 1e17, "bytes, from 1 to 1e17"));
    preset.inNode = fields.link("in_node");
    preset.betweenNodes = fields.link("between_nodes");
    preset.host = fields.host("host");
    preset.source = fields.text("source");
    fields.close();
    if (fields.error()) return fail(*fields.error());
    return preset;
}

Result<DevicePreset> parse(std::string_view name, std::string_view text, const std::string& file) {
    const Result<JsonText> parsed = parseJsonText(text);
    if (!parsed) {
        Error error = parsed.error();
        error.what = "cannot use the device";
        if (!error.where.empty()) error.why = error.where + ": " + error.why;
        error.where = file;
        return fail(std::move(error));
    }
    if (!parsed->duplicates.empty())
        return fail({"cannot use the device", file, toText(parsed->duplicates.front()), ""});
    return deviceOf(name, parsed->root, file);
}

std::vector<std::filesystem::path> jsonFiles(const std::filesystem::path& folder) {
    std::vector<std::filesystem::path> files;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(folder, error))
        if (entry.path().extension() == ".json") files.push_back(entry.path());
    std::ranges::sort(files);
    return files;
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

DeviceList readDevices(const std::filesystem::path& userFolder) {
    DeviceList list;
    // Resources are part of the program: without them the installation is broken, which no caller can mend.
    const std::filesystem::path folder = resourcesFolder() / "devices";
    for (const std::filesystem::path& file : jsonFiles(folder)) {
        Result<DevicePreset> device = readDevice(file);
        if (!device) throw std::runtime_error(device.error().text());
        list.devices.push_back(std::move(*device));
    }
    if (list.devices.empty())
        throw std::runtime_error(
            Error{"no devices found", folder.string(), "the installation is not complete", ""}.text());
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

const DeviceList& deviceList() {
    static const DeviceList list = readDevices(userDevicesFolder());
    return list;
}

const std::vector<DevicePreset>& devicePresets() { return deviceList().devices; }

const DevicePreset* findDevice(std::string_view name) {
    const auto& all = devicePresets();
    const auto found = std::ranges::find(all, name, &DevicePreset::name);
    return found == all.end() ? nullptr : &*found;
}

}  // namespace shardlab::layout
