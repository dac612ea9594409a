// SPDX-License-Identifier: Apache-2.0
#include "app/cli/export_layout.h"

#include "app/cli/print.h"
#include "app/cli/verbs.h"
#include "engine/base/file.h"
#include "engine/trace/trainers/trainer_target.h"

#include <filesystem>
#include <fmt/format.h>

namespace shardlab::cli {

namespace {

/// "a.layout.json" and "a.json" are a; a preset is its name, in the current folder.
std::filesystem::path withoutExtension(const std::string& layout) {
    std::filesystem::path stem(layout);
    std::error_code ignored;
    if (!std::filesystem::exists(stem, ignored)) return stem.filename();
    if (stem.extension() == ".json") stem.replace_extension();
    if (stem.extension() == ".layout") stem.replace_extension();
    return stem;
}

/// All files that would be written are looked for before the first is.
Status refuseExisting(const std::vector<std::filesystem::path>& files) {
    for (const std::filesystem::path& file : files)
        if (Status may = mayWrite(file, false); !may) return may;
    return {};
}

}  // namespace

int exportLayoutFor(const ExportLayoutOptions& options) {
    const TrainerTarget* target = findTrainerTarget(options.target);
    const auto layout = loadLegal(options.layout);
    if (!layout) return layout.error();
    std::filesystem::path out(options.out);
    if (out.empty()) {
        const std::filesystem::path stem = withoutExtension(options.layout.layout);
        out = stem.parent_path() / exportedFileName(*target, stem.filename().string(), options.sbatch);
    }
    const auto exported = exportLayout(*layout, *target, optionsFor(*target, out.filename().string(), options.sbatch));
    if (!exported) return failWith(exported.error());
    std::vector<std::pair<std::filesystem::path, std::string_view>> files{{out, exported->text}};
    for (const CompanionFile& each : exported->companions) files.emplace_back(out.parent_path() / each.name, each.text);
    if (!options.force) {
        std::vector<std::filesystem::path> names;
        for (const auto& [file, text] : files) names.push_back(file);
        if (const Status free = refuseExisting(names); !free) return failWith(free.error());
    }
    for (const auto& [file, text] : files) {
        if (const Status written = replaceFile(file, text); !written) return failWith(written.error());
        print(file.string() + "\n");
    }
    printNotes(exported->leftOut);
    return success;
}

}  // namespace shardlab::cli
