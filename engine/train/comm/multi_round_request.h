// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/train/comm/communicator.h"

#include <functional>
#include <vector>

namespace shardlab::train {

/// A collective under way, made of rounds. Each round posts messages, and is called once all messages of the round
/// before are done. A round owns (captures) whatever memory it needs beyond the caller's buffers. The first round is
/// posted at once.
class MultiRoundRequest final : public Request {
public:
    using Round = std::function<std::vector<RequestPtr>()>;
    explicit MultiRoundRequest(std::vector<Round> rounds);
    bool test() override;
    void wait() override;

private:
    /// Posts the next round; false where there is none.
    bool advance();

    std::vector<Round> rounds_;
    std::size_t next_ = 0;
    std::vector<RequestPtr> pending_;
};

}  // namespace shardlab::train
