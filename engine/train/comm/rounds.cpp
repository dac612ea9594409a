// SPDX-License-Identifier: Apache-2.0
#include "engine/train/comm/rounds.h"

#include <utility>

namespace shardlab {

Rounds::Rounds(std::vector<Round> rounds) : rounds_(std::move(rounds)) { advance(); }

bool Rounds::advance() {
    if (next_ == rounds_.size()) return false;
    Round round = std::exchange(rounds_[next_++], nullptr);  // its buffers are freed as soon as it is done
    pending_ = round();
    return true;
}

bool Rounds::test() {
    while (true) {
        while (!pending_.empty() && pending_.back()->test()) pending_.pop_back();
        if (!pending_.empty()) return false;
        if (!advance()) return true;
    }
}

void Rounds::wait() {
    do {
        for (RequestPtr& request : pending_) request->wait();
        pending_.clear();
    } while (advance());
}

}  // namespace shardlab
