// SPDX-License-Identifier: GPL-3.0-or-later
// What a rank held over time: from what stays of its blocks, and from their samples where a moment lies within one.
#pragma once

#include "engine/trace/metrics/memory_curve.h"
#include "ui/store/block_cache.h"
#include "ui/store/block_digest.h"

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace shardlab::ui {

class MemoryTrack {
public:
    /// Samples that no block holds yet, of each of the rank's lanes; they must outlive this object.
    using Open = std::array<const std::vector<MemorySample>*, laneCount>;

    MemoryTrack() = default;
    MemoryTrack(std::shared_ptr<BlockCache> cache, const Open& open) : cache_(std::move(cache)), open_(open) {}

    bool empty() const;
    /// Last known at or before `time`.
    MemoryBytes at(std::int64_t time) const;
    MemoryBytes last() const;
    /// The memory at the first moment within [begin, end] at which the sum is largest.
    MemoryBytes largest(std::int64_t begin, std::int64_t end) const;
    /// From the last change before `begin` on, each change until `end`; where there are more than `most`, at that many
    /// moments, and then not quite of them.
    std::vector<MemoryPoint> curve(std::int64_t begin, std::int64_t end, std::size_t most) const;

    void add(BlockKey key, std::shared_ptr<const BlockDigest> digest);
    /// A block became a part of another.
    void drop(BlockKey key);

private:
    struct Block {
        BlockKey key;
        std::shared_ptr<const BlockDigest> digest;
        const MemoryMarks& marks() const { return digest->memory; }
    };
    /// The bytes of each category, and when each was recorded.
    struct State {
        MemoryBytes bytes{};
        std::array<std::int64_t, memoryCategoryCount> told;
        State() { told.fill(INT64_MIN); }
        void take(const MemoryMarks& marks);
        void take(const MemorySample& sample);
    };
    /// Blocks whose moments interleave, [first, last), and whether samples without a block are among them.
    struct Group {
        std::size_t first, last;
        bool open;
    };
    /// The first block with a moment after `time`; all before it are in stateBefore().
    std::size_t firstAfter(std::int64_t time) const;
    State stateBefore(std::size_t block) const;
    State stateAt(std::int64_t time) const;
    MemoryBytes fromAfar(std::int64_t time, std::span<const MemorySample> open) const;
    /// The groups with moments within (begin, end], ascending.
    std::vector<Group> groups(std::int64_t begin, std::int64_t end) const;
    /// The samples of a group within (begin, end], ascending.
    std::vector<MemorySample> samples(const Group& group, std::int64_t begin, std::int64_t end) const;
    void refresh() const;
    std::vector<MemorySample> openSamples(std::int64_t begin, std::int64_t end) const;

    std::shared_ptr<BlockCache> cache_;
    Open open_{};
    std::vector<Block> blocks_;  ///< ascending by their first moment
    // These indexes are made of blocks_ when they are first needed.
    mutable std::vector<std::int64_t> reach_;  ///< latest moment of the blocks up to this one
    mutable std::vector<State> states_;        ///< after them
};

}  // namespace shardlab::ui
