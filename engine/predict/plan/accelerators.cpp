// SPDX-License-Identifier: Apache-2.0
#include "engine/predict/plan/accelerators.h"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <string_view>
#include <vector>

namespace shardlab::predict {
namespace {

constexpr std::string_view label = "Model:";

/// The words of a text in small letters; all that is neither letter nor digit separates words.
std::vector<std::string> wordsOf(std::string_view text) {
    std::vector<std::string> words;
    bool within = false;
    for (const char each : text) {
        const auto letter = static_cast<unsigned char>(each);
        const bool counts = std::isalnum(letter) != 0;
        if (counts && !within) words.emplace_back();
        if (counts) words.back().push_back(static_cast<char>(std::tolower(letter)));
        within = counts;
    }
    return words;
}

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
