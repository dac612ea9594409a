// SPDX-License-Identifier: Apache-2.0
#include "engine/train/parallel/expert.h"

#include <utility>

namespace shardlab::train {

ExpertParallel::ExpertParallel(Communicator& group, std::int64_t samplesApart, Observer observer)
    : ExpertGroup(group.size(), group.rank(), samplesApart), group_(group), observer_(std::move(observer)) {}

void ExpertParallel::exchange(ExpertExchange direction, ConstArraySpan sent, ArraySpan received) {
    const auto run = [&] { group_.allToAll(sent, received); };
    if (!observer_) return run();
    observer_({direction, layer_, static_cast<std::int64_t>(sent.bytes().size())}, run);
}

}  // namespace shardlab::train
