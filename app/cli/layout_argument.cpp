// SPDX-License-Identifier: Apache-2.0
#include "app/cli/layout_argument.h"

#include "engine/base/file.h"
#include "engine/layout/check/check.h"
#include "engine/layout/layout_file.h"
#include "engine/layout/presets.h"
#include "engine/layout/schedule/custom.h"
#include "engine/layout/schedule/registry.h"

#include <algorithm>
#include <filesystem>

namespace shardlab::cli {

namespace {

Result<ParsedLayout> readArgument(const std::string& text) {
    const std::filesystem::path file(text);
    std::error_code ignored;
    if (std::filesystem::exists(file, ignored) || text.find('/') != std::string::npos) {
        auto parsed = readLayout(file);
        if (parsed)
            parsed->layout = resolvePaths(std::move(parsed->layout), std::filesystem::absolute(file).parent_path());
        return parsed;
    }
    auto preset = findPreset(text);
    if (!preset) {
        Error error = preset.error();
        error.what = "there is no such layout file or preset";
        return fail(std::move(error));
    }
    return ParsedLayout{std::move(preset->layout), {}};
}

}  // namespace

Option LayoutArgument::addTo(Verb& verb, bool required) {
    Option given = verb.option("LAYOUT", layout, "A layout file, or the name of a preset (shardlab layouts lists them)")
                       .required(required);
    addAssignmentsTo(verb);
    return given;
}

Option LayoutArgument::addAssignmentsTo(Verb& verb) {
    return verb.option("--set", assignments, "Change one field: /pointer=value, for instance /parallel/data=4")
        .typeName("/POINTER=VALUE")
        .oneValueEach();
}

void LayoutArgument::addScheduleTo(Verb& verb) {
    verb.option("--schedule", schedule,
                "Follow the order of this file: one line a rank, as shardlab schedule --format csv and "
                "torch.distributed.pipelining write it")
        .typeName("CSV");
}

Result<ImportedSchedule> readSchedule(const std::string& file) {
    const Result<std::string> text = readFile(file);
    if (!text) return fail(text.error());
    Result<ImportedSchedule> imported = importCsv(*text);
    if (imported) return imported;
    Error error = imported.error();
    error.where = error.where.empty() ? Sentence(file) : say("{}, {}", file, error.where);
    return fail(std::move(error));
}

Result<LoadedLayout> load(const LayoutArgument& argument) {
    auto parsed = readArgument(argument.layout);
    if (!parsed) return fail(parsed.error());
    LoadedLayout loaded{std::move(parsed->layout), std::move(parsed->faults)};
    if (!argument.schedule.empty()) {
        auto own = readSchedule(argument.schedule);
        if (!own) return fail(own.error());
        loaded.layout = withOwnSchedule(std::move(loaded.layout), own->compute);
        loaded.notes = std::move(own->notes);
    }
    for (const std::string& assignment : argument.assignments) {
        auto changed = setField(loaded.layout, assignment);
        if (!changed) return fail(changed.error());
        loaded.layout = resolvePaths(std::move(changed->layout), std::filesystem::current_path());
        loaded.faults.insert(loaded.faults.end(), changed->faults.begin(), changed->faults.end());
    }
    auto placed = argument.hosts.apply(std::move(loaded.layout));
    if (!placed) return fail(placed.error());
    loaded.layout = std::move(*placed);
    const std::vector<Fault> written = loaded.faults;
    for (Fault& fault : check(loaded.layout, scheduleMethods())) {
        // A field that could not be read stands at its default: what is judged of that is not what was written.
        const bool known = std::any_of(written.begin(), written.end(),
                                       [&](const Fault& other) { return other.pointer == fault.pointer; });
        if (!known) loaded.faults.push_back(std::move(fault));
    }
    return loaded;
}

}  // namespace shardlab::cli
