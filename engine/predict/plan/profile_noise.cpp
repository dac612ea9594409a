// SPDX-License-Identifier: Apache-2.0
#include "engine/predict/plan/profile_noise.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>

namespace shardlab::predict {
namespace {

double noiseOf(const Profile& profile) {
    const Spread* widest = widestSpread(profile);
    return widest != nullptr ? widest->share : 0;
}

}  // namespace

double spreadOf(std::vector<double> samples) {
    if (samples.size() < 4) return 0;
    std::ranges::sort(samples);
    const double median = samples[samples.size() / 2];
    return median > 0 ? (samples[samples.size() * 3 / 4] - samples[samples.size() / 4]) / median : 0;
}

const Spread* widestSpread(const Profile& profile) {
    const auto widest = std::ranges::max_element(profile.spreads, {}, &Spread::share);
    return widest != profile.spreads.end() ? &*widest : nullptr;
}

bool noisy(const Profile& profile) { return noiseOf(profile) > noisySpread; }

Sentence noiseText(const Profile& profile) {
    if (!noisy(profile)) return {};
    const Spread& widest = *widestSpread(profile);
    return say("repeated measurements of {} differ by {:.0f} %", widest.what, 100 * widest.share);
}

Result<Profile> quietestProfile(const std::function<Result<Profile>()>& measure,
                                const std::function<void(const std::string&)>& tell) {
    std::optional<Profile> quietest;
    for (int done = 1;; ++done) {
        auto profile = measure();
        if (!profile) return profile;
        const Sentence noise = noiseText(*profile);
        if (!quietest || noiseOf(*profile) < noiseOf(*quietest)) quietest = std::move(*profile);
        if (noise.empty()) break;
        if (done == mostMeasurements) {
            tell(fmt::format("noisy: {}; this is the quietest of {} profiles and is kept. Measure again while nothing "
                             "else runs",
                             noiseText(*quietest), mostMeasurements));
            break;
        }
        tell(fmt::format("measuring again, {} of at most {}; noisy: {}", done + 1, mostMeasurements, noise));
    }
    return std::move(*quietest);
}

}  // namespace shardlab::predict
