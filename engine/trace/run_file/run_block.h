// SPDX-License-Identifier: Apache-2.0
// Blocks of the run file: a codec block (event_codec.h) compressed with zstd.
#pragma once

#include "engine/base/bytes.h"
#include "engine/base/result.h"
#include "engine/trace/event/event.h"

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

struct ZSTD_CCtx_s;
struct ZSTD_DCtx_s;

namespace shardlab::trace {

class BlockPacker {
public:
    BlockPacker();
    /// 1 to largestBlock events. Valid until the next call.
    std::span<const std::byte> pack(std::span<const Event> events);

private:
    struct Free {
        void operator()(ZSTD_CCtx_s* context) const;
    };
    std::unique_ptr<ZSTD_CCtx_s, Free> context_;
    Bytes columns_;
    Bytes packed_;
};

class BlockUnpacker {
public:
    BlockUnpacker();
    /// Replaces `events`. Error: not one whole block.
    Status unpack(std::span<const std::byte> packed, std::vector<Event>& events);

private:
    struct Free {
        void operator()(ZSTD_DCtx_s* context) const;
    };
    std::unique_ptr<ZSTD_DCtx_s, Free> context_;
    Bytes columns_;
};

}  // namespace shardlab::trace
