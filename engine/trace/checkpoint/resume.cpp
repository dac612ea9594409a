// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/checkpoint/resume.h"

#include "engine/layout/layout_json.h"
#include "engine/trace/checkpoint/checkpoint_folder.h"
#include "engine/trace/checkpoint/state_source.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace shardlab::trace {
namespace {

/// Fields outside the model that the state or the bits after it depend on, with the reason.
struct Bound {
    std::string_view pointer;
    std::string_view why;
};
constexpr std::array bound{
    Bound{"/optimizer/kind", "its state belongs to this optimizer"},
    Bound{"/run/seed", "the order of the data is made of the seed"},
};
/// Fields of the model that shape no weight.
constexpr std::array<std::string_view, 2> free{"/model/dropout", "/model/weights"};

}  // namespace

Status canContinue(const Layout& layout, const CheckpointManifest& manifest, const std::filesystem::path& checkpoint) {
    const Exchange exchange = layout.parallel.exchange;
    if (exchange == Exchange::AsyncServer)
        return fail({say("this layout cannot go on from a checkpoint"), checkpoint.string(),
                     say("with the exchange {} every replica has weights and a place in the data of its own, and a "
                         "checkpoint has one of each",
                         wordOf(exchange)),
                     say("parallel.exchange allreduce, server or hogwild")});
    const nlohmann::ordered_json wanted = layoutToJson(layout), had = layoutToJson(manifest.layout);
    for (const Field& field : fields()) {
        const auto rule = std::ranges::find(bound, field.pointer, &Bound::pointer);
        const bool shapes =
            field.pointer.starts_with("/model/") && std::ranges::find(free, field.pointer) == free.end();
        if (!shapes && rule == bound.end()) continue;
        const nlohmann::ordered_json::json_pointer pointer{std::string(field.pointer)};
        const std::string ours = wanted.at(pointer).dump(), theirs = had.at(pointer).dump();
        if (ours == theirs) continue;
        return fail({say("this layout cannot go on from the checkpoint"), checkpoint.string(),
                     say("{} is {} in the layout and {} in the checkpoint; {}", field.pointer, ours, theirs,
                         shapes ? std::string_view("the weights have the shapes of that model") : rule->why),
                     say("{} {}", field.pointer, theirs)});
    }
    if (layout.run.steps > manifest.step) return {};
    return fail({say("there is nothing left to train"), checkpoint.string(),
                 manifest.step == 1 ? say("the checkpoint has done 1 step and the layout asks for {}", layout.run.steps)
                                    : say("the checkpoint has done {} steps and the layout asks for {}", manifest.step,
                                          layout.run.steps),
                 say("/run/steps above {}", manifest.step)});
}

Result<CheckpointManifest> readWhole(const std::filesystem::path& checkpoint) {
    auto manifest = readManifest(checkpoint);
    if (!manifest) return manifest;
    DiskFileSystem files;
    if (const auto source = StateSource::ofCheckpoint(files, checkpoint, *manifest); !source)
        return fail(source.error());
    return manifest;
}

Result<std::filesystem::path> newestWhole(const std::filesystem::path& place) {
    Result<std::filesystem::path> newest = findCheckpoint(place);
    if (!newest || *newest == place) return newest;
    std::vector<CheckpointPlace> places = listCheckpoints(place);
    Status first;
    for (; !places.empty(); places.pop_back()) {
        const auto manifest = readWhole(places.back().path);
        if (manifest) return places.back().path;
        if (first) first = fail(manifest.error());
    }
    return fail(first.error());
}

}  // namespace shardlab::trace
