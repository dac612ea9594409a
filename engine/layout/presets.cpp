// SPDX-License-Identifier: Apache-2.0
#include "engine/layout/presets.h"

#include "engine/base/file.h"
#include "engine/base/library_words.h"
#include "engine/base/resources.h"
#include "engine/layout/layout_file.h"
#include "engine/layout/suggest.h"

#include <nlohmann/json.hpp>

namespace shardlab::layout {
namespace {

using nlohmann::json;

Result<Layout> readPreset(const std::filesystem::path& file) {
    Result<ParsedLayout> parsed = readLayout(file);
    if (!parsed) return fail(parsed.error());
    if (!parsed->faults.empty())
        return fail({say("a preset is damaged"), file.string(), toText(parsed->faults.front()), ""});
    return std::move(parsed->layout);
}

struct Entry {
    std::string name;
    std::string summary;
    std::string family;
};

Result<std::vector<Entry>> readIndex(const std::filesystem::path& file) {
    const Result<std::string> text = readFile(file);
    if (!text) return fail(text.error());
    std::vector<Entry> entries;
    try {
        for (const json& entry : json::parse(*text))
            entries.push_back({entry.at("name").get<std::string>(), entry.at("summary").get<std::string>(),
                               entry.value("family", std::string("Others"))});
    } catch (const json::exception& error) {
        return fail({say("the list of presets is damaged"), file.string(), jsonReason(error.what()), ""});
    }
    return entries;
}

}  // namespace

Result<std::vector<Preset>> presets() {
    const std::filesystem::path folder = resourcesFolder() / "presets";
    const Result<std::vector<Entry>> index = readIndex(folder / "index.json");
    if (!index) return fail(index.error());
    std::vector<Preset> all;
    for (const Entry& entry : *index) {
        Result<Layout> layout = readPreset(folder / (entry.name + ".layout.json"));
        if (!layout) return fail(layout.error());
        all.push_back({entry.name, entry.summary, std::move(*layout), entry.family});
    }
    return all;
}

Result<Preset> findPreset(std::string_view name) {
    Result<std::vector<Preset>> all = presets();
    if (!all) return fail(all.error());
    std::vector<std::string_view> names;
    for (Preset& preset : *all) {
        if (preset.name == name) return std::move(preset);
        names.push_back(preset.name);
    }
    return fail({say("there is no such preset"), std::string(name), "", legalWords(name, names).english()});
}

}  // namespace shardlab::layout
