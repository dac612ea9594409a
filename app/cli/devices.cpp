// SPDX-License-Identifier: Apache-2.0
#include "app/cli/print.h"
#include "app/cli/verbs.h"
#include "engine/base/units.h"
#include "engine/layout/devices.h"

#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>

namespace shardlab::cli {

namespace {

using Json = nlohmann::ordered_json;

std::string modelledLinkText(const Link& link) {
    return fmt::format("{}/s, {}", formatBytes(static_cast<std::int64_t>(link.bandwidth)), formatSeconds(link.latency));
}

Json linkJson(const Link& link) {
    return {{"bandwidth_bytes_per_second", link.bandwidth}, {"latency_seconds", link.latency}};
}

Json deviceJson(const DevicePreset& device) {
    Json json{{"name", device.name},
              {"of_the_user", device.ofTheUser},
              {"title", device.title},
              {"fp32_flops", device.fp32Flops},
              {"bf16_flops", device.bf16Flops},
              {"matmul_efficiency", device.matmulEfficiency},
              {"kernel_seconds", device.kernelSeconds},
              {"memory_bandwidth_bytes_per_second", device.memoryBandwidth},
              {"memory_bytes", device.memoryBytes},
              {"in_node", linkJson(device.inNode)},
              {"between_nodes", linkJson(device.betweenNodes)}};
    if (device.host) {
        json["host"] = linkJson(device.host->link);
        json["host"]["memory_bandwidth_bytes_per_second"] = device.host->memoryBandwidth;
    }
    json["source"] = device.source;
    return json;
}

int devices(bool json) {
    const DeviceList& list = deviceList();
    if (json) {
        Json all = Json::array(), damaged = Json::array();
        for (const DevicePreset& device : list.devices) all.push_back(deviceJson(device));
        for (const Error& error : list.damaged) damaged.push_back(error.text());
        print(
            Json{{"folder", userDevicesFolder().string()}, {"devices", std::move(all)}, {"damaged", std::move(damaged)}}
                .dump(2) +
            "\n");
    } else {
        Table table({"name", "fp32 flop/s", "16-bit flop/s", "memory", "memory/s", "in a node", "between nodes",
                     "to its host", "what it is"});
        for (const DevicePreset& device : list.devices)
            table.add({device.name, formatCount(device.fp32Flops), formatCount(device.bf16Flops),
                       formatBytes(device.memoryBytes), formatBytes(static_cast<std::int64_t>(device.memoryBandwidth)),
                       modelledLinkText(device.inNode), modelledLinkText(device.betweenNodes),
                       device.host ? modelledLinkText(device.host->link) : "–",
                       device.title + (device.ofTheUser ? " (yours)" : "")});
        print(table.text() + fmt::format("\nYour own: one JSON file each in {}\n", userDevicesFolder().string()));
    }
    for (const Error& error : list.damaged) printError(error);
    return list.damaged.empty() ? success : failure;
}

}  // namespace

void addDevices(CommandLine& line) {
    Verb verb(line, "devices", "List the devices that a paced layout can be modelled on");
    const auto json = std::make_shared<bool>(false);
    verb.flag("--json", *json, "List them as JSON");
    verb.runs([json] { return devices(*json); });
}

}  // namespace shardlab::cli
