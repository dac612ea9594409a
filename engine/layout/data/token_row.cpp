// SPDX-License-Identifier: Apache-2.0
#include "engine/layout/data/token_row.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace shardlab::layout {

void TokenRow::append(Tokens tokens, const std::string& name) {
    const TokenFile file{.path = name, .width = sizeof(Tokens::value_type), .count = tokens.size()};
    parts_.push_back({size_, file, nullptr, std::move(tokens)});
    size_ += static_cast<std::int64_t>(file.count);
}

Status TokenRow::append(FileSystem& files, const TokenFile& file) {
    auto opened = files.open(file.path, OpenMode::Read);
    if (!opened) return fail(opened.error());
    parts_.push_back({size_, file, std::move(*opened), {}});
    size_ += static_cast<std::int64_t>(file.count);
    return {};
}

void TokenRow::read(std::int64_t first, std::span<std::int32_t> to, int vocabulary) const {
    std::vector<std::int64_t> wide;
    auto part = std::ranges::upper_bound(parts_, first, {}, &Part::first) - 1;
    for (std::size_t done = 0; done < to.size(); ++part) {
        const auto place = static_cast<std::uint64_t>(first - part->first) + done;
        wide.resize(std::min<std::uint64_t>(to.size() - done, part->file.count - place));
        if (part->opened) {
            if (const Status read = readTokens(*part->opened, part->file, place, wide); !read)
                throw std::runtime_error(read.error().text());
        } else {
            std::copy_n(part->held.begin() + static_cast<std::ptrdiff_t>(place), wide.size(), wide.begin());
        }
        for (std::size_t i = 0; i < wide.size(); ++i) {
            if (wide[i] < 0 || wide[i] >= vocabulary)
                throw std::runtime_error(outsideVocabulary(part->file, place + i, wide[i], vocabulary).text());
            to[done++] = static_cast<std::int32_t>(wide[i]);
        }
    }
}

}  // namespace shardlab::layout
