// SPDX-License-Identifier: Apache-2.0
#include "engine/launch/hosts/agent.h"

#include <algorithm>

namespace shardlab::launch {
namespace {

constexpr std::string_view hostWord = "{host}";
constexpr std::string_view sshAgent = "ssh -x -T -o BatchMode=yes -o ConnectTimeout=5";

bool named(const std::vector<std::string>& words) {
    return std::ranges::any_of(words, [](const std::string& word) { return word.find(hostWord) != std::string::npos; });
}

}  // namespace

bool Agent::isDefault(std::string_view text) { return text.find_first_not_of(" \t") == std::string_view::npos; }

Result<Agent> Agent::parse(std::string_view text) {
    if (isDefault(text)) text = sshAgent;
    if (std::ranges::any_of(text, [](unsigned char c) { return (c < 0x20 && c != '\t') || c == 0x7f; }))
        return fail(Error{say("this is no agent"), "/cluster/agent",
                          say("it has a control character or a line's end in it"),
                          say("a program and its arguments, such as ssh -p 2222")});
    Agent agent;
    std::string word;
    bool begun = false;
    char quote = '\0';
    for (const char c : text) {
        if (quote != '\0' && c == quote) quote = '\0';
        else if (quote == '\0' && (c == '\'' || c == '"')) {
            quote = c;
            begun = true;
        } else if (quote == '\0' && (c == ' ' || c == '\t')) {
            if (std::exchange(begun, false)) agent.words_.push_back(std::exchange(word, {}));
        } else {
            word += c;
            begun = true;
        }
    }
    if (quote != '\0')
        return fail(Error{say("this is no agent"), std::string(text), say("a quote is not closed"),
                          say("a program and its arguments, such as ssh -p 2222")});
    if (begun) agent.words_.push_back(std::move(word));
    return agent;
}

std::vector<std::string> Agent::command(const std::string& host, const std::string& line) const {
    std::vector<std::string> all = words_;
    for (std::string& word : all)
        for (std::size_t at = 0; (at = word.find(hostWord, at)) != std::string::npos; at += host.size())
            word.replace(at, hostWord.size(), host);
    if (!named(words_)) all.push_back(host);
    all.push_back(line);
    return all;
}

std::string Agent::script(const std::filesystem::path& mark) const {
    // Open MPI puts options of ssh before the host; the agent's own say all there is to say.
    std::string text = "#!/bin/sh\nwhile [ \"${1#-}\" != \"$1\" ]; do shift; done\nhost=$1\nshift\nmark=" +
                       shellQuoted(shellQuoted(mark.native())) + "\nexec";
    for (const std::string& word : words_) {
        text += ' ';
        std::size_t begin = 0;
        for (std::size_t at = 0; (at = word.find(hostWord, begin)) != std::string::npos; begin = at + hostWord.size())
            text += shellQuoted(std::string_view(word).substr(begin, at - begin)) + "\"$host\"";
        text += shellQuoted(std::string_view(word).substr(begin));
    }
    return text + (named(words_) ? "" : " \"$host\"") + " \"test -e $mark || exit 1; $*\"\n";
}

std::string shellQuoted(std::string_view word) {
    std::string text = "'";
    for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return text + "'";
}

}  // namespace shardlab::launch
