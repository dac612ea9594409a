// SPDX-License-Identifier: Apache-2.0
#include "engine/predict/evidence/candidate_band.h"

#include "engine/base/units.h"

#include <algorithm>
#include <fmt/format.h>

namespace shardlab::predict {

std::size_t candidatesWithinBand(std::span<const Candidate> candidates, const PublishedGround& ground) {
    if (candidates.empty() || !ground.any()) return 0;
    const Candidate& first = candidates.front();
    const double most = first.stepSeconds * (1 + ground.time.ninetieth);
    const auto beyond = std::ranges::find_if(candidates, [&](const Candidate& candidate) {
        return candidate.stepSeconds > most || candidate.fits != first.fits;
    });
    return static_cast<std::size_t>(beyond - candidates.begin());
}

std::string bandText(std::size_t within, const PublishedGround& ground) {
    if (within < 2) return {};
    return fmt::format("The first {} candidates lie within {} of the fastest: which of them is best these runs do not "
                       "tell.",
                       within, formatPercent(ground.time.ninetieth));
}

}  // namespace shardlab::predict
