// SPDX-License-Identifier: Apache-2.0
#include "engine/layout/check/check_rules.h"
#include "engine/layout/suggest.h"
#include "engine/layout/tensor_extents.h"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>

namespace shardlab::layout {
namespace {

bool areTooFew(const TensorExtent& each) { return each.extent < each.members; }

/// Tensor degrees at which equally many members share each of so many heads of keys.
std::vector<std::string> sharingDegrees(Layout layout, int keys) {
    std::vector<std::string> degrees;
    int& tensor = layout.parallel.tensor;
    for (tensor = 2 * keys; tensor <= layout.model.heads; tensor += keys)
        if (std::ranges::none_of(tensorExtents(layout), areTooFew)) degrees.push_back(std::to_string(tensor));
    return degrees;
}

Fault tooFew(const Layout& layout, std::string_view pointer, const TensorExtent& each) {
    const Sentence what = say("{} members cannot divide {}", each.members, each.what);
    const int keys = keyHeads(layout.model);
    const bool ofKeys = pointer == "/parallel/tensor" && hasAttention(layout.model) && each.extent == keys;
    const std::vector<std::string> sharing = ofKeys ? sharingDegrees(layout, keys) : std::vector<std::string>{};
    if (sharing.empty())
        return {std::string(pointer), what,
                say("each member of a tensor group holds at least one of them, and none what another holds"),
                say("at most {}", each.extent)};
    return {std::string(pointer), what,
            say("each member of a tensor group holds at least one of them, or equally many members share each"),
            say("at most {}; or {}", each.extent, alternatives(sharing))};
}

void checkExtents(const Layout& layout, std::vector<Fault>& faults) {
    std::map<std::string_view, TensorExtent> least;  // of those that are too few, for each degree
    for (const TensorExtent& each : tensorExtents(layout))
        if (areTooFew(each))
            if (const auto [found, added] = least.try_emplace(each.pointer, each); each.extent < found->second.extent)
                found->second = each;
    for (const auto& [pointer, each] : least) faults.push_back(tooFew(layout, pointer, each));
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
        checkExtents(layout, faults);
        if (layout.model.vocabulary > 0 && layout.model.vocabulary < t)
            faults.push_back({"/parallel/tensor", say("{} members cannot divide {} tokens", t, layout.model.vocabulary),
                              say("each member of a tensor group holds a part of the vocabulary"),
                              say("at most {}", layout.model.vocabulary)});
    }
    checkSequence(layout, faults);
}

}  // namespace shardlab::layout
