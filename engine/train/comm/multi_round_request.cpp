// SPDX-License-Identifier: Apache-2.0
#include "engine/train/comm/multi_round_request.h"

#include <utility>

namespace shardlab::train {

MultiRoundRequest::MultiRoundRequest(std::vector<Round> rounds) : rounds_(std::move(rounds)) { advance(); }

bool MultiRoundRequest::advance() {
    if (next_ == rounds_.size()) return false;
    Round round = std::exchange(rounds_[next_++], nullptr);  // its buffers are freed as soon as it is done
    pending_ = round();
    return true;
}

bool MultiRoundRequest::test() {
    while (true) {
        while (!pending_.empty() && pending_.back()->test()) pending_.pop_back();
        if (!pending_.empty()) return false;
        if (!advance()) return true;
    }
}

void MultiRoundRequest::wait() {
    do {
        for (RequestPtr& request : pending_) request->wait();
        pending_.clear();
    } while (advance());
}

}  // namespace shardlab::train
