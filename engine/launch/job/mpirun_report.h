// SPDX-License-Identifier: Apache-2.0
// What mpirun says about the end of a job on its standard error. Only it, the ranks' parent, knows how a rank died.
#pragma once

#include "engine/base/wings.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace shardlab::launch {

/// A line that a rank printed, as mpirun --tag-output passes it on: "[1,2]<stderr>:text".
struct RankLine {
    int rank = 0;
    bool error = false;
    std::string text;
};
/// None: the line is mpirun's own.
std::optional<RankLine> parseTagged(std::string_view line);

class MpirunReport {
public:
    /// Takes a line of mpirun's own and returns what belongs into the log: the line, or a framed message, whole and on
    /// one line, once its frame is closed. Empty: there is nothing yet.
    std::string read(std::string_view line);
    /// What is left of a framed message that mpirun did not end; empty where there is none.
    std::string rest() { return std::exchange(framedText_, {}); }

    /// The first rank that ended badly; -1 where mpirun named none.
    int rank() const { return rank_; }
    std::optional<int> signal() const { return signal_; }
    std::optional<int> exitCode() const { return exitCode_; }
    /// The host, as mpirun calls it, whose daemon it lost, and with it the ranks there; empty: none.
    const std::string& lostHost() const { return lostHost_; }
    /// mpirun's first framed message, on one line; empty where there was none.
    const std::string& message() const { return message_; }
    /// Whether it said anything of its own, framed or not.
    bool spoke() const { return spoke_; }

private:
    void readFramed(std::string_view line);

    bool framed_ = false;
    bool messageEnded_ = false;
    bool spoke_ = false;
    std::string message_;
    std::string framedText_;  ///< the message whose frame is open
    int rank_ = -1;
    int namedRank_ = -1;  ///< the rank after "Process name:", whose exit code follows on a later line
    std::optional<int> signal_;
    std::optional<int> exitCode_;
    std::string lostHost_;
};

}  // namespace shardlab::launch
