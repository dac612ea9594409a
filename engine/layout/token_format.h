// SPDX-License-Identifier: Apache-2.0
// Files of tokens, .bin: numbers of 16 bits, little-endian, that nanoGPT writes bare. llm.c puts 256 numbers of 32 bits
// before them: 20240520, version 1, the count of tokens, and zeros; for Llama 3 20240801, version 7, and tokens of 32
// bits.
#pragma once

#include "engine/base/result.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <vector>

namespace shardlab {

struct TokenFile {
    std::filesystem::path path;
    std::uint64_t begin = 0;  ///< of the first token, in bytes
    std::uint64_t width = 2;  ///< bytes of a token
    std::uint64_t count = 0;
};

/// `place` itself, or of a folder every .bin file, in the order of their names; each told by its size, its first bytes
/// and what lies beside it. Errors: none there; one of another kind, bytes that are no whole tokens, a header that does
/// not fit, numbers of 32 bits without a header, data that has an index beside it (Megatron's); they name the file and
/// what would be legal.
Result<std::vector<TokenFile>> findTokenFiles(const std::filesystem::path& place);

/// Hands on all tokens of a file, some at a time. Errors: it cannot be read; a token that is not below `vocabulary` or
/// has more than 16 bits, by its place in the file.
Status readTokens(const TokenFile& file, int vocabulary,
                  const std::function<void(std::span<const std::uint16_t>)>& take);

}  // namespace shardlab
