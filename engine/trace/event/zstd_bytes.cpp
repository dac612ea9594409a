// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/event/zstd_bytes.h"

#include "engine/base/units.h"

#include <new>
#include <zstd.h>

namespace shardlab::trace {
namespace {

constexpr int level = 1;
constexpr unsigned long long mostBytes = 64ULL << 20;

}  // namespace

Bytes packBytes(std::span<const std::byte> bytes) {
    Bytes packed(ZSTD_compressBound(bytes.size()));
    const std::size_t size = ZSTD_compress(packed.data(), packed.size(), bytes.data(), bytes.size(), level);
    if (ZSTD_isError(size) != 0) throw std::bad_alloc();  // with room for the bound, nothing else can fail
    packed.resize(size);
    return packed;
}

Result<Bytes> unpackBytes(std::span<const std::byte> packed) {
    const unsigned long long size = ZSTD_getFrameContentSize(packed.data(), packed.size());
    if (size == ZSTD_CONTENTSIZE_ERROR || size == ZSTD_CONTENTSIZE_UNKNOWN)
        return fail({"damaged figures", "", "they do not say how long they are", ""});
    if (size > mostBytes)
        return fail({"damaged figures", "", "they say that they unpack to more than figures ever do",
                     "At most " + formatBytes(mostBytes)});
    Bytes bytes(static_cast<std::size_t>(size));
    const std::size_t read = ZSTD_decompress(bytes.data(), bytes.size(), packed.data(), packed.size());
    if (ZSTD_isError(read) != 0) return fail({"damaged figures", "", ZSTD_getErrorName(read), ""});
    if (read != bytes.size()) return fail({"damaged figures", "", "they are shorter than they say", ""});
    return bytes;
}

}  // namespace shardlab::trace
