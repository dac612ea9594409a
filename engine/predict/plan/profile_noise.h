// SPDX-License-Identifier: Apache-2.0
// How far a profile can be believed: whether measurements of the same thing lay apart while it was made, as they do
// where other programs take the cores in between.
#pragma once

#include "engine/base/sentence.h"
#include "engine/predict/plan/profile.h"

#include <functional>
#include <string>
#include <vector>

namespace shardlab::predict {

/// A profile is noisy where one of its spreads is above this. The middle half of the measurements is then wider than a
/// quarter of the median, so that the median may be off by more than a tenth: more than separates many schedules.
inline constexpr double noisySpread = 0.25;

/// Interquartile range ÷ median of repeated measurements; 0 for fewer than four, whose quartiles say nothing.
double spreadOf(std::vector<double> samples);

/// The widest spread of the profile; null where it has none.
const Spread* widestSpread(const Profile& profile);
bool noisy(const Profile& profile);
/// "repeated measurements of training steps differ by 40 %"; empty for a profile that is not noisy.
Sentence noiseText(const Profile& profile);

constexpr int mostMeasurements = 3;
/// The profile that `measure` gives, or where it is noisy the quietest of at most `mostMeasurements`. An error ends it
/// and is the answer. `tell` hears why it is measured again, and that all were noisy.
Result<Profile> quietestProfile(const std::function<Result<Profile>()>& measure,
                                const std::function<void(const std::string&)>& tell);

}  // namespace shardlab::predict
