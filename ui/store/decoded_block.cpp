// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/store/decoded_block.h"

#include <algorithm>

namespace shardlab::ui {
namespace {

MemorySample sampleOf(const Event& event, MemoryCategory category) { return {event.begin, event.bytes, category}; }

template <class Item, class Time>
void insertAscending(std::vector<Item>& items, const Item& item, Time Item::*time) {
    if (items.empty() || items.back().*time <= item.*time) items.push_back(item);
    else items.insert(std::ranges::upper_bound(items, item.*time, {}, time), item);
}

}  // namespace

DecodedBlock decodedBlock(std::span<const Event> events) {
    DecodedBlock block;
    block.spans.reserve(static_cast<std::size_t>(std::ranges::count_if(events, isSpan, &Event::kind)));
    for (const Event& event : events) {
        if (isSpan(event.kind)) block.spans.push_back(event);
        else if (const auto category = memoryCategory(event.kind, EventKind::MemoryUsed))
            block.memory.push_back(sampleOf(event, *category));
    }
    if (!std::ranges::is_sorted(block.spans, {}, &Event::begin))
        std::ranges::stable_sort(block.spans, {}, &Event::begin);
    if (!std::ranges::is_sorted(block.memory, {}, &MemorySample::time))
        std::ranges::stable_sort(block.memory, {}, &MemorySample::time);
    return block;
}

void insert(DecodedBlock& block, const Event& event) {
    if (isSpan(event.kind)) insertAscending(block.spans, event, &Event::begin);
    else if (const auto category = memoryCategory(event.kind, EventKind::MemoryUsed))
        insertAscending(block.memory, sampleOf(event, *category), &MemorySample::time);
}

bool isOfBlock(const Event& event) { return isSpan(event.kind) || memoryCategory(event.kind, EventKind::MemoryUsed); }

}  // namespace shardlab::ui
