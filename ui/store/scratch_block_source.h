// SPDX-License-Identifier: GPL-3.0-or-later
// Blocks of a run that is not read from a file but arrives: packed, in a temporary file without a name; in memory where
// there is no room for one.
#pragma once

#include "engine/base/bytes.h"
#include "engine/trace/run_file/run_block.h"
#include "ui/store/block_source.h"

#include <cstdio>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

namespace shardlab::ui {

class ScratchBlockSource final : public BlockSource {
public:
    /// 1 to largestBlock events; not while another thread adds.
    BlockKey add(std::span<const Event> events);
    Status read(BlockKey key, std::vector<Event>& events) override;

private:
    struct Close {
        void operator()(std::FILE* file) const { std::fclose(file); }
    };
    struct Place {
        std::int64_t offset = 0;
        std::size_t size = 0;
        Bytes kept;  ///< where it could not be written
    };

    BlockPacker packer_;
    std::int64_t end_ = 0;
    std::mutex mutex_;                        ///< guards what follows
    std::unique_ptr<std::FILE, Close> file_;  ///< made for the first block
    std::vector<Place> places_;
    BlockUnpacker unpacker_;
};

}  // namespace shardlab::ui
