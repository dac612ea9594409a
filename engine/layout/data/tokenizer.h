// SPDX-License-Identifier: Apache-2.0
// Byte-level BPE, the tokenizer of GPT-2, Llama 3, Qwen and others: a text is cut into words (word_split.h), and the
// bytes of a word are merged pair by pair as long as a learned pair is left; the pair learned first is merged first
// (Sennrich et al., 1508.07909, on bytes).
#pragma once

#include "engine/base/result.h"
#include "engine/layout/data/word_split.h"
#include "engine/layout/layout.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace shardlab::layout {

using Tokens = std::vector<std::uint32_t>;

class Tokenizer {
public:
    /// The tokenizer that `data` names, which is not that of bytes.
    static Result<Tokenizer> load(const DataSpec& data);
    /// Reads vocab.json and merges.txt in `folder`, GPT-2's. Errors: missing, no vocabulary, a byte or a merge without
    /// a token.
    static Result<Tokenizer> ofGpt2Files(const std::filesystem::path& folder);
    /// Reads a tokenizer.json, or that of a folder. Errors: missing; another model than byte-level BPE; whatever it
    /// does with a text that is not known here, by its name.
    static Result<Tokenizer> ofJson(const std::filesystem::path& place);

    /// Tokens that stand in the text as they are written, like <|endoftext|>, are one token. Error: not UTF-8; `where`
    /// names the text.
    Result<Tokens> encode(std::string_view text, const std::string& where) const;
    /// All tokens are below this number.
    int vocabulary() const { return vocabulary_; }
    /// The token that ends a text; none: the vocabulary has none that is known.
    std::optional<std::uint32_t> endOfText() const { return end_; }

private:
    struct Merge {
        std::uint32_t rank = 0;
        std::uint32_t merged = 0;
    };
    /// A token that is found in a text as it is written.
    struct WrittenToken {
        std::string text;
        std::uint32_t token = 0;
        bool normalized = false;  ///< it is looked for in the normalized text
    };
    friend class TokenizerReader;

    /// Hands on what lies between written tokens, and these.
    Status eachPart(std::string_view text, bool normalized, const std::function<Status(std::string_view)>& between,
                    Tokens& to) const;
    Status encodePlain(std::string_view text, Tokens& to) const;
    void encodeWord(std::string_view word, Tokens& to) const;
    const Merge* merge(std::uint32_t left, std::uint32_t right) const;

    std::uint32_t byteTokens_[256] = {};
    std::unordered_map<std::uint64_t, Merge> merges_;            ///< by left · 2³² + right
    std::vector<WrittenToken> written_;                          ///< longer ones first
    std::unordered_map<std::string, std::uint32_t> wholeWords_;  ///< words that are a token without being merged
    WordSplit split_;
    bool composes_ = false;  ///< the text is brought into Unicode's form NFC
    std::optional<std::uint32_t> end_;
    int vocabulary_ = 0;
    mutable std::unordered_map<std::string, Tokens> seen_;  ///< words that came before
};

}  // namespace shardlab::layout
