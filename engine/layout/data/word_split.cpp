// SPDX-License-Identifier: Apache-2.0
#include "engine/layout/data/word_split.h"

#include <algorithm>
#include <cstdint>
#include <unicode/uchar.h>
#include <unicode/uregex.h>
#include <unicode/utext.h>
#include <unicode/utf8.h>

namespace shardlab::layout {

namespace {

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

/// Tokenizers mean by \\s every character that Unicode calls white space; ICU leaves some of them out.
std::string withUnicodeSpaces(std::string_view expression) {
    std::string made;
    for (std::size_t at = 0; at < expression.size(); ++at) {
        if (expression[at] != '\\' || at + 1 == expression.size()) {
            made += expression[at];
            continue;
        }
        const char escaped = expression[++at];
        if (escaped == 's') made += "\\p{White_Space}";
        else if (escaped == 'S') made += "\\P{White_Space}";
        else (made += '\\') += escaped;
    }
    return made;
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

class WordSplit::Expression {
public:
    explicit Expression(URegularExpression* compiled) : compiled_(compiled, &uregex_close) {}

    /// Appends the pieces of `text`.
    UErrorCode cut(std::string_view text, std::vector<std::string_view>& to) const {
        UErrorCode code = U_ZERO_ERROR;
        const std::unique_ptr<UText, UText* (*)(UText*)> opened(
            utext_openUTF8(nullptr, text.data(), static_cast<std::int64_t>(text.size()), &code), &utext_close);
        uregex_setUText(compiled_.get(), opened.get(), &code);
        std::size_t done = 0;
        const auto piece = [&](std::size_t end) {
            if (end > done) to.push_back(text.substr(done, end - done));
            done = std::max(done, end);
        };
        while (U_SUCCESS(code) && uregex_findNext(compiled_.get(), &code)) {
            piece(static_cast<std::size_t>(uregex_start64(compiled_.get(), 0, &code)));
            piece(static_cast<std::size_t>(uregex_end64(compiled_.get(), 0, &code)));
        }
        if (U_SUCCESS(code)) piece(text.size());
        return code;
    }

private:
    std::unique_ptr<URegularExpression, decltype(&uregex_close)> compiled_;
};

Status WordSplit::addExpression(const std::string& expression) {
    const std::string meant = withUnicodeSpaces(expression);
    UErrorCode code = U_ZERO_ERROR;
    UParseError place{};
    const std::unique_ptr<UText, UText* (*)(UText*)> pattern(
        utext_openUTF8(nullptr, meant.data(), static_cast<std::int64_t>(meant.size()), &code), &utext_close);
    URegularExpression* compiled = U_SUCCESS(code) ? uregex_openUText(pattern.get(), 0, &place, &code) : nullptr;
    if (!compiled || U_FAILURE(code)) {
        uregex_close(compiled);
        return fail(Error{say("cannot cut text into words"), "",
                          say("its expression {} is not known to ICU ({})", expression, u_errorName(code)),
                          say("a regular expression that ICU knows")});
    }
    cuts_.push_back(std::make_shared<const Expression>(compiled));
    return {};
}

Result<std::vector<std::string_view>> WordSplit::words(std::string_view text) const {
    std::vector<std::string_view> pieces{text}, next;
    for (const auto& cut : cuts_) {
        next.clear();
        for (const std::string_view piece : pieces) {
            if (!cut) {
                std::ranges::copy(gpt2Words(piece), std::back_inserter(next));
            } else if (const UErrorCode code = cut->cut(piece, next); U_FAILURE(code)) {
                return fail(
                    Error{say("cannot cut text into words"), "",
                          say("the tokenizer's expression failed on {} bytes: {}", piece.size(), u_errorName(code)),
                          say("a text with shorter lines")});
            }
        }
        pieces.swap(next);
    }
    return pieces;
}

}  // namespace shardlab::layout
