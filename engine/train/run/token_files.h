// SPDX-License-Identifier: Apache-2.0
// Reads text that was turned into tokens beforehand: .bin files (layout/token_format.h).
#pragma once

#include "engine/base/result.h"
#include "engine/train/run/corpus.h"

#include <filesystem>

namespace shardlab::train {

struct TokenFiles {
    Tokens train;
    Tokens validation;  ///< empty where no file is named for it
};

/// Reads `place`, a .bin file or a folder of them, in the order of their names; files with "val" in the name are for
/// validation. Errors, which name file and place: no file, a file that findTokenFiles() or readTokens() refuses, more
/// than largestTextBytes in all.
Result<TokenFiles> readTokenFiles(const std::filesystem::path& place, int vocabulary);

}  // namespace shardlab::train
