// SPDX-License-Identifier: Apache-2.0
#include "engine/predict/plan/accelerators.h"

#include "engine/base/words.h"

#include <algorithm>
#include <fstream>
#include <string_view>
#include <vector>

namespace shardlab::predict {
namespace {

constexpr std::string_view label = "Model:";

std::string modelIn(const std::filesystem::path& information) {
    std::ifstream file(information);
    for (std::string line; std::getline(file, line);) {
        if (!line.starts_with(label)) continue;
        const std::size_t begin = line.find_first_not_of(" \t", label.size());
        return begin == std::string::npos ? std::string() : line.substr(begin);
    }
    return {};
}

}  // namespace

Accelerators readAccelerators(const std::filesystem::path& folder) {
    std::vector<std::filesystem::path> places;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(folder, error)) places.push_back(entry.path());
    std::ranges::sort(places);
    Accelerators found;
    for (const std::filesystem::path& place : places) {
        const std::string model = modelIn(place / "information");
        if (model.empty()) continue;
        if (found.model.empty()) found.model = model;
        ++found.count;
    }
    return found;
}

const Accelerators& accelerators() {
    static const Accelerators found = readAccelerators("/proc/driver/nvidia/gpus");
    return found;
}

const DevicePreset* presetOf(const Accelerators& accelerators) {
    const std::vector<std::string> words = wordsOf(accelerators.model);
    for (const DevicePreset& device : devicePresets()) {
        const std::vector<std::string> named = wordsOf(device.name);
        if (!named.empty() && std::ranges::find(words, named.front()) != words.end()) return &device;
    }
    return nullptr;
}

}  // namespace shardlab::predict
