// SPDX-License-Identifier: Apache-2.0
// Arguments of Megatron-LM's pretrain_gpt.py (megatron/training/arguments.py of core 0.15): refused, written and read.
#pragma once

#include "engine/trace/trainers/trainer_target.h"

namespace shardlab::trace {

void refuseForMegatron(const Layout& layout, std::vector<Fault>& faults);
/// A shell script: arrays MEGATRON_ARGS and DISTRIBUTED_ARGS, an argument a line; with options.sbatch it runs them too.
ExportedLayout writeMegatron(const Layout& layout, const TrainerOptions& options,
                             const std::vector<std::string>& leftOut);
bool looksLikeMegatron(std::string_view text);
Result<ConfigLayout> readMegatron(const std::filesystem::path& file, std::string_view text);

/// Microbatches of a round of the interleaved schedule (schedule/interleaved_1f1b.cpp).
int interleavedRound(const Layout& layout);
/// The number of tokens that Megatron-LM pads a vocabulary to.
std::int64_t paddedVocabulary(std::int64_t vocabulary, std::int64_t divisor, std::int64_t tensor);

}  // namespace shardlab::trace
