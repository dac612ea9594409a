// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/trainers/launched_ranks.h"

#include "engine/base/parse_text.h"

#include <initializer_list>
#include <string>
#include <vector>

namespace shardlab::trace {
namespace {

constexpr int mostNodes = 65535;

/// The number that the text begins with: "4" of "4-8".
std::optional<int> countIn(std::string_view text) {
    const auto number = parseNumber<std::int64_t>(text.substr(0, text.find_first_not_of("0123456789")));
    return number && *number > 0 && *number <= mostNodes ? std::optional(static_cast<int>(*number)) : std::nullopt;
}

/// "8" and "h100:8", and of a list of resources the one called "gpu": "gpu:h100:8,nvme:1".
std::optional<int> gpusIn(std::string_view text, bool amongOthers) {
    while (!text.empty()) {
        std::string_view part = takePart(text, ',');
        if (amongOthers && part != "gpu" && !part.starts_with("gpu:")) continue;
        part = part.substr(0, part.find('('));
        const std::size_t colon = part.rfind(':');
        if (amongOthers && colon == std::string_view::npos) return 1;
        const std::string_view count = part.substr(colon == std::string_view::npos ? 0 : colon + 1);
        return amongOthers && countIn(count) == std::nullopt ? 1 : countIn(count);  // "gpu:h100" is one
    }
    return std::nullopt;
}

/// The values that "#SBATCH" lines give options, as "--nodes=4", "--nodes 4", "-N 4" or "-N4".
class SlurmHeader {
public:
    explicit SlurmHeader(std::string_view script) {
        while (!script.empty()) {
            std::string_view line = takePart(script, '\n');
            if (!line.starts_with("#SBATCH")) continue;
            line.remove_prefix(7);
            for (const std::string_view word : wordsIn(line.substr(0, line.find(" #")))) words_.push_back(word);
        }
    }

    /// The last one counts.
    std::optional<std::string_view> of(std::string_view name, std::string_view letter = {}) const {
        std::optional<std::string_view> value;
        for (std::size_t i = 0; i < words_.size(); ++i) {
            const std::string_view word = words_[i];
            const bool named = word == name || (!letter.empty() && word == letter);
            if (named && i + 1 < words_.size()) value = words_[i + 1];
            else if (word.starts_with(name) && word.substr(name.size()).starts_with('='))
                value = word.substr(name.size() + 1);
            else if (!letter.empty() && !named && word.starts_with(letter)) value = word.substr(letter.size());
        }
        return value;
    }

private:
    std::vector<std::string_view> words_;
};

std::optional<int> first(std::initializer_list<std::optional<int>> known) {
    for (const std::optional<int>& each : known)
        if (each) return each;
    return std::nullopt;
}

std::optional<int> countOf(const std::optional<std::string_view>& text) { return text ? countIn(*text) : std::nullopt; }

struct SlurmCounts {
    std::optional<int> nodes, tasks, gpus;  ///< tasks and GPUs of a node
};

SlurmCounts slurmCounts(std::string_view script) {
    const SlurmHeader header(script);
    const auto gpus = [&](std::string_view name, bool amongOthers) {
        const auto text = header.of(name);
        return text ? gpusIn(*text, amongOthers) : std::nullopt;
    };
    SlurmCounts counts{.nodes = countOf(header.of("--nodes", "-N")), .tasks = countOf(header.of("--ntasks-per-node"))};
    const int nodes = counts.nodes.value_or(1);
    if (const auto all = countOf(header.of("--ntasks", "-n")); all && !counts.tasks && *all % nodes == 0)
        counts.tasks = *all / nodes;
    counts.gpus = first({gpus("--gpus-per-node", false), gpus("--gres", true)});
    if (const auto all = header.of("--gpus", "-G"); all && !counts.gpus)
        if (const auto count = gpusIn(*all, false); count && *count % nodes == 0) counts.gpus = *count / nodes;
    if (const auto each = gpus("--gpus-per-task", false); each && !counts.gpus && counts.tasks)
        counts.gpus = countIn(std::to_string(std::int64_t{*each} * *counts.tasks));
    return counts;
}

}  // namespace

LaunchedRanks ranksOfSlurm(std::string_view script) {
    const SlurmCounts counts = slurmCounts(script);
    return {counts.nodes, first({counts.gpus, counts.tasks})};
}

ShellVariables slurmVariables(std::string_view script) {
    const SlurmCounts counts = slurmCounts(script);
    ShellVariables variables;
    const auto add = [&](std::initializer_list<const char*> names, const std::optional<int>& count) {
        if (!count) return;
        for (const char* name : names) variables[name] = std::to_string(*count);
    };
    add({"SLURM_NNODES", "SLURM_JOB_NUM_NODES"}, counts.nodes);
    add({"SLURM_NTASKS_PER_NODE"}, counts.tasks);
    add({"SLURM_GPUS_ON_NODE", "SLURM_GPUS_PER_NODE"}, counts.gpus);
    if (counts.nodes && counts.tasks)
        add({"SLURM_NTASKS", "SLURM_NPROCS"}, countIn(std::to_string(std::int64_t{*counts.nodes} * *counts.tasks)));
    return variables;
}

LaunchedRanks launchedRanks(ProgramOptions& options, std::string_view script) {
    const auto told = [&](const char* name) {
        const auto count = options.integer(name);
        return count && *count > 0 && *count <= mostNodes ? count : std::nullopt;
    };
    const LaunchedRanks slurm = ranksOfSlurm(script);
    LaunchedRanks ranks;
    ranks.nodes = first({told("nnodes"), told("num-nodes"), told("num-machines"), told("nodes"), slurm.nodes});
    ranks.ofNode =
        first({told("nproc-per-node"), told("num-gpus"), told("gpus-per-node"), slurm.ofNode, told("ntasks-per-node")});
    // accelerate is told of all processes.
    const int nodes = ranks.nodes.value_or(1);
    if (const auto all = told("num-processes"); all && !ranks.ofNode && *all % nodes == 0) ranks.ofNode = *all / nodes;
    return ranks;
}

}  // namespace shardlab::trace
