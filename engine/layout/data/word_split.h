// SPDX-License-Identifier: Apache-2.0
// How a tokenizer cuts a text into words before it merges the bytes of each.
#pragma once

#include "engine/base/result.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace shardlab::layout {

/// The words of a UTF-8 text as GPT-2 cuts it; one after another they give the text again:
///   's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
std::vector<std::string_view> gpt2Words(std::string_view text);

/// Cuts, each made of the pieces of the one before. What one of them matches is a piece, and so is what lies between
/// two matches.
class WordSplit {
public:
    void addGpt2() { cuts_.push_back({}); }
    /// Error: the expression is none that ICU can match.
    Status addExpression(const std::string& expression);

    /// The pieces, which together are the text. Error: matching an expression took too much memory.
    Result<std::vector<std::string_view>> words(std::string_view text) const;

private:
    class Expression;
    std::vector<std::shared_ptr<const Expression>> cuts_;  ///< null: as GPT-2
};

}  // namespace shardlab::layout
