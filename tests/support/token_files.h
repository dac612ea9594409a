// SPDX-License-Identifier: Apache-2.0
// Files of tokens, as the programs write them that others train with.
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace shardlab::test {

template <class T>
std::string bytesOf(const std::vector<T>& numbers) {
    return {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(T)};
}

inline void writeBytes(const std::filesystem::path& path, const std::string& content) {
    std::ofstream(path, std::ios::binary | std::ios::trunc) << content;
}

/// As llm.c writes before its tokens.
inline std::string llmcHeader(std::int32_t version, std::int32_t count, std::int32_t magic = 20240520) {
    std::vector<std::int32_t> words(256);
    words[0] = magic;
    words[1] = version;
    words[2] = count;
    return bytesOf(words);
}

/// Texts of one or several sequences each, which Megatron's preprocessing makes of them.
using Sequences = std::vector<std::vector<std::int64_t>>;
struct MegatronData {
    std::vector<Sequences> documents;

    std::vector<std::int64_t> tokens() const {
        std::vector<std::int64_t> all;
        for (const Sequences& document : documents)
            for (const auto& sequence : document) all.insert(all.end(), sequence.begin(), sequence.end());
        return all;
    }

    template <class Token>
    std::string bin() const {
        const std::vector<std::int64_t> all = tokens();
        return bytesOf(std::vector<Token>(all.begin(), all.end()));
    }

    /// `type` is the code of tokens of `width` bytes.
    std::string index(std::uint8_t type, int width) const {
        std::vector<std::int32_t> lengths;
        std::vector<std::int64_t> places, firsts{0};
        std::int64_t place = 0;
        for (const Sequences& document : documents) {
            for (const auto& sequence : document) {
                lengths.push_back(static_cast<std::int32_t>(sequence.size()));
                places.push_back(place);
                place += static_cast<std::int64_t>(sequence.size()) * width;
            }
            firsts.push_back(static_cast<std::int64_t>(lengths.size()));
        }
        const std::vector<std::uint64_t> version{1}, counts{lengths.size(), firsts.size()};
        return std::string("MMIDIDX\0\0", 9) + bytesOf(version) + std::string(1, static_cast<char>(type)) +
               bytesOf(counts) + bytesOf(lengths) + bytesOf(places) + bytesOf(firsts);
    }
};

}  // namespace shardlab::test
