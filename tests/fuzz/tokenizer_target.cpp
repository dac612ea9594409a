// SPDX-License-Identifier: Apache-2.0
// GPT-2's tokenizer: its two files from the input, or with the vocabulary's bytes already there, and any text; and
// files of tokens.
#include "engine/train/run/gpt2_tokenizer.h"
#include "engine/train/run/token_files.h"
#include "tests/fuzz/fuzz.h"
#include "tests/support/wings.h"

#include <nlohmann/json.hpp>

using namespace shardlab::test;
using namespace shardlab::fuzz;

namespace {

/// A token for each byte, as GPT-2 writes it; `more` is spliced in behind.
std::string vocabulary(std::string_view more) {
    static const std::string bytes = [] {
        std::string text = "{";
        int next = 0x100;
        for (int byte = 0; byte < 256; ++byte) {
            const bool printable = (byte >= '!' && byte <= '~') || (byte >= 0xa1 && byte <= 0xac) || byte >= 0xae;
            const int character = printable ? byte : next++;
            std::string written;
            if (character < 0x80) written = static_cast<char>(character);
            else written = {static_cast<char>(0xC0 | character >> 6), static_cast<char>(0x80 | (character & 0x3F))};
            text += nlohmann::json(written).dump() + ": " + std::to_string(byte) + ", ";
        }
        return text;
    }();
    return bytes + "\"<|endoftext|>\": 256" + std::string(more) + "}";
}

void tokenize(Input& input, bool complete) {
    const std::string_view words = input.word(), merges = input.word(), text = input.rest();
    std::size_t length = 0;
    for (const std::string_view word : gpt2Words(text)) {
        require(!word.empty(), "a word has a character");
        length += word.size();
    }
    require(length == text.size(), "the words together are the text");
    scratchFile("vocab.json", complete ? vocabulary(words) : std::string(words));
    scratchFile("merges.txt", merges);
    const Result<Gpt2Tokenizer> tokenizer = Gpt2Tokenizer::load(scratch());
    if (!tokenizer) return requireClear(tokenizer.error());
    const Result<Tokens> tokens = tokenizer->encode(text, "the text");
    if (!tokens) return requireClear(tokens.error());
    require(tokens->size() <= text.size(), "a token is a byte at least");
    for (const std::uint16_t token : *tokens) require(token < tokenizer->vocabulary(), "tokens are of the vocabulary");
}

void tokens(Input& input) {
    const int vocabulary = 1 + static_cast<int>(input.below(65535));
    const Result<TokenFiles> files = readTokenFiles(scratchFile("tokens.bin", input.rest()), vocabulary);
    if (!files) requireClear(files.error());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    Input input(data, size);
    switch (input.number<std::uint8_t>() % 4) {
    case 0: tokens(input); break;
    case 1: tokenize(input, false); break;
    default: tokenize(input, true);
    }
    return 0;
}
