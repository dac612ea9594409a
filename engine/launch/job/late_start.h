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
    /// mpirun of a run on one host has had no process of a rank for five minutes of these looks, and never will: Open
    /// MPI 4's waits so where a signal has reached it as it began. `processes`: it has one now, or cannot start one as
    /// it is stopped itself.
    bool isStuck(std::int64_t now, bool processes);

private:
    std::int64_t begun_ = 0;
    std::int64_t due_ = 0;          ///< after how long it is told next
    std::int64_t lastProcess_ = 0;  ///< when one was there last
};

}  // namespace shardlab::launch
