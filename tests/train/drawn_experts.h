// SPDX-License-Identifier: Apache-2.0
// Models with experts of any kind that a layout may have.
#pragma once

#include "tests/support/named.h"
#include "tests/support/wings.h"

#include <array>

namespace shardlab::test {

/// `below(n)` draws a whole number from 0 to n − 1. The model suits the layout's degrees, which are set before: its
/// heads, widths and experts divide by them. `dropless`: no expert has a limit of places, as members of a context group
/// need it.
template <class Below>
void drawExperts(Layout& layout, const Below& below, bool dropless) {
    ModelSpec& model = layout.model;
    MoeSpec& experts = model.experts;
    const int t = layout.parallel.tensor;
    const bool llama = below(2) == 0;
    model = {llama ? ModelKind::LlamaMoe : ModelKind::GptMoe, 4, 24, 12, 24, 259, 0};
    if (llama && below(2)) model.block.kvHeads = t;
    const std::array gates{"switch",
                           "noisy-top-k",
                           "hierarchical",
                           "gshard",
                           "expert-choice",
                           "softmax-top-k",
                           "top-k-softmax",
                           "sigmoid-top-k",
                           "sigmoid-in-groups",
                           "capped-expert-choice"};
    do experts.gate = named(gates[static_cast<std::size_t>(below(int(gates.size())))]);
    while (dropless && (expertsChoose(model) || traits(experts.gate).draws));
    const bool mayBeDropless = !expertsChoose(model) && !traits(experts.gate).draws;
    const bool groups = hasGroups(model) || choosesInGroups(model);
    experts.count = groups ? 12 : 4 + 2 * below(2);
    experts.groups = 4;
    experts.topGroups = 2;
    experts.topK = 2;
    experts.balance = 0.1;
    experts.scale = 1 + 0.5 * below(3);
    experts.capacity = dropless || (mayBeDropless && below(2)) ? 0 : 1.25;
    experts.dropout = experts.capacity > 0 && below(2) ? 0.2 : 0;
    experts.width = below(2) ? 0 : t * (1 + below(12));
    experts.shared = below(3);
    experts.every = below(3);
    experts.denseLayers = below(2);
    if (layout.parallel.context == 1) model.dropout = below(2) ? 0.1 : 0;
}

}  // namespace shardlab::test
