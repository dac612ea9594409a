// SPDX-License-Identifier: Apache-2.0
// The table of blocks, read: which rows, what is in them, what is wrong with them.
#pragma once

#include "engine/trace/run_file/run_file.h"
#include "engine/trace/run_file/sqlite.h"

#include <filesystem>
#include <optional>

namespace shardlab::trace {

/// What the last call on `database` met is damage, not a lock or a missing right.
bool damaged(const Database& database);
Error damageIn(const std::filesystem::path& file, const Sentence& what);
/// Why the last call on `database`, which read `what`, did not do so.
Error readFailure(const Database& database, const std::filesystem::path& file, const Sentence& what);

/// Whether a row of all columns of `block`, in the order of the table, has the checksum that it carries.
bool isWhole(const Statement& row);

/// `damage`: what was already found wrong with the file; told at the cursor's end.
Result<BlockCursor> selectBlocks(Database& database, const std::filesystem::path& file, const BlockFilter& filter,
                                 const std::optional<Error>& damage);

/// See RunReader. Rows left out are told to `damage`, where nothing was found wrong before.
Result<std::vector<BlockPlace>> selectPlaces(Database& database, const std::filesystem::path& file,
                                             std::optional<Error>& damage);
Result<Bytes> selectPacked(Database& database, const std::filesystem::path& file, const BlockPlace& place);
/// Error: the sentence that says which block is wrong, and how.
tl::expected<void, Sentence> unpackedAs(const BlockPlace& place, std::span<const std::byte> packed,
                                        BlockUnpacker& unpacker, std::vector<Event>& events);

}  // namespace shardlab::trace
