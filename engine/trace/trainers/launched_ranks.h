// SPDX-License-Identifier: Apache-2.0
// On how many nodes a script starts its program, and with how many ranks on each, as its launcher's options and the
// header for Slurm say.
#pragma once

#include "engine/trace/trainers/program_options.h"
#include "engine/trace/trainers/shell_words.h"

#include <optional>
#include <string_view>

namespace shardlab::trace {

/// Both between 1 and 65535; none where the script does not say it.
struct LaunchedRanks {
    std::optional<int> nodes;
    std::optional<int> ofNode;  ///< ranks of each node
};

/// What the "#SBATCH" lines ask for: a rank for each GPU of a node, where they name GPUs.
LaunchedRanks ranksOfSlurm(std::string_view script);
/// The variables that Slurm gives such a script: SLURM_NNODES and the like.
ShellVariables slurmVariables(std::string_view script);
/// What torchrun, srun, deepspeed or accelerate are told, else what Slurm's header says. The options count as
/// understood.
LaunchedRanks launchedRanks(ProgramOptions& options, std::string_view script);

}  // namespace shardlab::trace
