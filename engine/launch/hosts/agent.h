// SPDX-License-Identifier: Apache-2.0
// The agent: the program that runs a command on another host, ssh where nothing else is said. Always a list of words,
// never a shell's text.
#pragma once

#include "engine/base/result.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace shardlab {

class Agent {
public:
    /// Words are parted by blanks; quotes, single or double, hold together what has some. `{host}` in a word stands for
    /// the host; where no word has it, the host follows the last one. Behind comes one word: a line for a shell. Empty:
    /// ssh that never asks. Errors: a quote that is not closed, a control character, which could hide what follows it.
    static Result<Agent> parse(std::string_view text);
    /// The text names no program of its own: ssh is meant.
    static bool isDefault(std::string_view text);

    /// The program and its arguments that run `line` on `host`.
    std::vector<std::string> command(const std::string& host, const std::string& line) const;
    /// A shell script that does the same, called as Open MPI calls it: [-OPTION…] HOST WORD…
    std::string script() const;
    /// As an error names it: "ssh".
    const std::string& program() const { return words_.front(); }

private:
    std::vector<std::string> words_;
};

/// `srun` within an allocation.
inline constexpr std::string_view slurmAgent = "srun --overlap --nodes=1 --ntasks=1 --nodelist={host} sh -c";

/// For a shell: 'it'\''s'.
std::string shellQuoted(std::string_view word);

}  // namespace shardlab
