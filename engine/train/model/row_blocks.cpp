// SPDX-License-Identifier: Apache-2.0
#include "engine/train/model/row_blocks.h"

#include <cmath>

namespace shardlab::train {

RowBlocks RowBlocks::even(std::size_t blocks, int perBlock) {
    RowBlocks made;
    for (std::size_t b = 0; b <= blocks; ++b) made.begins.push_back(static_cast<int>(b) * perBlock);
    return made;
}

RowBlocks RowBlocks::fromCounts(std::span<const std::int32_t> counts, int members, int member) {
    const auto n = static_cast<std::size_t>(members), experts = counts.size() / n, own = experts / n;
    RowBlocks made{{0}, std::vector<std::size_t>(members > 1 ? n * n : 0)};
    for (std::size_t from = 0; from < n; ++from)
        for (std::size_t expert = 0; expert < experts; ++expert) {
            const std::int32_t rows = counts[from * experts + expert];
            const std::size_t to = expert / own;
            if (members > 1) made.moved[from * n + to] += static_cast<std::size_t>(rows);
            if (to == static_cast<std::size_t>(member)) made.begins.push_back(made.begins.back() + rows);
        }
    return made;
}

std::vector<std::size_t> RowBlocks::sizes(int columns, ExpertExchange way) const {
    std::vector<std::size_t> sizes(moved.size());
    const auto n = static_cast<std::size_t>(std::lround(std::sqrt(static_cast<double>(moved.size()))));
    for (std::size_t from = 0; from < n; ++from)
        for (std::size_t to = 0; to < n; ++to)
            sizes[way == ExpertExchange::Dispatch ? from * n + to : to * n + from] =
                moved[from * n + to] * static_cast<std::size_t>(columns);
    return sizes;
}

}  // namespace shardlab::train
