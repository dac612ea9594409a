// SPDX-License-Identifier: Apache-2.0
// GPT-2's tokenizer: a text is split into words, and the bytes of a word are merged pair by pair as long as a learned
// pair is left; the pair learned first is merged first (Sennrich et al., 1508.07909, on bytes).
#pragma once

#include "engine/base/result.h"
#include "engine/train/run/corpus.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace shardlab::train {

/// The words of a UTF-8 text; one after another they give the text again:
///   's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
std::vector<std::string_view> gpt2Words(std::string_view text);

class Gpt2Tokenizer {
public:
    /// Reads vocab.json and merges.txt in `folder`. Errors: missing, no vocabulary, a byte or a merge without a token,
    /// a token beyond 16 bits.
    static Result<Gpt2Tokenizer> load(const std::filesystem::path& folder);

    /// "<|endoftext|>" is one token where the vocabulary has it. Error: not UTF-8; `where` names the text.
    Result<Tokens> encode(std::string_view text, const std::string& where) const;
    /// All tokens are below this number.
    int vocabulary() const { return vocabulary_; }

private:
    struct Merge {
        std::uint32_t rank = 0;
        std::uint16_t merged = 0;
    };
    void encodeWord(std::string_view word, Tokens& to) const;
    const Merge* merge(std::uint16_t left, std::uint16_t right) const;

    std::uint16_t byteTokens_[256] = {};
    std::unordered_map<std::uint32_t, Merge> merges_;  ///< by left · 2¹⁶ + right
    std::optional<std::uint16_t> end_;
    int vocabulary_ = 0;
};

}  // namespace shardlab::train
