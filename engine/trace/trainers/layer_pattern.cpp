// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/trainers/layer_pattern.h"

#include "engine/base/parse_text.h"

#include <algorithm>
#include <fmt/format.h>
#include <span>

namespace shardlab::trace {
namespace {

class PatternReader {
public:
    explicit PatternReader(std::string_view text) : text_(text) {}

    std::optional<std::vector<int>> all() {
        auto made = sum(0);
        return place_ == text_.size() ? made : std::nullopt;
    }

private:
    static constexpr std::size_t longestPattern = 20'000;  // more than a layout may have layers

    bool take(char c) {
        if (place_ == text_.size() || text_[place_] != c) return false;
        ++place_;
        return true;
    }
    std::optional<std::int64_t> digits() {
        const std::size_t begin = place_;
        while (place_ < text_.size() && text_[place_] >= '0' && text_[place_] <= '9') ++place_;
        return parseNumber<std::int64_t>(text_.substr(begin, place_ - begin));
    }
    std::optional<std::vector<int>> sum(int depth) {
        auto made = product(depth);
        while (made && take('+')) {
            const auto more = product(depth);
            if (!more || made->size() + more->size() > longestPattern) return std::nullopt;
            made->insert(made->end(), more->begin(), more->end());
        }
        return made;
    }
    std::optional<std::vector<int>> product(int depth) {
        std::optional<std::vector<int>> made;
        if (take('(')) {
            if (depth > 8) return std::nullopt;
            made = sum(depth + 1);
            if (!take(')')) return std::nullopt;
        } else if (take('[')) {
            made.emplace();
            do {
                const auto value = digits();
                if (!value) return std::nullopt;
                made->push_back(*value == 0 ? 0 : 1);
            } while (take(','));
            if (!take(']')) return std::nullopt;
        }
        while (made && take('*')) {
            const auto times = digits();
            if (!times || made->size() * static_cast<std::uint64_t>(*times) > longestPattern) return std::nullopt;
            const std::vector<int> once = *made;
            made->clear();
            for (std::int64_t i = 0; i < *times; ++i) made->insert(made->end(), once.begin(), once.end());
        }
        return made;
    }

    std::string_view text_;
    std::size_t place_ = 0;
};

/// "[0]*3+[1]".
std::string runs(std::span<const int> layers) {
    std::string text;
    for (std::size_t begin = 0, end = 0; begin < layers.size(); begin = end) {
        while (end < layers.size() && layers[end] == layers[begin]) ++end;
        text += fmt::format("{}[{}]", text.empty() ? "" : "+", layers[begin]);
        if (end - begin > 1) text += fmt::format("*{}", end - begin);
    }
    return text;
}

}  // namespace

std::optional<std::vector<int>> readPattern(std::string_view text) { return PatternReader(text).all(); }

std::string patternText(const std::vector<int>& layers) {
    const std::span<const int> all(layers);
    std::string shortest = runs(all);
    for (std::size_t period = 1; period <= layers.size() / 2; ++period) {
        if (!std::equal(layers.begin() + static_cast<std::ptrdiff_t>(period), layers.end(), layers.begin())) continue;
        const std::size_t times = layers.size() / period;
        const std::string once = runs(all.first(period)), rest = runs(all.subspan(times * period));
        std::string text = fmt::format("({})*{}{}{}", once, times, rest.empty() ? "" : "+", rest);
        if (text.size() < shortest.size()) shortest = std::move(text);
        break;
    }
    return shortest;
}

}  // namespace shardlab::trace
