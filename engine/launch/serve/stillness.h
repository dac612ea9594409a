// SPDX-License-Identifier: Apache-2.0
// Which rank of another program hangs: the one that stands still while the others wait for it.
#pragma once

#include "engine/launch/serve/sender_frames.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace shardlab::launch {

class Stillness {
public:
    struct Verdict {
        int rank = -1;     ///< the one that hangs; −1: it is not known which, or there are several
        std::string text;  ///< "nothing has happened for 30 s: rank 2 stands still in 2F3 of step 5, 3 wait for others"
    };

    /// `silence`: nanoseconds without an event of any rank after which somebody hangs.
    Stillness(int ranks, std::int64_t silence);

    void joined(int rank) { present_[static_cast<std::size_t>(rank)] = true; }
    void left(int rank) { present_[static_cast<std::size_t>(rank)] = false; }
    void recorded(int rank, std::int64_t now);  ///< events of the rank arrived
    void doing(int rank, const SenderDoing& doing) { doing_[static_cast<std::size_t>(rank)] = doing; }
    /// Once for each time that all stand still: who hangs. None while something happens, or where no rank has told what
    /// it does; one that tells nothing while others do is a stopped process.
    std::optional<Verdict> judge(std::int64_t now);
    /// The verdict that still holds; empty where none does.
    const std::string& holds() const { return holds_; }

private:
    Verdict verdict(std::int64_t now) const;

    const std::int64_t silence_;
    std::int64_t newest_ = 0;  ///< when the last events arrived; 0: none have
    std::vector<std::optional<SenderDoing>> doing_;
    std::vector<bool> present_;
    std::string holds_;
};

}  // namespace shardlab::launch
