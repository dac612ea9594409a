// SPDX-License-Identifier: Apache-2.0
// Files of tokens (.bin) hold numbers of 16 bits, little-endian, which nanoGPT writes without a header. llm.c puts 256
// numbers of 32 bits before them: 20240520, version 1, the count of tokens, and zeros; for Llama 3 20240801, version 7,
// and tokens of 32 bits.
#pragma once

#include "engine/base/result.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <vector>

namespace shardlab::layout {

struct TokenFile {
    std::filesystem::path path;
    std::uint64_t begin = 0;  ///< where the first token lies, in bytes
    std::uint64_t width = 2;  ///< bytes of a token
    std::uint64_t count = 0;
};

/// `place` itself, or every .bin file of a folder in the order of their names. The size of a file, its first bytes and
/// what lies beside it tell its format. Errors, which name the file and what would be legal: there is no file; a file
/// of another kind, bytes that are no whole tokens, a header that does not fit, numbers of 32 bits without a header,
/// data with an index beside it (Megatron's).
Result<std::vector<TokenFile>> findTokenFiles(const std::filesystem::path& place);

/// Hands on all tokens of a file, some at a time. Errors: the file cannot be read; a token, named by its place in the
/// file, is not below `vocabulary` or has more than 16 bits.
Status readTokens(const TokenFile& file, int vocabulary,
                  const std::function<void(std::span<const std::uint16_t>)>& take);

}  // namespace shardlab::layout
