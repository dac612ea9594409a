// SPDX-License-Identifier: Apache-2.0
// How a training is started on the nodes of a layout: torchrun's words, and scripts for Slurm's sbatch around them.
#pragma once

#include "engine/trace/trainers/trainer_target.h"

#include <string>
#include <string_view>

namespace shardlab::trace {

/// "torchrun --nnodes 2 --nproc-per-node 8", with the restarts that the layout allows.
std::string torchrunOf(const Layout& layout);
/// torchrun with where the nodes meet, and what it starts there, in Bash, for sbatchCommand().
std::string torchrunMeeting(std::string_view torchrun, std::string_view program);
/// What a deepspeed or accelerate user names before the job is handed in, in Bash.
std::string trainScript();

/// The comments that sbatch reads: a task for each of the layout's nodes, with all its devices.
std::string sbatchHead(const Layout& layout);
/// Starts the command on every node; $head_node in it is the first one's name.
std::string sbatchCommand(std::string_view command);
/// A script that starts `made`, which becomes its first companion, called `file`, as the target says.
ExportedLayout sbatchAround(ExportedLayout made, const Layout& layout, const TrainerTarget& target,
                            const std::string& file);

}  // namespace shardlab::trace
