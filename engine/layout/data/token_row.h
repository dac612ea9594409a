// SPDX-License-Identifier: Apache-2.0
// Tokens one behind the other, of files and of memory. Those of files stay where they are and are read when they are
// wanted, so that a corpus may be larger than memory, and the ranks of a host share what the system keeps of it.
#pragma once

#include "engine/base/file.h"
#include "engine/base/result.h"
#include "engine/layout/data/token_format.h"
#include "engine/layout/data/tokenizer.h"

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace shardlab::layout {

class TokenRow {
public:
    /// `name` tells in errors where the tokens are from.
    void append(Tokens tokens, const std::string& name);
    /// Error: the file cannot be opened.
    Status append(FileSystem& files, const TokenFile& file);
    /// How many there are.
    std::int64_t size() const { return size_; }
    /// Tokens from number `first` on. Throws std::runtime_error, which names the file: it cannot be read any more; a
    /// token is not below `vocabulary`.
    void read(std::int64_t first, std::span<std::int32_t> to, int vocabulary) const;

private:
    struct Part {
        std::int64_t first = 0;  ///< number of its first token
        TokenFile file;
        std::unique_ptr<File> opened;  ///< null: the tokens are in memory
        Tokens held;
    };
    std::vector<Part> parts_;
    std::int64_t size_ = 0;
};

}  // namespace shardlab::layout
