// SPDX-License-Identifier: GPL-3.0-or-later
// Blocks of a run that is not read from a file but arrives: packed, in a temporary file without a name; in memory where
// there is no room for one.
#pragma once

#include "engine/base/bytes.h"
#include "engine/base/scratch_folder.h"
#include "engine/trace/run_file/run_block.h"
#include "ui/store/block_source.h"

#include <mutex>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

namespace shardlab::ui {

class ScratchBlockSource final : public BlockSource {
public:
    /// 1 to largestBlock events; not while another thread adds.
    BlockKey add(std::span<const Event> events);
    /// Makes one block of the events of two, whose keys are gone then. The file chains what belongs to a block, so that
    /// memory holds as much of a block of many as of one. Nothing: the file cannot be written, and both stay.
    std::optional<BlockKey> join(BlockKey first, BlockKey second);
    Status read(BlockKey key, std::vector<Event>& events) override;

private:
    /// What precedes each packed piece in the file.
    struct Link {
        std::int64_t size = 0;     ///< bytes of the piece
        std::int64_t next = none;  ///< where the next piece of the block begins
    };
    struct Place {
        std::int64_t first = none, last = none;  ///< where these pieces of the block begin
        std::vector<Bytes> kept;                 ///< pieces that could not be written
    };
    static constexpr std::int64_t none = -1;

    BlockKey placed(Place place);

    BlockPacker packer_;
    std::int64_t end_ = 0;
    BlockKey lastKey_ = 0;
    std::mutex mutex_;  ///< guards what follows
    ScratchFile file_;  ///< made for the first block
    std::unordered_map<BlockKey, Place> places_;
    BlockUnpacker unpacker_;
};

}  // namespace shardlab::ui
