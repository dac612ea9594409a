// SPDX-License-Identifier: Apache-2.0
#include "app/cli/fault_json.h"
#include "app/cli/layout_argument.h"
#include "app/cli/print.h"
#include "app/cli/verbs.h"
#include "engine/base/clock.h"
#include "engine/base/units.h"
#include "engine/plan/critical_path.h"
#include "engine/plan/plan.h"
#include "engine/plan/predicted_memory.h"
#include "engine/search/losses.h"
#include "engine/search/nearest_legal.h"

#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>

namespace shardlab::cli {

namespace {

using Json = nlohmann::ordered_json;

struct Options {
    LayoutArgument layout;
    std::string profile;
    bool json = false;
    bool memoryCurve = false;
    bool criticalPath = false;
};

Json bytesJson(const MemoryBytes& bytes) {
    Json json = Json::object();
    for (int category = 0; category < memoryCategoryCount; ++category)
        json[std::string(name(static_cast<MemoryCategory>(category)))] = bytes[static_cast<std::size_t>(category)];
    return json;
}

/// The change as assignments of --set would make it.
Json choiceJson(const Choice& choice) {
    return {{"/parallel/data", choice.parallel.data},
            {"/parallel/pipeline", choice.parallel.pipeline},
            {"/schedule/kind", choice.kind},
            {"/schedule/chunks", choice.chunks},
            {"/schedule/stages", choice.stages},
            {"/schedule/in_flight", choice.inFlight},
            {"/batch/micro", choice.micro}};
}

Json lossesJson(const Plan& plan) {
    Json list = Json::array();
    for (const Loss& loss : largestLosses(plan)) {
        Json better;
        if (loss.better)
            better = {{"change", loss.better->change},
                      {"step_seconds", loss.better->stepSeconds},
                      {"gain", loss.better->gain},
                      {"fields", choiceJson(loss.better->choice)}};
        list.push_back({{"kind", name(loss.kind)},
                        {"seconds", loss.seconds},
                        {"share", loss.share},
                        {"why", loss.why},
                        {"better", std::move(better)}});
    }
    return list;
}

Json planJson(const Plan& plan) {
    Json memory = Json::array();
    for (const RankMemory& rank : plan.memory) {
        memory.push_back({{"rank", rank.rank},
                          {"label", plan.mesh.label(rank.rank)},
                          {"bytes", bytesJson(rank.bytes)},
                          {"peak", rank.peak},
                          {"microbatches_in_flight", rank.microbatchesInFlight},
                          {"weight_versions", rank.weightVersions}});
    }
    Json traffic = Json::array();
    for (const AxisTraffic& axis : plan.traffic)
        traffic.push_back({{"axis", name(axis.axis)}, {"what", axis.what}, {"bytes", axis.bytes}, {"how", axis.how}});
    return {{"name", plan.layout.name},
            {"ranks", plan.mesh.ranks()},
            {"parameters", plan.parameters},
            {"step_seconds", plan.stepSeconds},
            {"tokens_per_second", plan.tokensPerSecond},
            {"bubble", {{"predicted", plan.bubble}, {"theory", plan.bubbleTheory}}},
            {"flops_per_step", plan.flopsPerStep},
            {"mfu", plan.mfu},
            {"exposed_communication", plan.exposedCommunication},
            {"stretch", plan.costs.stretch},
            {"capacity_bytes", plan.capacityBytes},
            {"fits", plan.fits},
            {"memory", std::move(memory)},
            {"traffic", std::move(traffic)},
            {"losses", lossesJson(plan)},
            {"notes", plan.notes},
            {"faults", Json::array()}};
}

Json curvesJson(const Plan& plan) {
    Json curves = Json::array();
    for (const MemoryCurve& curve : predictedMemory(plan)) {
        Json points = Json::array();
        for (const MemoryPoint& point : curve.points)
            points.push_back({{"seconds", toSeconds(point.time)}, {"bytes", bytesJson(point.bytes)}});
        curves.push_back({{"pipeline_rank", curves.size()}, {"peak", curve.peak}, {"points", std::move(points)}});
    }
    return curves;
}

std::string curvesTable(const Plan& plan) {
    std::vector<std::string> header{"pipeline rank", "from", "sum"};
    for (int category = 0; category < memoryCategoryCount; ++category)
        header.emplace_back(name(static_cast<MemoryCategory>(category)));
    Table table(header);
    int rank = 0;
    for (const MemoryCurve& curve : predictedMemory(plan)) {
        for (const MemoryPoint& point : curve.points) {
            std::vector<std::string> row{std::to_string(rank), formatSeconds(toSeconds(point.time)),
                                         formatBytes(total(point.bytes))};
            for (const std::int64_t bytes : point.bytes) row.push_back(formatBytes(bytes));
            table.add(std::move(row));
        }
        ++rank;
    }
    return table.text();
}

Json pathJson(const StepGraph& graph, const CriticalPath& path) {
    Json actions = Json::array(), ranks = Json::array();
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
        const StepGraph::Node& node = graph.nodes[i];
        actions.push_back({{"pipeline_rank", node.rank},
                           {"action", toText(node.action)},
                           {"begin", node.begin},
                           {"seconds", node.end - node.begin},
                           {"slack", path.slack[i]},
                           {"on_path", std::ranges::find(path.nodes, static_cast<int>(i)) != path.nodes.end()}});
    }
    for (std::size_t rank = 0; rank < path.ofRank.size(); ++rank)
        ranks.push_back({{"pipeline_rank", rank},
                         {"on_path", {{"compute", path.onPath[rank].compute}, {"communication", path.onPath[rank].communication}}},
                         {"computing", path.ofRank[rank].computing},
                         {"reducing", path.ofRank[rank].reducing},
                         {"waiting", path.ofRank[rank].waiting}});
    return {{"actions", std::move(actions)}, {"ranks", std::move(ranks)}};
}

std::string pathText(const StepGraph& graph, const CriticalPath& path) {
    double compute = 0, communication = 0;
    Table ranks({"pipeline rank", "path: compute", "path: communication", "computing", "reducing", "waiting"});
    for (std::size_t rank = 0; rank < path.ofRank.size(); ++rank) {
        const CriticalPath::Share& share = path.onPath[rank];
        const CriticalPath::Time& time = path.ofRank[rank];
        compute += share.compute;
        communication += share.communication;
        ranks.add({std::to_string(rank), formatSeconds(share.compute), formatSeconds(share.communication),
                   formatSeconds(time.computing), formatSeconds(time.reducing), formatSeconds(time.waiting)});
    }
    Table chain({"action", "rank", "begin", "lasts"});
    for (const int index : path.nodes) {
        const StepGraph::Node& node = graph.nodes[static_cast<std::size_t>(index)];
        chain.add({toText(node.action), std::to_string(node.rank), formatSeconds(node.begin),
                   formatSeconds(node.end - node.begin)});
    }
    return fmt::format("Critical path: {} actions decide the step of {}: {} compute, {} communication\n\n{}\n{}",
                       path.nodes.size(), formatSeconds(graph.stepSeconds), formatSeconds(compute),
                       formatSeconds(communication), ranks.text(), chain.text());
}

std::string meshText(const Mesh& mesh) {
    std::string text;
    for (int axis = 0; axis < axisCount; ++axis)
        if (const int size = mesh.size(static_cast<Axis>(axis)); size > 1)
            text += fmt::format("{}{} {}", text.empty() ? "" : " × ", name(static_cast<Axis>(axis)), size);
    return text.empty() ? "one rank" : fmt::format("{} ranks: {}", mesh.ranks(), text);
}

std::string memoryTable(const Plan& plan) {
    std::vector<std::string> header{"rank", "mesh", "peak"};
    for (int category = 0; category < memoryCategoryCount; ++category)
        header.emplace_back(name(static_cast<MemoryCategory>(category)));
    header.emplace_back("in flight");
    const bool versions = std::ranges::any_of(plan.memory, [](const RankMemory& rank) { return rank.weightVersions > 1; });
    if (versions) header.emplace_back("weight versions");
    Table table(header);
    for (const RankMemory& rank : plan.memory) {
        std::vector<std::string> row{std::to_string(rank.rank), plan.mesh.label(rank.rank), formatBytes(rank.peak)};
        for (std::int64_t bytes : rank.bytes) row.push_back(formatBytes(bytes));
        row.push_back(std::to_string(rank.microbatchesInFlight));
        if (versions) row.push_back(std::to_string(rank.weightVersions));
        table.add(std::move(row));
    }
    return table.text();
}

std::string trafficTable(const Plan& plan) {
    Table table({"axis", "what", "a step", "how"});
    for (const AxisTraffic& axis : plan.traffic)
        table.add({std::string(name(axis.axis)), axis.what, formatBytes(axis.bytes), axis.how});
    return table.text();
}

std::string lossesText(const Plan& plan) {
    std::string text;
    for (const Loss& loss : largestLosses(plan)) {
        text += fmt::format("{}{}: {}.", text.empty() ? "\nWhy is this slow?\n" : "\n", name(loss.kind), loss.why);
        if (loss.better) text += fmt::format("\n  Nearest better: {}.", toText(*loss.better));
    }
    return text.empty() ? text : text + "\n";
}

std::string planText(const Plan& plan) {
    std::string text = fmt::format("{}\n\n", plan.layout.name);
    const auto line = [&](std::string_view label, const std::string& value) {
        text += fmt::format("{:<16}{}\n", label, value);
    };
    line("Mesh", meshText(plan.mesh));
    line("Parameters", formatCount(static_cast<double>(plan.parameters)));
    line("Schedule", fmt::format("{}, {} microbatches", plan.layout.schedule.kind, microbatches(plan.layout)));
    line("Step time", formatSeconds(plan.stepSeconds));
    line("Throughput", formatCount(plan.tokensPerSecond) + " tokens/s");
    line("Bubble", fmt::format("{}, theory {}", formatPercent(plan.bubble), formatPercent(plan.bubbleTheory)));
    line("Exposed", formatPercent(plan.exposedCommunication) + " of the step waits for communication");
    line("Utilisation", formatPercent(plan.mfu) + " of the modelled device's peak");
    line("Memory", plan.capacityBytes == 0 ? std::string("capacity unknown")
                                           : fmt::format("{} {} a device", plan.fits ? "fits" : "does not fit",
                                                         formatBytes(plan.capacityBytes)));
    for (const std::string& note : plan.notes) line("Note", note);
    text += "\n" + memoryTable(plan);
    if (!plan.traffic.empty()) text += "\n" + trafficTable(plan);
    text += lossesText(plan);
    return text;
}

std::string answer(const Plan& plan, const Options& options) {
    StepGraph graph;
    CriticalPath path;
    if (options.criticalPath) {
        graph = stepGraph(plan.lowered, plan.costs);
        path = criticalPath(graph);
    }
    if (options.json) {
        Json json = planJson(plan);
        if (options.memoryCurve) json["memory_curve"] = curvesJson(plan);
        if (options.criticalPath) json["critical_path"] = pathJson(graph, path);
        return json.dump(2) + "\n";
    }
    std::string text = planText(plan);
    if (options.memoryCurve) text += "\n" + curvesTable(plan);
    if (options.criticalPath) text += "\n" + pathText(graph, path);
    return text;
}

int plan(const Options& options) {
    const auto loaded = load(options.layout);
    if (!loaded) {
        printError(loaded.error());
        return failure;
    }
    printNotes(loaded->notes);
    const auto measurements = options.profile.empty() ? measurementsOfThisMachine() : measurementsOf(options.profile);
    if (!measurements) {
        printError(measurements.error());
        return failure;
    }
    std::vector<Fault> faults = loaded->faults;
    if (faults.empty()) {
        const auto made = makePlan(loaded->layout, *measurements);
        if (made) {
            print(answer(*made, options));
            return success;
        }
        faults = made.error();
    }
    printFaults(faults);
    const auto legal = nearestLegal(loaded->layout);
    const bool changes = legal && !legal->changes.empty();
    if (changes) printNote("Nearest legal layout: " + toText(*legal));
    if (options.json) {
        Json fields;
        if (changes)
            for (const FieldChange& change : legal->changes) fields[change.pointer] = Json::parse(change.to);
        print(Json{{"name", loaded->layout.name}, {"faults", faultsJson(faults)}, {"nearest_legal", std::move(fields)}}
                  .dump(2) +
              "\n");
    }
    return failure;
}

}  // namespace

void addPlan(CLI::App& program, Action& chosen) {
    CLI::App* verb = program.add_subcommand("plan", "Predict step time, bubble, memory and traffic of a layout");
    const auto options = std::make_shared<Options>();
    options->layout.addTo(*verb);
    options->layout.addScheduleTo(*verb);
    verb->add_option("--profile", options->profile, "Use this profile; by default one of the user's that fits")
        ->type_name("FILE");
    verb->add_flag("--json", options->json, "Answer with one JSON object");
    verb->add_flag("--memory-curve", options->memoryCurve, "Tell each rank's memory over the step too, by category");
    verb->add_flag("--critical-path", options->criticalPath,
                   "Tell too which chain of actions decides how long the step takes; with --json every action's slack");
    verb->callback([&chosen, options] { chosen = [options] { return plan(*options); }; });
}

}  // namespace shardlab::cli
