// SPDX-License-Identifier: Apache-2.0
// Text that was made into tokens before: .bin files (layout/token_format.h) as a rank holds them.
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
/// validate on. Errors: none there, one that findTokenFiles() or readTokens() refuses, more than largestTextBytes in
/// all; they name file and place.
Result<TokenFiles> readTokenFiles(const std::filesystem::path& place, int vocabulary);

}  // namespace shardlab
