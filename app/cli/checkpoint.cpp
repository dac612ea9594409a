// SPDX-License-Identifier: Apache-2.0
#include "app/cli/print.h"
#include "app/cli/verbs.h"
#include "engine/base/units.h"
#include "engine/layout/mesh/copies.h"
#include "engine/layout/mesh/mesh.h"
#include "engine/trace/checkpoint/checkpoint_folder.h"
#include "engine/trace/checkpoint/export_weights.h"
#include "engine/trace/checkpoint/resume.h"
#include "engine/trace/checkpoint/state_source.h"

#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>

namespace shardlab::cli {

namespace {

struct CheckpointOptions {
    std::string place;
    bool verify = false;
    bool json = false;
};

/// What the table says of a checkpoint: its manifest, or why it cannot be read; `verify` reads every byte for that.
struct Inspected {
    std::filesystem::path path;
    Result<CheckpointManifest> manifest;
    Status whole;
};

Inspected inspect(const std::filesystem::path& path, bool verify) {
    Inspected inspected{path, readManifest(path), {}};
    DiskFileSystem files;
    if (!inspected.manifest) inspected.whole = fail(inspected.manifest.error());
    else if (verify) inspected.whole = verifyCheckpoint(files, path);
    return inspected;
}

std::string layoutOf(const Layout& layout) {
    const ParallelSpec& p = layout.parallel;
    std::string text = rankFactorsText(p);
    if (p.expert > 1) text += fmt::format(", experts over {}", p.expert);
    if (p.zero > 0) text += fmt::format(", ZeRO {}", p.zero);
    if (p.zero > 0 && copyCount(p) > 1) text += fmt::format(" in {} copies", copyCount(p));
    return text + ", " + layout.schedule.kind;
}

nlohmann::ordered_json toJson(const Inspected& inspected, bool verify) {
    nlohmann::ordered_json json{{"path", inspected.path.string()}};
    if (inspected.manifest) {
        const CheckpointManifest& manifest = *inspected.manifest;
        json["layout"] = manifest.layout.name;
        json["step"] = manifest.step;
        json["samples"] = manifest.samples;
        json["created"] = manifest.created;
        json["bytes"] = manifest.bytes();
        json["shards"] = manifest.shards.size();
    }
    if (!inspected.whole) json["fault"] = inspected.whole.error().text();
    else if (verify) json["verified"] = true;
    return json;
}

int checkpoint(const CheckpointOptions& options) {
    const std::filesystem::path place(options.place);
    std::error_code ignored;
    std::vector<std::filesystem::path> paths;
    if (std::filesystem::exists(place / manifestFile, ignored)) paths.push_back(place);
    else
        for (const CheckpointPlace& found : listCheckpoints(place)) paths.push_back(found.path);
    if (paths.empty()) return failWith(findCheckpoint(place).error());
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    Table table({"checkpoint", "steps", "size", "shards", "created", "layout"});
    std::vector<Error> errors;
    for (const std::filesystem::path& path : paths) {
        const Inspected inspected = inspect(path, options.verify);
        list.push_back(toJson(inspected, options.verify));
        if (!inspected.whole) errors.push_back(inspected.whole.error());
        if (!inspected.manifest) continue;
        const CheckpointManifest& manifest = *inspected.manifest;
        table.add({path.filename().string(), std::to_string(manifest.step), formatBytes(manifest.bytes()),
                   std::to_string(manifest.shards.size()), manifest.created, layoutOf(manifest.layout)});
    }
    if (options.json) print(list.dump(2) + "\n");
    else {
        print(table.text());
        if (options.verify && errors.empty()) print("every byte fits its checksum\n");
    }
    for (const Error& error : errors) printError(error);
    return errors.empty() ? success : failure;
}

int exportWeights(const std::string& place, const std::string& folder) {
    DiskFileSystem files;
    const Status done = newestWhole(place).and_then(
        [&](const std::filesystem::path& found) { return trace::exportWeights(files, found, folder); });
    if (!done) return failWith(done.error());
    print((std::filesystem::path(folder) / "model.safetensors").string() + "\n");
    return success;
}

}  // namespace

void addCheckpoint(CommandLine& line) {
    Verb verb(line, "checkpoint", "List a run's checkpoints, or check one byte by byte");
    const auto options = std::make_shared<CheckpointOptions>();
    verb.option("DIR", options->place, "A checkpoint, or the folder that a run's checkpoints lie in").required();
    verb.flag("--verify", options->verify, "Read every byte and hold it against its checksum");
    verb.flag("--json", options->json, "Answer with a JSON list");
    verb.footer("shardlab run LAYOUT --resume DIR goes on from one.");
    verb.runs([options] { return checkpoint(*options); });
}

void addExportWeights(CommandLine& line) {
    Verb verb(line, "export-weights",
              "Write a checkpoint's weights, those of gpt and llama for transformers (GPT-2, Llama and its relatives)");
    const auto place = std::make_shared<std::string>(), folder = std::make_shared<std::string>();
    verb.option("DIR", *place, "A checkpoint, or a folder of them: its newest").required();
    verb.option("--out", *folder,
                "Folder for model.safetensors and config.json, or with other models model.layout.json")
        .required()
        .typeName("FOLDER");
    verb.runs([place, folder] { return exportWeights(*place, *folder); });
}

}  // namespace shardlab::cli
