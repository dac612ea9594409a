// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/trainers/shell_words.h"

#include "engine/trace/trainers/shell_arithmetic.h"
#include "engine/trace/trainers/shell_branches.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <span>
#include <utility>

namespace shardlab::trace {
namespace {

constexpr std::size_t longestShellWord = 1 << 16;  ///< variables that contain each other would grow without end
constexpr std::size_t mostShellWords = 1 << 18;
constexpr std::size_t mostShellText = 1 << 24;  ///< characters of all words, with what variables stand for
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

bool isAmong(std::string_view word, std::span<const std::string_view> words) {
    return std::ranges::find(words, word) != words.end();
}

constexpr std::array<std::string_view, 4> assigning{"export", "declare", "local", "readonly"};
constexpr std::array<std::string_view, 5> reserved{"then", "else", "fi", "do", "{"};  ///< a command comes after it
constexpr std::array<std::string_view, 2> shells{"bash", "sh"};

class ShellReader {
public:
    explicit ShellReader(const ShellVariables& known) : values_(known) {}

    std::vector<std::vector<std::string>> commands;

    void read(std::string_view text, int depth) {
        const std::string_view before = std::exchange(text_, text);
        const std::size_t placeBefore = std::exchange(place_, 0);
        const int depthBefore = std::exchange(depth_, depth);
        commands.emplace_back();
        while (place_ < text_.size() && words_ < mostShellWords && length_ < mostShellText) character();
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
            const auto value = whole.ends_with("))")
                                   ? shellArithmetic(expanded(whole.substr(3, whole.size() - 5)), values_)
                                   : std::nullopt;
            return add(value ? std::to_string(*value) : std::string(whole));
        }
        if (rest.starts_with("$(")) {
            place_ = behind(place_ + 1, '(', ')');
            return add(text_.substr(begin, place_ - begin));
        }
        std::string name;
        std::string_view after;  ///< behind the name, in braces
        if (rest.starts_with("${")) {
            place_ = behind(place_ + 1, '{', '}');
            std::string_view inside = text_.substr(begin + 2, place_ - begin - 2);
            if (inside.ends_with('}')) inside.remove_suffix(1);
            std::size_t length = 0;
            while (length < inside.size() && isNameCharacter(inside[length])) ++length;
            name = inside.substr(0, length);
            after = inside.substr(length);
            if (after.starts_with('[')) return add("");  // an array's words are a command of their own
        } else {
            ++place_;
            while (place_ < text_.size() && isNameCharacter(text_[place_])) name += text_[place_++];
            if (name.empty() && place_ < text_.size()) ++place_;  // $@, $?
        }
        const auto value = valueOf(name, after);
        if (!value) return add(text_.substr(begin, place_ - begin));
        // What is assigned is one word.
        if (inQuotes || (arrays_ == 0 && commands.back().empty() && assignedName(word_) > 0)) return add(*value);
        for (std::size_t i = 0; i < value->size(); ++i)
            if (std::isspace(static_cast<unsigned char>((*value)[i])) != 0) endWord();
            else add(std::string_view(*value).substr(i, 1));
    }

    /// A variable's value, `after` being what follows its name, such as ":-8"; none: it is not known.
    std::optional<std::string> valueOf(const std::string& name, std::string_view after) {
        const bool evenEmpty = after.starts_with(':');
        const std::string_view otherwise = after.substr(evenEmpty ? 1 : 0);
        const char operation = otherwise.empty() ? 0 : otherwise.front();
        if (!after.empty() && operation != '-' && operation != '=') return std::nullopt;
        const auto known = values_.find(name);
        if (known != values_.end() && !(evenEmpty && known->second.empty())) return known->second;
        if (after.empty()) return known != values_.end() ? std::optional(known->second) : std::nullopt;
        const std::string value = expanded(otherwise.substr(1));
        if (operation == '=') values_[name] = value;
        return value;
    }

    /// The text as one word: its quotes taken off, its variables put in.
    std::string expanded(std::string_view text) {
        if (depth_ >= deepestShellText) return std::string(text);
        ++depth_;
        std::string word = std::exchange(word_, {});
        const bool inWord = inWord_;
        const std::string_view before = std::exchange(text_, text);
        const std::size_t placeBefore = std::exchange(place_, 0);
        while (place_ < text_.size()) {
            const char c = text_[place_];
            if (c == '$') expansion(true);
            else if (c == '\\') escaped();
            else if (c == '\'' || c == '"') quoted(c);
            else add(text_.substr(place_++, 1));
        }
        text_ = before;
        place_ = placeBefore;
        inWord_ = inWord;
        --depth_;
        return std::exchange(word_, std::move(word));
    }

    void add(std::string_view text) {
        inWord_ = true;
        if (word_.size() + text.size() > longestShellWord || length_ + text.size() > mostShellText) return;
        length_ += text.size();
        word_ += text;
    }

    void endWord() {
        if (!inWord_) return;
        inWord_ = false;
        std::vector<std::string>& command = commands.back();
        if (arrays_ == 0 && command.empty() && isAmong(word_, reserved)) {
            branches_.word(word_);
            return word_.clear();
        }
        if (arrays_ == 0 && (command.empty() || isAmong(command.front(), assigning))) {
            if (const std::size_t length = assignedName(word_); length > 0) return assign(length);
        }
        ++words_;
        // "--bf16 --lr 1e-4" as one word of an array is taken apart where the array is used, and a shell runs the text
        // behind its -c.
        const bool options =
            arrays_ > 0 && word_.starts_with("--") && word_.find_first_of(" \t\n") != std::string::npos;
        if ((options || isScript(command)) && depth_ < deepestShellText) {
            const int arrays = std::exchange(arrays_, 0);
            read(std::exchange(word_, {}), depth_ + 1);
            arrays_ = arrays;
            return;
        }
        command.push_back(std::move(word_));
        word_.clear();
    }

    /// The next word of the command is a text for a shell: "bash -c".
    static bool isScript(const std::vector<std::string>& command) {
        if (command.size() < 2 || !command.back().starts_with('-') || command.back().starts_with("--") ||
            !command.back().ends_with('c'))
            return false;
        const std::string& program = command[command.size() - 2];
        return isAmong(std::string_view(program).substr(program.rfind('/') + 1), shells);
    }

    void assign(std::size_t length) {
        const std::string word = std::exchange(word_, {});
        if (!branches_.count()) return;
        const bool appends = word[length] == '+';
        std::string& value = values_[word.substr(0, length)];
        std::string given = word.substr(length + (appends ? 2 : 1));
        if (given.find("--") != std::string::npos && depth_ < deepestShellText) read(given, depth_ + 1);
        if (appends && value.size() + given.size() <= longestShellWord) value += given;
        else value = std::move(given);
    }

    void endCommand() {
        endWord();
        branches_.command(commands.back());
        if (!branches_.count()) commands.back().clear();
        if (!commands.back().empty()) commands.emplace_back();
    }

    std::string_view text_;
    std::size_t place_ = 0;
    int depth_ = 0;
    int arrays_ = 0;
    std::size_t words_ = 0;
    std::size_t length_ = 0;  ///< of all words and values so far, in characters
    bool inWord_ = false;
    std::string word_;
    ShellBranches branches_;
    ShellVariables values_;
};

}  // namespace

std::vector<std::vector<std::string>> shellCommands(std::string_view script, const ShellVariables& known) {
    ShellReader reader(known);
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
