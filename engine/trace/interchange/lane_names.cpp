// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/interchange/lane_names.h"

#include <algorithm>
#include <set>
#include <string>

namespace shardlab::trace {
namespace {

/// The runs of letters, in lower case: "Stream #14(MemcpyH2D)" has "stream", "memcpyh" and "d".
std::set<std::string> letterWords(std::string_view name) {
    std::set<std::string> words;
    std::string word;
    for (const char letter : name) {
        const char lower = letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
        if (lower >= 'a' && lower <= 'z') word += lower;
        else if (!word.empty()) words.insert(std::exchange(word, {}));
    }
    if (!word.empty()) words.insert(word);
    return words;
}

}  // namespace

std::optional<Lane> laneNamedBy(std::string_view thread) {
    const std::set<std::string> words = letterWords(thread.substr(0, 256));
    const auto hasAny = [&](std::initializer_list<const char*> any) {
        return std::ranges::any_of(any, [&](const char* word) { return words.contains(word); });
    };
    if (hasAny({"compute", "kernel", "kernels"})) return Lane::Compute;
    if (hasAny({"nccl", "rccl", "mpi", "comm", "comms", "communication", "collective", "collectives", "network"}))
        return Lane::Comm;
    const bool copies = std::ranges::any_of(words, [](const std::string& word) { return word.starts_with("memcpy"); });
    if (copies || hasAny({"copy", "copies", "memset", "dma", "htod", "dtoh"})) return Lane::Copy;
    if (hasAny({"stream", "streams"}) || (words.contains("xla") && words.contains("ops"))) return Lane::Compute;
    return std::nullopt;
}

}  // namespace shardlab::trace
