// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/trainers/megatron.h"

#include "engine/trace/trainers/sbatch_script.h"
#include "engine/trace/trainers/shell_words.h"
#include "engine/trace/trainers/trainer_text.h"

#include <fmt/format.h>

namespace shardlab::trace {
namespace {

void refuseInItsWords(const Layout& layout, std::vector<Fault>& faults) {
    refuseForMegatron(layout, {"Megatron-LM", [](std::string_view option) { return std::string(option); }}, faults);
}

}  // namespace

bool wantsOneQueue(const ParallelSpec& parallel) {
    return !wantsQueues(parallel) && (parallel.tensor > 1 || parallel.context > 1);
}

bool wantsQueues(const ParallelSpec& parallel) { return parallel.zero >= 2; }

ExportedLayout writeMegatron(const Layout& layout, const TrainerOptions& options,
                             const std::vector<Sentence>& leftOut) {
    const ParallelSpec& p = layout.parallel;
    std::string text = "#!/bin/bash\n";
    if (options.sbatch) text += sbatchHead(layout);
    text += fmt::format("# The layout \"{}\" as arguments of Megatron-LM's pretrain_gpt.py, by shardlab {}.\n",
                        inComment(layout.name), SHARDLAB_VERSION);
    if (!options.sbatch)
        text += "#   source THIS-FILE; torchrun \"${DISTRIBUTED_ARGS[@]}\" pretrain_gpt.py \"${MEGATRON_ARGS[@]}\"\n";
    for (const Sentence& line : leftOut) text += fmt::format("# Left out: {}\n", inComment(line.english()));
    text += fmt::format("# {} data × {} pipeline × {} context × {} tensor ranks.\n", p.data, p.pipeline, p.context,
                        p.tensor);
    if (wantsQueues(p)) text += "unset CUDA_DEVICE_MAX_CONNECTIONS\n";
    if (wantsOneQueue(p)) text += "export CUDA_DEVICE_MAX_CONNECTIONS=1\n";
    text += fmt::format("DISTRIBUTED_ARGS=(\n    --nnodes {}\n    --nproc-per-node {}\n", layout.cluster.hosts.size(),
                        layout.cluster.hosts.front().devices);
    if (layout.run.maxRestarts > 0) text += fmt::format("    --max-restarts {}\n", layout.run.maxRestarts);
    text += ")\nMEGATRON_ARGS=(\n";
    for (const auto& [option, value, chosen, more] : megatronSettings(layout)) {
        text += option.empty() ? fmt::format("    # {}", value) : fmt::format("    {}", option);
        if (!option.empty() && !value.empty()) text += " " + shellQuoted(value);
        for (const std::string& each : more) text += " " + shellQuoted(each);
        if (!chosen.empty()) text += fmt::format("  # chosen: {}", chosen);
        text += '\n';
    }
    text += ")\n";
    if (options.sbatch)
        text += sbatchCommand(torchrunMeeting("torchrun \"${DISTRIBUTED_ARGS[@]}\"",
                                              "\"${MEGATRON_LM:-.}/pretrain_gpt.py\" \"${MEGATRON_ARGS[@]}\""));
    return {std::move(text), {}, {}};
}

TrainerTarget megatronTarget() {
    static constexpr std::string_view leaves[] = {"/checkpoint/keep", "/checkpoint/first"};
    return {.name = "megatron",
            .program = "Megatron-LM",
            .description = "arguments of pretrain_gpt.py, one a line in a shell script",
            .extension = ".megatron.sh",
            .says = megatronSays(),
            .leaves = leaves,
            .sharesKeyHeads = true,
            .refuse = refuseInItsWords,
            .write = writeMegatron,
            .recognises = looksLikeMegatron,
            .read = readMegatron};
}

}  // namespace shardlab::trace
