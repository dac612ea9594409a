// SPDX-License-Identifier: Apache-2.0
// What a checkpoint is made of: manifest.json in its folder (resources/manual/71-checkpoints.md). It names every byte
// of the other files by a checksum and carries its own, so that nothing can be lost or changed unnoticed.
#pragma once

#include "engine/base/result.h"
#include "engine/base/slice.h"
#include "engine/layout/layout.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace shardlab::trace {

inline constexpr const char* manifestFile = "manifest.json";
/// The kind of a parameter's own values; the other kinds are the optimizer's words.
inline constexpr std::string_view weightKind = "weight";
/// The scales of the factors of "<linear layer>.fp8", and the largest magnitudes that delayed ones come from. A run
/// that finds none begins with scales of 1.
inline constexpr std::string_view scaleKind = "scale";

/// Elements `begin` … `begin + count` of `slice` of one kind of state of one parameter, as fp32.
struct CheckpointPiece {
    std::string name;  ///< of the parameter, "h.3.attn.c_attn.weight"
    std::string kind;
    Slice slice;
    std::int64_t begin = 0;
    std::int64_t count = 0;
    std::uint32_t checksum = 0;  ///< CRC-32C of its bytes

    /// What the tensor is called in its shard.
    std::string tensor() const;
};

/// One file of pieces, written by one rank.
struct CheckpointShard {
    std::string file;
    std::uint64_t bytes = 0;
    std::uint32_t headerChecksum = 0;
    std::vector<CheckpointPiece> pieces;
};

struct CheckpointManifest {
    Layout layout;             ///< that was trained
    std::string created;       ///< ISO 8601, UTC
    std::string version;       ///< of the program
    std::int64_t step = 0;     ///< optimizer steps done: the learning rate's position
    std::int64_t samples = 0;  ///< drawn so far: the sampler's position
    /// What else goes on where it stood, by name: a loss scale, say.
    std::map<std::string, double> numbers;
    std::vector<CheckpointShard> shards;

    std::int64_t bytes() const;  ///< of all shards
};

std::string writeManifest(const CheckpointManifest& manifest);
/// Errors: damaged, of a later version, not a manifest; `where` is left to the caller.
Result<CheckpointManifest> parseManifest(std::string_view text);
/// The manifest of the checkpoint in `folder`.
Result<CheckpointManifest> readManifest(const std::filesystem::path& folder);

/// For a rank to tell rank 0 of its shard.
std::string writeShardRecord(const CheckpointShard& shard);
CheckpointShard parseShardRecord(std::string_view text);  ///< of what writeShardRecord made

}  // namespace shardlab::trace
