// SPDX-License-Identifier: Apache-2.0
// Arguments of Megatron-LM's pretrain_gpt.py (megatron/training/arguments.py of core 0.15): refused, written and read.
#pragma once

#include "engine/trace/trainers/trainer_target.h"

#include <span>
#include <string>
#include <vector>

namespace shardlab::trace {

/// An argument of pretrain_gpt.py, or the heading above several.
struct MegatronSetting {
    std::string option;               ///< "--num-layers"; empty: value is a heading
    std::string value;                ///< empty: the argument is a flag
    std::string chosen;               ///< what Shardlab chose without the layout saying so
    std::vector<std::string> more{};  ///< further values of an argument that takes several
};
/// The layout, of which nothing was refused, as arguments.
std::vector<MegatronSetting> megatronSettings(const Layout& layout);
/// TrainerTarget::says of them.
std::span<const std::string_view> megatronSays();

/// What a program is called, and what it calls an argument of Megatron-LM, "--num-layers".
struct MegatronWords {
    std::string_view program;
    std::string (*named)(std::string_view option) = nullptr;
    bool gptOss = false;  ///< it has the blocks of a GPT-OSS, which Megatron-LM's arguments do not say
};
/// Refuses what Megatron-LM has not, in the program's own words.
void refuseForMegatron(const Layout& layout, const MegatronWords& words, std::vector<Fault>& faults);
/// A shell script: arrays MEGATRON_ARGS and DISTRIBUTED_ARGS, an argument a line; with options.sbatch it runs them too.
ExportedLayout writeMegatron(const Layout& layout, const TrainerOptions& options, const std::vector<Sentence>& leftOut);
/// Kernels go to the GPU through one queue, which tensor and context ranks want before Blackwell; or through several,
/// which FSDP wants (CUDA_DEVICE_MAX_CONNECTIONS).
bool wantsOneQueue(const ParallelSpec& parallel);
bool wantsQueues(const ParallelSpec& parallel);
/// A script with the arguments, or a log that lists them.
bool looksLikeMegatron(std::string_view text);
Result<ConfigLayout> readMegatron(const std::filesystem::path& file, std::string_view text);

/// The number of tokens that Megatron-LM pads a vocabulary to.
std::int64_t paddedVocabulary(std::int64_t vocabulary, std::int64_t divisor, std::int64_t tensor);

}  // namespace shardlab::trace
