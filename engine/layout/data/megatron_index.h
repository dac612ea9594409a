// SPDX-License-Identifier: Apache-2.0
// The index (.idx) that Megatron-LM writes beside a file of tokens (.bin): how wide a token is, and where texts begin.
// After nine bytes of magic it holds, little-endian: a version of 64 bits (1), a byte for the type of a token, the
// number of sequences and that of document indices (64 bits each); the length of each sequence in tokens (32 bits); the
// place of each in the .bin in bytes (64 bits); and the number of each document's first sequence, with that of all
// sequences at the end (64 bits). A byte a sequence may follow, which data of several modes have.
#pragma once

#include "engine/base/result.h"

#include <cstdint>
#include <filesystem>
#include <vector>

namespace shardlab::layout {

struct MegatronIndex {
    std::uint64_t width = 2;  ///< bytes of a token
    bool isSigned = false;
    std::uint64_t tokens = 0;  ///< of all sequences, which lie in the .bin one behind the other
};

/// The bytes that every such index begins with.
bool beginsAsMegatronIndex(std::string_view bytes);

/// Reads all of an index and checks that it fits itself. `documents`, where it is not null, becomes the place of each
/// document's first token, with the number of all tokens at the end. Errors: not to be read; another magic, version or
/// length; numbers that are no tokens; sequences that leave gaps; documents out of order.
Result<MegatronIndex> readMegatronIndex(const std::filesystem::path& index,
                                        std::vector<std::int64_t>* documents = nullptr);

}  // namespace shardlab::layout
