// SPDX-License-Identifier: Apache-2.0
// Text that was made into tokens before: .bin files of 16-bit numbers, little-endian. nanoGPT writes them bare; llm.c
// puts 256 32-bit numbers before them: 20240520, its version 1, the count of tokens, and zeros.
#pragma once

#include "engine/base/result.h"
#include "engine/train/run/corpus.h"

#include <filesystem>

namespace shardlab {

struct TokenFiles {
    Tokens train;
    Tokens validation;  ///< empty where no file is named for it
};

/// `place`: a .bin file, or a folder of them, read in the order of their names; those with "val" in the name are to
/// validate on. Errors: none there, of odd length, a header that does not fit, more than largestTextBytes in all, a
/// token outside `vocabulary`; they name file and place.
Result<TokenFiles> readTokenFiles(const std::filesystem::path& place, int vocabulary);

}  // namespace shardlab
