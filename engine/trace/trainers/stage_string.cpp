// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/trainers/stage_string.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>

namespace shardlab::trace {
namespace {

constexpr std::size_t longestStageString = 1 << 18;  ///< of a text with all its repetitions written out

/// The text with repetitions written out and without commas and spaces: "E|t|t|L".
class StageStringReader {
public:
    explicit StageStringReader(std::string_view text) : text_(text) {}

    std::optional<std::string> all() {
        std::optional<std::string> expanded = list(0);
        return place_ == text_.size() ? expanded : std::nullopt;
    }

private:
    std::optional<std::string> list(int depth) {
        std::string made;
        while (place_ < text_.size() && text_[place_] != ')') {
            const char c = text_[place_++];
            std::string item;
            if (c == ',' || std::isspace(static_cast<unsigned char>(c)) != 0) continue;
            if (c == '(') {
                if (depth > 8) return std::nullopt;
                const std::optional<std::string> inner = list(depth + 1);
                if (!inner || place_ == text_.size()) return std::nullopt;
                ++place_;
                item = *inner;
            } else if (c == 'E' || c == 't' || c == 'm' || c == 'L' || c == '|') {
                item = c;
            } else {
                return std::nullopt;
            }
            const int times = repeats();
            if (times < 0 || made.size() + item.size() * static_cast<std::size_t>(times) > longestStageString)
                return std::nullopt;
            for (int i = 0; i < times; ++i) made += item;
        }
        return made;
    }

    /// "*3" behind an item; 1 where there is none, −1 where it is no number.
    int repeats() {
        if (place_ == text_.size() || text_[place_] != '*') return 1;
        int times = 0;
        std::size_t digits = 0;
        for (++place_; place_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[place_])) != 0; ++place_)
            if (++digits <= 6) times = 10 * times + (text_[place_] - '0');
        return digits == 0 || digits > 6 ? -1 : times;
    }

    std::string_view text_;
    std::size_t place_ = 0;
};

}  // namespace

std::string stageString(const std::vector<int>& layers, int modules) {
    std::string text;
    for (std::size_t stage = 0; stage < layers.size(); ++stage) {
        if (stage > 0) text += '|';
        if (stage == 0) text += 'E';
        if (layers[stage] > 0) text += layers[stage] == 1 ? "t" : fmt::format("t*{}", layers[stage]);
    }
    return text + std::string(static_cast<std::size_t>(modules), 'm') + 'L';
}

std::optional<StageLayers> readStageString(std::string_view text) {
    std::optional<std::string> expanded = StageStringReader(text).all();
    if (!expanded || !expanded->starts_with('E') || !expanded->ends_with('L')) return std::nullopt;
    if (std::ranges::count(*expanded, 'E') != 1 || std::ranges::count(*expanded, 'L') != 1) return std::nullopt;
    StageLayers read{{0}, expanded->find('m') < expanded->rfind('|') + 1};
    for (const char c : *expanded)
        if (c == '|') read.layers.push_back(0);
        else if (c == 't') ++read.layers.back();
    for (std::size_t stage = 1; read.modulesBefore && stage + 1 < read.layers.size(); ++stage) {
        if (read.layers[stage] > 0) continue;
        std::size_t from = stage - 1;
        while (from > 0 && read.layers[from] < 2) --from;
        if (read.layers[from] == 0) continue;
        --read.layers[from];
        ++read.layers[stage];
    }
    return read;
}

}  // namespace shardlab::trace
