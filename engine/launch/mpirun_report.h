// SPDX-License-Identifier: Apache-2.0
// What mpirun says about the end of a job on its standard error. Only it, the ranks' parent, knows how a rank died.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace shardlab {

/// A line that a rank printed, as mpirun --tag-output passes it on: "[1,2]<stderr>:text".
struct RankLine {
    int rank = 0;
    bool error = false;
    std::string text;
};
/// Nothing where the line is mpirun's own.
std::optional<RankLine> parseTagged(std::string_view line);

class MpirunReport {
public:
    /// A line of mpirun's own.
    void read(std::string_view line);

    /// The first rank that ended badly; -1 where mpirun named none.
    int rank() const { return rank_; }
    std::optional<int> signal() const { return signal_; }
    std::optional<int> exitCode() const { return exitCode_; }
    /// mpirun's first framed message, on one line; empty where there was none.
    const std::string& message() const { return message_; }

private:
    void readFramed(std::string_view line);

    bool framed_ = false;
    bool messageEnded_ = false;
    std::string message_;
    int rank_ = -1;
    int namedRank_ = -1;  ///< of "Process name:", whose exit code follows on a later line
    std::optional<int> signal_;
    std::optional<int> exitCode_;
};

}  // namespace shardlab
