// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/checkpoint/shard_writer.h"

#include "engine/base/crc32c.h"
#include "engine/trace/checkpoint/safetensors.h"

#include <algorithm>

namespace shardlab::trace {
namespace {

constexpr std::size_t portion = std::size_t{4} << 20;  // bytes of one write

}  // namespace

Result<CheckpointShard> writeShard(FileSystem& files, const std::filesystem::path& file,
                                   std::span<const StatePiece> pieces,
                                   const std::function<void(std::size_t)>& written) {
    CheckpointShard shard;
    shard.file = file.filename().string();
    SafetensorsHeader header;
    for (const StatePiece& piece : pieces) {
        const auto count = static_cast<std::int64_t>(piece.values.size());
        shard.pieces.push_back({piece.name, std::string(piece.kind), piece.slice, piece.begin, count,
                                crc32c(std::as_bytes(piece.values))});
        header.add(shard.pieces.back().tensor(), TensorType::F32, {count});
    }
    const std::string front = writeHeader(header);
    shard.headerChecksum = crc32c(front);
    shard.bytes = front.size() + header.dataBytes();

    const auto out = files.open(file, OpenMode::Create);
    if (!out) return fail(out.error());
    const auto put = [&](std::span<const std::byte> bytes) -> Status {
        while (!bytes.empty()) {
            const auto part = bytes.first(std::min(bytes.size(), portion));
            if (const Status done = writeAll(**out, part); !done) return done;
            if (written) written(part.size());
            bytes = bytes.subspan(part.size());
        }
        return {};
    };
    Status done = put(std::as_bytes(std::span(front)));
    for (const StatePiece& piece : pieces)
        if (done) done = put(std::as_bytes(piece.values));
    if (done) done = (*out)->sync();
    if (!done) return fail(done.error());
    return shard;
}

}  // namespace shardlab::trace
