// SPDX-License-Identifier: Apache-2.0
#include "engine/train/parallel/expert.h"

#include <utility>

namespace shardlab::train {

ExpertParallel::ExpertParallel(Communicator& group, const MemberSamples& samples, Observer observer)
    : ExpertGroup(group.size(), group.rank(), samples), group_(group), observer_(std::move(observer)) {}

std::vector<std::int32_t> ExpertParallel::gather(std::span<const std::int32_t> counts) {
    std::vector<std::int32_t> own(counts.begin(), counts.end()), all(own.size() * static_cast<std::size_t>(size()));
    group_.host().allGather({{own.data(), DType::I32}, own.size()}, {{all.data(), DType::I32}, all.size()});
    return all;
}

void ExpertParallel::exchange(ExpertExchange direction, ConstArraySpan sent, ArraySpan received,
                              std::span<const std::size_t> sizes) {
    const auto run = [&] {
        if (sizes.empty()) group_.allToAll(sent, received);
        else group_.allToAllParts(sent, received, sizes);
    };
    if (!observer_) return run();
    observer_({direction, layer_, static_cast<std::int64_t>(sent.bytes().size())}, run);
}

}  // namespace shardlab::train
