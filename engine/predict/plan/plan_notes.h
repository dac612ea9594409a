// SPDX-License-Identifier: Apache-2.0
// What a reader should know of a plan.
#pragma once

#include "engine/predict/plan/plan.h"

#include <vector>

namespace shardlab::predict {

/// Notes on a plan whose other members are all there. Where it does not fit, the first says so.
std::vector<Sentence> planNotes(const Plan& plan);

}  // namespace shardlab::predict
