// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/trainers/shell_words.h"

#include "engine/base/parse_text.h"

#include <algorithm>
#include <cctype>
#include <limits>
#include <map>
#include <optional>
#include <utility>

namespace shardlab::trace {
namespace {

constexpr std::size_t longestShellWord = 1 << 16;  ///< variables that contain each other would grow without end
constexpr std::size_t mostShellWords = 1 << 18;
constexpr int deepestShellText = 16;

bool isNameCharacter(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// "NAME=rest" or "NAME+=rest": the length of NAME.
std::size_t assignedName(std::string_view word) {
    std::size_t length = 0;
    while (length < word.size() && isNameCharacter(word[length])) ++length;
    if (length == 0 || std::isdigit(static_cast<unsigned char>(word.front())) != 0) return 0;
    const std::string_view rest = word.substr(length);
    return rest.starts_with('=') || rest.starts_with("+=") ? length : 0;
}

class ShellReader {
public:
    std::vector<std::vector<std::string>> commands;

    void read(std::string_view text, int depth) {
        const std::string_view before = std::exchange(text_, text);
        const std::size_t placeBefore = std::exchange(place_, 0);
        const int depthBefore = std::exchange(depth_, depth);
        commands.emplace_back();
        while (place_ < text_.size() && words_ < mostShellWords) character();
        endCommand();
        text_ = before;
        place_ = placeBefore;
        depth_ = depthBefore;
    }

private:
    void character() {
        const char c = text_[place_];
        if (c == '\\') return escaped();
        if (c == '\'' || c == '"') return quoted(c);
        if (c == '$') return expansion(false);
        if (c == '`') {
            place_ = std::min(text_.find('`', place_ + 1), text_.size() - 1) + 1;
            return add("`…`");
        }
        ++place_;
        if (c == '#' && !inWord_) {
            place_ = std::min(text_.find('\n', place_), text_.size());
        } else if (c == '(' && inWord_ && word_.ends_with('=')) {
            word_.clear();
            inWord_ = false;
            endCommand();
            ++arrays_;
        } else if (c == ')' && arrays_ > 0) {
            --arrays_;
            endCommand();
        } else if (c == ';' || c == '&' || c == '|' || c == '(' || c == ')' || (c == '\n' && arrays_ == 0)) {
            endCommand();
        } else if (std::isspace(static_cast<unsigned char>(c)) != 0) {
            endWord();
        } else {
            add({&c, 1});
        }
    }

    void escaped() {
        if (place_ + 1 < text_.size() && text_[place_ + 1] != '\n') add(text_.substr(place_ + 1, 1));
        place_ = std::min(place_ + 2, text_.size());
    }

    void quoted(char quote) {
        add("");
        ++place_;
        while (place_ < text_.size() && text_[place_] != quote) {
            const char c = text_[place_];
            if (quote == '"' && c == '$') expansion(true);
            else if (quote == '"' && c == '\\') escaped();
            else add(text_.substr(place_++, 1));
        }
        if (place_ < text_.size()) ++place_;
    }

    /// The place behind the `close` that belongs to the `open` at `begin`.
    std::size_t behind(std::size_t begin, char open, char close) const {
        int depth = 0;
        for (std::size_t i = begin; i < text_.size(); ++i) {
            if (text_[i] == open) ++depth;
            else if (text_[i] == close && --depth == 0) return i + 1;
        }
        return text_.size();
    }

    void expansion(bool inQuotes) {
        const std::string_view rest = text_.substr(place_);
        const std::size_t begin = place_;
        if (rest.starts_with("$((")) {
            place_ = behind(place_ + 1, '(', ')');
            const std::string_view whole = text_.substr(begin, place_ - begin);
            const auto value = whole.ends_with("))") ? sum(whole.substr(3, whole.size() - 5)) : std::nullopt;
            return add(value ? std::to_string(*value) : std::string(whole));
        }
        if (rest.starts_with("$(")) {
            place_ = behind(place_ + 1, '(', ')');
            return add(text_.substr(begin, place_ - begin));
        }
        std::string name;
        std::optional<std::string> otherwise;
        if (rest.starts_with("${")) {
            place_ = behind(place_ + 1, '{', '}');
            std::string_view inside = text_.substr(begin + 2, place_ - begin - 2);
            if (inside.ends_with('}')) inside.remove_suffix(1);
            std::size_t length = 0;
            while (length < inside.size() && isNameCharacter(inside[length])) ++length;
            name = inside.substr(0, length);
            const std::string_view after = inside.substr(length);
            if (after.starts_with('[')) return add("");  // an array's words are a command of their own
            if (after.starts_with(":-") || after.starts_with(":=")) otherwise = after.substr(2);
            else if (!after.empty()) return add(text_.substr(begin, place_ - begin));
        } else {
            ++place_;
            while (place_ < text_.size() && isNameCharacter(text_[place_])) name += text_[place_++];
            if (name.empty() && place_ < text_.size()) ++place_;  // $1, $@, $?
        }
        const auto known = values_.find(name);
        if (known == values_.end() && !otherwise) return add(text_.substr(begin, place_ - begin));
        const std::string value = known != values_.end() ? known->second : *otherwise;
        if (inQuotes) return add(value);
        for (std::size_t i = 0; i < value.size(); ++i)
            if (std::isspace(static_cast<unsigned char>(value[i])) != 0) endWord();
            else add(std::string_view(value).substr(i, 1));
    }

    /// Whole numbers and known variables with + - * / from the left, as scripts count ranks.
    std::optional<std::int64_t> sum(std::string_view text) const {
        std::int64_t value = 0;
        char operation = '+';
        bool any = false, summed = false;
        for (std::size_t i = 0; i < text.size();) {
            const char c = text[i];
            if (std::isspace(static_cast<unsigned char>(c)) != 0 || c == '$' || c == '{' || c == '}') {
                ++i;
            } else if (isNameCharacter(c)) {
                std::size_t end = i;
                while (end < text.size() && isNameCharacter(text[end])) ++end;
                const std::string_view term = text.substr(i, end - i);
                const auto known = values_.find(std::string(term));
                const auto number =
                    parseNumber<std::int64_t>(known == values_.end() ? term : std::string_view(known->second));
                if (!number || (any && operation == ' ') || !apply(value, operation, *number)) return std::nullopt;
                operation = ' ';
                any = true;
                i = end;
            } else if (operation == ' ' && (c == '+' || c == '-' || c == '*' || c == '/')) {
                // A product after a sum would bind tighter than this reads it.
                if ((c == '*' || c == '/') && summed) return std::nullopt;
                summed = summed || c == '+' || c == '-';
                operation = c;
                ++i;
            } else {
                return std::nullopt;
            }
        }
        return any && operation == ' ' ? std::optional(value) : std::nullopt;
    }

    static bool apply(std::int64_t& value, char operation, std::int64_t number) {
        constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
        if (number < -most || number > most || value < -most || value > most) return false;
        if (operation == '/' && number == 0) return false;
        value = operation == '+'   ? value + number
                : operation == '-' ? value - number
                : operation == '*' ? value * number
                                   : value / number;
        return true;
    }

    void add(std::string_view text) {
        inWord_ = true;
        if (word_.size() + text.size() <= longestShellWord) word_ += text;
    }

    void endWord() {
        if (!inWord_) return;
        inWord_ = false;
        if (arrays_ == 0 && commands.back().empty()) {
            if (const std::size_t length = assignedName(word_); length > 0) return assign(length);
        }
        ++words_;
        commands.back().push_back(std::move(word_));
        word_.clear();
    }

    void assign(std::size_t length) {
        const std::string word = std::exchange(word_, {});
        const bool appends = word[length] == '+';
        std::string& value = values_[word.substr(0, length)];
        std::string given = word.substr(length + (appends ? 2 : 1));
        if (given.find("--") != std::string::npos && depth_ < deepestShellText) read(given, depth_ + 1);
        if (appends && value.size() + given.size() <= longestShellWord) value += given;
        else value = std::move(given);
    }

    void endCommand() {
        endWord();
        if (!commands.back().empty()) commands.emplace_back();
    }

    std::string_view text_;
    std::size_t place_ = 0;
    int depth_ = 0;
    int arrays_ = 0;
    std::size_t words_ = 0;
    bool inWord_ = false;
    std::string word_;
    std::map<std::string, std::string> values_;
};

}  // namespace

std::vector<std::vector<std::string>> shellCommands(std::string_view script) {
    ShellReader reader;
    reader.read(script, 0);
    std::erase_if(reader.commands, [](const auto& words) { return words.empty(); });
    return std::move(reader.commands);
}

std::string shellQuoted(std::string_view word) {
    constexpr std::string_view plain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_./:,=+-@%";
    if (!word.empty() && word.find_first_not_of(plain) == std::string_view::npos) return std::string(word);
    std::string text = "'";
    for (const char c : word)
        if (c == '\'') text += "'\\''";
        else text += c;
    return text + "'";
}

}  // namespace shardlab::trace
