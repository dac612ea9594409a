// SPDX-License-Identifier: Apache-2.0
#include "engine/train/run/token_files.h"

#include "engine/base/units.h"
#include "engine/layout/token_format.h"

#include <string>

namespace shardlab::train {

Result<TokenFiles> readTokenFiles(const std::filesystem::path& place, int vocabulary) {
    const Result<std::vector<TokenFile>> found = findTokenFiles(place);
    if (!found) return fail(found.error());
    std::uint64_t tokens = 0;
    for (const TokenFile& file : *found) tokens += file.count;
    if (tokens > static_cast<std::uint64_t>(largestTextBytes) / sizeof(Tokens::value_type))
        return fail(Error{"there are too many tokens", place.string(),
                          "every rank holds them all, and they have more than " + formatBytes(largestTextBytes),
                          "fewer files"});
    TokenFiles files;
    for (const TokenFile& file : *found) {
        const bool validates = found->size() > 1 && file.path.filename().string().find("val") != std::string::npos;
        Tokens& part = validates ? files.validation : files.train;
        part.reserve(part.size() + file.count);
        const auto append = [&](std::span<const std::uint16_t> more) {
            part.insert(part.end(), more.begin(), more.end());
        };
        if (const Status read = readTokens(file, vocabulary, append); !read) return fail(read.error());
    }
    if (files.train.empty())
        return fail(Error{"there are no tokens", place.string(), "no .bin file to train on lies there",
                          "a .bin file, or a folder of them"});
    return files;
}

}  // namespace shardlab::train
