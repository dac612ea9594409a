// SPDX-License-Identifier: Apache-2.0
// Gates that tests of kernels try: shapes and rules at random.
#pragma once

#include "kernels/gate.h"
#include "tests/kernels/random_inputs.h"
#include "tests/support/wings.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace shardlab::test {

/// Which shapes and rules are tried.
struct TriedGate {
    GateKind kind = GateKind::Switch;
    bool dropless = false;
    bool drawn = true;    ///< GShard
    bool several = true;  ///< Switch: more than one choice
    bool grouped = true;  ///< Sigmoid
};

/// With a cap that leaves places for all, or just so.
inline GateRule someRule(RandomInputs& in, const TriedGate& gate, const GateShape& shape) {
    GateRule rule{gate.kind, gate.drawn, 99, 7};
    const int least = (shape.experts * shape.capacity + shape.sequence - 1) / shape.sequence;
    rule.tokenExperts = in.coin() ? least : in.whole(least, shape.experts);
    rule.entropy = 0.1f * float(in.whole(1, 5));
    if (in.coin()) rule.scale = 0.5f * float(in.whole(1, 6));
    return rule;
}
inline GateShape someShape(RandomInputs& in, const TriedGate& gate) {
    const GateKind kind = gate.kind;
    GateShape shape{in.whole(1, 4), in.whole(1, 70), in.whole(2, 150), 1, 1};
    if (in.coin()) shape.experts = in.whole(2, 8);
    if (kind == GateKind::NoisyTopK) shape.choices = in.whole(2, std::min(shape.experts, 5));
    if (kind == GateKind::Switch && gate.several) shape.choices = in.whole(2, std::min(shape.experts, 8));
    if (sharesChosen(kind)) shape.choices = in.whole(1, std::min(shape.experts, 8));
    if (expertsChoose(kind)) shape.choices = shape.experts;
    if (kind == GateKind::GShard) shape.choices = 2;
    if (kind == GateKind::Hierarchical) {
        const int inGroup = in.whole(2, in.coin() ? 5 : 40);
        shape.groups = in.whole(2, in.coin() ? 5 : 40);
        shape.experts = shape.groups * inGroup;
        shape.groupChoices = in.whole(2, std::min(shape.groups, 4));
        shape.choices = shape.groupChoices * in.whole(2, std::min(inGroup, 4));
    }
    if (kind == GateKind::Sigmoid && gate.grouped) {
        const int inGroup = in.whole(1, in.coin() ? 4 : 20);
        shape.groups = in.whole(2, in.coin() ? 4 : 40);
        shape.experts = shape.groups * inGroup;
        shape.groupChoices = in.whole(1, std::min(shape.groups, 8));
        shape.choices = in.whole(1, std::min(shape.groupChoices * inGroup, 8));
    }
    shape.dropless = gate.dropless;
    const int asked = expertsChoose(kind) ? 1 : shape.choices;
    shape.capacity = std::clamp(int(std::ceil((0.3 + 0.1 * in.whole(0, 20)) * asked * shape.sequence / shape.experts)),
                                1, shape.sequence);
    if (shape.dropless) shape.capacity = shape.sequence;
    return shape;
}
/// What Sigmoid adds for the choice; nothing for the other kinds.
inline std::vector<float> someBias(RandomInputs& in, const TriedGate& gate, const GateShape& shape) {
    return gate.kind == GateKind::Sigmoid && in.coin() ? in.floats(std::size_t(shape.experts), 0.3f)
                                                       : std::vector<float>{};
}

}  // namespace shardlab::test
