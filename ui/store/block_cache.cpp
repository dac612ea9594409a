// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/store/block_cache.h"

#include <malloc.h>

namespace shardlab::ui {
namespace {
constexpr std::size_t mostForgotten = 1024;  ///< names of blocks that nobody holds any more, before they are swept
}

BlockCache::Block BlockCache::findLocked(BlockKey key) {
    if (const auto place = places_.find(key); place != places_.end()) {
        kept_.splice(kept_.begin(), kept_, place->second);
        return place->second->block;
    }
    const auto held = held_.find(key);
    return held == held_.end() ? nullptr : held->second.lock();
}

BlockCache::Block BlockCache::find(BlockKey key) {
    const std::scoped_lock lock(mutex_);
    return findLocked(key);
}

BlockCache::Block BlockCache::load(BlockKey key) {
    if (Block block = find(key)) return block;
    std::vector<Event> events;
    static_cast<void>(source_->read(key, events));  // whoever scans the run tells of its damage
    auto block = std::make_shared<const DecodedBlock>(decodedBlock(events));
    const std::scoped_lock lock(mutex_);
    if (Block other = findLocked(key)) return other;  // another thread was faster
    keepLocked(key, block);
    return block;
}

void BlockCache::keepLocked(BlockKey key, Block block) {
    const std::size_t size = block->bytes();
    while (!kept_.empty() && bytes_ + size > budget_) {
        const Kept& oldest = kept_.back();
        if (oldest.block.use_count() > 1) held_[oldest.key] = oldest.block;
        bytes_ -= oldest.bytes;
        givenUp_ += oldest.bytes;
        places_.erase(oldest.key);
        kept_.pop_back();
    }
    if (givenUp_ > budget_ / 4) {
        // The allocator keeps what lies between things that stay, which for blocks is as much again as the budget.
        ::malloc_trim(0);
        givenUp_ = 0;
    }
    if (held_.size() > mostForgotten) std::erase_if(held_, [](const auto& entry) { return entry.second.expired(); });
    if (size > budget_) {
        held_[key] = block;
        return;
    }
    held_.erase(key);
    bytes_ += size;
    kept_.push_front({key, std::move(block), size});
    places_[key] = kept_.begin();
}

void BlockCache::offer(BlockKey key, Block block) {
    const std::scoped_lock lock(mutex_);
    if (bytes_ + block->bytes() > budget_ || findLocked(key)) return;
    keepLocked(key, std::move(block));
}

void BlockCache::keep(BlockKey key, Block block) {
    const std::scoped_lock lock(mutex_);
    if (!findLocked(key)) keepLocked(key, std::move(block));
}

bool BlockCache::hasRoom() const {
    const std::scoped_lock lock(mutex_);
    return bytes_ < budget_ - budget_ / 8;
}

std::size_t BlockCache::bytes() const {
    const std::scoped_lock lock(mutex_);
    return bytes_;
}

}  // namespace shardlab::ui
