// SPDX-License-Identifier: Apache-2.0
// A checkpoint's folder: a manifest whose checksum is right, and one shard beside it.
#include "engine/base/crc32c.h"
#include "engine/trace/checkpoint/export_weights.h"
#include "engine/trace/checkpoint/manifest.h"
#include "engine/trace/checkpoint/resume.h"
#include "engine/trace/checkpoint/state_source.h"
#include "tests/fuzz/fuzz.h"
#include "tests/support/wings.h"

#include <fmt/format.h>

using namespace shardlab::test;
using namespace shardlab::fuzz;

namespace {

constexpr std::string_view before = "{\"crc32c\": \"";

/// As resources/manual/71-checkpoints.md says: the digits count as zeros.
std::string sealed(std::string text) {
    if (text.size() < before.size() + 8 || !text.starts_with(before)) return text;
    text.replace(before.size(), 8, 8, '0');
    text.replace(before.size(), 8, fmt::format("{:08x}", crc32c(text)));
    return text;
}

/// Gives the manifest what the shard's writer would have told: name, size, and checksum of the header.
void patch(CheckpointManifest& manifest, const std::filesystem::path& path) {
    DiskFileSystem disk;
    const Result<SafetensorsFile> file = SafetensorsFile::open(disk, path);
    if (!file) return;
    for (CheckpointShard& shard : manifest.shards) {
        shard.file = path.filename();
        shard.bytes = file->fileBytes();
        shard.headerChecksum = file->headerChecksum();
        for (CheckpointPiece& piece : shard.pieces)
            for (const TensorEntry& tensor : file->header().tensors)
                if (tensor.name == piece.tensor())
                    if (const auto values = file->readFloats(tensor))
                        piece.checksum = crc32c(std::as_bytes(std::span(*values)));
    }
}

void check(const Status& done) {
    if (!done) requireClear(done.error());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    Input input(data, size);
    const bool honest = input.number<std::uint8_t>() % 2 == 0;
    const std::string text = sealed(std::string(input.word()));
    const std::string_view shard = input.rest();

    const Result<CheckpointManifest> read = parseManifest(text);
    if (!read) {
        requireClear(read.error());
        return 0;
    }
    CheckpointManifest manifest = *read;
    const std::string written = writeManifest(manifest);
    const Result<CheckpointManifest> again = parseManifest(written);
    require(again && writeManifest(*again) == written, "a manifest comes back as it was written");
    for (const CheckpointShard& each : manifest.shards)
        require(writeShardRecord(parseShardRecord(writeShardRecord(each))) == writeShardRecord(each),
                "a rank's record comes back");
    require(manifest.bytes() >= 0, "its size is a number of bytes");

    const std::filesystem::path file = scratchFile("0.safetensors", shard);
    if (honest) patch(manifest, file);
    scratchFile(manifestFile, writeManifest(manifest));
    DiskFileSystem disk;
    check(verifyCheckpoint(disk, scratch()));
    check(exportWeights(disk, scratch(), scratch() / "weights"));
    check(canContinue(manifest.layout, manifest, scratch()));
    return 0;
}
