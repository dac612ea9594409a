// SPDX-License-Identifier: Apache-2.0
#include "app/cli/layout_argument.h"

#include "app/cli/print.h"
#include "engine/base/file.h"
#include "engine/layout/check/check.h"
#include "engine/layout/json_text.h"
#include "engine/layout/layout_file.h"
#include "engine/layout/presets.h"
#include "engine/layout/schedule/custom.h"
#include "engine/layout/schedule/registry.h"
#include "engine/predict/search/cluster_layout.h"
#include "engine/predict/search/nearest_legal.h"
#include "engine/trace/trainers/trainer_target.h"

#include <algorithm>
#include <filesystem>

namespace shardlab::cli {

namespace {

/// Adds to `notes` what of a trainer's file no layout says.
Result<LoadedLayout> readArgument(const std::string& text, std::vector<Sentence>& notes) {
    const std::filesystem::path file(text);
    std::error_code ignored;
    if (std::filesystem::exists(file, ignored) || text.find('/') != std::string::npos) {
        // Read once, as a pipe can be. No layout is longer than the beginning that tells another trainer's file.
        static_assert(mostTrainerText == largestJson);
        const Result<std::string> text = readBeginning(file, largestJson + 1);
        if (!text) return fail(text.error());
        const auto beginning = std::string_view(*text).substr(0, mostTrainerText);
        if (isTrainerText(beginning)) {
            auto made = layoutFromText(file, beginning);
            if (!made) return fail(made.error());
            notes = std::move(made->leftOut);
            return LoadedLayout{std::move(made->layout), {}};
        }
        if (beginning.size() < text->size()) return fail(tooLarge(file, largestJson));
        auto parsed = parseLayout(*text, file);
        if (!parsed) return fail(parsed.error());
        return LoadedLayout{resolvePaths(std::move(parsed->layout), std::filesystem::absolute(file).parent_path()),
                            std::move(parsed->faults)};
    }
    auto preset = findPreset(text);
    if (!preset) {
        Error error = preset.error();
        error.what = "there is no such layout file or preset";
        return fail(std::move(error));
    }
    return LoadedLayout{std::move(preset->layout), {}};
}

/// A note for each field that differs, but for those of the cluster.
void noteChanges(const Layout& from, const Layout& to, std::vector<Sentence>& notes) {
    for (const FieldChange& change : changesBetween(from, to))
        if (!change.pointer.starts_with("/cluster/")) notes.push_back(sentenceOf(change));
}

/// The layout with as many replicas as its cluster has devices for.
Layout filled(const Layout& layout, std::vector<Sentence>& notes) {
    Layout filled = filledWithReplicas(layout);
    noteChanges(layout, filled, notes);
    notes.push_back(say("predicted is {} on {}", filled.cluster.pace->stack, filled.cluster.pace->device));
    return filled;
}

}  // namespace

Option LayoutArgument::addTo(Verb& verb, bool required) {
    Option given = verb.option("LAYOUT", layout,
                               "A layout file, the name of a preset (shardlab layouts lists them), or a file that "
                               "shardlab layouts --from reads")
                       .required(required);
    addAssignmentsTo(verb);
    return given;
}

Option LayoutArgument::addAssignmentsTo(Verb& verb) {
    return verb.option("--set", assignments, "Change one field: /pointer=value, for instance /parallel/data=4")
        .typeName("/POINTER=VALUE")
        .oneValueEach();
}

void LayoutArgument::addClusterTo(Verb& verb) {
    verb.option(
            "--cluster", cluster,
            "Predict it on this cluster, 64x8:h100-sxm for instance (shardlab devices lists devices), with replicas "
            "for all its devices")
        .typeName("NODESxDEVICES:DEVICE");
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
    std::vector<Sentence> notes;
    auto read = readArgument(argument.layout, notes);
    if (!read) return fail(read.error());
    LoadedLayout loaded = std::move(*read);
    if (!argument.cluster.empty()) {
        const auto cluster = parseCluster(argument.cluster);
        if (!cluster) return fail(cluster.error());
        Layout there = onCluster(loaded.layout, *cluster);
        noteChanges(loaded.layout, there, notes);
        loaded.layout = std::move(there);
    }
    if (!argument.schedule.empty()) {
        auto own = readSchedule(argument.schedule);
        if (!own) return fail(own.error());
        loaded.layout = withOwnSchedule(std::move(loaded.layout), own->compute);
        notes.insert(notes.end(), own->notes.begin(), own->notes.end());
    }
    for (const std::string& assignment : argument.assignments) {
        auto changed = setField(loaded.layout, assignment);
        if (!changed) return fail(changed.error());
        loaded.layout = resolvePaths(std::move(changed->layout), std::filesystem::current_path());
        loaded.faults.insert(loaded.faults.end(), changed->faults.begin(), changed->faults.end());
    }
    if (!argument.cluster.empty()) loaded.layout = filled(loaded.layout, notes);
    auto placed = argument.hosts.apply(std::move(loaded.layout));
    if (!placed) return fail(placed.error());
    loaded.layout = std::move(*placed);
    printNotes(notes);
    const std::vector<Fault> written = loaded.faults;
    for (Fault& fault : check(loaded.layout, scheduleMethods())) {
        // A field that could not be read stands at its default: what is judged of that is not what was written.
        const bool known = std::any_of(written.begin(), written.end(),
                                       [&](const Fault& other) { return other.pointer == fault.pointer; });
        if (!known) loaded.faults.push_back(std::move(fault));
    }
    return loaded;
}

tl::expected<Layout, int> loadLegal(const LayoutArgument& argument) {
    auto loaded = load(argument);
    if (!loaded) return tl::unexpected(failWith(loaded.error()));
    if (!loaded->faults.empty()) return tl::unexpected(failWith(loaded->faults));
    return std::move(loaded->layout);
}

}  // namespace shardlab::cli
