// SPDX-License-Identifier: Apache-2.0
#include "app/cli/layout_argument.h"
#include "app/cli/print.h"
#include "app/cli/terminal_markdown.h"
#include "app/cli/verbs.h"
#include "engine/layout/field_reference.h"
#include "engine/layout/layout_file.h"
#include "engine/layout/presets.h"
#include "engine/layout/schedule/registry.h"
#include "engine/predict/search/shrink.h"
#include "engine/trace/trainers/trainer_target.h"

#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>

namespace shardlab::cli {

namespace {

struct LayoutsOptions {
    std::string show;
    std::string from;
    bool fields = false;
    bool schema = false;
    std::string shrink;
    bool json = false;
};

/// The layout goes to standard output, what it lacks to standard error.
int layoutFrom(const std::string& file) {
    const Result<ConfigLayout> made = layoutFromFile(file);
    if (!made) return failWith(made.error());
    print(writeLayout(made->layout));
    printNotes(made->leftOut);
    return success;
}

int layoutFields(bool json) {
    if (!json) {
        print(terminalMarkdown(fieldsPage(scheduleMethods())));
        return success;
    }
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const FieldRow& row : fieldRows(scheduleMethods()))
        list.push_back({{"pointer", row.pointer},
                        {"legal", row.legal},
                        {"default", nlohmann::ordered_json::parse(row.byDefault)},
                        {"help", row.help}});
    print(list.dump(2) + "\n");
    return success;
}

/// The twin goes to standard output, what is smaller about it to standard error.
int shrink(const std::string& layout) {
    LayoutArgument argument;
    argument.layout = layout;
    const auto legal = loadLegal(argument);
    if (!legal) return legal.error();
    const auto shrunk = shrinkToThisMachine(*legal);
    if (!shrunk) return failWith(shrunk.error());
    print(writeLayout(shrunk->layout));
    if (shrunk->changes.empty()) printNotes({"this layout trains here as it is"});
    for (const FieldChange& change : shrunk->changes) printNotes({sentenceOf(change)});
    return success;
}

int layouts(const LayoutsOptions& options) {
    if (options.fields) return layoutFields(options.json);
    if (options.schema) {
        print(layoutSchema(scheduleMethods()));
        return success;
    }
    if (!options.shrink.empty()) return shrink(options.shrink);
    if (!options.from.empty()) return layoutFrom(options.from);
    if (!options.show.empty()) {
        const auto preset = findPreset(options.show);
        if (!preset) return failWith(preset.error());
        print(writeLayout(preset->layout));
        return success;
    }
    const auto all = presets();
    if (!all) return failWith(all.error());
    if (options.json) {
        nlohmann::ordered_json list = nlohmann::ordered_json::array();
        for (const Preset& preset : *all)
            list.push_back({{"name", preset.name}, {"ranks", rankCount(preset.layout)}, {"summary", preset.summary}});
        print(list.dump(2) + "\n");
        return success;
    }
    Table table({"name", "ranks", "what it is"});
    for (const Preset& preset : *all)
        table.add({preset.name, std::to_string(rankCount(preset.layout)), preset.summary});
    print(table.text());
    return success;
}

}  // namespace

void addLayouts(CommandLine& line) {
    Verb verb(line, "layouts", "List the layouts that come with Shardlab, print one, make one, or tell their fields");
    const auto options = std::make_shared<LayoutsOptions>();
    const Option show = verb.option("--show", options->show, "Print this layout as a layout file").typeName("NAME");
    const Option from =
        verb.option(
                "--from", options->from,
                "Print the layout that another program's file describes, and note what it leaves out: a config.json of "
                "Hugging Face, arguments of Megatron-LM in a shell script, a TOML of torchtitan, a JSON of DeepSpeed")
            .typeName("FILE")
            .excludes(show);
    verb.option("--shrink", options->shrink,
                "Print a twin of this layout file or preset that trains on this machine: the same schedule, with a "
                "smaller model on fewer ranks; and note what differs")
        .typeName("LAYOUT")
        .excludes(show)
        .excludes(from);
    verb.flag("--fields", options->fields, "Print every field of a layout: what it does, what is legal, its default")
        .excludes(show);
    verb.flag("--schema", options->schema, "Print a JSON Schema of layout files, for editors and validators")
        .excludes(show);
    verb.flag("--json", options->json, "Print the list, or the fields, as JSON");
    verb.runs([options] { return layouts(*options); });
}

}  // namespace shardlab::cli
