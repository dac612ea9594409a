// SPDX-License-Identifier: Apache-2.0
#include "engine/layout/check/check_rules.h"

#include "engine/layout/mesh/folding.h"
#include "engine/layout/model_shape.h"
#include "engine/layout/suggest.h"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>

namespace shardlab::layout {
namespace {

void checkHeads(const Layout& layout, std::vector<Fault>& faults) {
    const int t = layout.parallel.tensor, heads = layout.model.heads, keys = keyHeads(layout.model);
    if (!hasAttention(layout.model) || heads < 1 || keys < 1 || (heads % t == 0 && keys % t == 0)) return;
    const bool ofKeys = heads % t == 0;
    faults.push_back({"/parallel/tensor",
                      ofKeys ? say("{} heads of keys do not divide into {} shares", keys, t)
                             : say("{} heads do not divide into {} shares", heads, t),
                      ofKeys ? say("the members of a tensor group divide the heads of keys evenly, with the heads of "
                                   "queries that read them")
                             : say("the members of a tensor group divide the heads of the attention evenly"),
                      divisorText(std::gcd(heads, keys), t)});
}

/// Widths of the blocks; with those of experts that have no width of their own where `withExperts`.
std::vector<std::int64_t> blockWidths(const ModelSpec& model, bool withExperts) {
    const std::vector<int>& listed = model.feedForward;
    const std::int64_t all = listed.empty() ? 4 * std::int64_t{model.hidden} : listed.front();
    if (!hasExperts(model) || (withExperts && model.experts.width == 0))
        return listed.empty() ? std::vector{all} : std::vector<std::int64_t>(listed.begin(), listed.end());
    std::vector<std::int64_t> widths;
    for (int layer = 0; layer < blockCount(model); ++layer)
        if (!hasExperts(model, layer)) widths.push_back(feedForwardWidth(model, layer));
    return widths;
}

/// Experts are cut over x members, and what the shared experts of a layer have together over all.
void checkFoldedWidths(const Layout& layout, std::int64_t x, std::vector<Fault>& faults) {
    const ModelSpec& model = layout.model;
    const std::int64_t t = layout.parallel.tensor;
    for (int layer = 0; layer < blockCount(model); ++layer) {
        if (!hasExperts(model, layer)) continue;
        const std::int64_t width = feedForwardWidth(model, layer), shared = sharedWidth(model, layer);
        if (width % x != 0)
            return faults.push_back({"/parallel/expert_tensor",
                                     say("an expert's width of {} does not divide into {} shares", width, x),
                                     say("the members that share an expert divide its columns evenly"),
                                     divisorText(std::gcd(width, t), x)});
        if (shared % t != 0)
            return faults.push_back(
                {"/parallel/tensor", say("the shared experts' width of {} does not divide into {} shares", shared, t),
                 say("the members of a tensor group divide the columns of the shared experts evenly"),
                 divisorText(shared, t)});
    }
}

void checkWidths(const Layout& layout, std::vector<Fault>& faults) {
    const std::int64_t t = layout.parallel.tensor, expert = layout.model.experts.width;
    const int folds = expertFolds(layout.parallel);
    if (folds > 1) checkFoldedWidths(layout, t / folds, faults);
    else if (hasExperts(layout.model) && expert > 0 && expert % t != 0)
        faults.push_back(
            {"/parallel/tensor", say("an expert's width of {} does not divide into {} shares", expert, t),
             say("the members of a tensor group divide the columns of every expert, and of the shared experts, evenly"),
             divisorText(expert, t)});
    const std::vector<std::int64_t> widths = blockWidths(layout.model, folds == 1);
    const auto odd = std::ranges::find_if(widths, [&](std::int64_t width) { return width > 0 && width % t != 0; });
    if (odd == widths.end()) return;
    std::int64_t common = 0;
    for (const std::int64_t width : widths) common = std::gcd(common, width);
    faults.push_back({"/parallel/tensor", say("a feed-forward width of {} does not divide into {} shares", *odd, t),
                      say("the members of a tensor group divide its columns evenly"), divisorText(common, t)});
}

void checkSequence(const Layout& layout, std::vector<Fault>& faults) {
    const int t = layout.parallel.tensor;
    if (!layout.parallel.sequence) return;
    if (t == 1) {
        faults.push_back(
            {"/parallel/sequence", say("there is no tensor group whose members could split the tokens"),
             say("it splits norms and dropout between the ranks that share a layer, and parallel.tensor is 1"),
             say("false; or a tensor degree of 2 or more")});
        return;
    }
    const int c = layout.parallel.context;
    if (c < 1 || layout.model.sequence % c != 0) return;  // checkContext says so
    const std::int64_t tokens = std::int64_t{layout.batch.micro} * (layout.model.sequence / c);
    if (tokens < 1 || tokens % t == 0) return;
    faults.push_back(
        {"/parallel/sequence",
         say("{} samples of {} tokens do not divide into {} shares", layout.batch.micro, layout.model.sequence / c, t),
         say("every member of a tensor group takes the same number of a microbatch's tokens"),
         say("false; or a model.sequence that is a multiple of {}", (c > 1 ? 2 * c : 1) * t)});
}

}  // namespace

void checkTensor(const Layout& layout, std::vector<Fault>& faults) {
    const int t = layout.parallel.tensor;
    if (t < 1 || (t > 1 && readsImages(layout.model))) return;  // checkCnn says so
    if (t > 1) {
        checkHeads(layout, faults);
        checkWidths(layout, faults);
        if (layout.model.vocabulary > 0 && layout.model.vocabulary < t)
            faults.push_back({"/parallel/tensor", say("{} members cannot divide {} tokens", t, layout.model.vocabulary),
                              say("each member of a tensor group holds a part of the vocabulary"),
                              say("at most {}", layout.model.vocabulary)});
    }
    checkSequence(layout, faults);
}

}  // namespace shardlab::layout
