// SPDX-License-Identifier: Apache-2.0
// A profile in place of a device preset.
#pragma once

#include "engine/base/sentence.h"
#include "engine/predict/plan/costs.h"
#include "engine/predict/plan/profile.h"

namespace shardlab::predict {

/// `costs`, as made from a preset, with the times that `profile` measured. The profile fits the layout (fits()).
///
/// A stage takes the sum of its parts. A message takes seconds + bytes ÷ bandwidth; an all-reduce over n members
/// 2(n−1)·seconds + 2(n−1)/n · bytes ÷ bandwidth; each action besides what the runtime adds to it. Links that the
/// profile did not measure (one rank) keep the preset's times.
StepCosts measuredCosts(StepCosts costs, const Layout& layout, const Mesh& mesh, const std::vector<int>& rankOfStage,
                        const Profile& profile);

/// "times were measured on this machine on 2026-11-20; then …, 3.1 % off", and noiseNote().
Sentence profileNote(const Profile& profile);
/// What a reader of a prediction should know of a noisy profile, to follow a sentence; empty where it is not noisy.
Sentence noiseNote(const Profile& profile);

}  // namespace shardlab::predict
