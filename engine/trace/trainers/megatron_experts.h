// SPDX-License-Identifier: Apache-2.0
// Layers with experts as Megatron-Core has them (core/transformer/moe of 0.16): refused, written and read.
#pragma once

#include "engine/trace/trainers/megatron.h"
#include "engine/trace/trainers/program_options.h"

#include <vector>

namespace shardlab::trace {

/// Refuses the gates and the parts of experts that its router has not.
void refuseExperts(const Layout& layout, const MegatronWords& words, std::vector<Fault>& faults);
/// The arguments of the model's experts, which it has.
std::vector<MegatronSetting> expertSettings(const Layout& layout);
/// Gives the model the experts of --num-experts, which is there; `inner` is the width of a block without them. What no
/// layout says becomes a note.
void readExperts(ProgramOptions& options, int inner, ModelSpec& model, std::vector<Sentence>& notes);

}  // namespace shardlab::trace
