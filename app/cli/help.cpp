// SPDX-License-Identifier: Apache-2.0
// shardlab help: the pages of the manual, and what a verb can do.
#include "app/cli/print.h"
#include "app/cli/terminal_markdown.h"
#include "app/cli/verbs.h"
#include "engine/base/pages.h"
#include "engine/layout/suggest.h"

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace shardlab::cli {

namespace {

int help(const CommandLine& line, const std::string& topic) {
    const auto pages = manualPages();
    if (!pages) {
        printError(pages.error());
        return failure;
    }
    if (topic.empty()) {
        Table table({"topic", "what it is about"});
        for (const Page& page : *pages) table.add({page.name, page.title});
        print(table.text());
        print("\nshardlab help TOPIC prints a page, shardlab help VERB what a verb can do; shardlab --help lists the "
              "verbs.\n");
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
    printError({"there is no such topic or verb", topic, "", legalWords(topic, names)});
    return wrongUse;
}

}  // namespace

void addHelp(CommandLine& line) {
    Verb verb(line, "help", "Print a page of the manual, or list its topics");
    const auto topic = std::make_shared<std::string>();
    verb.option("topic", *topic, "A topic, or a verb").typeName("TOPIC");
    verb.runs([&line, topic] { return help(line, *topic); });
}

}  // namespace shardlab::cli
