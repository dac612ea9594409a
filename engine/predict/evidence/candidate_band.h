// SPDX-License-Identifier: Apache-2.0
// Which candidates of a search published runs do not tell apart.
#pragma once

#include "engine/predict/evidence/published_ground.h"
#include "engine/predict/search/search.h"

#include <span>
#include <string>

namespace shardlab::predict {

/// How many of the first candidates, as rankCandidates() leaves them, are slower than the very first by no more than
/// nine of ten published runs are off; 0 where no run is like it, or there are no candidates. `ground`: of the first.
std::size_t candidatesWithinBand(std::span<const Candidate> candidates, const PublishedGround& ground);

/// "The first 7 candidates lie within 12.4 % of the fastest: which of them is best these runs do not tell."; empty
/// where fewer than two do.
std::string bandText(std::size_t within, const PublishedGround& ground);

}  // namespace shardlab::predict
