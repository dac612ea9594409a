// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/trainers/sbatch_script.h"

#include "engine/trace/trainers/shell_words.h"
#include "engine/trace/trainers/trainer_text.h"

#include <fmt/format.h>

namespace shardlab::trace {

std::string torchrunOf(const Layout& layout) {
    const auto& hosts = layout.cluster.hosts;
    std::string words = fmt::format("torchrun --nnodes {} --nproc-per-node {}", hosts.size(), hosts.front().devices);
    if (layout.run.maxRestarts > 0) words += fmt::format(" --max-restarts {}", layout.run.maxRestarts);
    return words;
}

std::string torchrunMeeting(std::string_view torchrun, std::string_view program) {
    return fmt::format("{} --rdzv-backend c10d --rdzv-endpoint \"$head_node:29500\" \\\n    {}", torchrun, program);
}

std::string trainScript() { return "\"${TRAIN_SCRIPT:?is the training script to be started}\""; }

std::string sbatchHead(const Layout& layout) {
    return fmt::format("#SBATCH --job-name={}\n#SBATCH --nodes={}\n#SBATCH --ntasks-per-node=1\n"
                       "#SBATCH --gpus-per-node={}\n",
                       shellQuoted(inComment(layout.name)), layout.cluster.hosts.size(),
                       layout.cluster.hosts.front().devices);
}

std::string sbatchCommand(std::string_view command) {
    return fmt::format("head_node=$(scontrol show hostnames \"$SLURM_JOB_NODELIST\" | head -n 1)\nsrun {}\n", command);
}

ExportedLayout sbatchAround(ExportedLayout made, const Layout& layout, const TrainerTarget& target,
                            const std::string& file) {
    std::string script = fmt::format("#!/bin/bash\n{}# Starts {} with the layout \"{}\", by shardlab {}: in the folder "
                                     "where {} lies.\n{}",
                                     sbatchHead(layout), target.program, inComment(layout.name), SHARDLAB_VERSION,
                                     inComment(file), sbatchCommand(target.start(layout, file)));
    made.companions.insert(made.companions.begin(), {file, std::move(made.text)});
    made.text = std::move(script);
    return made;
}

}  // namespace shardlab::trace
