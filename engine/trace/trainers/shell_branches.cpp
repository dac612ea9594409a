// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/trainers/shell_branches.h"

#include "engine/base/parse_text.h"

#include <algorithm>
#include <cstdint>

namespace shardlab::trace {
namespace {

constexpr std::size_t deepestBranches = 1 << 10;

std::optional<bool> comparison(std::string_view left, std::string_view operation, std::string_view right) {
    if (operation == "=" || operation == "==" || operation == "!=") {
        if (right.find_first_of("*?[") != std::string_view::npos) return std::nullopt;  // a pattern
        return (left == right) == (operation != "!=");
    }
    const auto a = parseNumber<std::int64_t>(left), b = parseNumber<std::int64_t>(right);
    if (!a || !b) return std::nullopt;
    if (operation == "-eq") return *a == *b;
    if (operation == "-ne") return *a != *b;
    if (operation == "-gt") return *a > *b;
    if (operation == "-ge") return *a >= *b;
    if (operation == "-lt") return *a < *b;
    if (operation == "-le") return *a <= *b;
    return std::nullopt;
}

}  // namespace

std::optional<bool> shellCondition(std::span<const std::string> words) {
    if (words.size() < 2) return std::nullopt;
    const std::string &open = words.front(), &close = words.back();
    if ((open != "[" || close != "]") && (open != "[[" || close != "]]")) return std::nullopt;
    words = words.subspan(1, words.size() - 2);
    const auto unknown = [](const std::string& word) { return word.find_first_of("$`") != std::string::npos; };
    if (std::ranges::any_of(words, unknown)) return std::nullopt;
    const bool negated = !words.empty() && words.front() == "!";
    if (negated) words = words.subspan(1);
    std::optional<bool> holds;
    if (words.size() == 3) holds = comparison(words[0], words[1], words[2]);
    else if (words.size() == 2 && (words[0] == "-z" || words[0] == "-n"))
        holds = words[1].empty() == (words[0] == "-z");
    return holds ? std::optional(*holds != negated) : std::nullopt;
}

void ShellBranches::word(std::string_view word) {
    if (open_.empty()) return;
    Branch& branch = open_.back();
    if (word == "then") {
        branch.asks = false;
        branch.chosen = branch.chosen || branch.holds.value_or(false);
    } else if (word == "else") {
        branch.holds = branch.chosen ? std::optional(false) : std::nullopt;
    } else if (word == "fi") {
        open_.pop_back();
    }
}

void ShellBranches::command(std::span<const std::string> words) {
    if (words.empty()) return;
    if (words.front() == "if" && open_.size() < deepestBranches) {
        const bool outer = count();
        open_.push_back({.outer = outer, .holds = shellCondition(words.subspan(1))});
    } else if (words.front() == "elif" && !open_.empty()) {
        Branch& branch = open_.back();
        branch.holds = branch.chosen ? std::optional(false) : shellCondition(words.subspan(1));
        branch.asks = !branch.chosen;
    } else if (!open_.empty() && open_.back().asks) {
        open_.back().holds.reset();  // "[ A ] && [ B ]", of which the first was not all
    }
}

}  // namespace shardlab::trace
