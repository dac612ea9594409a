// SPDX-License-Identifier: Apache-2.0
#include "engine/layout/tensor_extents.h"

#include "engine/layout/mesh/folding.h"
#include "engine/layout/model_shape.h"

#include <algorithm>
#include <set>

namespace shardlab::layout {

namespace {

/// The lowest layers, above which no other width comes.
int layersOfAllWidths(const ModelSpec& model) {
    auto layers = static_cast<std::int64_t>(std::max<std::size_t>(1, model.feedForward.size()));
    if (hasExperts(model))
        layers = std::max<std::int64_t>(layers, model.experts.denseLayers) +
                 std::max(model.experts.every, traits(model.kind).expertsEvery);
    return static_cast<int>(std::min<std::int64_t>(layers, blockCount(model)));
}

}  // namespace

std::vector<TensorExtent> tensorExtents(const Layout& layout) {
    const ModelSpec& model = layout.model;
    const int t = layout.parallel.tensor, folds = expertFolds(layout.parallel);
    std::vector<TensorExtent> all;
    if (t < 2) return all;
    const auto add = [&](std::string_view pointer, std::int64_t extent, int members, Sentence what) {
        if (extent > 0 && members > 1) all.push_back({pointer, extent, members, std::move(what)});
    };
    const int keys = keyHeads(model), sharers = keySharers(keys, t);
    const bool grouped = keys < model.heads && sharers == 1;
    const int heads = grouped ? keys : model.heads;
    if (hasAttention(model))
        add("/parallel/tensor", heads, t,
            heads == 1 ? (grouped ? say("1 head of keys") : say("1 head"))
            : grouped  ? say("{} heads of keys", heads)
                       : say("{} heads", heads));
    if (hasAttention(model) && keys < model.heads)
        add("/parallel/tensor", 2 * headWidth(model), sharers,
            say("{} columns of a key and its value", 2 * headWidth(model)));
    std::set<std::int64_t> dense, expert, shared;
    for (int layer = 0; layer < layersOfAllWidths(model); ++layer) {
        (hasExperts(model, layer) ? expert : dense).insert(feedForwardWidth(model, layer));
        if (hasExperts(model, layer)) shared.insert(sharedWidth(model, layer));
    }
    for (const std::int64_t width : dense)
        add("/parallel/tensor", width, t,
            width == 1 ? say("1 column of a feed-forward block") : say("{} columns of a feed-forward block", width));
    for (const std::int64_t width : expert)
        add(folds > 1 ? "/parallel/expert_tensor" : "/parallel/tensor", width, t / folds,
            width == 1 ? say("1 column of an expert") : say("{} columns of an expert", width));
    for (const std::int64_t width : shared)
        add("/parallel/tensor", width, t, say("{} columns of the shared experts", width));
    return all;
}

}  // namespace shardlab::layout
