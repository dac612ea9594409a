// SPDX-License-Identifier: Apache-2.0
#include "engine/train/run/token_files.h"

#include "engine/base/file.h"
#include "engine/base/units.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <fmt/format.h>
#include <vector>

namespace shardlab {

namespace {

constexpr std::int32_t magic = 20240520;
constexpr std::int32_t version = 1;
constexpr std::size_t headerBytes = 256 * sizeof(std::int32_t);

Result<Tokens> readFileOfTokens(const std::filesystem::path& file, int vocabulary) {
    const Result<std::string> content = readFile(file, largestTextBytes);
    if (!content) return fail(content.error());
    const auto wrong = [&](std::string why, std::string legal) {
        return fail(Error{"cannot read tokens", file.string(), std::move(why), std::move(legal)});
    };
    std::array<std::int32_t, 3> header{};
    std::size_t begin = 0;
    if (content->size() >= headerBytes) std::memcpy(header.data(), content->data(), sizeof header);
    if (header[0] == magic) {
        begin = headerBytes;
        if (header[1] != version)
            return wrong(fmt::format("its header's version is {}", header[1]), "version 1, tokens of 16 bits");
        if (const auto tokens = static_cast<std::int64_t>((content->size() - begin) / 2); header[2] != tokens)
            return wrong(fmt::format("its header counts {} tokens and {} follow", header[2], tokens), "a whole file");
    }
    if ((content->size() - begin) % 2 != 0) return wrong("it has an odd number of bytes", "tokens of 16 bits");
    Tokens tokens((content->size() - begin) / 2);
    if (!tokens.empty()) std::memcpy(tokens.data(), content->data() + begin, tokens.size() * 2);
    const auto outside = std::ranges::find_if(tokens, [&](std::uint16_t token) { return token >= vocabulary; });
    if (outside == tokens.end()) return tokens;
    return wrong(fmt::format("token {} is {}, model.vocabulary is {}", outside - tokens.begin(), *outside, vocabulary),
                 fmt::format("model.vocabulary above {}", *std::ranges::max_element(tokens)));
}

}  // namespace

Result<TokenFiles> readTokenFiles(const std::filesystem::path& place, int vocabulary) {
    std::error_code error;
    std::vector<std::filesystem::path> paths;
    if (!std::filesystem::is_directory(place, error)) paths.push_back(place);
    else
        for (std::filesystem::directory_iterator at(place, error), end; !error && at != end; at.increment(error))
            if (at->path().extension() == ".bin") paths.push_back(at->path());
    std::ranges::sort(paths);
    TokenFiles files;
    for (const std::filesystem::path& path : paths) {
        const Result<Tokens> tokens = readFileOfTokens(path, vocabulary);
        if (!tokens) return fail(tokens.error());
        const bool validates = paths.size() > 1 && path.filename().string().find("val") != std::string::npos;
        Tokens& part = validates ? files.validation : files.train;
        part.insert(part.end(), tokens->begin(), tokens->end());
        const auto bytes = static_cast<std::int64_t>((files.train.size() + files.validation.size()) * 2);
        if (bytes > largestTextBytes)
            return fail(Error{"there are too many tokens", place.string(),
                              "every rank holds them all, and they have more than " + formatBytes(largestTextBytes),
                              "fewer files"});
    }
    if (files.train.empty())
        return fail(Error{"there are no tokens", place.string(), "no .bin file to train on lies there",
                          "a .bin file, or a folder of them"});
    return files;
}

}  // namespace shardlab
