// SPDX-License-Identifier: Apache-2.0
#include "app/cli/fault_json.h"
#include "app/cli/layout_argument.h"
#include "app/cli/print.h"
#include "app/cli/verbs.h"
#include "engine/base/units.h"
#include "engine/plan/plan.h"

#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>

namespace shardlab::cli {

namespace {

using Json = nlohmann::ordered_json;

struct Options {
    LayoutArgument layout;
    bool json = false;
};

Json planJson(const Plan& plan) {
    Json memory = Json::array();
    for (const RankMemory& rank : plan.memory) {
        Json bytes = Json::object();
        for (int category = 0; category < memoryCategoryCount; ++category)
            bytes[std::string(name(static_cast<MemoryCategory>(category)))] =
                rank.bytes[static_cast<std::size_t>(category)];
        memory.push_back({{"rank", rank.rank},
                          {"label", plan.mesh.label(rank.rank)},
                          {"bytes", std::move(bytes)},
                          {"peak", rank.peak},
                          {"microbatches_in_flight", rank.microbatchesInFlight}});
    }
    Json traffic = Json::array();
    for (const AxisTraffic& axis : plan.traffic)
        traffic.push_back({{"axis", name(axis.axis)}, {"what", axis.what}, {"bytes", axis.bytes}});
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
            {"notes", plan.notes},
            {"faults", Json::array()}};
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
    Table table(header);
    for (const RankMemory& rank : plan.memory) {
        std::vector<std::string> row{std::to_string(rank.rank), plan.mesh.label(rank.rank), formatBytes(rank.peak)};
        for (std::int64_t bytes : rank.bytes) row.push_back(formatBytes(bytes));
        row.push_back(std::to_string(rank.microbatchesInFlight));
        table.add(std::move(row));
    }
    return table.text();
}

std::string trafficTable(const Plan& plan) {
    Table table({"axis", "what", "a step"});
    for (const AxisTraffic& axis : plan.traffic)
        table.add({std::string(name(axis.axis)), axis.what, formatBytes(axis.bytes)});
    return table.text();
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
    return text;
}

int plan(const Options& options) {
    const auto loaded = load(options.layout);
    if (!loaded) {
        printError(loaded.error());
        return failure;
    }
    std::vector<Fault> faults = loaded->faults;
    if (faults.empty()) {
        const auto made = makePlan(loaded->layout);
        if (made) {
            print(options.json ? planJson(*made).dump(2) + "\n" : planText(*made));
            return success;
        }
        faults = made.error();
    }
    printFaults(faults);
    if (options.json) print(Json{{"name", loaded->layout.name}, {"faults", faultsJson(faults)}}.dump(2) + "\n");
    return failure;
}

}  // namespace

void addPlan(CLI::App& program, Action& chosen) {
    CLI::App* verb = program.add_subcommand("plan", "Predict step time, bubble, memory and traffic of a layout");
    const auto options = std::make_shared<Options>();
    options->layout.addTo(*verb);
    verb->add_flag("--json", options->json, "Answer with one JSON object");
    verb->callback([&chosen, options] { chosen = [options] { return plan(*options); }; });
}

}  // namespace shardlab::cli
