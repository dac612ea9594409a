// SPDX-License-Identifier: Apache-2.0
#include "engine/layout/check/check_rules.h"

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
    faults.push_back(
        {"/parallel/tensor",
         fmt::format("{} heads{} do not divide into {} shares", ofKeys ? keys : heads, ofKeys ? " of keys" : "", t),
         ofKeys
             ? "the members of a tensor group divide the heads of keys evenly, with the heads of queries that read them"
             : "the members of a tensor group divide the heads of the attention evenly",
         divisorText(std::gcd(heads, keys), t)});
}

void checkWidths(const Layout& layout, std::vector<Fault>& faults) {
    const std::int64_t t = layout.parallel.tensor;
    std::vector<std::int64_t> widths(layout.model.feedForward.begin(), layout.model.feedForward.end());
    if (widths.empty()) widths.push_back(4 * std::int64_t{layout.model.hidden});
    const auto odd = std::ranges::find_if(widths, [&](std::int64_t width) { return width > 0 && width % t != 0; });
    if (odd == widths.end()) return;
    std::int64_t common = 0;
    for (const std::int64_t width : widths) common = std::gcd(common, width);
    faults.push_back({"/parallel/tensor",
                      fmt::format("a feed-forward width of {} does not divide into {} shares", *odd, t),
                      "the members of a tensor group divide its columns evenly", divisorText(common, t)});
}

void checkSequence(const Layout& layout, std::vector<Fault>& faults) {
    const int t = layout.parallel.tensor;
    if (!layout.parallel.sequence) return;
    if (t == 1) {
        faults.push_back({"/parallel/sequence", "there is no tensor group whose members could split the tokens",
                          "it splits norms and dropout between the ranks that share a layer, and parallel.tensor is 1",
                          "false; or a tensor degree of 2 or more"});
        return;
    }
    const int c = layout.parallel.context;
    if (c < 1 || layout.model.sequence % c != 0) return;  // checkContext says so
    const std::int64_t tokens = std::int64_t{layout.batch.micro} * (layout.model.sequence / c);
    if (tokens < 1 || tokens % t == 0) return;
    faults.push_back({"/parallel/sequence",
                      fmt::format("{} samples of {} tokens do not divide into {} shares", layout.batch.micro,
                                  layout.model.sequence / c, t),
                      "every member of a tensor group takes the same number of a microbatch's tokens",
                      fmt::format("false; or a model.sequence that is a multiple of {}", (c > 1 ? 2 * c : 1) * t)});
}

}  // namespace

void checkTensor(const Layout& layout, std::vector<Fault>& faults) {
    const int t = layout.parallel.tensor;
    if (t < 1 || (t > 1 && readsImages(layout.model))) return;  // checkCnn says so
    if (t > 1 && hasExperts(layout.model))
        faults.push_back({"/parallel/tensor", fmt::format("experts are not divided among {} members", t),
                          "the members of a tensor group divide each matrix, and those of experts can only be whole",
                          "1, with data and pipeline parallelism; or model.kind gpt"});
    if (t > 1) {
        checkHeads(layout, faults);
        checkWidths(layout, faults);
        if (layout.model.vocabulary > 0 && layout.model.vocabulary < t)
            faults.push_back({"/parallel/tensor",
                              fmt::format("{} members cannot divide {} tokens", t, layout.model.vocabulary),
                              "each member of a tensor group holds a part of the vocabulary",
                              fmt::format("at most {}", layout.model.vocabulary)});
    }
    checkSequence(layout, faults);
}

}  // namespace shardlab::layout
