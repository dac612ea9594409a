// SPDX-License-Identifier: Apache-2.0
#include "engine/train/run/gpt2_tokenizer.h"

#include "engine/base/file.h"
#include "engine/layout/json_text.h"

#include <array>
#include <fmt/format.h>
#include <map>
#include <queue>
#include <unicode/uchar.h>
#include <unicode/utf8.h>

namespace shardlab::train {

namespace {

constexpr std::int64_t largestMerges = 16 << 20;  ///< bytes; GPT-2's file has half a MiB
constexpr std::string_view endOfText = "<|endoftext|>";
constexpr const char* legal = "vocab.json and merges.txt of GPT-2, or of a tokenizer trained like it";

enum class Class : std::uint8_t { Space, Letter, Number, Other };

Class classOf(UChar32 character) {
    if (u_isUWhiteSpace(character)) return Class::Space;
    const std::uint32_t category = U_MASK(u_charType(character));
    if (category & U_GC_L_MASK) return Class::Letter;
    return category & U_GC_N_MASK ? Class::Number : Class::Other;
}

/// Reads a text's characters one by one; malformed bytes count as characters that are neither letter, number nor space.
class Characters {
public:
    explicit Characters(std::string_view text) : text_(text) {}
    bool within(std::size_t at) const { return at < text_.size(); }
    Class at(std::size_t at) const { return classOf(decode(at).first); }
    std::size_t after(std::size_t at) const { return decode(at).second; }
    /// The end of the characters of one class that begin at `at`.
    std::size_t endOf(Class wanted, std::size_t at) const {
        while (within(at) && this->at(at) == wanted) at = after(at);
        return at;
    }

private:
    std::pair<UChar32, std::size_t> decode(std::size_t at) const {
        auto index = static_cast<std::int32_t>(0);
        const auto length = static_cast<std::int32_t>(std::min<std::size_t>(text_.size() - at, 4));
        UChar32 character = 0;
        U8_NEXT(text_.data() + at, index, length, character);
        return {character, at + static_cast<std::size_t>(index)};
    }
    std::string_view text_;
};

std::size_t contraction(std::string_view rest) {
    for (const std::string_view ending : {"'s", "'t", "'re", "'ve", "'m", "'ll", "'d"})
        if (rest.starts_with(ending)) return ending.size();
    return 0;
}

std::size_t wordEnd(std::string_view text, std::size_t begin) {
    const Characters characters(text);
    if (const std::size_t length = contraction(text.substr(begin))) return begin + length;
    // A blank goes with the word behind it.
    const std::size_t first = text[begin] == ' ' && characters.within(begin + 1) ? begin + 1 : begin;
    if (const Class own = characters.at(first); own != Class::Space) return characters.endOf(own, first);
    const std::size_t end = characters.endOf(Class::Space, begin);
    if (!characters.within(end)) return end;
    // White space before a word leaves its last character to the word, unless it has no other.
    std::size_t last = begin;
    while (characters.after(last) < end) last = characters.after(last);
    return last > begin ? last : end;
}

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

std::optional<std::size_t> firstMalformed(std::string_view text) {
    const auto length = static_cast<std::int64_t>(text.size());
    for (std::int64_t at = 0; at < length;) {
        const std::int64_t begin = at;
        UChar32 character = 0;
        U8_NEXT(text.data(), at, length, character);
        if (character < 0) return static_cast<std::size_t>(begin);
    }
    return std::nullopt;
}

}  // namespace

std::vector<std::string_view> gpt2Words(std::string_view text) {
    std::vector<std::string_view> words;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = wordEnd(text, begin);
        words.push_back(text.substr(begin, end - begin));
        begin = end;
    }
    return words;
}

Result<Gpt2Tokenizer> Gpt2Tokenizer::load(const std::filesystem::path& folder) {
    const auto wrong = [](const std::filesystem::path& file, std::string why) {
        return fail(Error{"cannot read the tokenizer", file.string(), std::move(why), legal});
    };
    const std::filesystem::path vocabularyFile = folder / "vocab.json", mergesFile = folder / "merges.txt";
    const Result<std::string> text = readFile(vocabularyFile, largestJson);
    if (!text) return wrong(vocabularyFile, text.error().why);
    const Result<JsonText> json = parseJsonText(*text);
    if (!json || !json->root.is_object()) return wrong(vocabularyFile, "it is no JSON object of tokens");

    Gpt2Tokenizer tokenizer;
    std::unordered_map<std::string, std::uint16_t> tokens;
    for (const auto& [written, id] : json->root.items()) {
        if (!id.is_number_unsigned() || id.get<std::uint64_t>() > 0xffff)
            return wrong(vocabularyFile, fmt::format("the token of \"{}\" is no number of 16 bits", written));
        const auto token = id.get<std::uint16_t>();
        tokenizer.vocabulary_ = std::max(tokenizer.vocabulary_, token + 1);
        if (const auto bytes = writtenBytes(written)) tokens[*bytes] = token;
        if (written == endOfText) tokenizer.end_ = token;
    }
    for (int byte = 0; byte < 256; ++byte) {
        const auto found = tokens.find(std::string(1, static_cast<char>(byte)));
        if (found == tokens.end()) return wrong(vocabularyFile, fmt::format("byte {} has no token", byte));
        tokenizer.byteTokens_[byte] = found->second;
    }

    const Result<std::string> merges = readFile(mergesFile, largestMerges);
    if (!merges) return wrong(mergesFile, merges.error().why);
    std::uint32_t rank = 0;
    int number = 0;
    for (std::size_t at = 0; at < merges->size();) {
        const std::size_t end = std::min(merges->find('\n', at), merges->size());
        std::string_view line = std::string_view(*merges).substr(at, end - at);
        at = end + 1;
        ++number;
        if (line.ends_with('\r')) line.remove_suffix(1);
        if (line.empty() || (number == 1 && line.starts_with("#version"))) continue;
        const std::size_t blank = line.find(' ');
        const auto left = writtenBytes(line.substr(0, blank));
        const auto right = blank == std::string_view::npos ? std::nullopt : writtenBytes(line.substr(blank + 1));
        if (!left || !right || !tokens.contains(*left) || !tokens.contains(*right) || !tokens.contains(*left + *right))
            return wrong(mergesFile, fmt::format("line {} does not join two tokens to a third", number));
        const std::uint32_t key = std::uint32_t{tokens[*left]} << 16 | tokens[*right];
        tokenizer.merges_.try_emplace(key, Merge{rank++, tokens[*left + *right]});
    }
    return tokenizer;
}

const Gpt2Tokenizer::Merge* Gpt2Tokenizer::merge(std::uint16_t left, std::uint16_t right) const {
    const auto found = merges_.find(std::uint32_t{left} << 16 | right);
    return found == merges_.end() ? nullptr : &found->second;
}

void Gpt2Tokenizer::encodeWord(std::string_view word, Tokens& to) const {
    struct Part {
        std::uint16_t token = 0;
        int before = 0, after = 0;
        bool gone = false;
    };
    const int count = static_cast<int>(word.size());
    std::vector<Part> parts(word.size());
    for (int i = 0; i < count; ++i)
        parts[static_cast<std::size_t>(i)] = {
            byteTokens_[static_cast<unsigned char>(word[static_cast<std::size_t>(i)])], i - 1, i + 1};
    const auto part = [&](int index) -> Part& { return parts[static_cast<std::size_t>(index)]; };

    /// A pair that may merge: the lowest rank first, then the leftmost.
    struct Candidate {
        std::uint32_t rank;
        int left;
        std::uint16_t leftToken, rightToken;
        bool operator<(const Candidate& other) const {
            return std::pair(rank, left) > std::pair(other.rank, other.left);
        }
    };
    std::priority_queue<Candidate> candidates;
    const auto consider = [&](int left) {
        if (left < 0 || part(left).after >= count) return;
        const std::uint16_t a = part(left).token, b = part(part(left).after).token;
        if (const Merge* found = merge(a, b)) candidates.push({found->rank, left, a, b});
    };
    for (int i = 0; i + 1 < count; ++i) consider(i);
    while (!candidates.empty()) {
        const Candidate next = candidates.top();
        candidates.pop();
        Part& left = part(next.left);
        if (left.gone || left.token != next.leftToken || left.after >= count ||
            part(left.after).token != next.rightToken)
            continue;  // merged with another meanwhile
        Part& right = part(left.after);
        left.token = merge(next.leftToken, next.rightToken)->merged;
        right.gone = true;
        left.after = right.after;
        if (left.after < count) part(left.after).before = next.left;
        consider(left.before);
        consider(next.left);
    }
    for (const Part& each : parts)
        if (!each.gone) to.push_back(each.token);
}

Result<Tokens> Gpt2Tokenizer::encode(std::string_view text, const std::string& where) const {
    if (const auto malformed = firstMalformed(text))
        return fail({"the text is not UTF-8", where, fmt::format("byte {} begins no character", *malformed),
                     "a UTF-8 text, or data.tokenizer bytes"});
    Tokens tokens;
    std::unordered_map<std::string_view, Tokens> seen;
    while (!text.empty()) {
        const std::size_t end = end_ ? std::min(text.find(endOfText), text.size()) : text.size();
        for (const std::string_view word : gpt2Words(text.substr(0, end))) {
            const auto [known, added] = seen.try_emplace(word);
            if (added) encodeWord(word, known->second);
            tokens.insert(tokens.end(), known->second.begin(), known->second.end());
        }
        if (end == text.size()) break;
        tokens.push_back(*end_);
        text.remove_prefix(end + endOfText.size());
    }
    return tokens;
}

}  // namespace shardlab::train
