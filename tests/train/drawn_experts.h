// SPDX-License-Identifier: Apache-2.0
// Models with experts of any kind that a layout may have.
#pragma once

#include "engine/layout/mesh/folding.h"
#include "tests/support/named.h"
#include "tests/support/wings.h"

#include <array>
#include <vector>

namespace shardlab::test {

/// Gives the experts of a tensor group a tensor degree of their own, or leaves the group as it is. What the layout
/// spreads its experts over becomes larger by the number of folds.
template <class Below>
void drawFolds(ParallelSpec& parallel, const Below& below) {
    std::vector<int> degrees;
    for (int x = 1; x <= parallel.tensor; ++x)
        if (parallel.tensor % x == 0) degrees.push_back(x == parallel.tensor ? 0 : x);
    parallel.expertTensor = degrees[static_cast<std::size_t>(below(static_cast<int>(degrees.size())))];
    if (parallel.expertTensor > 0) parallel.expert *= parallel.tensor / parallel.expertTensor;
}

/// `below(n)` draws a whole number from 0 to n − 1. The model suits the layout's degrees, which are set before: they
/// divide its experts, and it has at least as many heads and columns.
template <class Below>
void drawExperts(Layout& layout, const Below& below) {
    ModelSpec& model = layout.model;
    MoeSpec& experts = model.experts;
    const int t = layout.parallel.tensor, ofExpert = t / expertFolds(layout.parallel);
    const bool llama = below(2) == 0;
    model = {llama ? ModelKind::LlamaMoe : ModelKind::GptMoe, 4, 24, 12, 24, 259, 0};
    const int mostSharers = 2 * model.hidden / model.heads;
    const auto fits = [&](int keys) {
        return model.heads % keys == 0 && (keys >= t || (t % keys == 0 && t / keys <= mostSharers));
    };
    if (llama && below(2)) do
            model.block.kvHeads = 1 + below(12);
        while (!fits(model.block.kvHeads));
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
    experts.gate = named(gates[static_cast<std::size_t>(below(int(gates.size())))]);
    const bool mayBeDropless = !expertsChoose(model) && !traits(experts.gate).draws;
    const bool groups = hasGroups(model) || choosesInGroups(model);
    experts.count = groups ? 12 : 4 + 2 * below(2);
    while (experts.count % layout.parallel.expert != 0) experts.count += groups ? 4 : 2;
    experts.groups = 4;
    experts.topGroups = 2;
    experts.topK = 2;
    experts.balance = 0.1;
    experts.scale = 1 + 0.5 * below(3);
    experts.capacity = mayBeDropless && below(2) ? 0 : 1.25;
    experts.dropout = below(2) ? 0.2 : 0;
    experts.width = below(2) ? 0 : ofExpert + below(12 * ofExpert);
    experts.scoreBias = below(2);
    experts.shared = below(3);
    if (experts.width > 0 && experts.shared * experts.width < t) experts.shared = 0;
    experts.every = below(3);
    experts.denseLayers = below(2);
    model.dropout = below(2) ? 0.1 : 0;
}

/// For a layout whose degrees have changed since its experts were drawn: they are wide enough for the tensor group.
inline void fitWidth(Layout& layout) {
    if (layout.model.experts.width < layout.parallel.tensor) layout.model.experts.width = 0;
}

/// How many rows come where experts are spread is known to a run alone.
inline bool rowsVary(const Layout& layout) { return dropless(layout.model) || layout.parallel.context > 1; }

/// Each rank of a tensor group has its part of all experts.
inline void keepTogether(Layout& layout) {
    layout.parallel.expert = 1;
    layout.parallel.expertTensor = 0;
    fitWidth(layout);
}

}  // namespace shardlab::test
