// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/metrics/metric_store.h"

namespace shardlab::trace {

Result<std::optional<PackedFigures>> MemoryShelf::from(FigureTable table, int first) {
    const auto found = blocks(table).lower_bound(first);
    if (found == blocks(table).end()) return std::nullopt;
    return PackedFigures{found->first, found->second};
}

Status MemoryShelf::put(FigureTable table, int first, std::span<const std::byte> data) {
    if (data.empty()) blocks(table).erase(first);
    else blocks(table)[first].assign(data.begin(), data.end());
    return {};
}

Status MemoryShelf::dropFrom(FigureTable table, int first) {
    blocks(table).erase(blocks(table).lower_bound(first), blocks(table).end());
    return {};
}

}  // namespace shardlab::trace
