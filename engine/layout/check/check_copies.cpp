// SPDX-License-Identifier: Apache-2.0
#include "engine/layout/check/check_rules.h"
#include "engine/layout/mesh/folding.h"
#include "engine/layout/suggest.h"

namespace shardlab::layout {
namespace {

/// What a copy can be divided over: divisors of `data` that hold whole expert groups, and "0".
Sentence shardText(const ParallelSpec& parallel) {
    std::vector<std::string> sizes;
    const auto consider = [&](int size) {
        const std::int64_t ranks = std::int64_t{size} * parallel.context;
        if (sizes.size() < 6 && ranks > 1 && ranks % expertSpread(parallel) == 0) sizes.push_back(std::to_string(size));
    };
    // Divisors come in pairs k · (data ÷ k) with k at most √data: the larger of each pair first, from the largest.
    int smaller = 1;
    for (; std::int64_t{smaller} * smaller <= parallel.data; ++smaller)
        if (parallel.data % smaller == 0) consider(parallel.data / smaller);
    while (--smaller > 0)
        if (parallel.data % smaller == 0 && parallel.data / smaller != smaller) consider(smaller);
    return sizes.empty() ? "0" : say("{}; or 0: all data ranks share one copy", alternatives(sizes));
}

}  // namespace

void checkCopies(const Layout& layout, std::vector<Fault>& faults) {
    const ParallelSpec& p = layout.parallel;
    if (p.shard <= 0 || p.data < 1 || p.expert < 1 || p.context < 1) return;
    if (p.zero == 0)
        faults.push_back({"/parallel/shard", say("copies over {} data ranks with ZeRO 0", p.shard),
                          say("without ZeRO every replica holds all of its state"), say("0; or parallel.zero 1 to 3")});
    else if (p.data % p.shard != 0)
        faults.push_back({"/parallel/shard", say("{} data ranks do not divide into copies over {}", p.data, p.shard),
                          say("every copy is divided over equally many data ranks"), shardText(p)});
    else if (std::int64_t{p.shard} * p.context % expertSpread(p) != 0)
        faults.push_back(
            {"/parallel/shard", say("a copy over {} data ranks with experts over {}", p.shard, expertSpread(p)),
             say("a copy holds every expert, and a group of ranks that hold all experts lies within one copy"),
             shardText(p)});
    else if (std::int64_t{p.shard} * p.context == 1)
        faults.push_back({"/parallel/shard", say("a copy on a single rank"),
                          say("ZeRO divides a copy over several ranks, and here each has a whole one"), shardText(p)});
}

}  // namespace shardlab::layout
