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

int help(const CLI::App& program, const std::string& topic) {
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
    std::vector<std::string_view> names;
    for (const Page& page : *pages) names.push_back(page.name);
    for (const CLI::App* verb : program.get_subcommands({})) {
        if (verb->check_name(topic)) {
            print(verb->help(program.get_name()));
            return success;
        }
        names.push_back(verb->get_name());
    }
    printError({"there is no such topic or verb", topic, "", legalWords(topic, names)});
    return wrongUse;
}

}  // namespace

void addHelp(CLI::App& program, Action& chosen) {
    CLI::App* verb = program.add_subcommand("help", "Print a page of the manual, or list its topics");
    const auto topic = std::make_shared<std::string>();
    verb->add_option("topic", *topic, "A topic, or a verb")->type_name("TOPIC");
    verb->callback([&program, &chosen, topic] { chosen = [&program, topic] { return help(program, *topic); }; });
}

}  // namespace shardlab::cli
