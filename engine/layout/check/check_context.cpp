// SPDX-License-Identifier: Apache-2.0
#include "engine/layout/attention_shape.h"
#include "engine/layout/check/check_rules.h"
#include "engine/layout/recompute.h"
#include "engine/layout/stacks.h"
#include "engine/layout/suggest.h"

#include <numeric>

namespace shardlab::layout {

namespace {

/// Context degrees that cut the sequence, and with the method ulysses a tensor rank's heads, into equal shares.
Sentence legalDegrees(const Layout& layout) {
    const ModelSpec& model = layout.model;
    const int t = std::max(1, layout.parallel.tensor);
    std::int64_t shared = model.sequence % 2 == 0 ? model.sequence / 2 : 1;
    if (exchangesHeads(layout))
        for (const int member : {0, t - 1}) shared = std::gcd(shared, ownHeads(model, {t, member}));
    return divisorText(shared, layout.parallel.context);
}

void checkContextHeads(const Layout& layout, std::vector<Fault>& faults) {
    if (!exchangesHeads(layout)) return;
    const int c = layout.parallel.context, t = std::max(1, layout.parallel.tensor), heads = layout.model.heads;
    const std::int64_t fewest = ownHeads(layout.model, {t, 0}), most = ownHeads(layout.model, {t, t - 1});
    if (heads >= 1 && fewest > 0 && (fewest % c != 0 || most % c != 0))  // without any heads, checkTensor says so
        faults.push_back(
            {"/parallel/context",
             heads == 1 ? say("1 head does not divide into {} shares", c)
             : t == 1   ? say("{} heads do not divide into {} shares", heads, c)
                        : say("{} of {} heads do not divide into {} shares", fewest % c != 0 ? fewest : most, heads, c),
             say("with the method ulysses each member of a context group computes equally many of the "
                 "heads that a tensor rank has"),
             say("{}; or parallel.context_method ring", legalDegrees(layout))});
    if (recomputesHeads(layout.memory) && modelledStack(layout))
        faults.push_back(
            {layout.memory.recompute == RecomputeKind::Parts ? "/memory/recompute_parts" : "/memory/recompute",
             say("recompute latent with the context method ulysses and a modelled software stack"),
             say("the attention of other programs keeps what the exchange of the heads brought, so that nothing is "
                 "left to make again"),
             say("another word; or parallel.context_method ring; or cluster.pace.stack shardlab")});
}

}  // namespace

void checkContext(const Layout& layout, std::vector<Fault>& faults) {
    const std::int64_t c = layout.parallel.context, sequence = layout.model.sequence;
    if (c <= 1 || sequence < 1 || readsImages(layout.model)) return;  // of a cnn, checkCnn says so
    if (sequence % (2 * c) != 0) {
        const std::int64_t below = sequence / (2 * c) * 2 * c;
        const Sentence sequences = below > 0 ? say("{} or {}", below, below + 2 * c) : std::to_string(2 * c);
        faults.push_back(
            {"/parallel/context", say("a sequence of {} tokens cannot be cut into {} equal pieces", sequence, 2 * c),
             say("each of the members takes a piece from the front and one from the back, so that in a ring all attend "
                 "to equally much"),
             say("{}; or model.sequence {}", legalDegrees(layout), sequences)});
    }
    checkContextHeads(layout, faults);
}

}  // namespace shardlab::layout
