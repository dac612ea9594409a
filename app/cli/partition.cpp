// SPDX-License-Identifier: Apache-2.0
#include "app/cli/fault_json.h"
#include "app/cli/layout_argument.h"
#include "app/cli/print.h"
#include "app/cli/verbs.h"
#include "engine/base/units.h"
#include "engine/layout/layout_file.h"
#include "engine/predict/plan/plan.h"
#include "engine/predict/search/partition_layout.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

namespace shardlab::cli {

namespace {

using Json = nlohmann::ordered_json;

/// The largest layers² × workers for which PipeDream's dynamic programme takes about a second.
constexpr double mostSteps = 3e8;

struct PartitionOptions {
    LayoutArgument layout;
    std::string out;
    bool json = false;
};

struct Split {
    std::string name;  ///< "as listed", "even", "balanced"
    Layout layout;
    std::vector<double> seconds;  ///< each stage's for the forward and backward of a microbatch
    Plan plan;
    double slowest() const { return *std::ranges::max_element(seconds); }
};

struct Partitions {
    std::vector<Split> splits;            ///< the balanced one last
    std::optional<Partition> replicated;  ///< over all ranks of pipeline × data; none where it would take too long
};

tl::expected<Partitions, std::vector<Fault>> partitionsOf(const Layout& layout, const Measurements& measurements) {
    const Mesh mesh(layout);
    const std::vector<LayerCost> layers = layerCosts(layout, mesh, measurements);
    Partitions found;
    std::vector<Fault> faults;
    const auto add = [&](const char* name, const std::vector<int>& stages) {
        Layout split = layout;
        split.schedule.stages = stages;
        auto plan = makePlan(split, measurements);
        const std::vector<int> counts = stageLayers(split);
        if (plan) found.splits.push_back({name, split, splitSeconds(layers, counts), std::move(*plan)});
        else faults = plan.error();
    };
    if (!layout.schedule.stages.empty()) add("as listed", layout.schedule.stages);
    if (layout.model.layers % std::max(1, stageCount(layout)) == 0) add("even", {});
    faults.clear();
    add("balanced", balancedStages(layout, mesh, measurements));
    if (!faults.empty()) return tl::unexpected(std::move(faults));
    const int workers = mesh.size(Axis::Pipeline) * mesh.size(Axis::Data);
    const auto count = static_cast<double>(layers.size());
    if (count * count * workers <= mostSteps)
        found.replicated = partition(layers, workers, partitionBandwidth(layout, mesh));
    return found;
}

std::string replicatedText(const Partition& partition) {
    std::string partitionText =
        fmt::format("\nPipeDream's partition over {} workers, one microbatch every {}:", partition.workers(),
                    formatSeconds(partition.slowest));
    for (const PartitionedStage& stage : partition.stages)
        partitionText += fmt::format(" {} layers × {}", stage.layers, stage.replicas);
    return partitionText +
           (partition.uniform()
                ? fmt::format("\nEvery stage is repeated {} times: data {} × pipeline {} runs it.\n",
                              partition.stages.front().replicas, partition.stages.front().replicas,
                              partition.stages.size())
                : "\nIts stages are repeated unequally. A layout has one data degree for all stages: this one is "
                  "a bound, not a layout that runs.\n");
}

std::string partitionText(const Layout& layout, const Partitions& found) {
    Table table({"split", "layers of each stage", "slowest stage", "step", "bubble", "peak"});
    for (const Split& split : found.splits) {
        const auto peak = std::ranges::max(split.plan.memory, {}, &RankMemory::peak).peak;
        table.add({split.name, fmt::format("{}", fmt::join(stageLayers(split.layout), " ")),
                   formatSeconds(split.slowest()), formatSeconds(split.plan.stepSeconds),
                   formatPercent(split.plan.bubble), formatBytes(peak)});
    }
    std::string partitionText = fmt::format("{}\n\n{}", layout.name, table.text());
    if (const Split& first = found.splits.front(), &last = found.splits.back();
        last.plan.stepSeconds < first.plan.stepSeconds)
        partitionText += fmt::format("\nBalanced stages shorten the predicted step by {}.\n",
                                     formatPercent(1 - last.plan.stepSeconds / first.plan.stepSeconds));
    if (found.replicated) partitionText += replicatedText(*found.replicated);
    return partitionText;
}

Json json(const Layout& layout, const Partitions& found) {
    Json splits = Json::array();
    for (const Split& split : found.splits)
        splits.push_back({{"name", split.name},
                          {"stages", stageLayers(split.layout)},
                          {"stage_seconds", split.seconds},
                          {"step_seconds", split.plan.stepSeconds},
                          {"bubble", split.plan.bubble},
                          {"fits", split.plan.fits}});
    Json replicated;
    if (found.replicated) {
        Json stages = Json::array();
        for (const PartitionedStage& stage : found.replicated->stages)
            stages.push_back({{"layers", stage.layers}, {"replicas", stage.replicas}, {"seconds", stage.seconds}});
        replicated = {{"stages", std::move(stages)},
                      {"slowest_seconds", found.replicated->slowest},
                      {"workers", found.replicated->workers()},
                      {"executable", found.replicated->uniform()}};
    }
    return {{"name", layout.name},
            {"splits", std::move(splits)},
            {"replicated", std::move(replicated)},
            {"faults", Json::array()}};
}

int partition(const PartitionOptions& options) {
    auto loaded = load(options.layout);
    if (!loaded) return failWith(loaded.error());
    // Layers that do not divide are what a partitioner is for.
    std::vector<Fault> faults = loaded->faults;
    if (const auto balanced = faults.size() == 1 && faults.front().pointer == "/parallel/pipeline" &&
                                      loaded->layout.schedule.stages.empty()
                                  ? balancedStages(loaded->layout, Mesh(loaded->layout))
                                  : std::vector<int>{};
        !balanced.empty())
        faults.clear();
    tl::expected<Partitions, std::vector<Fault>> found = tl::unexpected(faults);
    if (faults.empty()) found = partitionsOf(loaded->layout, measurementsOfThisMachine());
    if (!found) {
        printFaults(found.error());
        if (options.json)
            print(Json{{"name", loaded->layout.name}, {"faults", faultsJson(found.error())}}.dump(2) + "\n");
        return failure;
    }
    if (!options.out.empty())
        if (const Status saved = saveLayout(found->splits.back().layout, options.out); !saved)
            return failWith(saved.error());
    print(options.json ? json(loaded->layout, *found).dump(2) + "\n" : partitionText(loaded->layout, *found));
    return success;
}

}  // namespace

void addPartition(CommandLine& line) {
    Verb verb(line, "partition",
              "Split the layers so that the slowest stage is as quick as can be; with replication, as PipeDream does");
    const auto options = std::make_shared<PartitionOptions>();
    options->layout.addTo(verb);
    verb.option("--out", options->out, "Write the layout with balanced stages to this file").typeName("FILE");
    verb.flag("--json", options->json, "Answer with one JSON object");
    verb.runs([options] { return partition(*options); });
}

}  // namespace shardlab::cli
