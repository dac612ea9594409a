// SPDX-License-Identifier: Apache-2.0
#include "app/cli/manual_page.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace shardlab::cli {
namespace {

/// Text as man(7) prints it unchanged: a line must not begin with a control character.
std::string roff(std::string_view text) {
    std::string escaped;
    bool first = true;
    for (const char c : text) {
        if (first && (c == '.' || c == '\'')) escaped += "\\&";
        if (c == '\\') escaped += "\\e";
        else if (c == '-') escaped += "\\-";
        else escaped += c;
        first = c == '\n';
    }
    return escaped;
}

/// An argument in capitals: what its value is called, or its own name.
std::string argumentName(const OptionText& argument) {
    std::string name = argument.value.empty() || argument.value == "TEXT" ? argument.names.front() : argument.value;
    std::ranges::transform(name, name.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    return "\\fI" + roff(name) + "\\fR";
}

std::string bold(std::string_view text) { return "\\fB" + roff(text) + "\\fR"; }

std::string title(const std::string& name, std::string_view summary) {
    return fmt::format(".TH {} 1 \"\" \"Shardlab {}\" \"Shardlab\"\n.SH NAME\n{} \\- {}\n", name, SHARDLAB_VERSION,
                       roff(name), roff(summary));
}

std::string options(const std::vector<OptionText>& all) {
    std::string text = ".SH OPTIONS\n";
    for (const OptionText& option : all) {
        std::vector<std::string> names;
        for (const std::string& name : option.names) names.push_back(bold(name));
        if (option.argument) names = {argumentName(option)};
        else if (!option.value.empty()) names.back() += " \\fI" + roff(option.value) + "\\fR";
        text += fmt::format(".TP\n{}\n{}\n", fmt::join(names, ", "), roff(option.help));
    }
    return text;
}

std::string synopsis(const std::string& command, const VerbText& verb) {
    std::string text = ".SH SYNOPSIS\n" + bold(command) + " [\\fIOPTION\\fR]...";
    for (const OptionText& option : verb.options)
        if (option.argument) text += " [" + argumentName(option) + "]";
    return text + "\n";
}

constexpr const char* otherPages = ".SH SEE ALSO\n\\fBshardlab help\\fR lists the pages of the manual.\n";

}  // namespace

std::string programPage(const CommandLine& line) {
    const VerbText program = line.describe();
    std::string text = title("shardlab", "a lab for distributed training");
    text += ".SH SYNOPSIS\n\\fBshardlab\\fR [\\fIVERB\\fR [\\fIOPTION\\fR]...]\n";
    text += ".SH DESCRIPTION\n" + roff(program.help) + "\n" + options(program.options) + ".SH VERBS\n";
    for (const VerbText& verb : line.describeVerbs())
        text += fmt::format(".TP\n{}(1)\n{}\n", bold("shardlab-" + verb.name), roff(verb.help));
    return text + ".SH EXIT STATUS\n" + roff(program.footer) + "\n" + otherPages;
}

std::string verbPage(const VerbText& verb) {
    std::string text = title("shardlab-" + verb.name, verb.help) + synopsis("shardlab " + verb.name, verb);
    text += options(verb.options);
    if (!verb.footer.empty()) text += ".SH NOTES\n" + roff(verb.footer) + "\n";
    return text + otherPages;
}

}  // namespace shardlab::cli
