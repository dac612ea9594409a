// SPDX-License-Identifier: Apache-2.0
// Tokenizers of GPT-2's two files or of a tokenizer.json, from the input or with the vocabulary's bytes already there,
// and any text; files of tokens, with Megatron's index and without; and JSON Lines.
#include "engine/layout/data/json_lines.h"
#include "engine/layout/data/token_format.h"
#include "engine/layout/data/tokenizer.h"
#include "tests/fuzz/fuzz.h"
#include "tests/support/wings.h"

#include <nlohmann/json.hpp>

using namespace shardlab::test;
using namespace shardlab::fuzz;

namespace {

/// A token for each byte, as GPT-2 writes it; `more` is spliced in behind.
std::string vocabularyOf(std::string_view more) {
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

void encode(const Result<Tokenizer>& tokenizer, std::string_view text) {
    if (!tokenizer) return requireClear(tokenizer.error());
    const Result<Tokens> tokens = tokenizer->encode(text, "the text");
    if (!tokens) return requireClear(tokens.error());
    for (const std::uint32_t token : *tokens)
        require(std::cmp_less(token, tokenizer->vocabulary()), "tokens are of the vocabulary");
}

void tokenize(Input& input, bool complete) {
    const std::string_view words = input.word(), merges = input.word(), text = input.rest();
    std::size_t length = 0;
    for (const std::string_view word : gpt2Words(text)) {
        require(!word.empty(), "a word has a character");
        length += word.size();
    }
    require(length == text.size(), "the words together are the text");
    scratchFile("vocab.json", complete ? vocabularyOf(words) : std::string(words));
    scratchFile("merges.txt", merges);
    encode(Tokenizer::ofGpt2Files(scratch()), text);
}

void tokenizeByJson(Input& input) {
    constexpr std::array cuts{
        R"({"type": "ByteLevel", "add_prefix_space": false, "use_regex": true})",
        R"({"type": "Sequence", "pretokenizers": [{"type": "Split", "pattern": {"Regex": "[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+"}, "behavior": "Isolated", "invert": false}, {"type": "ByteLevel", "add_prefix_space": false, "use_regex": false}]})"};
    const bool complete = input.below(4) != 0, composes = input.below(2) != 0;
    const char* const cut = cuts[input.below(cuts.size())];
    const std::string_view words = input.word(), merges = input.word(), added = input.word(), text = input.rest();
    std::string file(words);
    if (complete)
        file = "{\"model\": {\"type\": \"BPE\", \"vocab\": " + vocabularyOf(words) + ", \"merges\": [" +
               std::string(merges) + "]}, \"added_tokens\": [" + std::string(added) +
               "], \"normalizer\": " + (composes ? "{\"type\": \"NFC\"}" : "null") + ", \"pre_tokenizer\": " + cut +
               "}";
    scratchFile("tokenizer.json", file);
    encode(Tokenizer::ofJson(scratch()), text);
}

void tokens(Input& input, bool indexed) {
    const int vocabulary = 1 + static_cast<int>(input.below(65535));
    const std::filesystem::path index = scratch() / "tokens.idx";
    if (indexed) scratchFile("tokens.idx", input.text(input.below(4096)));
    else std::filesystem::remove(index);
    const Result<std::vector<TokenFile>> files = findTokenFiles(scratchFile("tokens.bin", input.rest()));
    if (!files) return requireClear(files.error());
    for (const TokenFile& file : *files) {
        if (const Status checked = checkTokens(file, vocabulary); !checked) requireClear(checked.error());
        if (!indexed) continue;
        const auto documents = documentsOf(file);
        require(documents.has_value(), "an index that was read says where documents begin");
        for (std::size_t i = 0; i < documents->size(); ++i)
            require((*documents)[i] >= (i > 0 ? (*documents)[i - 1] : 0) &&
                        (*documents)[i] <= static_cast<std::int64_t>(file.count),
                    "documents begin one behind the other, within the tokens");
    }
}

void lines(Input& input) {
    const std::string field(input.word());
    std::int64_t last = 0;
    const Status read = eachJsonLine(scratchFile("lines.jsonl", input.rest()), field, 1 << 20,
                                     [&](std::string_view, std::int64_t line) -> Status {
                                         require(line > last, "lines are numbered in their order");
                                         last = line;
                                         return {};
                                     });
    if (!read) requireClear(read.error());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    Input input(data, size);
    switch (input.number<std::uint8_t>() % 6) {
    case 0: tokens(input, false); break;
    case 1: tokenize(input, false); break;
    case 2: tokenize(input, true); break;
    case 3: tokens(input, true); break;
    case 4: tokenizeByJson(input); break;
    default: lines(input);
    }
    return 0;
}
