// SPDX-License-Identifier: Apache-2.0
#include "app/cli/plan_text.h"

#include "app/cli/print.h"
#include "app/cli/rank_table.h"
#include "engine/base/clock.h"
#include "engine/base/device_time.h"
#include "engine/base/parameter_count.h"
#include "engine/base/units.h"
#include "engine/launch/job/elastic_world.h"
#include "engine/layout/check/elastic_sizes.h"
#include "engine/predict/plan/predicted_memory.h"
#include "engine/predict/search/step_overhead.h"

#include <algorithm>
#include <fmt/format.h>

namespace shardlab::cli {

namespace {

std::string meshText(const Mesh& mesh) {
    std::string text;
    for (int axis = 0; axis < axisCount; ++axis)
        if (const int size = mesh.size(static_cast<Axis>(axis)); size > 1)
            text += fmt::format("{}{} {}", text.empty() ? "" : " × ", name(static_cast<Axis>(axis)), size);
    return text.empty() ? "one rank" : fmt::format("{} ranks: {}", mesh.ranks(), text);
}

std::string memoryTable(const Plan& plan, bool all) {
    std::vector<std::string> header{"peak"};
    for (int category = 0; category < memoryCategoryCount; ++category)
        header.emplace_back(name(static_cast<MemoryCategory>(category)));
    header.emplace_back("in flight");
    const bool versions =
        std::ranges::any_of(plan.memory, [](const RankMemory& rank) { return rank.weightVersions > 1; });
    if (versions) header.emplace_back("weight versions");
    const bool hosts = usesHost(plan.layout.memory);
    if (hosts) header.emplace_back("on its host");
    const auto figures = [&](int number) {
        const RankMemory& rank = plan.memory[static_cast<std::size_t>(number)];
        std::vector<std::string> row{formatBytes(rank.peak)};
        for (std::int64_t bytes : rank.bytes) row.push_back(formatBytes(bytes));
        row.push_back(std::to_string(rank.microbatchesInFlight));
        if (versions) row.push_back(std::to_string(rank.weightVersions));
        if (hosts) row.push_back(formatBytes(total(rank.host)));
        return row;
    };
    return rankTable(plan.layout, plan.mesh, std::move(header), figures, all);
}

std::string planMemoryText(const Plan& plan) {
    const std::string needed = formatBytes(neededBytes(plan.layout, neediest(plan.layout, plan.memory)));
    if (!plan.device.known()) return fmt::format("{} a device, whose capacity is not known", needed);
    return fmt::format("{}, {} of {}", plan.fits ? "fits" : "does not fit", needed, toText(plan.device));
}

std::string trafficTable(const Plan& plan) {
    Table table({"axis", "what", "a step", "how"});
    for (const AxisTraffic& axis : plan.traffic)
        table.add({std::string(name(axis.axis)), axis.what.english(), formatBytes(axis.bytes), axis.how.english()});
    table.add({"all", "sent by all ranks together", formatBytes(plan.sentBytes), "a collective as a ring carries it"});
    return table.text();
}

std::string hostTable(const Plan& plan, bool all) {
    const auto figures = [&](int rank) {
        const HostTraffic& copies = plan.hosts[static_cast<std::size_t>(rank)];
        return std::vector{formatBytes(copies.toHost), formatSeconds(copies.toHostSeconds),
                           formatBytes(copies.fromHost), formatSeconds(copies.fromHostSeconds),
                           formatSeconds(copies.exposedSeconds)};
    };
    return rankTable(plan.layout, plan.mesh,
                     {"to its host", "on the link", "from its host", "on the link", "waited for"}, figures, all);
}

std::string sizesTable(const Plan& plan) {
    if (!isElastic(plan.layout)) return {};
    Table table(
        {"replicas", "ranks", "step", fmt::format("{}/s", countedInputs(plan.layout.model)), "bubble", "largest peak"});
    for (const Plan& size : plansOfSizes(plan))
        table.add({std::to_string(size.layout.parallel.data), std::to_string(size.mesh.ranks()),
                   formatSeconds(size.stepSeconds), formatCount(size.tokensPerSecond), formatPercent(size.bubble),
                   formatBytes(std::ranges::max(size.memory, {}, &RankMemory::peak).peak)});
    return "\nElastic: sizes that the run may have\n" + table.text();
}

std::string lossesText(const Plan& plan) {
    std::string text;
    for (const StepOverhead& overhead : largestOverheads(plan)) {
        text +=
            fmt::format("{}{}: {}.", text.empty() ? "\nWhy is this slow?\n" : "\n", name(overhead.kind), overhead.why);
        if (overhead.better) text += fmt::format("\n  Nearest better: {}.", toText(*overhead.better));
    }
    return text.empty() ? text : text + "\n";
}

}  // namespace

std::string planText(const Plan& plan, const std::string& evidence, bool all) {
    std::string text = fmt::format("{}\n\n", plan.layout.name);
    const auto line = [&](std::string_view label, const std::string& value) {
        text += fmt::format("{:<16}{}\n", label, value);
    };
    line("Step time", formatSeconds(plan.stepSeconds));
    line("Throughput", fmt::format("{} {}/s", formatCount(plan.tokensPerSecond), countedInputs(plan.layout.model)));
    line("Mesh", meshText(plan.mesh));
    line("Parameters", formatParameters(static_cast<double>(plan.parameters)));
    line("Schedule", fmt::format("{}, {} microbatches", plan.layout.schedule.kind, microbatches(plan.layout)));
    // No schedule's formula holds for an asynchronous server.
    line("Bubble", formatPercent(plan.bubble) +
                       (plan.costs.asyncWorkers > 0 ? "" : ", theory " + formatPercent(plan.bubbleTheory)));
    line("Exposed", formatPercent(plan.exposedCommunication) + " of the step waits for communication");
    line("MFU", fmt::format("{} of the peak of {}", utilisationText(plan.mfu),
                            plan.peak.known() ? plan.peak.of : "the preset's devices"));
    line("Memory", planMemoryText(plan));
    if (!evidence.empty()) line("Evidence", evidence);
    for (const Sentence& note : plan.notes) line("Note", note.english());
    text += "\n" + memoryTable(plan, all);
    text += sizesTable(plan);
    if (!plan.traffic.empty()) text += "\n" + trafficTable(plan);
    if (!plan.hosts.empty()) text += "\n" + hostTable(plan, all);
    if (plan.device.known() && !plan.fits)
        text +=
            "\nWhat would fit?\nshardlab search, given what plan was given, lists the legal layouts of this model on "
            "these devices that fit, the fastest first.\n";
    text += lossesText(plan);
    return text;
}

std::string memoryCurveText(const Plan& plan) {
    std::vector<std::string> header{"pipeline rank", "from", "sum"};
    for (int category = 0; category < memoryCategoryCount; ++category)
        header.emplace_back(name(static_cast<MemoryCategory>(category)));
    Table table(header);
    const DeviceTime device(plan.costs.stretch);
    int rank = 0;
    for (const MemoryCurve& curve : predictedMemory(plan, plan.simulation.events)) {
        for (const MemoryPoint& point : curve.points) {
            std::vector<std::string> row{std::to_string(rank), formatSeconds(device.seconds(toSeconds(point.time))),
                                         formatBytes(total(point.bytes))};
            for (const std::int64_t bytes : point.bytes) row.push_back(formatBytes(bytes));
            table.add(std::move(row));
        }
        ++rank;
    }
    return table.text();
}

std::string criticalPathText(const StepGraph& graph, const CriticalPath& path) {
    const CriticalPath::Share sum = path.share();
    const bool tensor = std::ranges::any_of(path.ofRank, [](const auto& time) { return time.tensor > 0; });
    std::vector<std::string> header{"pipeline rank", "path: compute", "path: communication",
                                    "computing",     "reducing",      "waiting"};
    if (tensor) {
        header.insert(header.begin() + 2, "path: tensor collectives");
        header.insert(header.begin() + 5, "tensor collectives");
    }
    Table ranks(header);
    for (std::size_t rank = 0; rank < path.ofRank.size(); ++rank) {
        const CriticalPath::Share& share = path.onPath[rank];
        const CriticalPath::Time& time = path.ofRank[rank];
        std::vector<std::string> row{std::to_string(rank)};
        const auto add = [&](double seconds) { row.push_back(formatSeconds(seconds)); };
        add(share.compute);
        if (tensor) add(share.tensor);
        add(share.communication);
        add(time.computing);
        if (tensor) add(time.tensor);
        add(time.reducing);
        add(time.waiting);
        ranks.add(std::move(row));
    }
    Table chain({"action", "rank", "begin", "lasts"});
    for (const int index : path.nodes) {
        const StepGraph::Node& node = graph.nodes[static_cast<std::size_t>(index)];
        chain.add({toText(node.action), std::to_string(node.rank), formatSeconds(node.begin),
                   formatSeconds(node.end - node.begin)});
    }
    return fmt::format("Critical path: {} actions decide the step of {}: {} compute{}, {} communication\n\n{}\n{}",
                       path.nodes.size(), formatSeconds(graph.stepSeconds), formatSeconds(sum.compute),
                       tensor ? fmt::format(", {} tensor collectives", formatSeconds(sum.tensor)) : "",
                       formatSeconds(sum.communication), ranks.text(), chain.text());
}

}  // namespace shardlab::cli
