// SPDX-License-Identifier: Apache-2.0
// Files of tokens (.bin) hold numbers, little-endian. nanoGPT writes 16 bits a token without a header. llm.c puts 256
// numbers of 32 bits before them: 20240520, version 1, the count of tokens, and zeros; for Llama 3 20240801, version 7,
// and tokens of 32 bits. Megatron says in an index (.idx) beside the file how wide tokens are and where texts begin.
#pragma once

#include "engine/base/file.h"
#include "engine/base/result.h"

#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

namespace shardlab::layout {

struct TokenFile {
    std::filesystem::path path;
    std::uint64_t begin = 0;  ///< where the first token lies, in bytes
    std::uint64_t width = 2;  ///< bytes of a token: 1, 2, 4 or 8
    std::uint64_t count = 0;
    bool isSigned = false;
    std::filesystem::path index = {};  ///< Megatron's, which knows where documents begin; empty: there is none
};

/// Tokens of a file that are looked at before a run. Those beyond are looked at when they are drawn.
inline constexpr std::uint64_t mostTokensChecked = std::uint64_t{1} << 27;

/// `place` itself, or every .bin file of a folder in the order of their names. The size of a file, its first bytes and
/// what lies beside it tell its format. Errors, which name the file and what would be legal: there is no file; a file
/// of another kind, bytes that are no whole tokens, a header or an index that does not fit, numbers of 32 bits of which
/// neither says so.
Result<std::vector<TokenFile>> findTokenFiles(const std::filesystem::path& place);

/// A text whose bytes are its tokens.
Result<TokenFile> textFile(const std::filesystem::path& path);

/// Reads the tokens from number `first` on. Error: `opened`, which is the file, cannot be read or is shorter than it
/// was.
Status readTokens(File& opened, const TokenFile& file, std::uint64_t first, std::span<std::int64_t> to);

/// Error: the file cannot be read; one of its first mostTokensChecked tokens, named by its place, is not below
/// `vocabulary`.
Status checkTokens(const TokenFile& file, int vocabulary);

/// The place of each document's first token. Error: no index says it, or the index is none.
Result<std::vector<std::int64_t>> documentsOf(const TokenFile& file);

/// "token 5 is 300, model.vocabulary is 256", or of a text "byte 5 is …".
Error outsideVocabulary(const TokenFile& file, std::uint64_t place, std::int64_t token, int vocabulary);

}  // namespace shardlab::layout
