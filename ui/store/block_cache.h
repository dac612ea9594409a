// SPDX-License-Identifier: GPL-3.0-or-later
// Blocks in memory: as many as a budget holds, those used last. A block that is in use elsewhere is found as well,
// beyond the budget.
#pragma once

#include "ui/store/block_source.h"
#include "ui/store/decoded_block.h"

#include <cstddef>
#include <list>
#include <memory>
#include <mutex>
#include <unordered_map>

namespace shardlab::ui {

/// May be used by several threads at once.
class BlockCache {
public:
    using Block = std::shared_ptr<const DecodedBlock>;
    static constexpr std::size_t usualBudget = std::size_t{256} << 20;  ///< bytes

    BlockCache(std::shared_ptr<BlockSource> source, std::size_t budget) : source_(std::move(source)), budget_(budget) {}

    /// nullptr where it is not in memory.
    Block find(BlockKey key);
    /// Reads a block from its source where it is not in memory. Never nullptr: a block that cannot be read is empty.
    Block load(BlockKey key);
    /// Keeps a block that was read for another reason, where there is room; nothing goes for it.
    void offer(BlockKey key, Block block);
    bool hasRoom() const;
    /// Keeps a block that is used; others go for it.
    void keep(BlockKey key, Block block);

    std::size_t bytes() const;  ///< of what is kept; never more than the budget
    std::size_t budget() const { return budget_; }

private:
    struct Kept {
        BlockKey key;
        Block block;
        std::size_t bytes;
    };
    Block findLocked(BlockKey key);
    void keepLocked(BlockKey key, Block block);

    const std::shared_ptr<BlockSource> source_;
    const std::size_t budget_;
    mutable std::mutex mutex_;  ///< guards what follows
    std::list<Kept> kept_;      ///< used last first
    std::unordered_map<BlockKey, std::list<Kept>::iterator> places_;
    std::unordered_map<BlockKey, std::weak_ptr<const DecodedBlock>> held_;  ///< no longer kept, but in somebody's hands
    std::size_t bytes_ = 0;
    std::size_t givenUp_ = 0;  ///< bytes since the allocator was asked to give memory back
};

}  // namespace shardlab::ui
