// SPDX-License-Identifier: Apache-2.0
// Says which ranks of a start have not begun, where that takes long: mpirun itself waits without a word, for ever where
// a firewall stands between two hosts.
#pragma once

#include "engine/launch/job/rank_ends.h"

#include <cstdint>
#include <span>
#include <string>

namespace shardlab::launch {

class LateStart {
public:
    /// Ranks are being started at this moment. Nanoseconds, here and below.
    void begin(std::int64_t now);
    /// "4 of 6 ranks have not begun after 20.0 s: rank 2 on b, rank 3 on b, …", at 20 s and then each time after
    /// twice as long; else empty. `hosts`: the name of each rank's host; empty where there is one.
    std::string look(std::int64_t now, std::span<const RankFate> ranks, std::span<const std::string> hosts);

private:
    std::int64_t begun_ = 0;
    std::int64_t due_ = 0;  ///< after how long it is told next
};

}  // namespace shardlab::launch
