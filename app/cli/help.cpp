// SPDX-License-Identifier: Apache-2.0
// shardlab help: the pages of the manual, and what a verb can do.
#include "app/cli/completion.h"
#include "app/cli/manual_page.h"
#include "app/cli/page_language.h"
#include "app/cli/print.h"
#include "app/cli/terminal_markdown.h"
#include "app/cli/verbs.h"
#include "engine/base/parse_text.h"
#include "engine/base/pages.h"
#include "engine/layout/suggest.h"

#include <algorithm>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace shardlab::cli {

namespace {

struct HelpOptions {
    std::string topic;
    std::string shell;
    std::string language;
    std::string search;
    bool man = false;
};

int manualPage(const CommandLine& line, const std::string& name) {
    if (name.empty()) {
        printData(programPage(line));
        return success;
    }
    const std::vector<VerbText> verbs = line.describeVerbs();
    if (const auto verb = std::ranges::find(verbs, name, &VerbText::name); verb != verbs.end()) {
        printData(verbPage(*verb));
        return success;
    }
    std::vector<std::string_view> names;
    for (const VerbText& verb : verbs) names.push_back(verb.name);
    printError({say("there is no such verb"), name, "", legalWords(name, names)});
    return wrongUse;
}

/// True where the line has every word somewhere; Latin letters match in either case.
bool hasWords(std::string line, std::string words) {
    const auto small = [](char letter) {
        return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter + 32) : letter;
    };
    std::ranges::transform(line, line.begin(), small);
    std::ranges::transform(words, words.begin(), small);
    return std::ranges::all_of(wordsIn(words),
                               [&](std::string_view word) { return line.find(word) != std::string::npos; });
}

/// The lines of every page as they are printed, with their numbers there.
int search(const std::vector<Page>& pages, const std::string& words) {
    Table found({"topic", "line", "what it says"});
    bool any = false;
    for (const Page& page : pages) {
        std::istringstream lines(terminalMarkdown(page.text));
        int number = 0;
        for (std::string line; std::getline(lines, line);)
            if (++number; hasWords(line, words)) {
                found.add({page.name, std::to_string(number), line});
                any = true;
            }
    }
    if (!any) return failWith({"no line of the manual has all of this", words, "", ""});
    print(found.text());
    return success;
}

int help(const CommandLine& line, const HelpOptions& options) {
    if (!options.shell.empty()) {
        printData(completionScript(options.shell, line));
        return success;
    }
    if (options.man) return manualPage(line, options.topic);
    const std::string& topic = options.topic;
    const auto pages = manualPages();
    if (!pages) return failWith(pages.error());
    if (!options.search.empty()) return search(*pages, options.search);
    if (topic.empty()) {
        Table table({"topic", "what it is about"});
        for (const Page& page : *pages) table.add({page.name, page.title});
        print(table.text());
        print(
            "\nshardlab help TOPIC prints a page, shardlab help VERB what a verb can do, shardlab help --search WORDS "
            "where the manual speaks of something; shardlab --help lists the verbs.\n");
        return success;
    }
    if (const auto page = std::ranges::find(*pages, topic, &Page::name); page != pages->end()) {
        print(terminalMarkdown(page->text));
        return success;
    }
    if (const auto text = line.help(topic)) {
        print(*text);
        return success;
    }
    std::vector<std::string_view> names;
    for (const Page& page : *pages) names.push_back(page.name);
    const std::vector<std::string> verbs = line.verbs();
    names.insert(names.end(), verbs.begin(), verbs.end());
    printError({say("there is no such topic or verb"), topic, "", legalWords(topic, names)});
    return wrongUse;
}

}  // namespace

void addHelp(CommandLine& line) {
    Verb verb(line, "help", "Print a page of the manual, or list its topics");
    const auto options = std::make_shared<HelpOptions>();
    verb.option("topic", options->topic, "A topic, or a verb").typeName("TOPIC");
    const Option man = verb.flag("--man", options->man, "Print a page for man: that of the verb, or of shardlab");
    verb.option("--search", options->search, "Print the lines of all pages that have these words, with their topics")
        .typeName("WORDS")
        .excludes(man);
    verb.option("--completion", options->shell, "Print what this shell completes: bash, zsh or fish")
        .typeName("SHELL")
        .oneOf(completionShells())
        .excludes(man);
    offerLanguage(verb, options->language);
    verb.runs([&line, options] {
        useLanguage(options->language);
        return help(line, *options);
    });
}

}  // namespace shardlab::cli
