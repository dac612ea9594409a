// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/run_file/run_block.h"

#include "engine/base/units.h"
#include "engine/trace/event/event_codec.h"

#include <new>
#include <zstd.h>

namespace shardlab::trace {
namespace {

constexpr int compressionLevel = 1;
constexpr std::size_t largestColumns = std::size_t{1} << 20;  ///< more than largestBlock events can take

}  // namespace

void BlockPacker::Free::operator()(ZSTD_CCtx_s* context) const { ZSTD_freeCCtx(context); }
void BlockUnpacker::Free::operator()(ZSTD_DCtx_s* context) const { ZSTD_freeDCtx(context); }

BlockPacker::BlockPacker() : context_(ZSTD_createCCtx()) {
    if (!context_) throw std::bad_alloc();
}

BlockUnpacker::BlockUnpacker() : context_(ZSTD_createDCtx()), columns_(largestColumns) {
    if (!context_) throw std::bad_alloc();
}

std::span<const std::byte> BlockPacker::pack(std::span<const Event> events) {
    columns_.clear();
    encodeEvents(events, columns_);
    packed_.resize(ZSTD_compressBound(columns_.size()));
    const std::size_t size = ZSTD_compressCCtx(context_.get(), packed_.data(), packed_.size(), columns_.data(),
                                               columns_.size(), compressionLevel);
    if (ZSTD_isError(size) != 0) throw std::bad_alloc();  // with room for the bound, nothing else can fail
    return std::span(packed_).first(size);
}

Status BlockUnpacker::unpack(std::span<const std::byte> packed, std::vector<Event>& events) {
    events.clear();
    const unsigned long long said = ZSTD_getFrameContentSize(packed.data(), packed.size());
    if (said != ZSTD_CONTENTSIZE_ERROR && said != ZSTD_CONTENTSIZE_UNKNOWN && said > columns_.size())
        return fail({"damaged block of events", "", "it says that it unpacks to more than a block ever does",
                     "At most " + formatBytes(static_cast<std::int64_t>(columns_.size()))});
    const std::size_t size =
        ZSTD_decompressDCtx(context_.get(), columns_.data(), columns_.size(), packed.data(), packed.size());
    if (ZSTD_isError(size) != 0) return fail({"damaged block of events", "", ZSTD_getErrorName(size), ""});
    return decodeEvents(std::span(columns_).first(size), events);
}

}  // namespace shardlab::trace
