// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/trainers/megatron_log.h"

#include "engine/base/parse_text.h"
#include "engine/trace/trainers/shell_words.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <utility>

namespace shardlab::trace {
namespace {

using Pair = std::pair<std::string_view, std::string_view>;

/// What an option is called that the program keeps under another name.
constexpr std::array otherNames{
    Pair{"fp8", "fp8-format"},
    Pair{"fp4", "fp4-format"},
    Pair{"virtual_pipeline_model_parallel_size", "num-virtual-stages-per-pipeline-rank"},
};
/// Flags that take away what the program has without them.
constexpr std::array takingAway{
    Pair{"add_bias_linear", "disable-bias-linear"},
    Pair{"bias_gelu_fusion", "no-bias-gelu-fusion"},
};

constexpr std::string_view heading = "- arguments -", ending = "- end of arguments -";
constexpr std::string_view newSize = "(new size: ";

/// "['a', 'b']" as words, and lists of numbers as they are.
std::string listWords(std::string_view value) {
    if (!value.starts_with("['")) return shellQuoted(value);
    std::string words;
    for (std::size_t quote = value.find('\''); quote != std::string_view::npos;) {
        const std::size_t end = value.find('\'', quote + 1);
        if (end == std::string_view::npos) break;
        words += (words.empty() ? "" : " ") + shellQuoted(value.substr(quote + 1, end - quote - 1));
        quote = value.find('\'', end + 1);
    }
    return words;
}

std::string optionOf(const LoggedArgument& argument) {
    const auto& [name, value] = argument;
    if (const auto flag = std::ranges::find(takingAway, name, &Pair::first); flag != takingAway.end())
        return value == "False" ? fmt::format(" --{}", flag->second) : "";
    const bool nothing = value == "None" || value == "False" || value == "[]" || value.empty();
    if (nothing) return "";
    // A warm-up is told in iterations, in samples or as a share; those that were not given are 0.
    if (name.starts_with("lr_warmup_") && value == "0") return "";
    const auto other = std::ranges::find(otherNames, name, &Pair::first);
    std::string option(other == otherNames.end() ? name : other->second);
    std::ranges::replace(option, '_', '-');
    return value == "True" ? fmt::format(" --{}", option) : fmt::format(" --{} {}", option, listWords(value));
}

/// How the ranks lie on nodes is not in the list: eight to a node, where there are as many.
std::string placesOf(std::string_view world) {
    const auto ranks = parseNumber<std::int64_t>(world).value_or(0);
    constexpr std::int64_t each = 8;
    if (ranks < 1) return "";
    if (ranks % each != 0) return fmt::format(" --nnodes 1 --nproc-per-node {}", ranks);
    return fmt::format(" --nnodes {} --nproc-per-node {}", ranks / each, each);
}

}  // namespace

std::optional<LoggedArgument> loggedArgument(std::string_view line) {
    constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
    const std::size_t dots = line.find(" ..");
    if (dots == std::string_view::npos || dots == 0) return std::nullopt;
    std::size_t begin = dots;
    while (begin > 0 && letters.find(line[begin - 1]) != std::string_view::npos) --begin;
    const std::size_t value = line.find_first_not_of('.', dots + 1);
    if (begin == dots || (begin > 0 && line[begin - 1] != ' ') || value == std::string_view::npos || line[value] != ' ')
        return std::nullopt;
    const std::size_t last = line.find_last_not_of(" \r");
    return LoggedArgument{line.substr(begin, dots - begin),
                          last <= value ? std::string_view() : line.substr(value + 1, last - value)};
}

std::optional<std::string> optionsOfLog(std::string_view log) {
    const std::size_t begin = log.find(heading);
    const std::size_t end = begin == std::string_view::npos ? begin : log.find(ending, begin);
    if (end == std::string_view::npos) return std::nullopt;
    std::string script = "pretrain_gpt.py";
    bool hasLayers = false, hasVocabulary = false;
    std::string_view list = log.substr(begin, end - begin);
    while (!list.empty())
        if (const auto argument = loggedArgument(takePart(list, '\n'))) {
            hasLayers = hasLayers || argument->name == "num_layers";
            hasVocabulary = hasVocabulary || (argument->name == "padded_vocab_size" && argument->value != "None");
            script += argument->name == "world_size" ? placesOf(argument->value) : optionOf(*argument);
        }
    if (!hasLayers) return std::nullopt;
    // " > padded vocab (size: 50257) with 47 dummy tokens (new size: 50304)" comes when the tokenizer is there.
    if (const std::size_t size = log.find(newSize, end); !hasVocabulary && size != std::string_view::npos) {
        const std::string_view rest = log.substr(size + newSize.size());
        if (const auto number = parseNumber<std::int64_t>(rest.substr(0, rest.find(')'))))
            script += fmt::format(" --padded-vocab-size {}", *number);
    }
    return script;
}

}  // namespace shardlab::trace
