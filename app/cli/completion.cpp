// SPDX-License-Identifier: Apache-2.0
#include "app/cli/completion.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace shardlab::cli {
namespace {

std::vector<std::string> optionNames(const VerbText& verb) {
    std::vector<std::string> names;
    for (const OptionText& option : verb.options)
        if (!option.argument) names.insert(names.end(), option.names.begin(), option.names.end());
    return names;
}

/// The first sentence or line, in single quotes as a shell reads them.
std::string shellWord(std::string_view text) {
    std::string result = "'";
    for (const char c : text.substr(0, text.find('\n'))) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return result + "'";
}

std::string bash(const CommandLine& line) {
    std::vector<std::string> verbs;
    std::string cases;
    for (const VerbText& verb : line.describeVerbs()) {
        verbs.push_back(verb.name);
        cases += fmt::format("        {}) words=\"{}\" ;;\n", verb.name, fmt::join(optionNames(verb), " "));
    }
    return fmt::format(R"(# Completion of shardlab for bash, made by shardlab help --completion bash.
_shardlab() {{
    local word=${{COMP_WORDS[COMP_CWORD]}} words=
    if ((COMP_CWORD == 1)); then
        COMPREPLY=($(compgen -W "{} --help --version" -- "$word"))
        return
    fi
    case ${{COMP_WORDS[1]}} in
{}    esac
    if [[ $word == -* ]]; then
        COMPREPLY=($(compgen -W "$words" -- "$word"))
    else
        compopt -o filenames 2>/dev/null
        COMPREPLY=($(compgen -f -- "$word"))
    fi
}}
complete -F _shardlab shardlab
)",
                       fmt::join(verbs, " "), cases);
}

/// Square brackets and colons mean something in a specification of _arguments.
std::string specification(std::string_view text) {
    std::string result;
    for (const char c : text.substr(0, text.find('\n'))) {
        if (c == '[' || c == ']' || c == ':' || c == '\\') result += '\\';
        result += c;
    }
    return result;
}

std::string zsh(const CommandLine& line) {
    std::string verbs, cases;
    for (const VerbText& verb : line.describeVerbs()) {
        verbs += fmt::format("        {}\n", shellWord(verb.name + ":" + specification(verb.help)));
        cases += fmt::format("        {})\n            _arguments", verb.name);
        for (const OptionText& option : verb.options)
            for (const std::string& name : option.names)
                if (!option.argument)
                    cases += " " + shellWord(fmt::format(
                                       "{}[{}]{}", name, specification(option.help),
                                       option.value.empty() ? "" : ":" + specification(option.value) + ":_files"));
        cases += " '*:file:_files' ;;\n";
    }
    return fmt::format(R"(#compdef shardlab
# Completion of shardlab for zsh, made by shardlab help --completion zsh.
local -a verbs
if ((CURRENT == 2)); then
    verbs=(
{}    )
    _describe 'verb' verbs
else
    local verb=$words[2]
    shift words
    ((CURRENT--))
    case $verb in
{}    esac
fi
)",
                       verbs, cases);
}

std::string fish(const CommandLine& line) {
    std::string text = "# Completion of shardlab for fish, made by shardlab help --completion fish.\n";
    for (const VerbText& verb : line.describeVerbs()) {
        text +=
            fmt::format("complete -c shardlab -n __fish_use_subcommand -a {} -d {}\n", verb.name, shellWord(verb.help));
        for (const OptionText& option : verb.options) {
            if (option.argument) continue;
            text += fmt::format("complete -c shardlab -n '__fish_seen_subcommand_from {}'", verb.name);
            for (const std::string& name : option.names)
                text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
            text += fmt::format("{} -d {}\n", option.value.empty() ? "" : " -r", shellWord(option.help));
        }
    }
    return text;
}

}  // namespace

std::vector<std::string> completionShells() { return {"bash", "zsh", "fish"}; }

std::string completionScript(const std::string& shell, const CommandLine& line) {
    return shell == "bash" ? bash(line) : shell == "zsh" ? zsh(line) : fish(line);
}

}  // namespace shardlab::cli
