// SPDX-License-Identifier: Apache-2.0
// Tokenizers as files have them: GPT-2's vocab.json and merges.txt, and the tokenizer.json that transformers writes.
#include "engine/base/parse_text.h"
#include "engine/layout/data/tokenizer.h"

#include "engine/base/file.h"
#include "engine/base/json_fields.h"
#include "engine/layout/json_text.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <unicode/utf8.h>

namespace shardlab::layout {

namespace {

using Json = nlohmann::json;

constexpr std::int64_t largestMerges = 16 << 20;     ///< bytes; GPT-2's file has half a MiB
constexpr std::int64_t largestTokenizer = 64 << 20;  ///< bytes; that of Llama 3 has 17 MB
constexpr std::int64_t mostTokens = std::int64_t{1} << 20;
constexpr std::string_view gpt2End = "<|endoftext|>";
constexpr std::string_view legalGpt2 = phrase("vocab.json and merges.txt of GPT-2, or of a tokenizer trained like it");
constexpr std::string_view legalJson = phrase("a tokenizer.json with a byte-level BPE, as transformers writes it");

/// Files write each byte as a printable character: those that are printable in Latin-1 as themselves, the others as
/// U+0100 onwards, in their order.
std::map<UChar32, unsigned char> writtenBytes() {
    std::map<UChar32, unsigned char> bytes;
    UChar32 next = 0x100;
    for (int byte = 0; byte < 256; ++byte) {
        const bool printable = (byte >= '!' && byte <= '~') || (byte >= 0xa1 && byte <= 0xac) || byte >= 0xae;
        bytes[printable ? byte : next++] = static_cast<unsigned char>(byte);
    }
    return bytes;
}

/// The byte that a character stands for; empty where it stands for none.
std::optional<std::string> writtenBytes(std::string_view written) {
    static const std::map<UChar32, unsigned char> known = writtenBytes();
    std::string bytes;
    const auto length = static_cast<std::int32_t>(written.size());
    for (std::int32_t at = 0; at < length;) {
        UChar32 character = 0;
        U8_NEXT(written.data(), at, length, character);
        const auto found = known.find(character);
        if (found == known.end()) return std::nullopt;
        bytes += static_cast<char>(found->second);
    }
    return bytes;
}

}  // namespace

/// Reads a tokenizer's files into one. Each function says what is wrong, or says nothing.
class TokenizerReader {
public:
    using Wrong = std::optional<Sentence>;

    /// Tokens by what stands for their bytes.
    Wrong takeVocabulary(const Json& vocabulary) {
        if (!vocabulary.is_object()) return "it is no JSON object of tokens";
        for (const auto& [written, id] : vocabulary.items()) {
            if (!id.is_number_unsigned() || id.get<std::uint64_t>() >= static_cast<std::uint64_t>(mostTokens))
                return fmt::format("the token of {} is no number below {}", shownValue(Json(written)), mostTokens);
            const auto token = id.get<std::uint32_t>();
            count(token);
            if (const auto bytes = writtenBytes(written)) tokens_[*bytes] = token;
            if (written == gpt2End) made_.end_ = token;
        }
        for (int byte = 0; byte < 256; ++byte) {
            const auto found = tokens_.find(std::string(1, static_cast<char>(byte)));
            if (found == tokens_.end()) return fmt::format("byte {} has no token", byte);
            made_.byteTokens_[byte] = found->second;
        }
        return {};
    }

    /// The next of the pairs that are merged; false where it does not join two tokens to a third.
    bool takeMerge(std::string_view leftWritten, std::string_view rightWritten) {
        const auto left = writtenBytes(leftWritten), right = writtenBytes(rightWritten);
        if (!left || !right) return false;
        const auto a = tokens_.find(*left), b = tokens_.find(*right), both = tokens_.find(*left + *right);
        if (a == tokens_.end() || b == tokens_.end() || both == tokens_.end()) return false;
        made_.merges_.try_emplace(std::uint64_t{a->second} << 32 | b->second, Tokenizer::Merge{rank_++, both->second});
        return true;
    }

    bool takeMerge(std::string_view line) {
        const std::size_t blank = line.find(' ');
        return blank != std::string_view::npos && takeMerge(line.substr(0, blank), line.substr(blank + 1));
    }

    Wrong takeModel(const Json& model) {
        if (!model.is_object() || model.value("type", Json("BPE")) != "BPE")
            return fmt::format("its model is of type {}", model.is_object() ? shownValue(model["type"]) : "none");
        for (const char* off : {"dropout", "byte_fallback"})
            if (const Json value = model.value(off, Json()); !value.is_null() && value != false && value != 0)
                return fmt::format("its model's {} is {}", off, shownValue(value));
        for (const char* empty : {"continuing_subword_prefix", "end_of_word_suffix"})
            if (const Json value = model.value(empty, Json()); !value.is_null() && value != "")
                return fmt::format("its model's {} is {}", empty, shownValue(value));
        if (Wrong wrong = takeVocabulary(model.value("vocab", Json()))) return wrong;
        const Json merges = model.value("merges", Json());
        if (!merges.is_array()) return "its model has no list of merges";
        for (std::size_t i = 0; i < merges.size(); ++i) {
            const Json& merge = merges[i];
            const bool pair = merge.is_array() && merge.size() == 2 && merge[0].is_string() && merge[1].is_string();
            if (!(pair ? takeMerge(merge[0].get_ref<const std::string&>(), merge[1].get_ref<const std::string&>())
                       : merge.is_string() && takeMerge(merge.get_ref<const std::string&>())))
                return fmt::format("merge {} does not join two tokens to a third", i);
        }
        if (model.value("ignore_merges", Json(false)) == true) made_.wholeWords_ = tokens_;
        return {};
    }

    Wrong takeAdded(const Json& added) {
        if (added.is_null()) return {};
        if (!added.is_array()) return "its added_tokens are no list";
        for (const Json& token : added) {
            const Json content = token.is_object() ? token.value("content", Json()) : Json();
            const Json id = token.is_object() ? token.value("id", Json()) : Json();
            if (!content.is_string() || content == "" || !id.is_number_unsigned() || id >= mostTokens)
                return fmt::format("an added token is {}", shownValue(token));
            for (const char* off : {"single_word", "lstrip", "rstrip"})
                if (token.value(off, Json(false)) != false)
                    return fmt::format("{} of its added token {} is {}", off, shownValue(content),
                                       shownValue(token[off]));
            addWritten(content.get<std::string>(), id.get<std::uint32_t>(),
                       token.value("normalized", Json(true)) == true);
        }
        return {};
    }

    Wrong takeNormalizer(const Json& normalizer) {
        if (normalizer.is_null()) return {};
        const Json type = normalizer.is_object() ? normalizer.value("type", Json()) : Json();
        if (type == "Sequence" && normalizer.value("normalizers", Json()) == Json::array()) return {};
        if (type != "NFC") return fmt::format("its normalizer is {}", shownValue(normalizer));
        made_.composes_ = true;
        return {};
    }

    Wrong takeSplit(const Json& step) {
        const Json type = step.is_object() ? step.value("type", Json()) : Json();
        const auto unknown = [&] { return fmt::format("its pre_tokenizer is {}", shownValue(step)); };
        if (type == "Sequence") {
            const Json steps = step.value("pretokenizers", Json());
            if (!steps.is_array() || steps.empty()) return unknown();
            for (const Json& each : steps)
                if (Wrong wrong = takeSplit(each)) return wrong;
            return {};
        }
        if (type == "ByteLevel") {
            if (step.value("add_prefix_space", Json(true)) != false)
                return "its pre_tokenizer adds a blank before texts";
            if (step.value("use_regex", Json(true)) != false) made_.split_.addGpt2();
            byteLevel_ = true;
            return {};
        }
        if (type == "Digits")
            return takeExpression(step.value("individual_digits", Json(false)) == true ? "\\p{N}" : "\\p{N}+");
        if (type != "Split" || step.value("behavior", Json()) != "Isolated" ||
            step.value("invert", Json(false)) != false)
            return unknown();
        const Json pattern = step.value("pattern", Json());
        const Json expression = pattern.is_object() ? pattern.value("Regex", Json()) : Json();
        return expression.is_string() ? takeExpression(expression.get<std::string>()) : unknown();
    }

    Wrong takeExpression(const std::string& expression) {
        const Status known = made_.split_.addExpression(expression);
        return known ? Wrong{} : Wrong{known.error().why};
    }

    void addWritten(std::string text, std::uint32_t token, bool normalized) {
        count(token);
        if (text == gpt2End || (text == "<|end_of_text|>" && !made_.end_)) made_.end_ = token;
        made_.written_.push_back({std::move(text), token, normalized});
    }

    /// The token that a text ends with, by what tokenizer_config.json calls it.
    void nameEnd(const Json& config) {
        const Json end = config.value("eos_token", Json());
        const Json content = end.is_object() ? end.value("content", Json()) : end;
        for (const Tokenizer::WrittenToken& written : made_.written_)
            if (content == written.text) made_.end_ = written.token;
    }

    bool byteLevel() const { return byteLevel_; }

    Tokenizer done() {
        std::ranges::stable_sort(made_.written_,
                                 [](const auto& a, const auto& b) { return a.text.size() > b.text.size(); });
        return std::move(made_);
    }
    Tokenizer& made() { return made_; }

private:
    void count(std::uint32_t token) { made_.vocabulary_ = std::max(made_.vocabulary_, static_cast<int>(token) + 1); }

    Tokenizer made_;
    std::unordered_map<std::string, std::uint32_t> tokens_;
    std::uint32_t rank_ = 0;
    bool byteLevel_ = false;
};

Result<Tokenizer> Tokenizer::load(const DataSpec& data) {
    return data.tokenizer == TokenizerKind::Gpt2 ? ofGpt2Files(data.tokenizerPath) : ofJson(data.tokenizerPath);
}

Result<Tokenizer> Tokenizer::ofGpt2Files(const std::filesystem::path& folder) {
    const auto wrong = [](const std::filesystem::path& file, Sentence why) {
        return fail(Error{say("cannot read the tokenizer"), file.string(), std::move(why), termOf(legalGpt2)});
    };
    const std::filesystem::path vocabularyFile = folder / "vocab.json", mergesFile = folder / "merges.txt";
    const Result<std::string> text = readFile(vocabularyFile, largestJson);
    if (!text) return wrong(vocabularyFile, text.error().why);
    const Result<JsonText> json = parseJsonText(*text);
    if (!json) return wrong(vocabularyFile, say("it is no JSON object of tokens"));
    TokenizerReader reader;
    if (const auto why = reader.takeVocabulary(json->root)) return wrong(vocabularyFile, *why);

    const Result<std::string> merges = readFile(mergesFile, largestMerges);
    if (!merges) return wrong(mergesFile, merges.error().why);
    int number = 0;
    for (std::string_view rest = *merges; !rest.empty();) {
        std::string_view line = takePart(rest, '\n');
        ++number;
        if (line.ends_with('\r')) line.remove_suffix(1);
        if (line.empty() || (number == 1 && line.starts_with("#version"))) continue;
        if (!reader.takeMerge(line))
            return wrong(mergesFile, say("line {} does not join two tokens to a third", number));
    }
    if (const auto& end = reader.made().end_) reader.addWritten(std::string(gpt2End), *end, false);
    reader.made().split_.addGpt2();
    return reader.done();
}

Result<Tokenizer> Tokenizer::ofJson(const std::filesystem::path& place) {
    std::error_code ignored;
    const std::filesystem::path file = std::filesystem::is_directory(place, ignored) ? place / "tokenizer.json" : place;
    const auto wrong = [&](Sentence why) {
        return fail(Error{say("cannot read the tokenizer"), file.string(), std::move(why), termOf(legalJson)});
    };
    const Result<std::string> text = readFile(file, largestTokenizer);
    if (!text) return wrong(text.error().why);
    const Result<JsonText> json = parseJsonText(*text);
    if (!json) return wrong(json.error().why);
    const Json& root = json->root;
    if (!root.is_object()) return wrong(say("it is no JSON object"));
    TokenizerReader reader;
    if (const auto why = reader.takeModel(root.value("model", Json()))) return wrong(*why);
    if (const auto why = reader.takeAdded(root.value("added_tokens", Json()))) return wrong(*why);
    if (const auto why = reader.takeNormalizer(root.value("normalizer", Json()))) return wrong(*why);
    if (const auto why = reader.takeSplit(root.value("pre_tokenizer", Json()))) return wrong(*why);
    if (!reader.byteLevel()) return wrong(say("its pre_tokenizer does not turn bytes into characters (ByteLevel)"));
    if (const auto config = readFile(file.parent_path() / "tokenizer_config.json", largestJson))
        if (const auto parsed = parseJsonText(*config); parsed && parsed->root.is_object())
            reader.nameEnd(parsed->root);
    return reader.done();
}

}  // namespace shardlab::layout
