// SPDX-License-Identifier: Apache-2.0
#include "engine/layout/data/tokenizer.h"

#include <array>
#include <queue>
#include <unicode/normalizer2.h>
#include <unicode/utf8.h>

namespace shardlab::layout {

namespace {

constexpr std::size_t wordsKept = std::size_t{1} << 16, longestKept = 64;

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

const Tokenizer::Merge* Tokenizer::merge(std::uint32_t left, std::uint32_t right) const {
    const auto found = merges_.find(std::uint64_t{left} << 32 | right);
    return found == merges_.end() ? nullptr : &found->second;
}

void Tokenizer::encodeWord(std::string_view word, Tokens& to) const {
    struct Part {
        std::uint32_t token = 0;
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
        std::uint32_t leftToken, rightToken;
        bool operator<(const Candidate& other) const {
            return std::pair(rank, left) > std::pair(other.rank, other.left);
        }
    };
    std::priority_queue<Candidate> candidates;
    const auto consider = [&](int left) {
        if (left < 0 || part(left).after >= count) return;
        const std::uint32_t a = part(left).token, b = part(part(left).after).token;
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

Status Tokenizer::eachPart(std::string_view text, bool normalized,
                           const std::function<Status(std::string_view)>& between, Tokens& to) const {
    std::array<bool, 256> begins{};
    for (const WrittenToken& token : written_)
        if (token.normalized == normalized) begins[static_cast<unsigned char>(token.text.front())] = true;
    std::size_t done = 0;
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (!begins[static_cast<unsigned char>(text[at])]) continue;
        for (const WrittenToken& token : written_) {
            if (token.normalized != normalized || !text.substr(at).starts_with(token.text)) continue;
            if (const Status status = between(text.substr(done, at - done)); !status) return status;
            to.push_back(token.token);
            done = at + token.text.size();
            at = done - 1;
            break;
        }
    }
    return between(text.substr(done));
}

Status Tokenizer::encodePlain(std::string_view text, Tokens& to) const {
    const Result<std::vector<std::string_view>> words = split_.words(text);
    if (!words) return fail(words.error());
    for (const std::string_view word : *words) {
        if (const auto whole = wholeWords_.find(std::string(word)); whole != wholeWords_.end()) {
            to.push_back(whole->second);
        } else if (word.size() > longestKept) {
            encodeWord(word, to);
        } else {
            if (seen_.size() == wordsKept) seen_.clear();
            const auto [known, added] = seen_.try_emplace(std::string(word));
            if (added) encodeWord(word, known->second);
            to.insert(to.end(), known->second.begin(), known->second.end());
        }
    }
    return {};
}

Result<Tokens> Tokenizer::encode(std::string_view text, const std::string& where) const {
    if (const auto malformed = firstMalformed(text))
        return fail({say("the text is not UTF-8"), where, say("byte {} begins no character", *malformed),
                     say("a UTF-8 text, or data.tokenizer bytes")});
    Tokens tokens;
    const auto plain = [&](std::string_view part) { return encodePlain(part, tokens); };
    const auto normalize = [&](std::string_view part) -> Status {
        if (!composes_ || part.empty()) return eachPart(part, true, plain, tokens);
        UErrorCode code = U_ZERO_ERROR;
        std::string composed;
        icu::StringByteSink<std::string> sink(&composed);
        if (const icu::Normalizer2* const form = icu::Normalizer2::getNFCInstance(code); U_SUCCESS(code))
            form->normalizeUTF8(0, icu::StringPiece(part.data(), static_cast<std::int32_t>(part.size())), sink, nullptr,
                                code);
        if (U_FAILURE(code))
            return fail(Error{say("cannot bring the text into Unicode's form NFC"), where, u_errorName(code),
                              say("a shorter text")});
        return eachPart(composed, true, plain, tokens);
    };
    if (Status done = eachPart(text, false, normalize, tokens); !done) {
        Error error = done.error();
        error.where = where;
        return fail(std::move(error));
    }
    return tokens;
}

}  // namespace shardlab::layout
