// SPDX-License-Identifier: Apache-2.0
// Experts of any gate, with and without a limit of places, beside shared ones and dense blocks.
#pragma once

#include "engine/layout/layout.h"
#include "tests/support/wings.h"

#include <algorithm>

namespace shardlab::test {

/// `below(n)` draws a whole number from 0 to n − 1. So many ranks can share out the experts. `limited`: they have a
/// limit of places, so that how many rows come to a rank does not depend on what is trained. `placed`: so high a limit
/// that a third of the tokens can hardly be left without a place.
template <class Below>
void drawExperts(ModelSpec& model, const Below& below, int ranks = 1, bool limited = false, bool placed = false) {
    MoeSpec& experts = model.experts;
    experts.gate = static_cast<GateMethod>(below(static_cast<int>(GateMethod::Count)));
    const GateTraits& gate = traits(experts.gate);
    experts.count = std::max(2, ranks * (1 + below(3)));
    experts.topK = 2 + below(std::min(experts.count, 3) - 1);
    if (gate.groups || gate.inGroups) {
        experts.groups = 2 + below(2);
        const int inGroup = 2 + below(2);
        experts.count = ranks * experts.groups * inGroup;
        experts.topGroups = 2;
        experts.topK = 2 + below(gate.groups ? inGroup - 1 : 2);
    }
    const double least = !placed ? 0.5 : gate.expertsChoose ? 1 : experts.count;
    experts.capacity = limited || gate.expertsChoose || gate.draws || below(2) ? least + 0.25 * below(6) : 0;
    experts.tokenExperts =
        std::clamp((experts.count * expertCapacity(model) + model.sequence - 1) / model.sequence, 1, experts.count);
    experts.dropout = below(2) ? 0.1 : 0;
    experts.balance = below(2) ? 0.1 : 0;
    experts.width = below(2) ? 4 + below(30) : 0;
    experts.shared = below(2) ? 1 + below(2) : 0;
    experts.scale = 0.5 * (1 + below(5));
    experts.scoreBias = below(2) == 0;
}

/// Which blocks of the model have experts: at least one. What the kind of model has stays in half of the draws.
template <class Below>
void drawExpertBlocks(ModelSpec& model, const Below& below) {
    model.experts.every = below(2) ? 1 + below(std::min(model.layers, 3)) : 0;
    const int every = model.experts.every > 0 ? model.experts.every : traits(model.kind).expertsEvery;
    model.experts.denseLayers = below(2) ? below(model.layers / every * every) : 0;
}

}  // namespace shardlab::test
